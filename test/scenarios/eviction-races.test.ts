/** Evictions at the same time, and what older releases know of a pod's subresources. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';
import { podSpec } from '../support/data/valid-objects.ts';

const pods = '/api/v1/namespaces/default/pods';
const merge = { 'content-type': 'application/merge-patch+json' };

async function runningPod(server: TestServer, name: string): Promise<void> {
  const metadata = { name, labels: { app: 'a' } };
  const made = await server.request('POST', pods, { body: { metadata, spec: podSpec() } });
  assert.equal(made.status, 201, made.text);
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  const path = `${pods}/${name}/status`;
  const set = await server.request('PATCH', path, { headers: merge, body: { status } });
  assert.equal(set.status, 200, set.text);
}

describe('evictions at the same time', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.remove());

  test('take as many disruptions as the budget has, and one pod is evicted once', async () => {
    const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
    const names = Array.from({ length: 20 }, (_, i) => `p${i}`);
    await Promise.all(names.map((name) => runningPod(server, name)));
    const body = { metadata: { name: 'b' }, spec: { selector: { matchLabels: { app: 'a' } } } };
    assert.equal((await server.request('POST', budgets, { body })).status, 201);
    const status = { observedGeneration: 1, disruptionsAllowed: 5, currentHealthy: 20 };
    const set = { headers: merge, body: { status } };
    assert.equal((await server.request('PATCH', `${budgets}/b/status`, set)).status, 200);

    const replies = await Promise.all(
      names.map((name) =>
        server.request('POST', `${pods}/${name}/eviction`, { body: { metadata: { name } } }),
      ),
    );
    const codes = replies.map((reply) => reply.status);
    assert.equal(codes.filter((code) => code === 201).length, 5, codes.join());
    assert.equal(codes.filter((code) => code === 429).length, 15, codes.join());
    const evicted = names.filter((_, i) => codes[i] === 201);
    const budget = (await server.request('GET', `${budgets}/b`)).body as unknown as {
      status: { disruptionsAllowed: number; disruptedPods: object };
    };
    assert.equal(budget.status.disruptionsAllowed, 0);
    assert.deepEqual(Object.keys(budget.status.disruptedPods).sort(), evicted.sort());
    const left = (await server.request('GET', pods)).body as unknown as { items: unknown[] };
    assert.equal(left.items.length, 15);
  });

  test('of one pod through two schedulers, one binding wins', async () => {
    const made = await server.request('POST', pods, {
      body: { metadata: { name: 'wanted' }, spec: podSpec() },
    });
    assert.equal(made.status, 201);
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        server.request('POST', `${pods}/wanted/binding`, {
          body: { metadata: { name: 'wanted' }, target: { kind: 'Node', name: `n${i}` } },
        }),
      ),
    );
    const won = replies.findIndex((reply) => reply.status === 201);
    assert.equal(replies.filter((reply) => reply.status === 409).length, 19);
    const { spec } = (await server.request('GET', `${pods}/wanted`)).body as unknown as {
      spec: { nodeName: string };
    };
    assert.equal(spec.nodeName, `n${won}`);
  });
});

/** There in each of them. */
const connections = ['attach', 'exec', 'log', 'portforward', 'proxy'] as const;

const releases = [
  ['1.21', ['binding', 'eviction policy/v1beta1', 'status']],
  ['1.23', ['binding', 'ephemeralcontainers', 'eviction policy/v1', 'status']],
  ['1.33', ['binding', 'ephemeralcontainers', 'eviction policy/v1', 'resize', 'status']],
] as const;

for (const [release, expected] of releases) {
  test(`release ${release} has the subresources of a pod that it had`, async () => {
    const server = await startTestServer({ 'emulated-version': release });
    const list = (await server.request('GET', '/api/v1')).body as unknown as {
      resources: { name: string; group?: string; version?: string }[];
    };
    const found = list.resources
      .filter(({ name }) => name.startsWith('pods/'))
      .map(({ name, group, version }) =>
        [name.slice('pods/'.length), ...(group === undefined ? [] : [`${group}/${version}`])].join(
          ' ',
        ),
      );
    assert.deepEqual(found.sort(), [...expected, ...connections].sort());
    await runningPod(server, 'p');
    const version = Number(release.slice(2)) < 22 ? 'v1beta1' : 'v1';
    const body = { apiVersion: `policy/${version}`, kind: 'Eviction', metadata: { name: 'p' } };
    const evicted = await server.request('POST', `${pods}/p/eviction`, { body });
    assert.equal(evicted.status, 201, evicted.text);
    await server.remove();
  });
}
