/**
 * Controllers that a controller manager has, too, are left out by their names: `--controllers=-NAME`.
 * Those of namespaces, garbage and aggregated roles run without being asked for.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chosenControllers } from '../../src/server/compose/controller-choice.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';
import { eventually } from '../support/clients/watch-client.ts';

const namespaces = '/api/v1/namespaces';
const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const served = { identity: 'kubernetes' } as const;

async function withServer(
  controllers: string,
  use: (server: TestServer) => Promise<void>,
): Promise<void> {
  const server = await startTestServer({ ...served, controllers });
  try {
    await use(server);
  } finally {
    await server.remove();
  }
}

async function make(server: TestServer, path: string, object: object): Promise<void> {
  const { status, body } = await server.request('POST', path, { body: object });
  assert.equal(status, 201, JSON.stringify(body));
}

async function queues(server: TestServer): Promise<readonly string[]> {
  const { text } = await server.request('GET', '/metrics');
  const found = text.matchAll(/^workqueue_depth\{name="([^"]+)"/gm);
  return [...found].map(([, name]) => name ?? '');
}

async function emptied(server: TestServer, name: string): Promise<void> {
  await make(server, namespaces, { metadata: { name } });
  await server.request('DELETE', `${namespaces}/${name}`);
  await eventually(
    'the namespace is gone',
    async () => (await server.request('GET', `${namespaces}/${name}`)).status === 404,
  );
}

const aggregate = {
  metadata: { name: 'whole' },
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: 'of-whole' } }] },
  rules: [],
};
const part = {
  metadata: { name: 'part', labels: { part: 'of-whole' } },
  rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
};

async function aggregated(server: TestServer): Promise<number> {
  const { body } = await server.request('GET', `${roles}/whole`);
  return ((body['rules'] ?? []) as readonly unknown[]).length;
}

describe('the choice of controllers', () => {
  const unasked = ['namespace', 'garbagecollector', 'clusterrole-aggregation'];
  const rows: readonly [list: string, has: readonly string[], lacks: readonly string[]][] = [
    ['', unasked, ['serviceaccount', 'tokencleaner']],
    ['*', [...unasked, 'serviceaccount'], ['tokencleaner']],
    ['tokencleaner', [...unasked, 'tokencleaner'], ['serviceaccount']],
    ['*,-namespace', unasked.slice(1), ['namespace']],
    ['-garbage-collector-controller', ['namespace'], ['garbagecollector', 'serviceaccount']],
    ['-clusterrole-aggregation,*', ['namespace'], ['clusterrole-aggregation']],
  ];
  for (const [list, has, lacks] of rows) {
    it(`--controllers=${list}`, () => {
      const chosen: ReadonlySet<string> = chosenControllers(list);
      for (const name of has) assert.ok(chosen.has(name), `${name} is missing`);
      for (const name of lacks) assert.ok(!chosen.has(name), `${name} is chosen`);
    });
  }
});

describe('controllers that are left out', () => {
  it('a namespace is emptied by whoever does it instead, and nobody gets in its way', () =>
    withServer('-namespace', async (server) => {
      assert.deepEqual(
        (await queues(server)).filter((name) => name.startsWith('namespace-')),
        [],
      );
      await make(server, namespaces, { metadata: { name: 'left' } });
      await make(server, `${namespaces}/left/configmaps`, { metadata: { name: 'kept' } });
      assert.equal((await server.request('DELETE', `${namespaces}/left`)).status, 200);
      const going = await server.request('GET', `${namespaces}/left`);
      assert.deepEqual(going.body['status'], { phase: 'Terminating' });
      await server.request('DELETE', `${namespaces}/left/configmaps/kept`);
      const finalized = { ...going.body, spec: { finalizers: [] } };
      const reply = await server.request('PUT', `${namespaces}/left/finalize`, { body: finalized });
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      assert.equal((await server.request('GET', `${namespaces}/left`)).status, 404);
    }));

  it('an owner that waits for its dependents is let go by whoever removes the finalizer', () =>
    withServer('-garbagecollector', async (server) => {
      assert.ok(!(await queues(server)).includes('garbage-collector'));
      const objects = `${namespaces}/default/configmaps`;
      await make(server, objects, { metadata: { name: 'owner' } });
      const foreground = { propagationPolicy: 'Foreground' };
      await server.request('DELETE', `${objects}/owner`, { body: foreground });
      const waiting = await server.request('GET', `${objects}/owner`);
      const { finalizers } = waiting.body['metadata'] as { finalizers?: readonly string[] };
      assert.deepEqual(finalizers, ['foregroundDeletion']);
      const patch = { metadata: { finalizers: null } };
      const headers = { 'content-type': 'application/merge-patch+json' };
      const reply = await server.request('PATCH', `${objects}/owner`, { body: patch, headers });
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      assert.equal((await server.request('GET', `${objects}/owner`)).status, 404);
    }));

  it('rules of an aggregate are whoever’s that writes them', async () => {
    await withServer('', async (server) => {
      await make(server, roles, aggregate);
      await make(server, roles, part);
      await eventually('rules are aggregated', async () => (await aggregated(server)) === 1);
    });
    await withServer('-clusterrole-aggregation', async (server) => {
      await make(server, roles, aggregate);
      await make(server, roles, part);
      await emptied(server, 'later');
      assert.equal(await aggregated(server), 0);
    });
  });
});
