/**
 * Quotas as rows: what is sent to a namespace with one quota, what is answered, in which words, and
 * what its status says at the end.
 */
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';

interface QuotaRow {
  readonly title: string;
  readonly hard: JsonObject;
  readonly spec?: JsonObject;
  /** Requests in order: what is sent, and what comes of it. */
  readonly steps: readonly Step[];
  /** status.used at the end. */
  readonly used: JsonObject;
}

export interface Step {
  readonly method?: string;
  readonly path: string;
  readonly body?: JsonObject | undefined;
  readonly status?: number;
  readonly message?: string;
}

export const pod = (name: string, spec: JsonObject = {}, resources: JsonObject = {}): Step => ({
  path: 'pods',
  body: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'i', resources }], ...spec },
  },
});
export const gone = (path: string): Step => ({ method: 'DELETE', path, status: 200 });
const refusing = (step: Step, message: string, status = 403): Step => ({
  ...step,
  status,
  message,
});
const forbiddenPod = (name: string, why: string): string => `pods "${name}" is forbidden: ${why}`;
const service = (name: string, spec: JsonObject): Step => ({
  path: 'services',
  body: { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec },
});
const ports = (count: number): readonly JsonObject[] =>
  Array.from({ length: count }, (_, at) => ({ name: `p${at}`, port: 80 + at }));
const claim = (name: string, storage: string, storageClassName = ''): Step => ({
  path: 'persistentvolumeclaims',
  body: {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage } },
      ...(storageClassName === '' ? {} : { storageClassName }),
    },
  },
});
export const configMap = (name: string): Step => ({
  path: 'configmaps',
  body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } },
});
const toType = (type: string): Step => ({
  method: 'PATCH',
  path: 'services/a',
  body: { spec: { type } },
  status: 200,
});
const limitRange = (limit: JsonObject): Step => ({
  path: 'limitranges',
  body: {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'l' },
    spec: { limits: [{ type: 'Container', ...limit }] },
  },
});
/** Their body is one that is read in parts. */
const manyContainers: readonly JsonObject[] = Array.from({ length: 2_500 }, (_, at) => ({
  name: `c${at}`,
  image: 'image',
}));
export const noGrace: JsonObject = { gracePeriodSeconds: 0 };

export const quotaRows: readonly QuotaRow[] = [
  {
    title: 'a count of pods: the one too many is refused, one that goes makes room at once',
    hard: { pods: '2' },
    steps: [
      pod('a'),
      pod('b'),
      refusing(
        pod('c'),
        forbiddenPod('c', 'exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2'),
      ),
      { ...gone('pods/a'), body: noGrace },
      pod('d'),
    ],
    used: { pods: '2' },
  },
  {
    title: 'counts of any namespaced type, by count/ names',
    hard: { 'count/configmaps': '2', 'count/deployments.apps': '0' },
    steps: [
      configMap('a'),
      configMap('a2'),
      refusing(
        configMap('b'),
        'configmaps "b" is forbidden: exceeded quota: q, requested: count/configmaps=1, ' +
          'used: count/configmaps=2, limited: count/configmaps=2',
      ),
    ],
    used: { 'count/configmaps': '2', 'count/deployments.apps': '0' },
  },
  {
    title: 'requests and limits, exactly, with what several names say of one write',
    hard: { 'requests.cpu': '1', 'limits.memory': '1Gi', cpu: '2' },
    steps: [
      pod('a', {}, { requests: { cpu: '300m', memory: '1' }, limits: { memory: '500Mi' } }),
      pod('b', {}, { requests: { cpu: '600m', memory: '1' }, limits: { memory: '100Mi' } }),
      refusing(
        pod('c', {}, { requests: { cpu: '200m', memory: '1' }, limits: { memory: '600Mi' } }),
        forbiddenPod(
          'c',
          'exceeded quota: q, requested: limits.memory=600Mi,requests.cpu=200m, ' +
            'used: limits.memory=600Mi,requests.cpu=900m, limited: limits.memory=1Gi,requests.cpu=1',
        ),
      ),
      refusing(
        pod('d', { initContainers: [{ name: 'i', image: 'i' }] }),
        forbiddenPod(
          'd',
          'failed quota: q: must specify cpu for: c,i; limits.memory for: c,i; ' +
            'requests.cpu for: c,i',
        ),
      ),
      pod('e', {}, { requests: { cpu: '100m', memory: '1' }, limits: { memory: '424Mi' } }),
    ],
    used: { 'requests.cpu': '1', 'limits.memory': '1Gi', cpu: '1' },
  },
  {
    title: 'init containers count where they need more, and what runs beside them with them',
    hard: { 'requests.cpu': '10' },
    steps: [
      pod(
        'a',
        {
          initContainers: [
            {
              name: 'side',
              image: 'i',
              restartPolicy: 'Always',
              resources: { requests: { cpu: '1' } },
            },
            { name: 'big', image: 'i', resources: { requests: { cpu: '5' } } },
          ],
        },
        { requests: { cpu: '2' } },
      ),
    ],
    used: { 'requests.cpu': '6' },
  },
  {
    title: 'extended resources and huge pages',
    hard: { 'requests.example.com/gpu': '2', 'hugepages-2Mi': '4Mi' },
    steps: [
      pod(
        'a',
        {},
        {
          requests: { cpu: '1', 'example.com/gpu': '2', 'hugepages-2Mi': '4Mi' },
          limits: { cpu: '1', 'example.com/gpu': '2', 'hugepages-2Mi': '4Mi' },
        },
      ),
      refusing(
        pod('b', {}, { limits: { cpu: '1', 'example.com/gpu': '1' } }),
        forbiddenPod(
          'b',
          'exceeded quota: q, requested: requests.example.com/gpu=1, ' +
            'used: requests.example.com/gpu=2, limited: requests.example.com/gpu=2',
        ),
      ),
    ],
    used: { 'requests.example.com/gpu': '2', 'hugepages-2Mi': '4Mi' },
  },
  {
    title: 'pods that have ended are free, but for count/pods',
    hard: { pods: '1', 'count/pods': '2' },
    steps: [
      pod('a'),
      {
        method: 'PATCH',
        path: 'pods/a/status',
        body: { status: { phase: 'Succeeded' } },
        status: 200,
      },
      pod('b'),
      refusing(
        pod('c'),
        forbiddenPod(
          'c',
          'exceeded quota: q, requested: count/pods=1,pods=1, used: count/pods=2,pods=1, ' +
            'limited: count/pods=2,pods=1',
        ),
      ),
    ],
    used: { pods: '1', 'count/pods': '2' },
  },
  {
    title: 'what a status reports is charged and not refused',
    hard: { 'requests.storage': '10Gi', pods: '1' },
    steps: [
      claim('a', '8Gi'),
      {
        method: 'PATCH',
        path: 'persistentvolumeclaims/a/status',
        body: { status: { allocatedResources: { storage: '12Gi' } } },
        status: 200,
      },
      refusing(
        claim('b', '1Gi'),
        'persistentvolumeclaims "b" is forbidden: exceeded quota: q, ' +
          'requested: requests.storage=1Gi, used: requests.storage=12Gi, ' +
          'limited: requests.storage=10Gi',
      ),
      pod('a'),
      ...['Succeeded', 'Running'].flatMap((phase): Step[] => [
        { method: 'PATCH', path: 'pods/a/status', body: { status: { phase } }, status: 200 },
        ...(phase === 'Succeeded' ? [pod('b')] : []),
      ]),
    ],
    used: { 'requests.storage': '12Gi', pods: '2' },
  },
  {
    title: 'storage, of all classes and of one',
    hard: {
      'requests.storage': '10Gi',
      persistentvolumeclaims: '5',
      'fast.storageclass.storage.k8s.io/requests.storage': '3Gi',
      'fast.storageclass.storage.k8s.io/persistentvolumeclaims': '2',
    },
    steps: [
      claim('a', '2Gi', 'fast'),
      claim('b', '5Gi'),
      refusing(
        claim('c', '2Gi', 'fast'),
        'persistentvolumeclaims "c" is forbidden: exceeded quota: q, ' +
          'requested: fast.storageclass.storage.k8s.io/requests.storage=2Gi, ' +
          'used: fast.storageclass.storage.k8s.io/requests.storage=2Gi, ' +
          'limited: fast.storageclass.storage.k8s.io/requests.storage=3Gi',
      ),
    ],
    used: {
      'requests.storage': '7Gi',
      persistentvolumeclaims: '2',
      'fast.storageclass.storage.k8s.io/requests.storage': '2Gi',
      'fast.storageclass.storage.k8s.io/persistentvolumeclaims': '1',
    },
  },
  {
    title: 'storage in whole bytes',
    hard: { 'requests.storage': '3' },
    steps: [
      claim('a', '1500m'),
      refusing(
        claim('b', '1100m'),
        'persistentvolumeclaims "b" is forbidden: exceeded quota: q, ' +
          'requested: requests.storage=2, used: requests.storage=2, limited: requests.storage=3',
      ),
    ],
    used: { 'requests.storage': '2' },
  },
  {
    title: 'node ports and load balancers; a change is charged by what it adds',
    hard: { 'services.nodeports': '2', 'services.loadbalancers': '1', services: '4' },
    steps: [
      service('a', { type: 'NodePort', ports: ports(2) }),
      refusing(
        service('b', { type: 'LoadBalancer', ports: ports(1) }),
        'services "b" is forbidden: exceeded quota: q, requested: services.nodeports=1, ' +
          'used: services.nodeports=2, limited: services.nodeports=2',
      ),
      service('b', {
        type: 'LoadBalancer',
        allocateLoadBalancerNodePorts: false,
        ports: ports(1),
      }),
      toType('ClusterIP'),
      refusing(
        toType('LoadBalancer'),
        'services "a" is forbidden: exceeded quota: q, requested: services.loadbalancers=1, ' +
          'used: services.loadbalancers=1, limited: services.loadbalancers=1',
      ),
    ],
    used: { 'services.nodeports': '0', 'services.loadbalancers': '1', services: '2' },
  },
  {
    title: 'a service that becomes one of a node port is charged for its ports, and given them',
    hard: { 'services.nodeports': '2', services: '5' },
    steps: [
      service('a', { ports: ports(2) }),
      service('b', { type: 'NodePort', ports: ports(1) }),
      refusing(
        toType('NodePort'),
        'services "a" is forbidden: exceeded quota: q, requested: services.nodeports=2, ' +
          'used: services.nodeports=1, limited: services.nodeports=2',
      ),
      gone('services/b'),
      toType('NodePort'),
      refusing(
        service('c', { type: 'NodePort', ports: ports(1) }),
        'services "c" is forbidden: exceeded quota: q, requested: services.nodeports=1, ' +
          'used: services.nodeports=2, limited: services.nodeports=2',
      ),
    ],
    used: { 'services.nodeports': '2', services: '1' },
  },
  {
    title: 'what a limit range gives a pod that asks for nothing is charged',
    hard: { 'requests.cpu': '1', 'limits.memory': '1Gi' },
    steps: [
      refusing(
        pod('a'),
        forbiddenPod(
          'a',
          'failed quota: q: must specify limits.memory for: c; requests.cpu for: c',
        ),
      ),
      limitRange({ default: { memory: '512Mi' }, defaultRequest: { cpu: '600m' } }),
      pod('a'),
      refusing(
        pod('b'),
        forbiddenPod(
          'b',
          'exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=600m, ' +
            'limited: requests.cpu=1',
        ),
      ),
      pod('c', {}, { requests: { cpu: '400m' } }),
    ],
    used: { 'requests.cpu': '1', 'limits.memory': '1Gi' },
  },
  {
    title: 'a pod of too many fields is refused for that, before limit ranges and quotas are asked',
    hard: { pods: '0' },
    steps: [
      limitRange({ max: { cpu: '1' } }),
      refusing(
        pod('large', { containers: manyContainers }),
        'Request entity too large: the object has more than 5000 fields, keys and keyed items',
        413,
      ),
    ],
    used: { pods: '0' },
  },
  {
    title: 'the scope Terminating',
    hard: { pods: '1' },
    spec: { scopes: ['Terminating'] },
    steps: [
      pod('a'),
      pod('b', { activeDeadlineSeconds: 60 }),
      refusing(
        pod('c', { activeDeadlineSeconds: 60 }),
        forbiddenPod('c', 'exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1'),
      ),
    ],
    used: { pods: '1' },
  },
  {
    title: 'the scopes NotTerminating and NotBestEffort together',
    hard: { pods: '1' },
    spec: { scopes: ['NotTerminating', 'NotBestEffort'] },
    steps: [
      pod('a'),
      pod('b', { activeDeadlineSeconds: 60 }, { requests: { cpu: '1' } }),
      pod('c', {}, { requests: { cpu: '1' } }),
      refusing(
        pod('d', {}, { requests: { memory: '1' } }),
        forbiddenPod('d', 'exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1'),
      ),
    ],
    used: { pods: '1' },
  },
  {
    title: 'the scope BestEffort',
    hard: { pods: '1' },
    spec: { scopes: ['BestEffort'] },
    steps: [
      pod('a', {}, { requests: { cpu: '1' } }),
      pod('b'),
      refusing(
        pod('c'),
        forbiddenPod('c', 'exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1'),
      ),
    ],
    used: { pods: '1' },
  },
  {
    title: 'the scope PriorityClass, by its operators',
    hard: { pods: '1' },
    spec: {
      scopeSelector: {
        matchExpressions: [
          {
            scopeName: 'PriorityClass',
            operator: 'In',
            values: ['system-node-critical', 'system-cluster-critical'],
          },
        ],
      },
    },
    steps: [
      pod('a'),
      pod('b', { priorityClassName: 'system-node-critical' }),
      refusing(
        pod('c', { priorityClassName: 'system-cluster-critical' }),
        forbiddenPod('c', 'exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1'),
      ),
    ],
    used: { pods: '1' },
  },
  {
    title: 'the scope PriorityClass of those that have none',
    hard: { pods: '1' },
    spec: {
      scopeSelector: {
        matchExpressions: [{ scopeName: 'PriorityClass', operator: 'DoesNotExist' }],
      },
    },
    steps: [
      pod('a', { priorityClassName: 'system-node-critical' }),
      pod('b'),
      refusing(
        pod('c'),
        forbiddenPod('c', 'exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1'),
      ),
    ],
    used: { pods: '1' },
  },
  {
    title: 'the scope PriorityClass of all but some, by its short name and what it bounds',
    hard: { 'requests.cpu': '1' },
    spec: {
      scopeSelector: {
        matchExpressions: [
          { scopeName: 'PriorityClass', operator: 'Exists' },
          { scopeName: 'PriorityClass', operator: 'NotIn', values: ['system-node-critical'] },
        ],
      },
    },
    steps: [
      pod('a', {}, { requests: { cpu: '5' } }),
      pod('b', { priorityClassName: 'system-node-critical' }),
      refusing(
        pod('c', { priorityClassName: 'system-cluster-critical' }),
        forbiddenPod('c', 'failed quota: q: must specify requests.cpu for: c'),
      ),
      pod('d', { priorityClassName: 'system-cluster-critical' }, { requests: { cpu: '1' } }),
    ],
    used: { 'requests.cpu': '1' },
  },
  {
    title: 'the scope CrossNamespacePodAffinity',
    hard: { pods: '0' },
    spec: {
      scopeSelector: {
        matchExpressions: [{ scopeName: 'CrossNamespacePodAffinity', operator: 'Exists' }],
      },
    },
    steps: [
      pod('a'),
      refusing(
        pod('b', {
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { topologyKey: 'zone', namespaceSelector: {} },
              ],
            },
          },
        }),
        forbiddenPod('b', 'exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0'),
      ),
    ],
    used: { pods: '0' },
  },
  {
    title: 'a dry run is checked, and takes nothing',
    hard: { pods: '1' },
    steps: [
      { ...pod('a'), path: 'pods?dryRun=All' },
      pod('a'),
      refusing(
        { ...pod('b'), path: 'pods?dryRun=All' },
        forbiddenPod('b', 'exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1'),
      ),
    ],
    used: { pods: '1' },
  },
];
