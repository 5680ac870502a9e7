/**
 * What may only be taken where a quota covers it, as rows: what the configuration limits, which
 * quotas a namespace has, what is sent there, what is answered, in which words.
 */
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';
import { pod } from './quota-rows.ts';
import type { Step } from './quota-rows.ts';

interface LimitedRow {
  readonly title: string;
  readonly quotas: readonly JsonObject[];
  readonly steps: readonly Step[];
}

/** Of one server, for all rows. Each row has a namespace of its own. */
export const limitedConfiguration: JsonObject = {
  apiVersion: 'resourcequota.admission.k8s.io/v1beta1',
  kind: 'Configuration',
  limitedResources: [
    { resource: 'pods', matchContains: ['requests.cpu', 'ephemeral'] },
    { resource: 'services', matchContains: ['services.loadbalancers'] },
    { resource: 'persistentvolumeclaims', matchContains: ['.storageclass.storage.k8s.io/'] },
    { apiGroup: 'apps', resource: 'deployments', matchContains: ['count/'] },
    { resource: 'pods', matchScopes: [{ scopeName: 'Terminating', operator: 'Exists' }] },
    {
      // Scopes are asked of whatever can be in them.
      resource: 'services',
      matchScopes: [
        {
          scopeName: 'PriorityClass',
          operator: 'In',
          values: ['system-node-critical', 'system-cluster-critical'],
        },
      ],
    },
  ],
};

const quota = (hard: JsonObject, spec: JsonObject = {}): JsonObject => ({ hard, ...spec });
const ofClasses = (operator: string, ...values: readonly string[]): JsonObject => ({
  scopeSelector: {
    matchExpressions: [
      { scopeName: 'PriorityClass', operator, ...(values.length === 0 ? {} : { values }) },
    ],
  },
});
const critical = { priorityClassName: 'system-cluster-critical' };
const ending = { activeDeadlineSeconds: 60 };
const cpu = { requests: { cpu: '1' } };
const refused = (step: Step, message: string, status = 403): Step => ({ ...step, status, message });
const forbidden = (kind: string, name: string, why: string): string =>
  `${kind} "${name}" is forbidden: ${why}`;
const uncoveredPod = (name: string, names: string): string =>
  forbidden('pods', name, `insufficient quota to consume: ${names}`);
const noScope = (scopes: string): string => `insufficient quota to match these scopes: [${scopes}]`;
const classScope = '{PriorityClass In [system-node-critical system-cluster-critical]}';
const service = (name: string, type: string): Step => ({
  path: 'services',
  body: {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { type, ports: [{ port: 80 }] },
  },
});
const patched = (path: string, body: JsonObject): Step => ({
  method: 'PATCH',
  path,
  body,
  status: 200,
});
const claim = (name: string, spec: JsonObject): Step => ({
  path: 'persistentvolumeclaims',
  body: {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      ...spec,
    },
  },
});

export const limitedRows: readonly LimitedRow[] = [
  {
    title: 'what is limited is refused where there is no quota, what is not is taken',
    quotas: [],
    steps: [
      pod('a'),
      pod('b', {}, { requests: { memory: '1Gi' }, limits: { memory: '1Gi' } }),
      pod('c', {}, { requests: { cpu: '0' } }),
      refused(pod('d', {}, cpu), uncoveredPod('d', 'requests.cpu')),
      refused({ ...pod('d', {}, cpu), path: 'pods?dryRun=All' }, uncoveredPod('d', 'requests.cpu')),
      refused(
        pod('e', {}, { requests: { cpu: '1', 'ephemeral-storage': '1Gi' } }),
        uncoveredPod('e', 'ephemeral-storage,requests.cpu,requests.ephemeral-storage'),
      ),
    ],
  },
  {
    title: 'one of several quotas is enough',
    quotas: [quota({ memory: '10Gi' }), quota({ 'requests.cpu': '10' })],
    steps: [pod('a', {}, { requests: { cpu: '1', memory: '1Gi' } })],
  },
  {
    title: 'a quota of something else, or of other objects, does not cover it',
    quotas: [
      quota({ 'limits.cpu': '1', pods: '10' }),
      quota({ 'requests.cpu': '1' }, { scopes: ['Terminating'] }),
    ],
    steps: [
      refused(
        pod('a', {}, { requests: { cpu: '1' }, limits: { cpu: '1' } }),
        uncoveredPod('a', 'requests.cpu'),
      ),
      refused(
        pod('b', {}, cpu),
        forbidden('pods', 'b', 'failed quota: q0: must specify limits.cpu for: c'),
      ),
    ],
  },
  {
    title: 'what a quota covers can still be too much for it',
    quotas: [quota({ 'requests.cpu': '1' })],
    steps: [
      refused(
        pod('a', {}, { requests: { cpu: '2' } }),
        forbidden(
          'pods',
          'a',
          'exceeded quota: q0, requested: requests.cpu=2, used: requests.cpu=0, ' +
            'limited: requests.cpu=1',
        ),
      ),
      pod('b', {}, cpu),
    ],
  },
  {
    title: 'what is not covered is said before what is exceeded',
    quotas: [quota({ pods: '0' })],
    steps: [refused(pod('a', {}, cpu), uncoveredPod('a', 'requests.cpu'))],
  },
  {
    title: 'a change is refused if it takes more, of whatever it has that nobody covers',
    quotas: [],
    steps: [
      service('a', 'ClusterIP'),
      patched('services/a', { metadata: { labels: { a: 'b' } } }),
      patched('services/a', { spec: { type: 'NodePort' } }),
      refused(
        patched('services/a', { spec: { type: 'LoadBalancer' } }),
        forbidden('services', 'a', 'insufficient quota to consume: services.loadbalancers'),
      ),
      patched('services/a', { spec: { type: 'ClusterIP' } }),
      refused(
        service('b', 'LoadBalancer'),
        forbidden('services', 'b', 'insufficient quota to consume: services.loadbalancers'),
      ),
    ],
  },
  {
    title: 'storage of a class, by a part of its names',
    quotas: [quota({ 'fast.storageclass.storage.k8s.io/requests.storage': '5Gi' })],
    steps: [
      claim('a', { storageClassName: '' }),
      refused(
        claim('b', { storageClassName: 'fast' }),
        forbidden(
          'persistentvolumeclaims',
          'b',
          'insufficient quota to consume: ' +
            'fast.storageclass.storage.k8s.io/persistentvolumeclaims',
        ),
      ),
      refused(
        claim('c', { storageClassName: 'slow' }),
        forbidden(
          'persistentvolumeclaims',
          'c',
          'insufficient quota to consume: ' +
            'slow.storageclass.storage.k8s.io/persistentvolumeclaims,' +
            'slow.storageclass.storage.k8s.io/requests.storage',
        ),
      ),
    ],
  },
  {
    title: 'a scope that an object is in has to be one of a quota',
    quotas: [],
    steps: [
      pod('a'),
      refused(pod('b', critical), noScope(classScope), 500),
      refused(pod('c', ending), noScope('{Terminating Exists []}'), 500),
    ],
  },
  {
    title: 'all scopes that no quota names are told together',
    quotas: [],
    steps: [
      refused(
        pod('a', { ...critical, ...ending }),
        noScope(`{Terminating Exists []} ${classScope}`),
        500,
      ),
    ],
  },
  {
    title: 'of two scopes one that a quota names is not missed',
    quotas: [quota({ pods: '5' }, { scopes: ['Terminating'] })],
    steps: [
      pod('a', ending),
      refused(pod('b', { ...critical, ...ending }), noScope(classScope), 500),
    ],
  },
  {
    title: 'both scopes of two quotas are enough',
    quotas: [
      quota({ pods: '5' }, { scopes: ['Terminating'] }),
      quota({ pods: '5' }, ofClasses('In', 'system-cluster-critical')),
    ],
    steps: [pod('a', { ...critical, ...ending })],
  },
  {
    title: 'a quota of another class does not do, one of any class does',
    quotas: [quota({ pods: '5' }, ofClasses('In', 'system-node-critical'))],
    steps: [
      refused(pod('a', critical), noScope(classScope), 500),
      pod('b', { priorityClassName: 'system-node-critical' }),
      {
        path: 'resourcequotas',
        body: {
          apiVersion: 'v1',
          kind: 'ResourceQuota',
          metadata: { name: 'any' },
          spec: quota({ pods: '5' }, ofClasses('Exists')),
        },
      },
      pod('a', critical),
      { method: 'DELETE', path: 'resourcequotas/any', status: 200 },
      refused(pod('c', critical), noScope(classScope), 500),
    ],
  },
  {
    title: 'a quota has the scope for the object, whatever else it is about',
    quotas: [quota({ services: '5' }, {}), quota({ memory: '1' }, ofClasses('Exists'))],
    steps: [
      refused(
        pod('a', critical),
        forbidden('pods', 'a', 'failed quota: q1: must specify memory for: c'),
      ),
      refused(
        pod('b', { ...critical, ...ending }, { requests: { memory: '1' } }),
        noScope('{Terminating Exists []}'),
        500,
      ),
      pod('c', critical, { requests: { memory: '1' } }),
    ],
  },
];
