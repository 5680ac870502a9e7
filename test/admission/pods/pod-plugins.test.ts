/** Built-in plugins that complete or refuse pods and nodes: a row for each, over HTTP. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { mergedTolerations } from '../../../src/admission/pods/tolerations.ts';
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';
import { startTestServer } from '../../support/servers/test-server.ts';
import type { Reply, TestServer } from '../../support/servers/test-server.ts';

const container = { name: 'c', image: 'registry.example/i:1' };
const notReady = 'node.kubernetes.io/not-ready';
const unreachable = 'node.kubernetes.io/unreachable';
const waits = (key: string, tolerationSeconds: number): JsonObject => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds,
});
const usual = [waits(notReady, 30), waits(unreachable, 60)];

interface Row {
  readonly title: string;
  readonly spec: JsonObject;
  readonly metadata?: JsonObject;
  /** Members of the stored spec. */
  readonly stored?: JsonObject;
  readonly refused?: string;
}

const affinity = (topologyKey: string): JsonObject => ({
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { topologyKey, labelSelector: { matchLabels: { a: 'b' } } },
    ],
  },
});

const rows: readonly Row[] = [
  { title: 'stays on a silent node for a while', spec: {}, stored: { tolerations: usual } },
  {
    title: 'keeps what it says of such nodes',
    spec: { tolerations: [waits(notReady, 5)] },
    stored: { tolerations: [waits(notReady, 5), waits(unreachable, 60)] },
  },
  {
    title: 'that tolerates everything gets nothing',
    spec: { tolerations: [{ operator: 'Exists' }] },
    stored: { tolerations: [{ operator: 'Exists' }] },
  },
  {
    title: 'that tolerates another effect is completed',
    spec: { tolerations: [{ key: notReady, operator: 'Exists', effect: 'NoSchedule' }] },
    stored: {
      tolerations: [{ key: notReady, operator: 'Exists', effect: 'NoSchedule' }, ...usual],
    },
  },
  {
    title: 'has its images pulled always',
    spec: { containers: [{ ...container, imagePullPolicy: 'Never' }] },
  },
  {
    title: 'tolerates the taints of what it asks for',
    spec: {
      containers: [
        {
          ...container,
          resources: { limits: { 'example.com/b': '1', 'example.com/a': '2', cpu: '1' } },
        },
      ],
    },
    stored: {
      tolerations: [
        ...usual,
        { key: 'example.com/a', operator: 'Exists', effect: 'NoSchedule' },
        { key: 'example.com/b', operator: 'Exists', effect: 'NoSchedule' },
      ],
    },
  },
  { title: 'may avoid others on its node', spec: { affinity: affinity('kubernetes.io/hostname') } },
  {
    title: 'may not demand a zone for itself',
    spec: { affinity: affinity('topology.kubernetes.io/zone') },
    refused:
      'affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ' +
      'topology.kubernetes.io/zone but only key kubernetes.io/hostname is allowed',
  },
  {
    title: 'of a class costs what the class says, where the class says',
    spec: { runtimeClassName: 'heavy', nodeSelector: { disk: 'ssd' } },
    stored: {
      overhead: { cpu: '250m', memory: '64Mi' },
      nodeSelector: { disk: 'ssd', runtime: 'heavy' },
      tolerations: [...usual, { key: 'runtime', value: 'heavy' }],
    },
  },
  {
    title: 'may say the cost of its class in other words',
    spec: { runtimeClassName: 'heavy', overhead: { memory: '65536Ki', cpu: '0.25' } },
    stored: { overhead: { cpu: '250m', memory: '64Mi' } },
  },
  {
    title: 'may not say another cost than its class',
    spec: { runtimeClassName: 'heavy', overhead: { cpu: '1' } },
    refused: "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
  },
  {
    title: 'of no class costs nothing',
    spec: { overhead: { cpu: '1' } },
    refused: 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
  },
  {
    title: 'of a class without a cost has none',
    spec: { runtimeClassName: 'light', overhead: { cpu: '1' } },
    refused: 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
  },
  {
    title: 'of a class that there is not',
    spec: { runtimeClassName: 'none' },
    refused: 'pod rejected: RuntimeClass "none" not found',
  },
  {
    title: 'may not choose other nodes than its class',
    spec: { runtimeClassName: 'heavy', nodeSelector: { runtime: 'light' } },
    refused:
      'conflict: runtimeClass.scheduling.nodeSelector[runtime] = heavy; ' +
      'pod.spec.nodeSelector[runtime] = light',
  },
];

describe('a pod', () => {
  let server: TestServer;
  const post = (target: string, body: object): Promise<Reply> =>
    server.request('POST', target, { body });
  const pods = '/api/v1/namespaces/default/pods';

  before(async () => {
    server = await startTestServer({
      'enable-admission-plugins':
        'AlwaysPullImages,ExtendedResourceToleration,LimitPodHardAntiAffinityTopology',
      'default-not-ready-toleration-seconds': '30',
      'default-unreachable-toleration-seconds': '60',
      'feature-gates': 'PodTopologyLabelsAdmission=true',
    });
    const classes = '/apis/node.k8s.io/v1/runtimeclasses';
    await post(classes, {
      metadata: { name: 'heavy' },
      handler: 'heavy',
      overhead: { podFixed: { cpu: '250m', memory: '64Mi' } },
      scheduling: {
        nodeSelector: { runtime: 'heavy' },
        tolerations: [{ key: 'runtime', value: 'heavy' }],
      },
    });
    await post(classes, { metadata: { name: 'light' }, handler: 'light' });
  });
  after(() => server.remove());

  for (const [at, { metadata = {}, refused, spec, stored = {}, title }] of rows.entries()) {
    it(title, async () => {
      const body = {
        metadata: { name: `p${at}`, ...metadata },
        spec: { containers: [container], ...spec },
      };
      for (const query of ['?dryRun=All', '']) {
        const reply = await post(`${pods}${query}`, body);
        if (refused !== undefined) {
          assert.equal(reply.status, 403, reply.text);
          assert.equal(reply.body['message'], `pods "p${at}" is forbidden: ${refused}`);
          continue;
        }
        assert.equal(reply.status, 201, reply.text);
        const made = reply.body['spec'] as JsonObject;
        for (const [field, value] of Object.entries(stored)) assert.deepEqual(made[field], value);
        for (const each of made['containers'] as JsonObject[]) {
          assert.equal(each['imagePullPolicy'], 'Always');
        }
      }
      const found = await server.request('GET', `${pods}/p${at}`);
      assert.equal(found.status, refused === undefined ? 200 : 404);
    });
  }

  it('that is bound knows the zone and region of its node', async () => {
    const labels = {
      'topology.k8s.io/zone': 'z1',
      'topology.k8s.io/region': 'r1',
      'topology.k8s.io/rack': 'no',
    };
    await post('/api/v1/nodes', { metadata: { name: 'n1', labels } });
    await post(pods, {
      metadata: { name: 'bound', labels: { own: 'x' } },
      spec: { containers: [container] },
    });
    const binding = { metadata: { name: 'bound' }, target: { kind: 'Node', name: 'n1' } };
    const bound = await post(`${pods}/bound/binding`, binding);
    assert.equal(bound.status, 201, bound.text);
    const { metadata } = (await server.request('GET', `${pods}/bound`)).body as {
      metadata: JsonObject;
    };
    const { 'topology.k8s.io/rack': _rack, ...copied } = labels;
    assert.deepEqual(metadata['labels'], { own: 'x', ...copied });
  });

  it('that is bound to what is not called a node keeps its labels', async () => {
    const labels = { 'topology.k8s.io/zone': 'z1' };
    await post('/api/v1/nodes', { metadata: { name: 'aimed-at', labels } });
    const metadata = { name: 'aimed', labels: { own: 'x' } };
    await post(pods, { metadata, spec: { containers: [container] } });
    const binding = { metadata: { name: 'aimed' }, target: { name: 'aimed-at' } };
    const bound = await post(`${pods}/aimed/binding`, binding);
    assert.equal(bound.status, 201, bound.text);
    const found = await server.request('GET', `${pods}/aimed`);
    assert.deepEqual((found.body['metadata'] as JsonObject)['labels'], { own: 'x' });
  });

  it('finds no new node ready', async () => {
    const taint = { key: notReady, effect: 'NoSchedule' };
    const made = await post('/api/v1/nodes', { metadata: { name: 'n2' } });
    assert.deepEqual((made.body['spec'] as JsonObject)['taints'], [taint]);
    const spec = { taints: [{ ...taint, value: 'own' }] };
    const own = await post('/api/v1/nodes', { metadata: { name: 'n3' }, spec });
    assert.deepEqual((own.body['spec'] as JsonObject)['taints'], spec.taints);
    const left = await server.request('PATCH', '/api/v1/nodes/n2', {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { spec: { taints: null } },
    });
    assert.equal((left.body['spec'] as JsonObject)['taints'], undefined);
  });
});

describe('two lists of tolerations', () => {
  const key = (value: string, more: JsonObject = {}): JsonObject => ({
    key: 'k',
    operator: 'Equal',
    value,
    ...more,
  });
  const merges: readonly (readonly [string, JsonObject[], JsonObject[], JsonObject[]])[] = [
    ['equal ones count once', [key('a')], [key('a')], [key('a')]],
    ['different ones stay', [key('a')], [key('b')], [key('a'), key('b')]],
    [
      'a wider one takes the place of a narrow one',
      [key('a')],
      [{ key: 'k', operator: 'Exists' }],
      [{ key: 'k', operator: 'Exists' }],
    ],
    [
      'one of all keys includes one of one key',
      [{ operator: 'Exists' }],
      [key('a', { effect: 'NoExecute' })],
      [{ operator: 'Exists' }],
    ],
    [
      'one that ends includes none that does not',
      [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }],
      [{ key: 'k', operator: 'Exists', effect: 'NoExecute' }],
      [{ key: 'k', operator: 'Exists', effect: 'NoExecute' }],
    ],
    [
      'one of an effect includes none of all',
      [{ key: 'k', operator: 'Exists', effect: 'NoSchedule' }],
      [key('a')],
      [{ key: 'k', operator: 'Exists', effect: 'NoSchedule' }, key('a')],
    ],
  ];
  for (const [title, first, second, merged] of merges) {
    it(title, () => assert.deepEqual(mergedTolerations(first, second), merged));
  }

  it('are not compared when they are long, and nothing is lost', () => {
    const many = Array.from({ length: 9000 }, (_, at) => key(`v${at}`));
    assert.equal(mergedTolerations(many, many).length, 18_000);
  });
});
