/** Garbage collection of a kind that comes when objects of it are stored already. */
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import {
  definition,
  definitionsPath,
  established,
  gone,
  until as served,
} from '../support/data/custom-definitions.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import {
  collectorPassed,
  deleteOwned,
  look,
  makeOwned,
  referenceTo,
  until,
} from '../support/data/owned-objects.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';

const cogs = '/apis/shop.example/v1/namespaces/default/cogs';
const cogsDefinition = `${definitionsPath}/cogs.shop.example`;
const names = Array.from({ length: 300 }, (_, i) => `cog-${i}`);
const directories = testDirectories('sluice-returning-kinds');
const options = { store: 'lmdb', 'data-dir': directories.make() };
const servers: TestServer[] = [];
after(async () => {
  for (const server of servers) await server.stop();
  await directories.removeAll();
});

async function define(server: TestServer): Promise<void> {
  await established(server, definition({ plural: 'cogs', kind: 'Cog' }));
  await served(server, cogs, () => true);
}

async function holdBy(server: TestServer, path: string, finalizers: string[]): Promise<void> {
  const body = JSON.stringify({ metadata: { finalizers } });
  const headers = { 'content-type': 'application/merge-patch+json' };
  const patched = await server.request('PATCH', path, { body, headers });
  assert.equal(patched.status, 200, patched.text);
}

it('objects that were stored before their kind came hold their owner', async () => {
  const first = await startTestServer(options);
  await define(first);
  const owner = await makeOwned(first, { kind: 'ConfigMap', namespace: 'default', name: 'owner' });
  const ownerReferences = [referenceTo(owner)];
  for (const name of names) {
    const metadata = { name, finalizers: ['x.io/hold'], ownerReferences };
    const body = { apiVersion: 'shop.example/v1', kind: 'Cog', metadata };
    assert.equal((await first.request('POST', cogs, { body })).status, 201);
  }
  // Somebody makes the definition go before its objects, and the server starts without it.
  await first.request('DELETE', cogsDefinition);
  await holdBy(first, cogsDefinition, []);
  await gone(first, cogsDefinition);
  await first.stop();

  const second = await startTestServer(options);
  servers.push(second);
  await collectorPassed(second, 'default');
  await define(second);
  assert.equal(await deleteOwned(second, owner, 'Foreground'), 200);
  await collectorPassed(second, 'default');
  assert.deepEqual((await look(second, owner))?.['finalizers'], ['foregroundDeletion']);
  // Their changes are followed, too: with the last of them the owner goes.
  for (const name of names) await holdBy(second, `${cogs}/${name}`, []);
  await until('the owner is gone', async () => (await look(second, owner)) === undefined);
});
