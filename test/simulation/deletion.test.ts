/**
 * kill -9 in the middle of a namespace's deletion and of garbage collection: both end correctly
 * after the restart, nothing is left behind and nothing that should live is deleted (spec 1, 3.1).
 *
 * SLUICE_DELETION_KILLS (default 3) and SLUICE_DELETION_SEED (default random, printed) set the run,
 * SLUICE_TEST_STORE=fdb the store (support/servers/killed-store.ts).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';
import type { Prng } from '../../src/stdx/prng.ts';
import {
  collectorPassed,
  deleteOwned,
  look,
  makeOwned,
  ownerUids,
  referenceTo,
} from '../support/data/owned-objects.ts';
import type { Owned } from '../support/data/owned-objects.ts';
import { newKilledStore } from '../support/servers/killed-store.ts';
import type { KilledStore } from '../support/servers/killed-store.ts';
import type { ServerProcess } from '../support/servers/server-process.ts';
import { apiClient } from '../support/servers/test-server.ts';
import type { ApiClient } from '../support/servers/test-server.ts';

const kills = Number(process.env['SLUICE_DELETION_KILLS'] ?? 3);
const seed = Number(process.env['SLUICE_DELETION_SEED'] ?? Date.now() % 1_000_000);
const perKind = 150;
const families = 40;
const childrenOfEach = 4;

const flags = ['--identity=kubernetes', '--log-level=error'];

function clientOf(server: ServerProcess): ApiClient {
  return apiClient(`http://127.0.0.1:${server.port}`);
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

async function fill(client: ApiClient, namespace: string): Promise<void> {
  const made = await client.request('POST', '/api/v1/namespaces', {
    body: { metadata: { name: namespace } },
  });
  assert.equal(made.status, 201, made.text);
  const names = Array.from({ length: perKind }, (_, i) => `o${i}`);
  for (const kind of ['ConfigMap', 'Secret', 'Role'] as const) {
    await inParallel(
      names,
      async (name) => void (await makeOwned(client, { kind, namespace, name })),
    );
  }
}

interface Families {
  /** Deleted, each by a policy of its own. */
  readonly owners: readonly { readonly owner: Owned; readonly policy: string }[];
  readonly deleted: Owned[];
  readonly orphaned: Owned[];
  /** Owned by something that lives as well: they forget the other. */
  readonly shared: Owned[];
  readonly keeper: Owned;
}

async function makeFamilies(client: ApiClient, namespace: string): Promise<Families> {
  await client.request('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } });
  const keeper = await makeOwned(client, { kind: 'Role', namespace, name: 'keeper' });
  const owners: { owner: Owned; policy: string }[] = [];
  const families_: Families = { owners, deleted: [], orphaned: [], shared: [], keeper };
  await inParallel(
    Array.from({ length: families }, (_, i) => i),
    async (i) => {
      const policy = ['Foreground', 'Background', 'Orphan'][i % 3] as string;
      const owner = await makeOwned(client, { kind: 'ConfigMap', namespace, name: `owner-${i}` });
      owners.push({ owner, policy });
      for (let n = 0; n < childrenOfEach; n += 1) {
        const name = `child-${i}-${n}`;
        const ownerReferences = [referenceTo(owner)];
        const child = await makeOwned(
          client,
          { kind: 'Secret', namespace, name },
          { ownerReferences },
        );
        const deep = { ownerReferences: [referenceTo(child)] };
        const grandchild = await makeOwned(client, { kind: 'ConfigMap', namespace, name }, deep);
        if (policy === 'Orphan') families_.orphaned.push(child);
        else families_.deleted.push(child, grandchild);
      }
      const both = { ownerReferences: [referenceTo(owner), referenceTo(keeper)] };
      const name = `shared-${i}`;
      families_.shared.push(await makeOwned(client, { kind: 'Secret', namespace, name }, both));
    },
  );
  return families_;
}

/** Kills the server a random moment after `begin`, and starts it again. */
async function killedDuring(
  server: ServerProcess,
  prng: Prng,
  store: KilledStore,
  begin: (client: ApiClient) => Promise<unknown>,
): Promise<ServerProcess> {
  const client = clientOf(server);
  const begun = begin(client).catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, randomBelow(prng, 120)));
  await server.kill();
  await begun;
  client.close();
  return store.start(flags);
}

async function patiently(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 2400; attempt += 1) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`not so in time: ${what}`);
}

async function namespaceRound(
  server: ServerProcess,
  prng: Prng,
  store: KilledStore,
  round: number,
) {
  const before = clientOf(server);
  const name = `gone-${round}`;
  await fill(before, name);
  await fill(before, `stays-${round}`);
  const target = `/api/v1/namespaces/${name}`;
  assert.equal((await before.request('DELETE', target)).status, 200);
  before.close();
  const again = await killedDuring(server, prng, store, () => Promise.resolve());
  const client = clientOf(again);
  await patiently(
    `${name} is gone`,
    async () => (await client.request('GET', target)).status === 404,
  );
  for (const resource of ['configmaps', 'secrets']) {
    const items = async (ns: string): Promise<number> => {
      const reply = await client.request('GET', `/api/v1/namespaces/${ns}/${resource}`);
      return (reply.body['items'] as unknown[]).length;
    };
    assert.equal(await items(name), 0, `round ${round}: ${resource} left behind`);
    assert.equal(await items(`stays-${round}`), perKind, `round ${round}: ${resource} deleted`);
  }
  await client.request('DELETE', `/api/v1/namespaces/stays-${round}`);
  client.close();
  return again;
}

async function collectionRound(
  server: ServerProcess,
  prng: Prng,
  store: KilledStore,
  round: number,
) {
  const before = clientOf(server);
  const ns = `family-${round}`;
  const { owners, deleted, orphaned, shared, keeper } = await makeFamilies(before, ns);
  before.close();
  const again = await killedDuring(server, prng, store, (client) =>
    inParallel(
      owners,
      async ({ owner, policy }) => void (await deleteOwned(client, owner, policy)),
    ),
  );
  const client = clientOf(again);
  // What was not asked for any more is asked for now: what was, is under way or done.
  await inParallel(owners, async ({ owner, policy }) => {
    if ((await look(client, owner))?.['deletionTimestamp'] === undefined) {
      await deleteOwned(client, owner, policy);
    }
  });
  for (const object of [...owners.map(({ owner }) => owner), ...deleted]) {
    await patiently(
      `${object.name} is gone`,
      async () => (await look(client, object)) === undefined,
    );
  }
  await collectorPassed(client, ns);
  for (const object of orphaned) {
    const found = await look(client, object);
    assert.ok(found !== undefined, `round ${round}: ${object.name} was deleted, not orphaned`);
    assert.deepEqual(
      ownerUids(found),
      [],
      `round ${round}: ${object.name} has forgotten its owner`,
    );
  }
  for (const object of shared) {
    const found = await look(client, object);
    assert.ok(found !== undefined, `round ${round}: ${object.name} has an owner that lives`);
    assert.deepEqual(ownerUids(found), [keeper.uid], `round ${round}: ${object.name}`);
  }
  assert.ok((await look(client, keeper)) !== undefined);
  await client.request('DELETE', `/api/v1/namespaces/${ns}`);
  client.close();
  return again;
}

test(
  `deletions go on after each of ${kills} kills, of a namespace and of a collection (seed ${seed})`,
  { timeout: 300_000 + kills * 60_000 },
  async (context) => {
    context.diagnostic(`seed ${seed}`);
    const prng = seededPrng(seed);
    const store = newKilledStore('sluice-deletion');
    let server = await store.start(flags);
    for (let round = 0; round < kills; round += 1) {
      server = await namespaceRound(server, prng, store, round);
      server = await collectionRound(server, prng, store, round);
    }
    assert.equal((await server.stop()).code, 0);
  },
);
