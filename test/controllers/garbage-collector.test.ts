/** Garbage collection over HTTP: policies, owners of every sort, cycles, and random graphs against
 * a model (spec 1, sections 2.7 and 3.1). */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';
import type { Prng } from '../../src/stdx/prng.ts';
import {
  collectorPassed,
  deleteOwned,
  look,
  makeOwned,
  ownedKinds,
  ownerUids,
  pathOf,
  referenceTo,
  until,
} from '../support/data/owned-objects.ts';
import type { Owned, OwnedKind } from '../support/data/owned-objects.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';

const policies = ['Background', 'Foreground', 'Orphan'] as const;
let server: TestServer;
let ns = '';
let spaces = 0;

before(async () => {
  server = await startTestServer();
});
after(() => server.remove());

/** A namespace of its own for each test. */
async function space(): Promise<void> {
  spaces += 1;
  ns = `gc-${spaces}`;
  const made = await server.request('POST', '/api/v1/namespaces', {
    body: { metadata: { name: ns } },
  });
  assert.equal(made.status, 201);
}

function make(name: string, owners: readonly object[] = [], kind: OwnedKind = 'ConfigMap') {
  const ownerReferences = owners.length === 0 ? undefined : owners;
  const namespace = kind === 'ClusterRole' ? '' : ns;
  return makeOwned(server, { kind, namespace, name }, { ownerReferences });
}

const gone = (object: Owned): Promise<void> =>
  until(`${object.name} is gone`, async () => (await look(server, object)) === undefined);

async function stays(object: Owned): Promise<void> {
  assert.notEqual(await look(server, object), undefined, `${object.name} stays`);
}

async function holdBy(object: Owned, finalizers: readonly string[]): Promise<void> {
  const body = JSON.stringify({ metadata: { finalizers } });
  const headers = { 'content-type': 'application/merge-patch+json' };
  const patched = await server.request('PATCH', pathOf(object), { body, headers });
  assert.equal(patched.status, 200, patched.text);
}

async function ownBy(object: Owned, owner: Owned): Promise<void> {
  const body = JSON.stringify({ metadata: { ownerReferences: [referenceTo(owner)] } });
  const headers = { 'content-type': 'application/merge-patch+json' };
  const patched = await server.request('PATCH', pathOf(object), { body, headers });
  assert.equal(patched.status, 200, patched.text);
}

async function fill(object: Owned, kibibytes: number): Promise<void> {
  const annotations = { filling: 'x'.repeat(kibibytes * 1024) };
  const body = JSON.stringify({ metadata: { annotations } });
  const headers = { 'content-type': 'application/merge-patch+json' };
  const patched = await server.request('PATCH', pathOf(object), { body, headers });
  assert.equal(patched.status, 200, patched.text);
}

async function commitsTotal(): Promise<number> {
  const { text } = await server.request('GET', '/metrics');
  return Number(/^sluice_commits_total (\d+)$/m.exec(text)?.[1]);
}

describe('garbage collection', () => {
  for (const how of ['chain', 'circle'] as const) {
    for (const policy of ['Foreground', 'Background'] as const) {
      test(`${policy}: a ${how} of owners goes in a few commits, not in one for each`, async () => {
        await space();
        const count = 200;
        const first = await make('o0');
        const owned = [first];
        for (let i = 1; i < count; i += 1) {
          owned.push(await make(`o${i}`, [referenceTo(owned[i - 1] as Owned)]));
        }
        if (how === 'circle') await ownBy(first, owned.at(-1) as Owned);
        const before = await commitsTotal();
        assert.equal(await deleteOwned(server, first, policy), 200);
        for (const each of owned) await gone(each);
        const commits = (await commitsTotal()) - before;
        assert.ok(commits < count / 2, `${commits} commits`);
      });
    }
  }

  test('Background: the owner goes at once, what it alone owns after it', async () => {
    await space();
    const owner = await make('owner');
    const child = await make('child', [referenceTo(owner)], 'Secret');
    const grandchild = await make('grandchild', [referenceTo(child)], 'Role');
    const other = await make('other');
    assert.equal(await deleteOwned(server, owner, 'Background'), 200);
    assert.equal(await look(server, owner), undefined);
    await gone(child);
    await gone(grandchild);
    await stays(other);
  });

  test('Foreground: the owner goes after what blocks it, and not before', async () => {
    await space();
    const owner = await make('owner');
    const child = await make('child', [referenceTo(owner)], 'Secret');
    const grandchild = await make('grandchild', [referenceTo(child)]);
    const loose = await make('loose', [referenceTo(owner, false)]);
    await holdBy(grandchild, ['x.io/hold']);
    await deleteOwned(server, owner, 'Foreground');
    await until('the grandchild is marked', async () => {
      return (await look(server, grandchild))?.['deletionTimestamp'] !== undefined;
    });
    await gone(loose);
    await collectorPassed(server, ns);
    assert.deepEqual((await look(server, owner))?.['finalizers'], ['foregroundDeletion']);
    assert.deepEqual((await look(server, child))?.['finalizers'], ['foregroundDeletion']);
    await holdBy(grandchild, []);
    for (const each of [grandchild, child, owner]) await gone(each);
  });

  test('Orphan: dependents forget their owner and live', async () => {
    await space();
    const owner = await make('owner');
    const other = await make('other');
    const child = await make('child', [referenceTo(owner)]);
    const shared = await make('shared', [referenceTo(owner), referenceTo(other)], 'Secret');
    await deleteOwned(server, owner, 'Orphan');
    await gone(owner);
    await collectorPassed(server, ns);
    const found = await look(server, child);
    assert.notEqual(found, undefined);
    assert.equal(found?.['ownerReferences'], undefined);
    assert.deepEqual(ownerUids(await look(server, shared)), [other.uid]);
  });

  test('several owners: it forgets those that are gone, and goes with the last', async () => {
    await space();
    const owners = [await make('a'), await make('b', [], 'Secret'), await make('c', [], 'Role')];
    const child = await make(
      'child',
      owners.map((owner) => referenceTo(owner)),
    );
    const [a, b, c] = owners as [Owned, Owned, Owned];
    await deleteOwned(server, a, 'Background');
    await until(
      'a is forgotten',
      async () => !ownerUids(await look(server, child)).includes(a.uid),
    );
    assert.deepEqual(ownerUids(await look(server, child)), [b.uid, c.uid]);
    await deleteOwned(server, b, 'Foreground');
    await gone(b);
    assert.deepEqual(ownerUids(await look(server, child)), [c.uid]);
    await deleteOwned(server, c, 'Background');
    await gone(child);
  });

  test('large owners: it forgets the one that is gone, and goes with the last', async () => {
    await space();
    const owners = [await make('small'), await make('a'), await make('b'), await make('c')];
    for (const owner of owners.slice(1)) await fill(owner, 200);
    const [small, ...large] = owners as [Owned, ...Owned[]];
    await deleteOwned(server, small, 'Background');
    const references = owners.map((owner) => referenceTo(owner));
    const child = await make('child', references);
    await until(
      'the small one is forgotten',
      async () => !ownerUids(await look(server, child)).includes(small.uid),
    );
    const left = large.map(({ uid }) => uid);
    assert.deepEqual(ownerUids(await look(server, child)), left);
    for (const owner of large) await deleteOwned(server, owner, 'Background');
    await gone(child);
  });

  // Before, 64 of 1 MB each were decoded for one commit.
  test('large dependents go a few in each commit', async () => {
    await space();
    const owner = await make('owner');
    const dependents: Owned[] = [];
    for (let at = 0; at < 60; at += 1) {
      dependents.push(await make(`d${at}`, [referenceTo(owner)]));
      await fill(dependents[at] as Owned, 70);
    }
    const before = await commitsTotal();
    await deleteOwned(server, owner, 'Background');
    for (const each of dependents) await gone(each);
    const commits = (await commitsTotal()) - before;
    assert.ok(commits >= dependents.length / 4, `${commits} commits`);
  });

  test('an owner that never was, or is another object of that name, is absent', async () => {
    await space();
    const owner = await make('owner');
    const invented = await make('invented', [{ ...referenceTo(owner), name: 'nobody' }]);
    const impostor = await make('impostor', [{ ...referenceTo(owner), uid: 'other' }]);
    const both = await make('both', [referenceTo(owner), { ...referenceTo(owner), uid: 'other' }]);
    await gone(invented);
    await gone(impostor);
    await until('forgotten', async () => ownerUids(await look(server, both)).length === 1);
    assert.deepEqual(ownerUids(await look(server, both)), [owner.uid]);
    await stays(owner);
  });

  test('an owner made anew under its name is not the owner', async () => {
    await space();
    const owner = await make('owner');
    const child = await make('child', [referenceTo(owner)]);
    await holdBy(child, ['x.io/hold']);
    await deleteOwned(server, owner, 'Background');
    const again = await make('owner');
    await until('the child is marked', async () => {
      return (await look(server, child))?.['deletionTimestamp'] !== undefined;
    });
    await holdBy(child, []);
    await gone(child);
    await stays(again);
  });

  test('an owner in another namespace is absent; one without a namespace is not', async () => {
    await space();
    const elsewhere = await make('owner');
    const role = await make(`owner-${ns}`, [], 'ClusterRole');
    await space();
    const lost = await make('lost', [referenceTo(elsewhere)]);
    const owned = await make('owned', [referenceTo(role)]);
    await gone(lost);
    await collectorPassed(server, ns);
    await stays(owned);
    await deleteOwned(server, role, 'Foreground');
    await gone(owned);
    await gone(role);
    await stays(elsewhere);
  });

  test('what cannot be resolved is kept: unknown kinds, a namespaced owner of a cluster object', async () => {
    await space();
    const owner = await make('owner');
    const unknown = { apiVersion: 'x.io/v1', kind: 'Thing', name: 't', uid: 'u' };
    const kept = await make('kept', [unknown]);
    const role = await make(`misplaced-${ns}`, [referenceTo(owner)], 'ClusterRole');
    await deleteOwned(server, owner, 'Background');
    await collectorPassed(server, ns);
    await stays(kept);
    await stays(role);
  });

  test('a dependent that is adopted or let go is looked at again', async () => {
    await space();
    const owner = await make('owner');
    const child = await make('child');
    const headers = { 'content-type': 'application/merge-patch+json' };
    const adopt = async (owners: readonly object[]): Promise<void> => {
      const body = JSON.stringify({ metadata: { ownerReferences: owners } });
      const patched = await server.request('PATCH', pathOf(child), { body, headers });
      assert.equal(patched.status, 200);
    };
    await adopt([referenceTo(owner)]);
    await adopt([]);
    await deleteOwned(server, owner, 'Background');
    await collectorPassed(server, ns);
    await stays(child);
    await adopt([referenceTo(owner)]);
    await gone(child);
  });

  for (const policy of policies) {
    test(`${policy}: a circle ends, whichever of it is deleted, and itself as owner too`, async () => {
      await space();
      for (const length of [1, 2, 3, 5]) {
        const circle: Owned[] = [];
        for (let i = 0; i < length; i += 1) circle.push(await make(`c${length}-${i}`));
        for (const [i, object] of circle.entries()) {
          const owner = circle[(i + 1) % length] as Owned;
          const body = JSON.stringify({ metadata: { ownerReferences: [referenceTo(owner)] } });
          const headers = { 'content-type': 'application/merge-patch+json' };
          await server.request('PATCH', pathOf(object), { body, headers });
        }
        await collectorPassed(server, ns);
        await stays(circle[0] as Owned);
        await deleteOwned(server, circle[0] as Owned, policy);
        // Orphan cuts the circle: the one that was owned lives, and all that it owns.
        const left = policy === 'Orphan' ? circle.slice(1) : [];
        for (const object of circle) if (!left.includes(object)) await gone(object);
        await collectorPassed(server, ns);
        for (const object of left) await stays(object);
      }
    });
  }

  test('two of a circle deleted in the foreground at the same time do not wait for ever', async () => {
    await space();
    const a = await make('a');
    const b = await make('b', [referenceTo(a)]);
    const headers = { 'content-type': 'application/merge-patch+json' };
    const body = JSON.stringify({ metadata: { ownerReferences: [referenceTo(b)] } });
    await server.request('PATCH', pathOf(a), { body, headers });
    await Promise.all([a, b].map((each) => deleteOwned(server, each, 'Foreground')));
    await gone(a);
    await gone(b);
  });

  test('defaults: most kinds in the background, jobs and replication controllers orphan', async () => {
    await space();
    const spec = {
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
    };
    const job = await server.request('POST', `/apis/batch/v1/namespaces/${ns}/jobs`, {
      body: { metadata: { name: 'j' }, spec },
    });
    assert.equal(job.status, 201, job.text);
    const { uid } = job.body['metadata'] as { uid: string };
    const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid };
    const child = await make('child', [owner]);
    const deleted = await server.request('DELETE', `/apis/batch/v1/namespaces/${ns}/jobs/j`);
    assert.deepEqual((deleted.body['metadata'] as { finalizers: unknown }).finalizers, ['orphan']);
    await until('the job is gone', async () => {
      return (await server.request('GET', `/apis/batch/v1/namespaces/${ns}/jobs/j`)).status === 404;
    });
    await collectorPassed(server, ns);
    assert.equal((await look(server, child))?.['ownerReferences'], undefined);
    await stays(child);
  });
});

interface Model {
  /** Name -> names of its owners; what is not in it is gone. `ghost` never was. */
  readonly owners: Map<string, Set<string>>;
}

/** What has owners and none of them left goes; what has some left forgets the others. */
function collect({ owners }: Model): void {
  for (let changed = true; changed;) {
    changed = false;
    for (const [name, named] of owners) {
      if (named.size === 0 || [...named].some((owner) => owners.has(owner))) continue;
      owners.delete(name);
      changed = true;
    }
  }
  for (const named of owners.values()) {
    for (const owner of named) if (!owners.has(owner)) named.delete(owner);
  }
}

async function randomGraph(prng: Prng, seed: number): Promise<void> {
  await space();
  const kinds = Object.keys(ownedKinds) as OwnedKind[];
  const model: Model = { owners: new Map() };
  const objects = new Map<string, Owned>();
  const count = 4 + randomBelow(prng, 9);
  for (let i = 0; i < count; i += 1) {
    const kind = kinds[randomBelow(prng, kinds.length)] as OwnedKind;
    const object = await make(`o${i}-${ns}`, [], kind);
    objects.set(object.name, object);
    model.owners.set(object.name, new Set());
  }
  const ghost: Owned = { kind: 'ClusterRole', namespace: '', name: 'ghost', uid: 'ghost' };
  await Promise.all(
    [...objects.values()].map(async (object) => {
      const possible = [...objects.values(), ghost].filter(
        (owner) => object.kind !== 'ClusterRole' || owner.kind === 'ClusterRole',
      );
      const chosen = new Set<Owned>();
      const wanted = randomBelow(prng, 4);
      for (let i = 0; i < wanted; i += 1) {
        chosen.add(possible[randomBelow(prng, possible.length)] as Owned);
      }
      if (chosen.size === 0) return;
      const references = [...chosen].map((owner) => referenceTo(owner, randomBelow(prng, 3) > 0));
      model.owners.set(object.name, new Set([...chosen].map(({ name }) => name)));
      const body = JSON.stringify({ metadata: { ownerReferences: references } });
      const headers = { 'content-type': 'application/merge-patch+json' };
      await server.request('PATCH', pathOf(object), { body, headers });
    }),
  );
  collect(model);
  const names = [...objects.keys()];
  for (let step = 0; step < 4; step += 1) {
    await assertAgrees(model, objects, `seed ${seed}, step ${step}`);
    const victim = objects.get(names[randomBelow(prng, names.length)] as string) as Owned;
    if (!model.owners.has(victim.name)) continue;
    const policy = policies[randomBelow(prng, policies.length)] as string;
    await deleteOwned(server, victim, policy);
    model.owners.delete(victim.name);
    if (policy === 'Orphan') for (const named of model.owners.values()) named.delete(victim.name);
    collect(model);
  }
  await assertAgrees(model, objects, `seed ${seed}, at the end`);
}

async function assertAgrees(
  model: Model,
  objects: ReadonlyMap<string, Owned>,
  where: string,
): Promise<void> {
  const shown = async (): Promise<object> => {
    const found: Record<string, string[]> = {};
    for (const object of objects.values()) {
      const metadata = await look(server, object);
      if (metadata === undefined) continue;
      const names = (metadata['ownerReferences'] ?? []) as readonly { name: string }[];
      found[object.name] = names.map(({ name }) => name).sort();
    }
    return found;
  };
  const expected = Object.fromEntries(
    [...objects.keys()]
      .filter((name) => model.owners.has(name))
      .map((name) => [name, [...(model.owners.get(name) ?? [])].sort()]),
  );
  const text = JSON.stringify(expected);
  await until(
    `${where}: as the model says`,
    async () => JSON.stringify(await shown()) === text,
  ).catch(async () => assert.deepEqual(await shown(), expected, where));
  await collectorPassed(server, ns);
  assert.deepEqual(await shown(), expected, `${where}: and nothing more goes`);
}

const graphs = Number(process.env['SLUICE_GC_GRAPHS'] ?? 25);
const firstSeed = Number(process.env['SLUICE_GC_SEED'] ?? 1);

test(`${graphs} random graphs end as a model says, whatever is deleted and how`, async () => {
  for (let seed = firstSeed; seed < firstSeed + graphs; seed += 1) {
    await randomGraph(seededPrng(seed), seed);
  }
});
