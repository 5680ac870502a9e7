/** Built-in plugins that complete or refuse pods and nodes: a row for each, over HTTP. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { mergedTolerations } from '../../../src/admission/pods/tolerations.ts';
import type { MutatePass, Proposed, ValidatePass } from '../../../src/admission/admission.ts';
import { alwaysPullImages } from '../../../src/admission/pods/image-pulls.ts';
import { StatusError } from '../../../src/apimachinery/status-error.ts';
import type { ApiObject, JsonObject } from '../../../src/apimachinery/unstructured.ts';
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
    title: 'that tolerates such a node in any way gets nothing for it',
    spec: { tolerations: [{ key: notReady, operator: 'Exists' }, { ...waits(unreachable, 0) }] },
    stored: { tolerations: [{ key: notReady, operator: 'Exists' }, waits(unreachable, 0)] },
  },
  {
    title: 'that tolerates this effect of any taint gets nothing',
    spec: { tolerations: [{ operator: 'Exists', effect: 'NoExecute' }] },
    stored: { tolerations: [{ operator: 'Exists', effect: 'NoExecute' }] },
  },
  {
    title: 'that tolerates a value of such a taint gets nothing for it',
    spec: { tolerations: [{ key: unreachable, operator: 'Equal', value: 'x' }] },
    stored: {
      tolerations: [{ key: unreachable, operator: 'Equal', value: 'x' }, waits(notReady, 30)],
    },
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
    const made = await post(pods, {
      metadata: { name: 'there', labels: { 'topology.k8s.io/zone': 'elsewhere' } },
      spec: { containers: [container], nodeName: 'n1' },
    });
    assert.deepEqual((made.body['metadata'] as JsonObject)['labels'], copied);
  });

  it('that is bound to a node without such labels, or to none, keeps its own', async () => {
    const labels = { 'sub.topology.k8s.io/zone': 'z1', 'topology.k8s.io': 'z1' };
    await post('/api/v1/nodes', { metadata: { name: 'bare', labels } });
    for (const nodeName of ['bare', 'absent']) {
      const own = { 'topology.k8s.io/zone': 'own' };
      const made = await post(pods, {
        metadata: { name: `on-${nodeName}`, labels: own },
        spec: { containers: [container], nodeName },
      });
      assert.deepEqual((made.body['metadata'] as JsonObject)['labels'], own);
    }
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

describe('the images of a pod', () => {
  const pass = {} as MutatePass & ValidatePass;
  const pod = (image: string, reference: string): ApiObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: {
      initContainers: [{ name: 'i', image, imagePullPolicy: 'Never' }],
      containers: [{ name: 'c', image, imagePullPolicy: 'IfNotPresent' }],
      volumes: [
        { name: 'v', image: { reference, pullPolicy: 'Never' } },
        { name: 'w', emptyDir: {} },
      ],
    },
  });
  const about = { name: 'p', resource: { group: '', resource: 'pods' }, operation: 'UPDATE' };
  const review = (current: ApiObject | undefined, next: ApiObject) =>
    ({ ...about, ...(current ?? { operation: 'CREATE' }), current, next }) as unknown as Proposed;

  it('are pulled always, those of volumes too', () => {
    const made = alwaysPullImages.admit?.(review(undefined, pod('a', 'b')), pass) as ApiObject;
    const spec = made['spec'] as Record<string, JsonObject[]>;
    const policies = ['initContainers', 'containers'].map(
      (list) => spec[list]?.[0]?.['imagePullPolicy'],
    );
    const [image, other] = spec['volumes'] as JsonObject[];
    assert.deepEqual(
      [...policies, (image?.['image'] as JsonObject)['pullPolicy'], other],
      ['Always', 'Always', 'Always', { name: 'w', emptyDir: {} }],
    );
  });

  it('that are no others leave an update as it is', () => {
    const [before, moved, brings] = [pod('a', 'b'), pod('b', 'a'), pod('a', 'c')];
    assert.equal(alwaysPullImages.admit?.(review(before, moved), pass), moved);
    assert.equal(alwaysPullImages.validate?.(review(before, moved), pass), undefined);
    assert.notEqual(alwaysPullImages.admit?.(review(before, brings), pass), brings);
  });

  it('that others have changed behind it are refused, all at once and without a reason', () => {
    const refused = alwaysPullImages.validate?.(review(undefined, pod('a', 'b')), pass);
    assert.ok(refused instanceof StatusError);
    const why = (field: string, policy: string): string =>
      `pods "p" is forbidden: spec.${field}: Unsupported value: "${policy}": ` +
      'supported values: "Always"';
    assert.deepEqual(
      [refused.code, refused.reason, refused.message],
      [
        500,
        '',
        `[${why('initContainers[0].imagePullPolicy', 'Never')}, ` +
          `${why('containers[0].imagePullPolicy', 'IfNotPresent')}, ` +
          `${why('volumes[0].image.pullPolicy', 'Never')}]`,
      ],
    );
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
