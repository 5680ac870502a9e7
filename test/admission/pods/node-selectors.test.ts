/**
 * PodNodeSelector and PodTolerationRestriction over HTTP: which nodes the pods of a namespace may
 * run on, and what they tolerate there; and namespaces that are made when they are missing.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';
import { startConfigured } from '../../support/servers/configured-server.ts';
import type { Reply, TestServer } from '../../support/servers/test-server.ts';

const annotation = 'scheduler.alpha.kubernetes.io/node-selector';
const conflict = 'pod node label selector conflicts with its namespace node label selector';
const notListed = 'pod node label selector labels conflict with its namespace whitelist';

const small = { key: 'size', operator: 'Equal', value: 'small', effect: 'NoSchedule' };
const pressure = {
  key: 'node.kubernetes.io/memory-pressure',
  operator: 'Exists',
  effect: 'NoSchedule',
};
const usual = { key: 'usual', operator: 'Exists' };
const forAWhile = { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 };
const any = { operator: 'Exists' };

/** What namespaces say. */
const tolerating: Readonly<Record<string, Readonly<Record<string, string | readonly object[]>>>> = {
  says: { defaultTolerations: [small], tolerationsWhitelist: [small, forAWhile, pressure] },
  'says-nothing': {},
  'says-none': { defaultTolerations: '', tolerationsWhitelist: '' },
  'says-any': { defaultTolerations: [], tolerationsWhitelist: [any] },
  'says-json': { defaultTolerations: '[{' },
  'says-types': { tolerationsWhitelist: [{ key: 5, operator: 'Exists' }] },
  'says-null': { defaultTolerations: 'null', tolerationsWhitelist: 'null' },
};

const notIn = (scope: string): string =>
  'pod tolerations (possibly merged with namespace default tolerations) conflict with its ' +
  `${scope} whitelist`;

interface Tolerating {
  readonly namespace: string;
  readonly own?: readonly object[];
  /** It asks for cpu. */
  readonly asks?: boolean;
  /** What it has then; a text or a pattern: why it is refused, 500. */
  readonly has: readonly object[] | string | RegExp;
}

const pods: readonly Tolerating[] = [
  { namespace: 'says', has: [small] },
  { namespace: 'says', own: [small], has: [small] },
  { namespace: 'says', asks: true, has: [small, pressure] },
  { namespace: 'says', own: [usual], has: notIn('namespace') },
  { namespace: 'says', own: [forAWhile], has: [forAWhile, small] },
  {
    namespace: 'says',
    own: [{ ...forAWhile, tolerationSeconds: 61 }],
    has: notIn('namespace'),
  },
  {
    namespace: 'says',
    own: [{ key: 'a', operator: 'Exists', effect: 'NoExecute' }],
    has: notIn('namespace'),
  },
  { namespace: 'says', own: [{ ...small, value: 'large' }], has: notIn('namespace') },
  { namespace: 'says-nothing', has: [usual] },
  { namespace: 'says-nothing', asks: true, own: [small], has: [small, usual, pressure] },
  { namespace: 'says-nothing', own: [forAWhile], has: notIn('cluster') },
  { namespace: 'says-none', has: [] },
  { namespace: 'says-none', own: [any], has: [any] },
  // What it has already covers what it would be given.
  { namespace: 'says-any', asks: true, own: [any], has: [any] },
  { namespace: 'says-any', asks: true, own: [pressure], has: [pressure] },
  { namespace: 'says-any', asks: true, own: [small, any, usual], has: [any] },
  // Where nothing is added nothing is merged.
  { namespace: 'says-any', own: [small, any], has: [small, any] },
  { namespace: 'says-null', own: [forAWhile], has: [forAWhile] },
  { namespace: 'says-json', has: /^tolerations of the namespace: .*JSON/ },
  { namespace: 'says-types', has: 'tolerations of the namespace: [0] is no toleration' },
  {
    namespace: 'says-none',
    own: Array.from({ length: 201 }, (_none, at) => ({ key: `k${at}`, operator: 'Exists' })),
    has: 'more than 200 tolerations of the pod',
  },
];

describe('the nodes of a namespace', () => {
  let server: TestServer;
  const post = (target: string, body: object): Promise<Reply> =>
    server.request('POST', target, { body });

  before(async () => {
    server = await startConfigured(
      {
        'enable-admission-plugins':
          'PodNodeSelector,PodTolerationRestriction,NamespaceAutoProvision,NamespaceExists,AlwaysAdmit',
        'disable-admission-plugins': 'ServiceAccount,DefaultTolerationSeconds',
      },
      {
        PodTolerationRestriction: {
          apiVersion: 'podtolerationrestriction.admission.k8s.io/v1alpha1',
          kind: 'Configuration',
          default: [{ key: 'usual', operator: 'Exists' }],
          whitelist: [{ key: 'usual', operator: 'Exists' }, small, pressure],
        },
        PodNodeSelector: {
          podNodeSelectorPluginConfig: {
            clusterDefaultNodeSelector: 'pool=usual',
            listed: 'env=test, tier=a',
            wide: 'env=test',
          },
        },
      },
    );
    const make = (name: string, selector?: string) =>
      post('/api/v1/namespaces', {
        metadata: { name, annotations: selector === undefined ? {} : { [annotation]: selector } },
      });
    await make('plain');
    await make('test', 'env=test');
    await make('listed', 'env=test');
    await make('anywhere', '');
    await make('spaced', ' env = test , tier= ');
    await make('wide', 'env=test,zone=z');
    await make('broken', 'env');
    await make('broken-parts', 'a=b,env=c=d');
    await make('broken-spaces', ' ');
    await make('broken-key', 'env_=a');
    await make('broken-value', 'env=a b');
    for (const [name, annotations] of Object.entries(tolerating)) {
      const named = Object.entries(annotations).map(([what, value]) => [
        `scheduler.alpha.kubernetes.io/${what}`,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]);
      await post('/api/v1/namespaces', {
        metadata: { name, annotations: Object.fromEntries(named) as JsonObject },
      });
    }
  });
  after(() => server.remove());

  const rows: readonly (readonly [
    string,
    JsonObject | undefined,
    /** A text: why it is refused; a pattern: with 500. */
    JsonObject | string | RegExp | undefined,
  ])[] = [
    ['plain', undefined, { pool: 'usual' }],
    ['plain', { disk: 'ssd' }, { pool: 'usual', disk: 'ssd' }],
    ['plain', { pool: 'other' }, conflict],
    ['test', undefined, { env: 'test' }],
    ['test', { env: 'test', pool: 'other' }, { env: 'test', pool: 'other' }],
    ['test', { env: 'Test' }, conflict],
    ['listed', { tier: 'a' }, { env: 'test', tier: 'a' }],
    ['listed', { tier: 'b' }, notListed],
    ['listed', { disk: 'ssd' }, notListed],
    ['anywhere', undefined, undefined],
    ['listed', { env: 'prod' }, conflict],
    ['spaced', undefined, { env: 'test', tier: '' }],
    // What the namespace adds counts, too.
    ['wide', undefined, notListed],
    ['broken', undefined, /^invalid selector: \[env\]$/],
    ['broken-parts', { env: 'x' }, /^invalid selector: \[env c d\]$/],
    ['broken-spaces', undefined, /^invalid selector: \[ \]$/],
    ['broken-key', undefined, /^<nil>: Invalid value: "env_": name part must consist of /],
    ['broken-value', undefined, /^\[env\]: Invalid value: "a b": a valid label must be /],
  ];
  for (const [at, [namespace, nodeSelector, expected]] of rows.entries()) {
    it(`${JSON.stringify(nodeSelector ?? {})} in ${namespace}`, async () => {
      const reply = await post(`/api/v1/namespaces/${namespace}/pods`, {
        metadata: { name: `p${at}` },
        spec: { containers: [{ name: 'c', image: 'i' }], nodeSelector },
      });
      if (expected instanceof RegExp) {
        assert.equal(reply.status, 500, reply.text);
        assert.match(String(reply.body['message']), expected);
        return;
      }
      if (typeof expected === 'string') {
        assert.equal(reply.status, 403, reply.text);
        assert.equal(reply.body['message'], `pods "p${at}" is forbidden: ${expected}`);
        return;
      }
      assert.equal(reply.status, 201, reply.text);
      assert.deepEqual((reply.body['spec'] as JsonObject)['nodeSelector'], expected);
    });
  }

  it('that conflict are told before the pod has a name, and a pod that is there keeps its own', async () => {
    const spec = { containers: [{ name: 'c', image: 'i' }], nodeSelector: { env: 'prod' } };
    const refused = await post('/api/v1/namespaces/test/pods', {
      metadata: { generateName: 'made-' },
      spec,
    });
    assert.equal(refused.status, 403, refused.text);
    assert.equal(refused.body['message'], `pods is forbidden: ${conflict}`);
    const moving = '/api/v1/namespaces/moving';
    const annotate = (selector: string): Promise<Reply> =>
      server.request('PATCH', moving, {
        body: { metadata: { annotations: { [annotation]: selector } } },
        headers: { 'content-type': 'application/merge-patch+json' },
      });
    await post('/api/v1/namespaces', { metadata: { name: 'moving' } });
    await annotate('env=prod');
    const made = await post(`${moving}/pods`, { metadata: { name: 'p' }, spec });
    assert.equal(made.status, 201, made.text);
    assert.equal((await annotate('env=test')).status, 200);
    const changed = await server.request('PATCH', `${moving}/pods/p`, {
      body: { metadata: { labels: { a: 'b' } } },
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual((changed.body['spec'] as JsonObject)['nodeSelector'], { env: 'prod' });
  });

  for (const [at, { asks = false, has, namespace, own }] of pods.entries()) {
    const words = `${JSON.stringify(own ?? []).slice(0, 80)}${asks ? ', with cpu,' : ''}`;
    it(`tolerations ${words} in ${namespace}`, async () => {
      const resources = asks ? { requests: { cpu: '1' } } : {};
      const body = {
        metadata: { name: `t${at}` },
        spec: { containers: [{ name: 'c', image: 'i', resources }], tolerations: own },
      };
      for (const query of ['?dryRun=All', '']) {
        const reply = await post(`/api/v1/namespaces/${namespace}/pods${query}`, body);
        if (!Array.isArray(has)) {
          assert.equal(reply.status, 500, reply.text);
          const message = String(reply.body['message']);
          if (has instanceof RegExp) assert.match(message, has);
          else assert.equal(message, has);
          continue;
        }
        assert.equal(reply.status, 201, reply.text);
        assert.deepEqual((reply.body['spec'] as JsonObject)['tolerations'] ?? [], has);
      }
    });
  }

  it('that is missing is made for what is created in it, and not for a dry run', async () => {
    const map = { metadata: { name: 'm' } };
    const inside = '/api/v1/namespaces/missing/configmaps';
    const dry = await post(`${inside}?dryRun=All`, map);
    assert.equal(dry.status, 404);
    assert.equal(dry.body['message'], 'namespaces "missing" not found');
    assert.equal((await server.request('GET', '/api/v1/namespaces/missing')).status, 404);
    const several = await Promise.all(
      ['m', 'n', 'o'].map((name) => post(inside, { metadata: { name } })),
    );
    assert.deepEqual(
      several.map(({ status }) => status),
      [201, 201, 201],
    );
    const made = await server.request('GET', '/api/v1/namespaces/missing');
    assert.deepEqual((made.body['status'] as JsonObject)['phase'], 'Active');
    const applied = await server.request(
      'PATCH',
      '/api/v1/namespaces/missing-too/configmaps/m?fieldManager=t',
      {
        body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', ...map }),
        headers: { 'content-type': 'application/apply-patch+yaml' },
      },
    );
    assert.equal(applied.status, 201, applied.text);
    const named = await post('/api/v1/namespaces/Not_A_Name/configmaps', map);
    assert.ok(named.status >= 400 && named.status < 500, named.text);
  });
});
