/** Rows for test/apis/tables.test.ts: objects of networks, storage, access and the server. */
import { metadata } from './table-rows-workloads.ts';
import type { TableCase } from './table-rows-workloads.ts';

export const serviceRows: readonly TableCase[] = [
  {
    title: 'in the cluster',
    key: '/services',
    object: {
      metadata,
      spec: {
        type: 'ClusterIP',
        clusterIPs: ['10.0.0.5'],
        selector: { b: '2', a: '1' },
        ports: [
          { port: 80, protocol: 'TCP' },
          { port: 53, nodePort: 30053, protocol: 'UDP' },
        ],
      },
    },
    cells: {
      Type: 'ClusterIP',
      'Cluster-IP': '10.0.0.5',
      'External-IP': '<none>',
      'Port(s)': '80/TCP,53:30053/UDP',
      Selector: 'a=1,b=2',
    },
  },
  {
    title: 'whose load balancer is not there yet',
    key: '/services',
    object: { metadata, spec: { type: 'LoadBalancer' } },
    cells: { 'Cluster-IP': '<none>', 'External-IP': '<pending>', 'Port(s)': '<none>' },
  },
  {
    title: 'with a load balancer and an address of its own',
    key: '/services',
    object: {
      metadata,
      spec: { type: 'LoadBalancer', externalIPs: ['2.2.2.2'] },
      status: { loadBalancer: { ingress: [{ hostname: 'z' }, { ip: '1.1.1.1' }] } },
    },
    cells: { 'External-IP': '1.1.1.1,z,2.2.2.2' },
  },
  {
    title: 'that is a name',
    key: '/services',
    object: { metadata, spec: { type: 'ExternalName', externalName: 'example.org' } },
    cells: { 'External-IP': 'example.org' },
  },
  {
    title: 'shows the first three addresses',
    key: '/endpoints',
    object: {
      metadata,
      subsets: [
        { addresses: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }], ports: [{ port: 80 }, { port: 81 }] },
      ],
    },
    cells: { Endpoints: '10.0.0.1:80,[fd00::1]:80,10.0.0.1:81 + 1 more...' },
  },
  {
    title: 'shows ports and addresses',
    key: 'discovery.{domain}/endpointslices',
    object: {
      metadata,
      addressType: 'IPv4',
      ports: [{ port: 80 }, { name: 'all' }],
      endpoints: [{ addresses: ['10.0.0.1'] }, { addresses: ['10.0.0.2'] }],
    },
    cells: { AddressType: 'IPv4', Ports: '80,all', Endpoints: '10.0.0.1,10.0.0.2' },
  },
  {
    title: 'without anything',
    key: 'discovery.{domain}/endpointslices',
    object: { metadata },
    cells: { Ports: '<unset>', Endpoints: '<unset>' },
  },
  {
    title: 'for some hosts, with TLS',
    key: 'networking.{domain}/ingresses',
    object: {
      metadata,
      spec: { ingressClassName: 'c', rules: [{ host: 'a.b' }, {}], tls: [{}] },
      status: { loadBalancer: { ingress: [{ ip: '1.1.1.1' }] } },
    },
    cells: { Class: 'c', Hosts: 'a.b', Address: '1.1.1.1', Ports: '80, 443' },
  },
  {
    title: 'for any host',
    key: 'networking.{domain}/ingresses',
    object: { metadata, spec: {} },
    cells: { Class: '<none>', Hosts: '*', Address: '', Ports: '80' },
  },
  {
    title: 'names its parameters',
    key: 'networking.{domain}/ingressclasses',
    object: {
      metadata,
      spec: { controller: 'x/y', parameters: { apiGroup: 'k.io', kind: 'P', name: 'p' } },
    },
    cells: { Controller: 'x/y', Parameters: 'P.k.io/p' },
  },
  {
    title: 'selects pods',
    key: 'networking.{domain}/networkpolicies',
    object: { metadata, spec: { podSelector: {} } },
    cells: { 'Pod-Selector': '<none>' },
  },
  {
    title: 'names what it belongs to',
    key: 'networking.{domain}/ipaddresses',
    object: {
      metadata,
      spec: { parentRef: { resource: 'services', namespace: 'default', name: 'kubernetes' } },
    },
    cells: { ParentRef: 'services/default/kubernetes' },
  },
];

export const otherRows: readonly TableCase[] = [
  {
    title: 'is active',
    key: '/namespaces',
    object: { metadata, status: { phase: 'Active' } },
    cells: { Name: 'a', Status: 'Active', Age: '5m' },
  },
  {
    title: 'counts text and bytes',
    key: '/configmaps',
    object: { metadata, data: { a: '', b: '' }, binaryData: { c: '' } },
    cells: { Data: 3 },
  },
  {
    title: 'shows its type and no value',
    key: '/secrets',
    object: { metadata, type: 'Opaque', data: { a: 'c2VjcmV0' } },
    cells: { Type: 'Opaque', Data: 1 },
  },
  { title: 'counts', key: '/serviceaccounts', object: { metadata }, cells: { Secrets: 0 } },
  {
    title: 'separates requests from limits',
    key: '/resourcequotas',
    object: {
      metadata,
      status: {
        hard: { pods: '10', 'requests.cpu': '4', 'limits.cpu': '8' },
        used: { pods: '3', 'limits.cpu': '1' },
      },
    },
    cells: { Request: 'pods: 3/10, requests.cpu: 0/4', Limit: 'limits.cpu: 1/8' },
  },
  {
    title: 'shows when it was made',
    key: '/limitranges',
    object: { metadata },
    cells: { 'Created At': '2026-01-10T11:55:00Z' },
  },
  {
    title: 'shows roles, addresses and that it takes no pods',
    key: '/nodes',
    object: {
      metadata: {
        ...metadata,
        labels: { 'node-role.kubernetes.io/worker': '', 'kubernetes.io/role': 'edge' },
      },
      spec: { unschedulable: true },
      status: {
        conditions: [{ type: 'Ready', status: 'True' }],
        addresses: [{ type: 'InternalIP', address: '10.1.1.1' }],
        nodeInfo: { kubeletVersion: 'v1.33.0', osImage: 'L' },
      },
    },
    cells: {
      Status: 'Ready,SchedulingDisabled',
      Roles: 'edge,worker',
      Version: 'v1.33.0',
      'Internal-IP': '10.1.1.1',
      'External-IP': '<none>',
      'OS-Image': 'L',
      'Kernel-Version': '<unknown>',
    },
  },
  {
    title: 'that nobody has heard of',
    key: '/nodes',
    object: { metadata },
    cells: { Status: 'Unknown', Roles: '<none>' },
  },
  {
    title: 'of the core group',
    key: '/events',
    object: {
      metadata,
      type: 'Warning',
      reason: 'Failed',
      message: ' no \n',
      count: 3,
      firstTimestamp: '2026-01-10T11:00:00Z',
      lastTimestamp: '2026-01-10T11:59:00Z',
      involvedObject: { kind: 'Pod', name: 'p', fieldPath: 'spec' },
      source: { component: 'c', host: 'h' },
    },
    cells: {
      'Last Seen': '60s',
      Type: 'Warning',
      Reason: 'Failed',
      Object: 'pod/p',
      Subobject: 'spec',
      Source: 'c, h',
      Message: 'no',
      'First Seen': '60m',
      Count: 3,
      Name: 'a',
    },
  },
  {
    title: 'of the events group, in a series',
    key: 'events.{domain}/events',
    object: {
      metadata,
      note: 'no',
      eventTime: '2026-01-10T11:00:00.000000Z',
      series: { count: 8, lastObservedTime: '2026-01-10T11:59:50.000000Z' },
      regarding: { kind: 'Pod', name: 'p' },
      reportingController: 'c',
    },
    cells: {
      'Last Seen': '10s',
      'First Seen': '60m',
      Count: 8,
      Object: 'pod/p',
      Source: 'c',
      Message: 'no',
    },
  },
  {
    title: 'that is bound',
    key: '/persistentvolumes',
    object: {
      metadata,
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteMany', 'ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        claimRef: { namespace: 'n', name: 'c' },
        storageClassName: 's',
      },
      status: { phase: 'Bound' },
    },
    cells: {
      Capacity: '1Gi',
      'Access Modes': 'RWO,RWX',
      'Reclaim Policy': 'Retain',
      Status: 'Bound',
      Claim: 'n/c',
      StorageClass: 's',
      VolumeAttributesClass: '<unset>',
      VolumeMode: '<unset>',
    },
  },
  {
    title: 'that is not bound shows no capacity',
    key: '/persistentvolumeclaims',
    object: { metadata, status: { phase: 'Pending', capacity: { storage: '1Gi' } } },
    cells: { Status: 'Pending', Volume: '', Capacity: '', 'Access Modes': '' },
  },
  {
    title: 'whose volume has no size shows zero',
    key: '/persistentvolumeclaims',
    object: { metadata, spec: { volumeName: 'v' }, status: { phase: 'Lost' } },
    cells: { Status: 'Lost', Volume: 'v', Capacity: '0', 'Access Modes': '' },
  },
  {
    title: 'that is the default',
    key: 'storage.{domain}/storageclasses',
    object: {
      metadata: {
        ...metadata,
        annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
      },
      provisioner: 'p',
    },
    cells: {
      Name: 'a (default)',
      Provisioner: 'p',
      ReclaimPolicy: 'Delete',
      VolumeBindingMode: 'Immediate',
      AllowVolumeExpansion: false,
    },
  },
  {
    title: 'names who has the role',
    key: 'rbac.authorization.{domain}/rolebindings',
    object: {
      metadata,
      roleRef: { kind: 'Role', name: 'r' },
      subjects: [
        { kind: 'User', name: 'u' },
        { kind: 'User', name: 'v' },
        { kind: 'ServiceAccount', namespace: 'n', name: 's' },
      ],
    },
    cells: { Role: 'Role/r', Users: 'u, v', Groups: '', ServiceAccounts: 'n/s' },
  },
  {
    title: 'that was approved and issued',
    key: 'certificates.{domain}/certificatesigningrequests',
    object: {
      metadata,
      spec: { signerName: 's', username: 'u', expirationSeconds: 86400 },
      status: { conditions: [{ type: 'Approved' }], certificate: 'QQ==' },
    },
    cells: {
      SignerName: 's',
      Requestor: 'u',
      RequestedDuration: '24h',
      Condition: 'Approved,Issued',
    },
  },
  {
    title: 'without limits',
    key: 'flowcontrol.{domain}/prioritylevelconfigurations',
    object: { metadata, spec: { type: 'Exempt' } },
    cells: { Type: 'Exempt', NominalConcurrencyShares: '<none>', Queues: '<none>' },
  },
  {
    title: 'that this server answers',
    key: 'apiregistration.{domain}/apiservices',
    object: {
      metadata,
      status: { conditions: [{ type: 'Available', status: 'True', reason: 'R' }] },
    },
    cells: { Service: 'Local', Available: 'True' },
  },
  {
    title: 'that nobody answers',
    key: 'apiregistration.{domain}/apiservices',
    object: {
      metadata,
      spec: { service: { namespace: 'n', name: 's' } },
      status: { conditions: [{ type: 'Available', status: 'False', reason: 'R' }] },
    },
    cells: { Service: 'n/s', Available: 'False (R)' },
  },
  {
    title: 'of which nothing is said',
    key: 'apiregistration.{domain}/apiservices',
    object: { metadata, status: { conditions: [{ type: 'Other', status: 'True' }] } },
    cells: { Available: 'Unknown' },
  },
  {
    title: 'says whether its level is there',
    key: 'flowcontrol.{domain}/flowschemas',
    object: {
      metadata,
      spec: { priorityLevelConfiguration: { name: 'p' }, matchingPrecedence: 100 },
      status: { conditions: [{ type: 'Dangling', status: 'False' }] },
    },
    cells: {
      PriorityLevel: 'p',
      MatchingPrecedence: 100,
      DistinguisherMethod: '<none>',
      MissingPL: 'False',
    },
  },
  {
    title: 'names its parameters',
    key: 'admissionregistration.{domain}/validatingadmissionpolicybindings',
    object: { metadata, spec: { policyName: 'p', paramRef: { name: 'x' } } },
    cells: { PolicyName: 'p', ParamRef: '*/x' },
  },
  {
    title: 'that is reserved',
    key: 'resource.{domain}/resourceclaims',
    object: { metadata, status: { allocation: {}, reservedFor: [{}] } },
    cells: { State: 'allocated,reserved' },
  },
];
