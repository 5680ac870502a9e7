/** Quotas over HTTP: what they refuse, in which words, and what their status says. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { definition, established, object } from '../support/data/custom-definitions.ts';
import { eventually } from '../support/clients/watch-client.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';

interface Row {
  readonly title: string;
  readonly hard: JsonObject;
  readonly spec?: JsonObject;
  /** Requests in order: what is sent, and what comes of it. */
  readonly steps: readonly Step[];
  /** status.used at the end. */
  readonly used: JsonObject;
}

interface Step {
  readonly method?: string;
  readonly path: string;
  readonly body?: JsonObject | undefined;
  readonly status?: number;
  readonly message?: string;
}

const pod = (name: string, spec: JsonObject = {}, resources: JsonObject = {}): Step => ({
  path: 'pods',
  body: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'i', resources }], ...spec },
  },
});
const gone = (path: string): Step => ({ method: 'DELETE', path, status: 200 });
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
const configMap = (name: string): Step => ({
  path: 'configmaps',
  body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } },
});
const noGrace: JsonObject = { gracePeriodSeconds: 0 };

const rows: readonly Row[] = [
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
      { method: 'PATCH', path: 'services/a', body: { spec: { type: 'ClusterIP' } }, status: 200 },
      refusing(
        {
          method: 'PATCH',
          path: 'services/a',
          body: { spec: { type: 'LoadBalancer' } },
        },
        'services "a" is forbidden: exceeded quota: q, requested: services.loadbalancers=1, ' +
          'used: services.loadbalancers=1, limited: services.loadbalancers=1',
      ),
    ],
    used: { 'services.nodeports': '0', 'services.loadbalancers': '1', services: '2' },
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

describe('quotas', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ controllers: 'resourcequota,systempriorityclasses' });
  });
  after(() => server.remove());

  async function send(base: string, { body, method = 'POST', path }: Step): Promise<Reply> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { 'content-type': type };
    return server.request(method, `${base}/${path}`, { body, headers });
  }

  let made = 0;
  async function namespace(): Promise<string> {
    const name = `quota-${(made += 1)}`;
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    assert.equal((await server.request('POST', '/api/v1/namespaces', { body })).status, 201);
    const base = `/api/v1/namespaces/${name}`;
    return base;
  }

  async function makeQuota(base: string, hard: JsonObject, spec: JsonObject = {}): Promise<void> {
    const body = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q' },
      spec: { hard, ...spec },
    };
    const reply = await server.request('POST', `${base}/resourcequotas`, { body });
    assert.equal(reply.status, 201, reply.text);
  }

  async function status(base: string): Promise<JsonObject> {
    const { body } = await server.request('GET', `${base}/resourcequotas/q`);
    return (body['status'] ?? {}) as JsonObject;
  }

  for (const { hard, spec, steps, title, used } of rows) {
    it(title, async () => {
      const base = await namespace();
      await makeQuota(base, hard, spec);
      for (const step of steps) {
        const reply = await send(base, step);
        const { method = 'POST', path } = step;
        assert.equal(reply.status, step.status ?? 201, `${method} ${path}: ${reply.text}`);
        if (step.message !== undefined) assert.equal(reply.body['message'], step.message);
      }
      await eventually('the quota is counted', async () => {
        const { used: shown } = await status(base);
        return Object.keys(shown ?? {}).length === Object.keys(hard).length;
      });
      const { hard: shown, used: counted } = await status(base);
      assert.deepEqual(counted, used);
      assert.deepEqual(shown, hard);
    });
  }

  it('count what is there when they are made, and what they come to bound', async () => {
    const base = await namespace();
    for (const name of ['a', 'b', 'c']) await send(base, pod(name));
    await makeQuota(base, { pods: '4' });
    assert.equal((await send(base, pod('d'))).status, 201);
    assert.equal((await send(base, pod('e'))).status, 403);
    assert.deepEqual((await status(base))['used'], { pods: '4' });
    const patch = { spec: { hard: { 'count/secrets': '1' } } };
    await send(base, { method: 'PATCH', path: 'resourcequotas/q', body: patch });
    const secret = (name: string): Step => ({
      path: 'secrets',
      body: { apiVersion: 'v1', kind: 'Secret', metadata: { name } },
    });
    assert.equal((await send(base, secret('a'))).status, 201);
    assert.equal((await send(base, secret('b'))).status, 403);
    assert.deepEqual((await status(base))['used'], { pods: '4', 'count/secrets': '1' });
  });

  it('count objects of a custom type, and what goes makes room', async () => {
    await established(server, definition({ plural: 'lamps', kind: 'Lamp' }));
    const base = await namespace();
    const count = 'count/lamps.shop.example';
    await makeQuota(base, { [count]: '1' });
    const lamps = `/apis/shop.example/v1${base.slice('/api/v1'.length)}/lamps`;
    const make = (name: string): Promise<Reply> =>
      server.request('POST', lamps, { body: object('Lamp', name) });
    assert.equal((await make('a')).status, 201);
    const refused = await make('b');
    assert.equal(refused.status, 403);
    assert.equal(
      refused.body['message'],
      `lamps.shop.example "b" is forbidden: exceeded quota: q, requested: ${count}=1, ` +
        `used: ${count}=1, limited: ${count}=1`,
    );
    await server.request('DELETE', `${lamps}/a`);
    await eventually('there is room', async () => (await make('b')).status === 201);
    assert.deepEqual((await status(base))['used'], { [count]: '1' });
  });

  it('that say less than is used refuse what adds, and nothing else', async () => {
    const base = await namespace();
    for (const name of ['a', 'b']) await send(base, pod(name));
    await makeQuota(base, { pods: '1' });
    const labelled = { metadata: { labels: { a: 'b' } } };
    const path = 'pods/a';
    assert.equal((await send(base, { method: 'PATCH', path, body: labelled })).status, 200);
    const refused = await send(base, pod('c'));
    assert.equal(refused.status, 403);
    assert.match(refused.text, /requested: pods=1, used: pods=2, limited: pods=1/);
    assert.equal((await send(base, { ...gone('pods/a'), body: noGrace })).status, 200);
    assert.equal((await send(base, { ...gone('pods/b'), body: noGrace })).status, 200);
    assert.equal((await send(base, pod('c'))).status, 201);
  });

  it('whose status somebody has written wrong are put right', async () => {
    const base = await namespace();
    await send(base, pod('a'));
    await makeQuota(base, { pods: '5' });
    await send(base, pod('b'));
    const lie = { status: { used: { pods: '0' }, hard: { pods: '100', secrets: '1' } } };
    await send(base, { method: 'PATCH', path: 'resourcequotas/q/status', body: lie });
    await eventually('it is counted again', async () => {
      const { used } = await status(base);
      return (used as JsonObject)['pods'] === '2';
    });
  });

  it('in any number leave a write alone that they do not bound, and refuse one that too many do', async () => {
    const base = await namespace();
    for (let at = 0; at < 20; at += 1) {
      const body = {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: `q${at}` },
        spec: { hard: { pods: '100' } },
      };
      await server.request('POST', `${base}/resourcequotas`, { body });
    }
    assert.equal((await send(base, configMap('a'))).status, 201);
    const reply = await send(base, pod('a'));
    assert.equal(reply.status, 403);
    assert.match(reply.text, /more than 16 quotas bound it/);
  });

  it('of a hundred pods at once make exactly ten, whoever comes first', async () => {
    const base = await namespace();
    await makeQuota(base, { pods: '10' });
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, at) => send(base, pod(`p${at}`))),
    );
    const statuses = replies.map(({ status: each }) => each).sort();
    assert.deepEqual(statuses, [...Array<number>(10).fill(201), ...Array<number>(90).fill(403)]);
    assert.deepEqual((await status(base))['used'], { pods: '10' });
    const { body } = await server.request('GET', `${base}/pods`);
    assert.equal((body['items'] as unknown[]).length, 10);
  });

  it('bind nobody whose server was told to leave them out', async () => {
    const free = await startTestServer({ 'disable-admission-plugins': 'ResourceQuota' });
    const base = '/api/v1/namespaces/default';
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q' },
      spec: { hard: { 'count/configmaps': '0' } },
    };
    await free.request('POST', `${base}/resourcequotas`, { body: quota });
    const { body } = configMap('a');
    const reply = await free.request('POST', `${base}/configmaps`, { body });
    assert.equal(reply.status, 201);
    await free.remove();
  });
});
