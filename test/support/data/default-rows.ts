/** Objects that say the least, and what they are with the defaults of the reference. */
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';

export interface DefaultRow {
  readonly version: string;
  readonly kind: string;
  readonly about?: string;
  readonly object: JsonObject;
  readonly filled: JsonObject;
}

const labels = { app: 'a' };
const selector = { matchLabels: labels };
const pod = {
  dnsPolicy: 'ClusterFirst',
  restartPolicy: 'Always',
  securityContext: {},
  terminationGracePeriodSeconds: 30,
  schedulerName: 'default-scheduler',
};
const container = {
  imagePullPolicy: 'Always',
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  resources: {},
};
const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const filledTemplate = {
  metadata: { labels },
  spec: { ...pod, containers: [{ name: 'c', image: 'i', ...container }] },
};
const probe = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };

const pods: readonly DefaultRow[] = [
  {
    version: 'v1',
    kind: 'Pod',
    object: { spec: { containers: [{ name: 'c', image: 'i:1' }] } },
    filled: {
      spec: {
        ...pod,
        enableServiceLinks: true,
        containers: [{ name: 'c', image: 'i:1', ...container, imagePullPolicy: 'IfNotPresent' }],
      },
      status: {},
    },
  },
  {
    version: 'v1',
    kind: 'Pod',
    about: 'that ended before now',
    object: { spec: { terminationGracePeriodSeconds: -5, containers: [] } },
    filled: {
      spec: { ...pod, terminationGracePeriodSeconds: 1, enableServiceLinks: true, containers: [] },
      status: {},
    },
  },
  {
    version: 'v1',
    kind: 'Pod',
    about: 'volumes',
    object: {
      spec: {
        containers: [],
        volumes: [
          { name: 'a' },
          { name: 'b', hostPath: { path: '/' } },
          { name: 'c', secret: {} },
          { name: 'd', configMap: {} },
          { name: 'e', downwardAPI: { items: [{ path: 'p', fieldRef: { fieldPath: 'f' } }] } },
          { name: 'f', projected: { sources: [{ serviceAccountToken: { path: 'p' } }] } },
          { name: 'g', azureDisk: { diskName: 'd', diskURI: 'u' } },
          { name: 'h', iscsi: { targetPortal: 't', iqn: 'i', lun: 0 } },
          { name: 'i', rbd: { monitors: ['m'], image: 'i' } },
        ],
      },
    },
    filled: {
      spec: {
        ...pod,
        enableServiceLinks: true,
        containers: [],
        volumes: [
          { name: 'a', emptyDir: {} },
          { name: 'b', hostPath: { path: '/', type: '' } },
          { name: 'c', secret: { defaultMode: 420 } },
          { name: 'd', configMap: { defaultMode: 420 } },
          {
            name: 'e',
            downwardAPI: {
              defaultMode: 420,
              items: [{ path: 'p', fieldRef: { apiVersion: 'v1', fieldPath: 'f' } }],
            },
          },
          {
            name: 'f',
            projected: {
              defaultMode: 420,
              sources: [{ serviceAccountToken: { path: 'p', expirationSeconds: 3600 } }],
            },
          },
          {
            name: 'g',
            azureDisk: {
              diskName: 'd',
              diskURI: 'u',
              cachingMode: 'ReadWrite',
              fsType: 'ext4',
              kind: 'Shared',
              readOnly: false,
            },
          },
          {
            name: 'h',
            iscsi: { targetPortal: 't', iqn: 'i', lun: 0, iscsiInterface: 'default' },
          },
          {
            name: 'i',
            rbd: {
              monitors: ['m'],
              image: 'i',
              pool: 'rbd',
              user: 'admin',
              keyring: '/etc/ceph/keyring',
            },
          },
        ],
      },
      status: {},
    },
  },
  {
    version: 'v1',
    kind: 'Pod',
    about: 'in the network of the host, with limits, probes and an account by its old name',
    object: {
      spec: {
        hostNetwork: true,
        serviceAccount: 'robot',
        containers: [
          {
            name: 'c',
            image: 'i@sha256:0',
            ports: [{ containerPort: 80 }],
            resources: { limits: { cpu: '100u', memory: '1Gi' }, requests: { memory: '1Mi' } },
            livenessProbe: { httpGet: { port: 80 } },
            readinessProbe: { grpc: { port: 1 }, timeoutSeconds: 5 },
          },
        ],
      },
    },
    filled: {
      spec: {
        ...pod,
        hostNetwork: true,
        enableServiceLinks: true,
        serviceAccount: 'robot',
        serviceAccountName: 'robot',
        containers: [
          {
            name: 'c',
            image: 'i@sha256:0',
            ...container,
            imagePullPolicy: 'IfNotPresent',
            ports: [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }],
            resources: {
              limits: { cpu: '1m', memory: '1Gi' },
              requests: { cpu: '1m', memory: '1Mi' },
            },
            livenessProbe: { httpGet: { port: 80, path: '/', scheme: 'HTTP' }, ...probe },
            readinessProbe: { grpc: { port: 1, service: '' }, ...probe, timeoutSeconds: 5 },
          },
        ],
      },
      status: {},
    },
  },
];

const workloads: readonly DefaultRow[] = [
  {
    version: 'apps/v1',
    kind: 'Deployment',
    object: { spec: { selector, template } },
    filled: {
      spec: {
        replicas: 1,
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
        strategy: {
          type: 'RollingUpdate',
          rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' },
        },
        selector,
        template: filledTemplate,
      },
      status: {},
    },
  },
  {
    version: 'apps/v1',
    kind: 'ReplicaSet',
    object: { spec: { selector, template } },
    filled: {
      spec: { replicas: 1, selector, template: filledTemplate },
      status: { replicas: 0 },
    },
  },
  {
    version: 'apps/v1',
    kind: 'DaemonSet',
    object: { spec: { selector, template } },
    filled: {
      metadata: { annotations: { 'deprecated.daemonset.template.generation': '0' } },
      spec: {
        revisionHistoryLimit: 10,
        updateStrategy: {
          type: 'RollingUpdate',
          rollingUpdate: { maxUnavailable: 1, maxSurge: 0 },
        },
        selector,
        template: filledTemplate,
      },
      status: {
        currentNumberScheduled: 0,
        desiredNumberScheduled: 0,
        numberMisscheduled: 0,
        numberReady: 0,
      },
    },
  },
  {
    version: 'apps/v1',
    kind: 'StatefulSet',
    object: {
      spec: {
        selector,
        template,
        serviceName: 's',
        volumeClaimTemplates: [{ metadata: { name: 'd' }, spec: { accessModes: [] } }],
      },
    },
    filled: {
      spec: {
        replicas: 1,
        revisionHistoryLimit: 10,
        podManagementPolicy: 'OrderedReady',
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
        serviceName: 's',
        selector,
        template: filledTemplate,
        volumeClaimTemplates: [
          {
            apiVersion: 'v1',
            kind: 'PersistentVolumeClaim',
            metadata: { name: 'd' },
            spec: { resources: {}, volumeMode: 'Filesystem' },
            status: { phase: 'Pending' },
          },
        ],
      },
      status: { replicas: 0, availableReplicas: 0 },
    },
  },
  {
    version: 'apps/v1',
    kind: 'StatefulSet',
    about: 'that names its strategy',
    object: {
      spec: { selector, template, updateStrategy: { type: 'RollingUpdate' }, ordinals: {} },
    },
    filled: {
      spec: {
        replicas: 1,
        revisionHistoryLimit: 10,
        podManagementPolicy: 'OrderedReady',
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
        updateStrategy: { type: 'RollingUpdate' },
        serviceName: '',
        ordinals: { start: 0 },
        selector,
        template: filledTemplate,
      },
      status: { replicas: 0, availableReplicas: 0 },
    },
  },
  {
    version: 'v1',
    kind: 'ReplicationController',
    object: { spec: { template } },
    filled: {
      metadata: { labels },
      spec: { replicas: 1, selector: labels, template: filledTemplate },
      status: { replicas: 0 },
    },
  },
  {
    version: 'batch/v1',
    kind: 'Job',
    object: { spec: { template } },
    filled: {
      metadata: { labels },
      spec: {
        completions: 1,
        parallelism: 1,
        backoffLimit: 6,
        completionMode: 'NonIndexed',
        suspend: false,
        manualSelector: false,
        podReplacementPolicy: 'TerminatingOrFailed',
        template: filledTemplate,
      },
      status: {},
    },
  },
  {
    version: 'batch/v1',
    kind: 'CronJob',
    about: 'whose jobs are filled when they are made',
    object: { spec: { schedule: '* * * * *', jobTemplate: { spec: { template } } } },
    filled: {
      spec: {
        schedule: '* * * * *',
        concurrencyPolicy: 'Allow',
        suspend: false,
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
        jobTemplate: { metadata: {}, spec: { template: filledTemplate } },
      },
      status: {},
    },
  },
];

const someLimit = () => ({ type: 'Container', max: { cpu: '1' } });

const core: readonly DefaultRow[] = [
  {
    version: 'v1',
    kind: 'Service',
    object: { spec: { ports: [{ port: 80 }], sessionAffinityConfig: {} } },
    filled: {
      spec: {
        type: 'ClusterIP',
        sessionAffinity: 'None',
        internalTrafficPolicy: 'Cluster',
        ports: [{ port: 80, targetPort: 80, protocol: 'TCP' }],
      },
      status: { loadBalancer: {} },
    },
  },
  {
    version: 'v1',
    kind: 'Service',
    about: 'behind a load balancer',
    object: {
      spec: { type: 'LoadBalancer', sessionAffinity: 'ClientIP', ports: [{ port: 1 }] },
      status: { loadBalancer: { ingress: [{ ip: '10.0.0.1' }, { hostname: 'h' }] } },
    },
    filled: {
      spec: {
        type: 'LoadBalancer',
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } },
        externalTrafficPolicy: 'Cluster',
        internalTrafficPolicy: 'Cluster',
        allocateLoadBalancerNodePorts: true,
        ports: [{ port: 1, targetPort: 1, protocol: 'TCP' }],
      },
      status: { loadBalancer: { ingress: [{ ip: '10.0.0.1', ipMode: 'VIP' }, { hostname: 'h' }] } },
    },
  },
  { version: 'v1', kind: 'Secret', object: {}, filled: { type: 'Opaque' } },
  { version: 'v1', kind: 'ConfigMap', object: {}, filled: {} },
  {
    version: 'v1',
    kind: 'Endpoints',
    object: { subsets: [{ ports: [{ port: 1 }] }] },
    filled: { subsets: [{ ports: [{ port: 1, protocol: 'TCP' }] }] },
  },
  {
    version: 'v1',
    kind: 'PersistentVolume',
    object: { spec: { hostPath: { path: '/' } } },
    filled: {
      spec: {
        hostPath: { path: '/', type: '' },
        persistentVolumeReclaimPolicy: 'Retain',
        volumeMode: 'Filesystem',
      },
      status: { phase: 'Pending' },
    },
  },
  {
    version: 'v1',
    kind: 'PersistentVolumeClaim',
    object: { spec: { resources: { requests: { storage: '1Gi' } } } },
    filled: {
      spec: { resources: { requests: { storage: '1Gi' } }, volumeMode: 'Filesystem' },
      status: { phase: 'Pending' },
    },
  },
  {
    version: 'v1',
    kind: 'Node',
    object: { spec: { podCIDR: '10.1.0.0/24' }, status: { capacity: { cpu: '1' } } },
    filled: {
      spec: { podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24'] },
      status: {
        capacity: { cpu: '1' },
        allocatable: { cpu: '1' },
        daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
        nodeInfo: {
          machineID: '',
          systemUUID: '',
          bootID: '',
          kernelVersion: '',
          osImage: '',
          containerRuntimeVersion: '',
          kubeletVersion: '',
          kubeProxyVersion: '',
          operatingSystem: '',
          architecture: '',
        },
      },
    },
  },
  ...[
    { about: 'with one address', podIP: '10.0.0.1', podIPs: [] },
    { about: 'with a list of addresses', podIPs: [{ ip: '10.0.0.1' }] },
    { about: 'with an address beside its list', podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.2' }] },
  ].map(({ about, ...status }) => ({
    version: 'v1',
    kind: 'Pod',
    about,
    object: { spec: { enableServiceLinks: true, containers: [] }, status },
    filled: {
      spec: {
        enableServiceLinks: true,
        containers: [],
        dnsPolicy: 'ClusterFirst',
        restartPolicy: 'Always',
        securityContext: {},
        terminationGracePeriodSeconds: 30,
        schedulerName: 'default-scheduler',
      },
      status: { podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }] },
    },
  })),
  {
    version: 'v1',
    kind: 'LimitRange',
    object: {
      spec: {
        limits: [
          { type: 'Container', max: { cpu: '2' }, min: { memory: '1Mi' } },
          { type: 'Pod', max: { cpu: '2' } },
        ],
      },
    },
    filled: {
      spec: {
        limits: [
          {
            type: 'Container',
            max: { cpu: '2' },
            min: { memory: '1Mi' },
            default: { cpu: '2' },
            defaultRequest: { cpu: '2', memory: '1Mi' },
          },
          { type: 'Pod', max: { cpu: '2' } },
        ],
      },
    },
  },
  // Too many to be taken are not completed either.
  {
    version: 'v1',
    kind: 'LimitRange',
    object: { spec: { limits: Array.from({ length: 900 }, someLimit) } },
    filled: { spec: { limits: Array.from({ length: 900 }, someLimit) } },
  },
];

export const defaultRows: readonly DefaultRow[] = [...pods, ...workloads, ...core];
