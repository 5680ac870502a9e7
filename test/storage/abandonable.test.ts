/** A store that is let go of: everything that waits ends, and nothing acknowledged is in doubt. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { abandonLimits, createAbandonable } from '../../src/storage/abandonable.ts';
import type { Abandonable } from '../../src/storage/abandonable.ts';
import { createCommitter } from '../../src/storage/committer.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { absent, commitOne, key, ok, put } from '../contract/storage-fixture.ts';
import { createServers, turns } from '../support/servers/fdb-servers.ts';
import type { Servers } from '../support/servers/fdb-servers.ts';

describe('a store over a silent cluster that is let go of', () => {
  let servers: Servers;
  let inner: Storage;
  let abandonable: Abandonable;
  beforeEach(async () => {
    servers = createServers();
    inner = await servers.open();
    abandonable = createAbandonable(inner, servers.time.timers);
  });
  afterEach(() => servers.closeAll());

  const isThere = async (name: string): Promise<boolean> =>
    ok(await inner.read(key(name))) !== undefined;

  /** How each of them ended, as far as it has. */
  function endsOf(asked: readonly Promise<unknown>[]): string[] {
    const ends = asked.map(() => 'waits');
    for (const [at, each] of asked.entries()) {
      each.then(
        () => (ends[at] = 'answered'),
        (error: unknown) => (ends[at] = String((error as { code?: unknown }).code)),
      );
    }
    return ends;
  }

  it('ends reads and commits that wait, and refuses what comes behind them', async () => {
    const { storage, abandon } = abandonable;
    servers.double.faults.unreachable = true;
    const waiting = endsOf([
      storage.read(key('a')),
      storage.scan({ prefix: '', limit: 1 }),
      storage.revision(),
      storage.commit([put(key('a'), absent)]),
    ]);
    await turns();
    assert.deepEqual(waiting, ['waits', 'waits', 'waits', 'waits']);
    abandon();
    await turns();
    assert.deepEqual(waiting, ['closed', 'closed', 'closed', 'unknown']);
    servers.double.faults.unreachable = false;
    const later = endsOf([storage.read(key('a')), storage.commit([put(key('b'), absent)])]);
    await turns();
    assert.deepEqual(later, ['closed', 'closed']);
    assert.equal(await isThere('b'), false, 'what was refused is not applied');
  });

  it('ends the draining of a committer: those in its queue are told that nothing was done', async () => {
    const { storage, abandon } = abandonable;
    const limits = { batchMutationsMax: 1 };
    const committer = createCommitter({ ...servers.time, storage, limits });
    await commitOne(storage, put(key('acknowledged'), absent));
    servers.double.faults.unreachable = true;
    const tickets = ['a', 'b', 'c', 'd'].map((name) =>
      committer.submit({ ...put(key(name), absent), expect: absent }),
    );
    const ends = endsOf(tickets.map(({ outcome }) => outcome));
    await turns();
    const drained = endsOf([committer.drain()]);
    await turns();
    assert.deepEqual(drained, ['waits']);
    abandon();
    await turns();
    assert.deepEqual(drained, ['answered']);
    assert.deepEqual(ends, ['unknown', 'unknown', 'closed', 'closed']);
    servers.double.faults.unreachable = false;
    await turns();
    assert.equal(await isThere('acknowledged'), true);
    for (const name of ['c', 'd']) assert.equal(await isThere(name), false, name);
  });

  for (const when of ['before', 'while'] as const) {
    it(`waits for a store that was let go of ${when} it closes no longer than its limit`, async () => {
      const { storage, abandon } = abandonable;
      servers.double.faults.unreachable = true;
      endsOf([storage.commit([put(key('a'), absent)])]);
      await turns();
      if (when === 'before') abandon();
      const ends = endsOf([storage.close()]);
      if (when === 'while') abandon();
      await turns();
      assert.deepEqual(ends, ['waits']);
      servers.time.advance(abandonLimits.closeMs);
      await turns();
      assert.deepEqual(ends, ['answered']);
      servers.double.faults.unreachable = false;
    });
  }

  it('is the store itself until then', async () => {
    const { storage } = abandonable;
    const { commitLanes, commitWritesMax, name } = storage;
    assert.deepEqual([name, commitLanes], [inner.name, inner.commitLanes]);
    assert.deepEqual([commitWritesMax, inner.commitWritesMax], [64, 64]);
    await commitOne(storage, put(key('a'), absent));
    assert.deepEqual(await storage.read(key('a')), await inner.read(key('a')));
    assert.equal(await storage.revision(), await inner.revision());
    await storage.close();
    await assert.rejects(inner.revision(), { code: 'closed' });
  });
});
