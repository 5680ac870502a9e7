/** Quotas over HTTP: what they refuse, in which words, and what their status says. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { definition, established, object } from '../support/data/custom-definitions.ts';
import { eventually } from '../support/clients/watch-client.ts';
import { configMap, gone, noGrace, pod, quotaRows } from '../support/data/quota-rows.ts';
import type { Step } from '../support/data/quota-rows.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';

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

  for (const { hard, spec, steps, title, used } of quotaRows) {
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

  it('bound custom types by their full names', async () => {
    const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };
    const schema = { openAPIV3Schema: { type: 'object' } };
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names,
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    };
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const defined = await server.request('POST', definitions, { body: definition });
    assert.equal(defined.status, 201, defined.text);
    const base = await namespace();
    const widgets = base.replace('/api/v1', '/apis/example.com/v1');
    await eventually('it is served', async () => {
      return (await server.request('GET', `${widgets}/widgets`)).status === 200;
    });
    const widget = (name: string): Promise<Reply> =>
      send(widgets, {
        path: 'widgets',
        body: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name } },
      });
    assert.equal((await widget('a')).status, 201);
    await makeQuota(base, { 'count/widgets.example.com': '2' });
    assert.equal((await widget('b')).status, 201);
    const refused = await widget('c');
    assert.equal(refused.status, 403);
    assert.equal(
      refused.body['message'],
      'widgets.example.com "c" is forbidden: exceeded quota: q, ' +
        'requested: count/widgets.example.com=1, used: count/widgets.example.com=2, ' +
        'limited: count/widgets.example.com=2',
    );
    assert.equal((await send(widgets, gone('widgets/a'))).status, 200);
    assert.deepEqual((await status(base))['used'], { 'count/widgets.example.com': '1' });
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

  it('that want more said refuse before any that is exceeded, and those by their names', async () => {
    const base = await namespace();
    const specs: readonly (readonly [string, JsonObject])[] = [
      ['a-full', { hard: { pods: '0' } }],
      ['b-full', { hard: { pods: '0', 'count/pods': '0' } }],
      ['c-asks', { hard: { 'limits.cpu': '1', 'requests.cpu': '1' } }],
      ['d-asks', { hard: { 'limits.memory': '1' } }],
      ['e-asks-others', { hard: { 'limits.cpu': '1' }, scopes: ['Terminating'] }],
    ];
    for (const [name, spec] of specs) {
      const body = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name }, spec };
      assert.equal((await send(base, { path: 'resourcequotas', body })).status, 201);
    }
    const refusal = async (resources: JsonObject): Promise<unknown> =>
      (await send(base, pod('p', {}, resources))).body['message'];
    const why = (text: string): string => `pods "p" is forbidden: ${text}`;
    assert.equal(
      await refusal({}),
      why('failed quota: c-asks: must specify limits.cpu for: c; requests.cpu for: c'),
    );
    assert.equal(
      await refusal({ limits: { cpu: '2' } }),
      why('failed quota: d-asks: must specify limits.memory for: c'),
    );
    assert.equal(
      await refusal({ limits: { cpu: '2', memory: '2' } }),
      why('exceeded quota: a-full, requested: pods=1, used: pods=0, limited: pods=0'),
    );
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

  // Before, one of 2,500 names and more was taken, and its status could never be written.
  it('are refused with more names than their status can hold, and counted with as many', async () => {
    const base = await namespace();
    const namesOf = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`example.com/n${i}`, '1']));
    const quota = (hard: JsonObject) => ({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q' },
      spec: { hard },
    });
    const beyond = { body: quota(namesOf(1_001)), path: 'resourcequotas' };
    const refused = await send(base, beyond);
    assert.equal(refused.status, 422, refused.text);
    const why = 'spec.hard: Too many: 1001: must have at most 1000 items';
    assert.match(String(refused.body['message']), new RegExp(why));
    await makeQuota(base, namesOf(1_000));
    await eventually('the quota is counted', async () => {
      const { used } = await status(base);
      return Object.keys(used ?? {}).length === 1_000;
    });
    const grown = {
      method: 'PATCH',
      path: 'resourcequotas/q',
      body: { spec: { hard: { pods: '1' } } },
    };
    assert.equal((await send(base, grown)).status, 422);
  });

  // Before, each pod was compared with all of them, of up to 256 quotas in one turn.
  it('are refused with more values of scopes than a write is compared with', async () => {
    const base = await namespace();
    const quota = (count: number) => ({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q' },
      spec: {
        hard: { pods: '1' },
        scopeSelector: {
          matchExpressions: [
            {
              scopeName: 'PriorityClass',
              operator: 'In',
              values: Array.from({ length: count }, (_, i) => `c${i}`),
            },
          ],
        },
      },
    });
    const refused = await send(base, { body: quota(1_000), path: 'resourcequotas' });
    assert.equal(refused.status, 422, refused.text);
    const why = 'spec.scopeSelector: Too many: 1001: must have at most 1000 items';
    assert.match(String(refused.body['message']), new RegExp(why));
    const taken = await send(base, { body: quota(999), path: 'resourcequotas' });
    assert.equal(taken.status, 201, taken.text);
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
