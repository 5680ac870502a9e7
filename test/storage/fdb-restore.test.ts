import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import type { KeyValue } from '../../src/storage/fdb/binding.ts';
import { createKeys, keyAfter } from '../../src/storage/fdb/layout.ts';
import { decodeMarks } from '../../src/storage/fdb/marks.ts';
import { beginEra } from '../../src/storage/fdb/open-store.ts';
import { revisionZero } from '../../src/storage/storage.ts';
import type { Revision, Storage } from '../../src/storage/storage.ts';
import {
  absent,
  allChanges,
  commitOne,
  key,
  ok,
  put,
  rejectsWith,
  scanAll,
  textOf,
  written,
} from '../contract/storage-fixture.ts';
import { createServers, doublePrefix, turns } from '../support/servers/fdb-servers.ts';
import type { Servers } from '../support/servers/fdb-servers.ts';
import { dump, restore } from '../support/doubles/restored-store.ts';

const keys = createKeys(doublePrefix);
const made: Servers[] = [];
afterEach(async () => {
  for (const servers of made.splice(0)) await servers.closeAll();
});

function cluster(ageMs: number): Servers {
  const servers = createServers();
  servers.time.advance(ageMs);
  made.push(servers);
  return servers;
}

const dayMs = 24 * 3600 * 1000;

/** A store with history on an old cluster, and another cluster that holds a copy of it. What the
 * old one has acknowledged after the copy was made is `lost`. */
async function putBack(ageMs: number): Promise<{
  readonly servers: Servers;
  readonly kept: readonly Revision[];
  readonly lost: Revision;
}> {
  const old = cluster(30 * dayMs);
  const storage = await old.open();
  const first = await commitOne(storage, put(key('a'), absent, 'one'));
  const second = await commitOne(storage, put(key('a'), written(first), 'two'));
  const third = await commitOne(storage, put(key('b'), absent, 'x'.repeat(50_000)));
  const entries = await dump(old.double.connect(), keys.all);
  old.time.advance(dayMs);
  const lost = await commitOne(storage, put(key('c'), absent, 'lost'));
  const servers = cluster(ageMs);
  await restore(servers.double.connect(), entries);
  return { servers, kept: [first, second, third], lost };
}

/** What every client may expect of a store that was put back. */
async function checkContinues(
  storage: Storage,
  kept: readonly Revision[],
  lost: Revision,
): Promise<void> {
  const [, second, third] = kept as [Revision, Revision, Revision];
  assert.deepEqual(
    (await scanAll(storage, '')).map((r) => [r.key, r.revision]),
    [
      [key('a'), second],
      [key('b'), third],
    ],
  );
  const compacted = await storage.compactRevision();
  assert.ok(compacted > lost, 'a client may resume from what is gone');
  for (const seen of [...kept, lost]) {
    const page = await storage.changes(seen, { limit: 10, previous: false });
    assert.equal(page.kind, 'compacted');
  }
  const listed = await storage.revision();
  assert.ok(listed >= compacted);
  const next = await commitOne(storage, put(key('a'), written(second), 'three'));
  const more = await commitOne(storage, put(key('a'), written(next), 'four'));
  assert.ok(next > listed && more > next);
  assert.equal(textOf(ok(await storage.read(key('a'), listed))), 'two');
  assert.equal(textOf(ok(await storage.read(key('a'), next))), 'three');
  const changes = await allChanges(storage, listed, 1);
  assert.deepEqual(
    changes.map((c) => [c.revision, c.previous?.revision]),
    [
      [next, second],
      [more, next],
    ],
  );
  await storage.compact(more);
  assert.equal(await storage.compactRevision(), more);
  assert.deepEqual(
    (await scanAll(storage, '', more)).map(textOf).map((t) => t?.length),
    [4, 50_000],
  );
}

describe('fdb, put back from a copy', () => {
  it('where versions are lower: revisions go on above everything ever given out, nobody resumes', async () => {
    const { servers, kept, lost } = await putBack(0);
    const storage = await servers.open();
    await checkContinues(storage, kept, lost);
    // The log of the old era has gone with the compaction.
    const log = await dump(servers.double.connect(), keys.table('l'));
    assert.deepEqual(log, []);
    const again = await servers.open();
    assert.ok(
      (await again.revision()) === (await storage.revision()),
      'a second opener jumps again',
    );
  });

  it('a follower of the new era is woken, although the stamps before it were higher', async () => {
    const { servers } = await putBack(0);
    const [one, two] = [await servers.open(), await servers.open()];
    const abort = new AbortController();
    const seen: Revision[] = [];
    const following = (async () => {
      for await (const page of one.tail(await one.revision(), abort.signal)) {
        seen.push(...page.changes.map((c) => c.revision));
      }
    })();
    await turns();
    const revisions = [
      await commitOne(two, put(key('n'), absent)),
      await commitOne(two, put(key('m'), absent)),
    ];
    await turns();
    abort.abort();
    await following;
    assert.deepEqual(seen, revisions);
  });

  it('two servers that open it at once begin one era', async () => {
    const { servers, kept, lost } = await putBack(0);
    const [one, two] = await Promise.all([servers.open(), servers.open()]);
    assert.equal(await one.revision(), await two.revision());
    await checkContinues(two, kept, lost);
  });

  it('where versions are higher: revisions rise by themselves, beginEra() keeps clients from resuming', async () => {
    const { servers, kept, lost } = await putBack(60 * dayMs);
    const before = await servers.open();
    assert.equal(
      ok(await before.changes(revisionZero, { limit: 9, previous: false })).changes.length,
      3,
    );
    await before.close();
    await beginEra(servers.double.connect(), keys, doublePrefix);
    await checkContinues(await servers.open(), kept, lost);
  });

  it('again and again: each time above the last', async () => {
    let { servers, lost } = await putBack(0);
    for (let i = 0; i < 5; i += 1) {
      const storage = await servers.open();
      const revision = await commitOne(storage, put(key(`again-${i}`), absent));
      assert.ok(revision > lost);
      lost = revision;
      const entries = await dump(servers.double.connect(), keys.all);
      servers = cluster(0);
      await restore(servers.double.connect(), entries);
    }
  });

  it('a store that never left its cluster keeps its era, its history and its slots', async () => {
    const servers = cluster(0);
    const one = await servers.open();
    const first = await commitOne(one, put(key('a'), absent));
    for (let i = 0; i < 5; i += 1) await (await servers.open()).close();
    const two = await servers.open();
    assert.equal(await two.compactRevision(), revisionZero);
    assert.equal((await allChanges(two, revisionZero)).length, 1);
    assert.equal(((await commitOne(one, put(key('b'), absent))) >> 7n) & 31n, (first >> 7n) & 31n);
  });

  for (const fate of ['unknown-applied', 'unknown-lost', 'changed-applied'] as const) {
    it(`beginEra() begins one era, whatever becomes of its commit: ${fate}`, async () => {
      const servers = cluster(0);
      await (await servers.open()).close();
      servers.double.faults.script.push(fate);
      await beginEra(servers.double.connect(), keys, doublePrefix);
      assert.equal(servers.double.faults.struck.get(fate), 1);
      const [meta] = await dump(servers.double.connect(), [keys.meta, keyAfter(keys.meta)]);
      assert.equal(decodeMarks((meta as KeyValue).value).eras.length, 2);
    });
  }

  it('a server that ran through beginEra() commits nothing under the old era', async () => {
    const servers = cluster(0);
    const stale = await servers.open({ frozen: true });
    await commitOne(stale, put(key('a'), absent));
    await beginEra(servers.double.connect(), keys, doublePrefix);
    await assert.rejects(stale.commit([put(key('b'), absent)]), rejectsWith('io'));
    const fresh = await servers.open();
    assert.equal((await scanAll(fresh, '')).length, 1);
  });
});
