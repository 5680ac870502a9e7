/** Objects of the kinds that make no pods, and what is wrong with them. */
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';
import { rowsOf } from './validation-row.ts';
import type { ValidationRow } from './validation-row.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const service = rowsOf('v1', 'Service');
const secret = rowsOf('v1', 'Secret');
const limitRange = rowsOf('v1', 'LimitRange');
const configMap = rowsOf('v1', 'ConfigMap');
const key =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name'," +
  "  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

const core: readonly ValidationRow[] = [
  service('right', { spec: { ports: [{ port: 80 }] } }),
  service('headless', { spec: { clusterIP: 'None' } }),
  service('without ports', { spec: {} }, ['spec.ports: Required value']),
  service('ports', { spec: { ports: [{ port: 0 }, { port: 1, name: 'a', nodePort: 5 }] } }, [
    'spec.ports[0].name: Required value',
    'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
    'spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive',
    "spec.ports[1].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
  ]),
  service('external without a name', { spec: { type: 'ExternalName' } }, [
    'spec.externalName: Required value',
  ]),
  service(
    'another address',
    { spec: { ports: [{ port: 1 }], clusterIP: '10.0.0.2' } },
    ['spec.clusterIPs[0]: Invalid value: []string{"10.0.0.2"}: may not change once set'],
    { spec: { ports: [{ port: 1 }], clusterIP: '10.0.0.1' } },
  ),
  service(
    'no longer with an address',
    { spec: { type: 'ExternalName', externalName: 'a.b' } },
    [],
    { spec: { ports: [{ port: 1 }], clusterIP: '10.0.0.1' } },
  ),
  limitRange(
    'too many values, which nothing else is said of and which are not completed',
    {
      spec: { limits: Array.from({ length: 900 }, () => ({ type: 'Container', max: { a: '1' } })) },
    },
    ['spec.limits: Forbidden: must not hold more than 2500 values'],
  ),
  configMap('right', { data: { 'a.b': 'c' } }),
  configMap('keys', { data: { 'a b': '', '..': '' } }, [
    `data[a b]: Invalid value: "a b": ${key}`,
    'data[..]: Invalid value: "..": must not be \'..\'',
  ]),
  configMap('too long', { data: { a: 'x'.repeat(1024 * 1024 + 1) } }, [
    '[]: Too long: may not be more than 1048576 bytes',
  ]),
  configMap(
    'immutable',
    { data: { a: '2' } },
    [
      'immutable: Forbidden: field is immutable when `immutable` is set',
      'data: Forbidden: field is immutable when `immutable` is set',
    ],
    { data: { a: '1' }, immutable: true },
  ),
  secret('right', { data: { a: base64('1') } }),
  secret('of TLS without a key', { type: 'kubernetes.io/tls', data: { 'tls.crt': '' } }, [
    'data[tls.key]: Required value',
  ]),
  secret('of basic auth', { type: 'kubernetes.io/basic-auth' }, [
    'data[username]: Required value',
    'data[password]: Required value',
  ]),
  secret('for a registry', {
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': base64('{}') },
  }),
  secret(
    'for a registry, broken',
    { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': base64('{') } },
    [
      'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": ' +
        'must be a JSON document',
    ],
  ),
  secret(
    'another type',
    { type: 'x.io/y' },
    ['type: Invalid value: "x.io/y": field is immutable'],
    {},
  ),
  rowsOf('v1', 'Endpoints')('right', { subsets: [{ addresses: [{ ip: '10.0.0.1' }] }] }),
  rowsOf('v1', 'Endpoints')('wrong', { subsets: [{ addresses: [{ ip: 'x' }] }, {}] }, [
    'subsets[0].addresses[0].ip: Invalid value: "x": ' +
      'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    'subsets[1]: Required value: must specify `addresses` or `notReadyAddresses`',
  ]),
  rowsOf('v1', 'Event')('right', { involvedObject: { namespace: 'default' } }),
  rowsOf('v1', 'Event')('elsewhere', { involvedObject: { namespace: 'n' } }, [
    'involvedObject.namespace: Invalid value: "n": does not match event.namespace',
  ]),
  rowsOf('v1', 'LimitRange')('right', { spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] } }),
  rowsOf('v1', 'LimitRange')(
    'bounds',
    { spec: { limits: [{ type: 'Pod', max: { cpu: '1' }, min: { cpu: '2' } }, { type: 'Pod' }] } },
    [
      'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
      'spec.limits[1].type: Duplicate value: "Pod"',
    ],
  ),
  rowsOf('v1', 'Node')('right', { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } }),
  rowsOf('v1', 'Node')(
    'the same taint twice',
    {
      spec: {
        taints: [
          { key: 'a', effect: 'NoSchedule' },
          { key: 'a', effect: 'NoSchedule', value: 'v' },
        ],
      },
    },
    [
      'metadata.taints[1]: Duplicate value: {"key":"a","effect":"NoSchedule","value":"v"}: ' +
        'taints must be unique by key and effect pair',
    ],
  ),
  rowsOf('v1', 'ResourceQuota')('right', { spec: { hard: { pods: '1' } } }),
  rowsOf('v1', 'ResourceQuota')('negative', { spec: { hard: { pods: '-1' } } }, [
    'spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0',
  ]),
];

const claim = rowsOf('v1', 'PersistentVolumeClaim');
const claimed = (more: object): JsonObject => ({
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...more },
});
const volume = rowsOf('v1', 'PersistentVolume');
const aVolume = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] };
const storageClass = rowsOf('storage.k8s.io/v1', 'StorageClass');
const attachment = rowsOf('storage.k8s.io/v1', 'VolumeAttachment');
const attached = { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'v' } };

const storage: readonly ValidationRow[] = [
  claim('right', claimed({})),
  claim('empty', { spec: {} }, [
    'spec.accessModes: Required value: at least 1 access mode is required',
    'spec.resources[storage]: Required value',
  ]),
  claim('bound', claimed({ volumeName: 'v' }), [], claimed({})),
  claim(
    'another volume',
    claimed({ volumeName: 'w' }),
    [
      'spec: Forbidden: spec is immutable after creation except resources.requests and ' +
        'volumeAttributesClassName for bound claims',
    ],
    claimed({ volumeName: 'v' }),
  ),
  volume('right', { spec: { ...aVolume, hostPath: { path: '/a' } } }),
  volume('empty', { spec: {} }, [
    'spec.accessModes: Required value',
    'spec.capacity: Required value',
    'spec.capacity: Unsupported value: {}: supported values: "storage"',
    'spec: Required value: must specify a volume type',
  ]),
  volume(
    'another source',
    { spec: { ...aVolume, hostPath: { path: '/b' } } },
    [
      'spec.persistentvolumesource: Forbidden: ' +
        'spec.persistentvolumesource is immutable after creation',
    ],
    { spec: { ...aVolume, hostPath: { path: '/a' } } },
  ),
  storageClass('right', { provisioner: 'p' }),
  storageClass(
    'changed',
    { provisioner: 'q', parameters: { a: 'b' }, volumeBindingMode: 'WaitForFirstConsumer' },
    [
      'parameters: Forbidden: updates to parameters are forbidden.',
      'provisioner: Forbidden: updates to provisioner are forbidden.',
      'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
    ],
    { provisioner: 'p' },
  ),
  attachment('right', { spec: attached }),
  attachment('of nothing', { spec: { ...attached, source: {} } }, [
    'spec.source: Required value: ' +
      'must specify exactly one of inlineVolumeSpec and persistentVolumeName',
  ]),
];

const ingress = rowsOf('networking.k8s.io/v1', 'Ingress');
const backend = { service: { name: 's', port: { number: 80 } } };
const routed = (path: object, host = 'a.b'): JsonObject => ({
  spec: {
    rules: [{ host, http: { paths: [{ pathType: 'Prefix', path: '/', backend, ...path }] } }],
  },
});
const policy = rowsOf('networking.k8s.io/v1', 'NetworkPolicy');
const ingressClass = rowsOf('networking.k8s.io/v1', 'IngressClass');
const slice = rowsOf('discovery.k8s.io/v1', 'EndpointSlice');
const at = 'spec.rules[0].http.paths[0]';

const networking: readonly ValidationRow[] = [
  ingress('right', routed({}, '*.a.b')),
  ingress('empty', { spec: {} }, [
    'spec: Invalid value: []: either `defaultBackend` or `rules` must be specified',
  ]),
  ingress('path', routed({ path: 'a', pathType: 'Exact' }), [
    `${at}.path: Invalid value: "a": must be an absolute path`,
  ]),
  ingress('kind of path', routed({ pathType: 'Regex' }), [
    `${at}.pathType: Unsupported value: "Regex": ` +
      'supported values: "Exact", "ImplementationSpecific", "Prefix"',
  ]),
  ingress('backend', routed({ backend: {} }, '1.2.3.4'), [
    'spec.rules[0].host: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
    `${at}.backend: Invalid value: "": resource or service backend is required`,
  ]),
  ingress('port', routed({ backend: { service: { name: 's', port: {} } } }), [
    `${at}.backend: Required value: port name or number is required`,
  ]),
  ingressClass('right', { spec: { controller: 'a.b/c' } }),
  ingressClass(
    'another controller',
    { spec: { controller: 'a.b/d' } },
    ['spec.controller: Invalid value: "a.b/d": field is immutable'],
    { spec: { controller: 'a.b/c' } },
  ),
  policy('right', {
    spec: {
      podSelector: {},
      ingress: [
        {
          from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }],
          ports: [{ port: 1, endPort: 2 }],
        },
      ],
    },
  }),
  policy(
    'peers and ports',
    {
      spec: {
        podSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] },
        ingress: [
          {
            from: [{}, { ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16'] } }],
            ports: [{ port: 2, endPort: 1 }],
          },
        ],
        egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/33' } }] }],
      },
    },
    [
      'spec.podSelector.matchExpressions[0].values: Required value: ' +
        "must be specified when `operator` is 'In' or 'NotIn'",
      'spec.ingress[0].ports[0].endPort: Invalid value: 1: ' +
        'must be greater than or equal to `port`',
      'spec.ingress[0].from[0]: Required value: must specify a peer',
      'spec.ingress[0].from[1].ipBlock.except[0]: Invalid value: "11.0.0.0/16": ' +
        'must be a strict subset of `cidr`',
      'spec.egress[0].to[0].ipBlock.cidr: Invalid value: "10.0.0.0/33": ' +
        'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ],
  ),
  slice('right', { addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'] }] }),
  slice(
    'another type of addresses',
    { addressType: 'IPv6', endpoints: [] },
    ['addressType: Invalid value: "IPv6": field is immutable'],
    { addressType: 'IPv4', endpoints: [] },
  ),
];

const rbac = 'rbac.authorization.k8s.io/v1';
const binding = (kind: string, ref: object, subjects: readonly object[] = []): JsonObject => ({
  roleRef: { kind, name: 'r', ...ref },
  subjects: subjects as JsonObject[],
});

const access: readonly ValidationRow[] = [
  rowsOf(rbac, 'Role')('right', {
    rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
  }),
  rowsOf(rbac, 'Role')(
    'rules',
    { rules: [{ verbs: [] }, { verbs: ['get'], nonResourceURLs: ['/a'] }] },
    [
      'rules[0].verbs: Required value',
      'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
      'rules[0].resources: Required value: resource rules must supply at least one resource',
      'rules[1].nonResourceURLs: Invalid value: ["/a"]: ' +
        'namespaced rules cannot apply to non-resource URLs',
    ],
  ),
  rowsOf(rbac, 'ClusterRole')('right', { rules: [{ verbs: ['*'], nonResourceURLs: ['*'] }] }),
  rowsOf(rbac, 'ClusterRole')(
    'both',
    { rules: [{ verbs: ['*'], nonResourceURLs: ['*'], resources: ['pods'] }] },
    [
      'rules[0].nonResourceURLs: Invalid value: ["*"]: ' +
        'rules cannot apply to both regular resources and non-resource URLs',
    ],
  ),
  rowsOf(rbac, 'RoleBinding')(
    'right',
    binding('ClusterRole', {}, [{ kind: 'ServiceAccount', name: 's', namespace: 'n' }]),
  ),
  rowsOf(rbac, 'RoleBinding')(
    'a service account of its own namespace',
    binding('Role', {}, [{ kind: 'ServiceAccount', name: 's' }]),
  ),
  rowsOf(rbac, 'RoleBinding')(
    'another role',
    binding('Role', { name: 's' }),
    [
      'roleRef: Invalid value: {"kind":"Role","name":"s",' +
        '"apiGroup":"rbac.authorization.k8s.io"}: cannot change roleRef',
    ],
    binding('Role', {}),
  ),
  rowsOf(rbac, 'ClusterRoleBinding')('right', binding('ClusterRole', {})),
  rowsOf(rbac, 'ClusterRoleBinding')(
    'of a role, for nobody',
    binding('Role', {}, [
      { kind: 'ServiceAccount', name: 's' },
      { kind: 'Robot', name: 'r' },
    ]),
    [
      'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
      'subjects[0].namespace: Required value',
      'subjects[1].kind: Unsupported value: "Robot": ' +
        'supported values: "ServiceAccount", "User", "Group"',
    ],
  ),
  rowsOf('certificates.k8s.io/v1', 'CertificateSigningRequest')('right', {
    spec: { request: base64('x'), signerName: 'a.b/c', usages: ['client auth'] },
  }),
  rowsOf('certificates.k8s.io/v1', 'CertificateSigningRequest')(
    'wrong',
    { spec: { request: base64('x'), signerName: 'a', expirationSeconds: 60 } },
    [
      'spec.usages: Required value',
      'spec.signerName: Invalid value: "a": ' +
        "must be a fully qualified domain and path of the form 'example.com/signer-name'",
      'spec.expirationSeconds: Invalid value: 60: ' +
        'may not specify a duration less than 600 seconds (10 minutes)',
    ],
  ),
  rowsOf('coordination.k8s.io/v1', 'Lease')('right', { spec: { leaseDurationSeconds: 1 } }),
  rowsOf('coordination.k8s.io/v1', 'Lease')(
    'without duration',
    { spec: { leaseDurationSeconds: 0 } },
    ['spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0'],
  ),
];

const hooks = 'admissionregistration.k8s.io/v1';
const hook = (more: object = {}): JsonObject => ({
  webhooks: [
    {
      name: 'a.b.c',
      clientConfig: { url: 'https://a/b' },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      ...more,
    },
  ],
});
const flow = 'flowcontrol.apiserver.k8s.io/v1';
const level = rowsOf(flow, 'PriorityLevelConfiguration');
const schema = rowsOf(flow, 'FlowSchema');
const budget = rowsOf('policy/v1', 'PodDisruptionBudget');
const scaler = rowsOf('autoscaling/v2', 'HorizontalPodAutoscaler');

function scalingPolicies(count: number): JsonObject[] {
  return Array.from({ length: count }, () => ({ type: 'Pods', value: 1, periodSeconds: 15 }));
}

/** Of older versions, with texts that are not read. */
function annotatedScalers(): readonly ValidationRow[] {
  const bounds = { metrics: 5000, 'current-metrics': 5000, conditions: 5000, behavior: 1000 };
  return Object.entries(bounds).map(([name, most]) => {
    const key = `autoscaling.alpha.kubernetes.io/${name}`;
    const long = `[${Array.from({ length: most + 1 }, () => '{}').join()}]`;
    return scaler(
      `too many values in an annotation: ${name}`,
      { metadata: { annotations: { [key]: long } }, spec: { scaleTargetRef, maxReplicas: 2 } },
      [
        `metadata.annotations[${key}]: Forbidden: must not hold more than ${most} members and items`,
      ],
    );
  });
}

const aMetric = () => ({ type: 'Pods', pods: { metric: {} } });
const scaleTargetRef = { kind: 'Deployment', name: 'd' };
const priority = rowsOf('scheduling.k8s.io/v1', 'PriorityClass');

const policies: readonly ValidationRow[] = [
  ...['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'].flatMap((kind) => [
    rowsOf(hooks, kind)('right', hook()),
    rowsOf(hooks, kind)(
      'wrong',
      hook({
        name: 'a',
        clientConfig: {},
        sideEffects: 'Some',
        timeoutSeconds: 31,
        admissionReviewVersions: ['v2'],
        rules: [{ operations: ['*', 'CREATE'], apiGroups: [''], apiVersions: ['v1'] }],
      }),
      [
        'webhooks[0].name: Invalid value: "a": ' +
          'should be a domain with at least three segments separated by dots',
        'webhooks[0].timeoutSeconds: Invalid value: 31: ' +
          'the timeout value must be between 1 and 30 seconds',
        'webhooks[0].admissionReviewVersions: Invalid value: ["v2"]: ' +
          'must include at least one of v1, v1beta1',
        'webhooks[0].clientConfig: Required value: exactly one of url or service is required',
        'webhooks[0].rules[0].operations: Invalid value: ["*","CREATE"]: ' +
          "if '*' is present, must not specify other operations",
        'webhooks[0].rules[0].resources: Required value',
        'webhooks[0].sideEffects: Unsupported value: "Some": ' +
          'supported values: "None", "NoneOnDryRun"',
      ],
    ),
  ]),
  rowsOf(hooks, 'ValidatingAdmissionPolicyBinding')('right', {
    spec: { policyName: 'p', validationActions: ['Deny'] },
  }),
  rowsOf(hooks, 'ValidatingAdmissionPolicyBinding')('empty', { spec: {} }, [
    'spec.policyName: Required value',
    'spec.validationActions: Required value: at least one validation action is required',
  ]),
  schema('right', { spec: { priorityLevelConfiguration: { name: 'p' } } }),
  schema('first', { spec: { priorityLevelConfiguration: { name: 'p' }, matchingPrecedence: 1 } }, [
    'spec.matchingPrecedence: Invalid value: 1: ' +
      "only the schema named 'exempt' may have matchingPrecedence 1",
  ]),
  level('right', { spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } } }),
  level('without limits', { spec: { type: 'Limited' } }, [
    'spec.limited: Required value: must not be empty when type is Limited',
  ]),
  level(
    'hands',
    {
      spec: {
        type: 'Limited',
        limited: { limitResponse: { type: 'Queue', queuing: { queues: 2, handSize: 3 } } },
      },
    },
    [
      'spec.limited.limitResponse.queuing.handSize: Invalid value: 3: ' +
        'should not be greater than queues (2)',
    ],
  ),
  budget('right', { spec: { minAvailable: '50%' } }),
  budget('both', { spec: { minAvailable: '150%', maxUnavailable: 1 } }, [
    'spec: Invalid value: {"minAvailable":"150%","maxUnavailable":1}: ' +
      'minAvailable and maxUnavailable cannot be both set',
    'spec.minAvailable: Invalid value: "150%": must not be greater than 100%',
  ]),
  scaler('right', { spec: { scaleTargetRef, maxReplicas: 2 } }),
  scaler(
    'too many metrics, which nothing else is said of',
    { spec: { scaleTargetRef, maxReplicas: 0, metrics: Array.from({ length: 1_300 }, aMetric) } },
    ['spec.metrics: Forbidden: must not hold more than 5000 members and items'],
  ),
  scaler(
    'too many scaling policies',
    {
      spec: {
        scaleTargetRef,
        maxReplicas: 2,
        behavior: { scaleUp: { policies: scalingPolicies(400) } },
      },
    },
    ['spec.behavior: Forbidden: must not hold more than 1000 members and items'],
  ),
  ...annotatedScalers(),
  scaler('bounds', { spec: { scaleTargetRef, minReplicas: 3, maxReplicas: 2 } }, [
    'spec.maxReplicas: Invalid value: 2: must be greater than or equal to `minReplicas`',
  ]),
  priority('right', { value: 1000 }),
  priority('too high', { value: 1000000001 }, [
    'value: Forbidden: maximum allowed value of a user defined priority is 1000000000',
  ]),
  priority('changed', { value: 2 }, ['value: Forbidden: may not be changed in an update.'], {
    value: 1,
  }),
  rowsOf('node.k8s.io/v1', 'RuntimeClass')('right', { handler: 'a' }, [], { handler: 'a' }),
  rowsOf('node.k8s.io/v1', 'RuntimeClass')(
    'another handler',
    { handler: 'b' },
    ['handler: Invalid value: "b": field is immutable'],
    { handler: 'a' },
  ),
];

const aSlice = rowsOf('resource.k8s.io/v1alpha3', 'ResourceSlice');
const pool = { name: 'p', generation: 1, resourceSliceCount: 1 };
const devices = [{ name: 'd', basic: {} }];

const slices: readonly ValidationRow[] = [
  aSlice('right', { spec: { driver: 'd.io', pool, nodeName: 'n', devices } }),
  aSlice('empty', { spec: {} }, [
    'spec.driver: Required value',
    'spec.pool.name: Required value',
    'spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero',
    'spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, ' +
      '`perDeviceNodeSelection` is required',
  ]),
];

export const clusterValidationRows: readonly ValidationRow[] = [
  ...core,
  ...storage,
  ...networking,
  ...access,
  ...policies,
  ...slices,
];
