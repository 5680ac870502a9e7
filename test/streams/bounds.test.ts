/** What can grow, and that it does not beyond its limit. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ownMemory } from '../../src/stdx/blocks.ts';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import { createMemoryStorage } from '../../src/storage/memory/memory-storage.ts';
import type { Change, Revision, StoreKey } from '../../src/storage/storage.ts';
import { FrameRing } from '../../streams/frame-ring.ts';
import { Progress } from '../../streams/freshness.ts';
import { History } from '../../streams/history.ts';
import { KeptSnapshots } from '../../streams/kept-snapshots.ts';
import { defaultStreamLimits } from '../../streams/limits.ts';
import { LogPages } from '../../streams/log-pages.ts';
import { ResourceCache } from '../../streams/resource-cache.ts';
import { createEntryMaker, ResourceChange } from '../../streams/resource-change.ts';
import { Routes } from '../../streams/routes.ts';
import { manualTime } from '../support/doubles/manual-time.ts';
import { pods, turns } from './harness.ts';

const limits = {
  ...defaultStreamLimits,
  framesMax: 10,
  frameBytesBase: 1_000,
  frameBytesPerLagging: 100,
  frameBytesMax: 1_300,
  frameBytesTotalMax: 1_500,
  frameBytesMin: 200,
  liveChunkBytes: 300,
  historyChangesMax: 5,
  historyBytesMax: 1_000,
};

function frame(seq: number, size: number) {
  return { seq, revision: BigInt(seq) as Revision, bytes: Buffer.alloc(size, seq) };
}

const maker = createEntryMaker(
  ({ value }) => ({ uid: '', labels: {}, fields: {}, metadataAt: 0, object: value }),
  (object) => object,
);

describe('bounds', () => {
  it('C1 I12: a frame ring stays within its count and bytes, and keeps the newest frame', () => {
    const budget = { bytes: 0 };
    const ring = new FrameRing(0, limits, budget);
    for (let seq = 1; seq <= 100; seq += 1) {
      ring.push(frame(seq, seq % 10 === 0 ? 400 : 20), 0);
      assert.ok(ring.bytes <= 1_000);
      assert.equal(budget.bytes, ring.bytes);
    }
    assert.equal(ring.head - ring.floor, 10);
    ring.push(frame(101, 5_000), 0);
    assert.equal(ring.bytes, 5_000);
    assert.equal(ring.floor, 100);
    assert.equal(ring.after(99), undefined);
    assert.equal(ring.after(100)?.bytes.length, 5_000);
    ring.clear();
    assert.equal(budget.bytes, 0);
    assert.equal(ring.floor, 101);
    for (let seq = 102; seq <= 120; seq += 1) ring.push(frame(seq, 200), 2);
    assert.equal(ring.bytes, 1_200);
    for (let seq = 121; seq <= 140; seq += 1) ring.push(frame(seq, 130), 1_000);
    assert.equal(ring.bytes, 1_300);
  });

  it('C1 I12: rings that are too much together shrink, each as it gets its next frame', () => {
    const budget = { bytes: 0 };
    const rings = [1, 2, 3].map(() => new FrameRing(0, limits, budget));
    for (let seq = 1; seq <= 30; seq += 1) {
      for (const ring of rings) ring.push(frame(seq, 100), 9);
      assert.ok(budget.bytes <= 1_500 + 100);
    }
  });

  it('C1 I10: a chunk is whole frames up to its bytes, the same buffer for the same position', () => {
    const ring = new FrameRing(0, limits, { bytes: 0 });
    for (let seq = 1; seq <= 5; seq += 1) ring.push(frame(seq, 120), 0);
    const chunk = ring.after(1);
    assert.equal(chunk?.framesCount, 2);
    assert.equal(chunk.position.seq, 3);
    assert.equal(ring.after(1), chunk);
    assert.deepEqual([...chunk.bytes], [...Buffer.alloc(120, 2), ...Buffer.alloc(120, 3)]);
    const single = frame(6, 120);
    ring.push(single, 0);
    assert.equal(ring.after(5)?.bytes, single.bytes);
  });

  it('C1: a history stays within its count and bytes, and says what it no longer covers', () => {
    const history = new History(0n as Revision, limits);
    for (let seq = 1; seq <= 40; seq += 1) {
      const revision = BigInt(seq * 10) as Revision;
      const bytes = Buffer.alloc(seq === 30 ? 2_000 : 100);
      const meta = { namespace: '', name: 'x', labels: {}, fields: {} };
      const entry = { ...meta, revision, bytes, metadataAt: 0, stampBytes: 0 };
      const parts = { revision, type: 'ADDED', entry, previous: undefined } as const;
      history.append(new ResourceChange(seq, parts, maker, ownMemory));
      assert.ok(history.lastSeq - history.floorSeq <= (seq === 30 ? 1 : 5));
    }
    assert.equal(history.floorSeq, 35);
    assert.equal(history.covers(350n as Revision), true);
    assert.equal(history.covers(349n as Revision), false);
    assert.equal(history.seqAt(355n as Revision), 35);
    assert.equal(history.at(36).seq, 36);
  });

  it('C1: kept snapshots stay within their number, bytes and age, the last used for longest', () => {
    const time = manualTime();
    const bounds = { keptSnapshotsMax: 4, keptSnapshotBytesMax: 1_000, keptSnapshotsMs: 5_000 };
    const kept = new KeptSnapshots({
      storage: createMemoryStorage({ clock: time.clock }),
      maker,
      clock: time.clock,
      timers: time.timers,
      limits: { ...limits, ...bounds },
    });
    const cache = new ResourceCache(0n as Revision, maker, limits);
    const routes = new Routes();
    const stream = { id: '/pods', resource: pods, cache, routes, isWaiting: false };
    const keep = (revision: number, ownBytes: number): void =>
      kept.keep(stream, cache.snapshot(BigInt(revision) as Revision), ownBytes);
    for (let revision = 1; revision <= 10; revision += 1) keep(revision, 100);
    assert.deepEqual([kept.count, kept.bytes], [4, 400]);
    keep(11, 850);
    assert.deepEqual([kept.count, kept.bytes], [2, 950]);
    keep(12, 1_001);
    assert.equal(kept.count, 2, 'too large to be kept at all');
    // What is written supersedes what only they still hold.
    const applied = (revision: number): Change => ({
      revision: BigInt(revision) as Revision,
      key: '/pods/ns/x' as StoreKey,
      kind: 'put',
      timeMs: 0,
      record: {
        key: '/pods/ns/x' as StoreKey,
        revision: BigInt(revision) as Revision,
        state: 'live',
        value: Buffer.alloc(60),
      },
      previous: undefined,
    });
    for (let revision = 13; revision <= 16; revision += 1) cache.apply(applied(revision));
    kept.trim();
    assert.equal(kept.count, 0);
    // Again and again: what comes after a time without any goes as the first ones did.
    for (const revision of [16, 17]) {
      keep(revision, 0);
      time.advance(5_000);
      assert.equal(kept.count, 0);
      assert.equal(time.pendingCount, 0);
    }
  });

  it('I30: snapshots that many need at once are rebuilt for some milliseconds in each turn', async () => {
    const time = manualTime();
    let turnsCount = 0;
    // Each look at the clock takes a millisecond: a rebuild looks twice at least.
    const clock = { ...time.clock, monotonicMs: () => (time.advance(1), time.clock.monotonicMs()) };
    const nextTurn: typeof systemTimers.nextTurn = (callback) => {
      turnsCount += 1;
      return systemTimers.nextTurn(callback);
    };
    const kept = new KeptSnapshots({
      storage: createMemoryStorage({ clock }),
      maker,
      clock,
      timers: { ...time.timers, nextTurn },
      limits,
    });
    const cache = new ResourceCache(0n as Revision, maker, { ...limits, historyChangesMax: 100 });
    const routes = new Routes();
    const stream = { id: '/pods', resource: pods, cache, routes, isWaiting: false, routedSeq: 0 };
    const key = '/pods/ns/x' as StoreKey;
    for (let n = 1n; n <= 60n; n += 1n) {
      const revision = n as Revision;
      const record = { key, revision, state: 'live', value: Buffer.alloc(1) };
      cache.apply({ revision, key, kind: 'put', timeMs: 0, record, previous: undefined });
    }
    const asked = Array.from({ length: 40 }, (_none, at) => BigInt(at + 10) as Revision);
    const found = await Promise.all(
      asked.map((revision) => kept.at(stream, revision, 60n as Revision)),
    );
    assert.deepEqual(
      found.map((each) => each.kind === 'ok' && each.snapshot.get('ns', 'x')?.revision),
      asked,
    );
    assert.ok(turnsCount >= 5, `${turnsCount} turns`);
    kept.stop();
  });

  it('C1: pages of the log stay within their number and bytes, and go when nobody reads', async () => {
    const time = manualTime();
    const storage = createMemoryStorage({ clock: time.clock });
    const expect = { kind: 'absent' } as const;
    for (let n = 0; n < 40; n += 1) {
      const operation = { kind: 'put', state: 'live', value: Buffer.alloc(100) } as const;
      await storage.commit([
        { key: `/pods/ns/${n}` as StoreKey, expect, conditions: [], operation },
      ]);
    }
    for (const [logPagesMax, logPagesBytesMax, kept] of [
      [5, 1_700, 4],
      [3, 10_000, 3],
    ] as const) {
      const pages = new LogPages({
        storage,
        maker,
        clock: time.clock,
        timers: time.timers,
        limits: { ...limits, logPageChanges: 2, logPagesMax, logPagesBytesMax },
      });
      for (let after = 0n; after < 40n; after += 2n) await pages.covering(after as Revision);
      assert.equal(pages.bytes, kept * 2 * 200);
      time.advance(5_000);
      assert.equal(pages.bytes, 0);
    }
    assert.equal(time.pendingCount, 0);
  });

  const logOf = async (time: ReturnType<typeof manualTime>, count: number) => {
    const storage = createMemoryStorage({ clock: time.clock });
    const operation = { kind: 'put', state: 'live', value: Buffer.alloc(100) } as const;
    const others = { expect: { kind: 'absent' }, conditions: [], operation } as const;
    for (let n = 0; n < count; n += 1) {
      await storage.commit([{ key: `/pods/ns/${n}` as StoreKey, ...others }]);
    }
    return storage;
  };

  it('I30: pages that many need at once are read for some milliseconds in each turn', async () => {
    const time = manualTime();
    const storage = await logOf(time, 40);
    for (const [readMs, inATurn] of [
      [1, 4],
      [3, 2],
      [9, 1],
    ] as const) {
      let reads = 0;
      const inTurns: number[] = [];
      const pages = new LogPages({
        storage: {
          changes(after, options) {
            reads += 1;
            time.advance(readMs);
            return storage.changes(after, options);
          },
        },
        maker,
        clock: time.clock,
        timers: {
          ...time.timers,
          nextTurn(callback) {
            return time.timers.nextTurn(() => {
              inTurns.push(reads);
              reads = 0;
              callback();
            });
          },
        },
        limits: { ...limits, logReadsMax: 4, logPageChanges: 1, turnLogMs: 4 },
      });
      const all = Array.from({ length: 30 }, (_, n) => pages.covering(BigInt(n) as Revision));
      await Promise.all(all);
      await turns(2);
      assert.equal(Math.max(...inTurns), inATurn, `reads of ${readMs} ms: ${inTurns}`);
      pages.stop();
    }
  });

  it('I30: a page is read in parts, as many as its turn has time for', async () => {
    const time = manualTime();
    const storage = await logOf(time, 100);
    for (const [readMs, size] of [
      [0, 50],
      [1, 40],
      [3, 20],
      [9, 10],
    ] as const) {
      const asked: number[] = [];
      const pages = new LogPages({
        storage: {
          changes(after, options) {
            asked.push(options.limit);
            time.advance(readMs);
            return storage.changes(after, options);
          },
        },
        maker,
        clock: time.clock,
        timers: time.timers,
        limits: { ...limits, logPageChanges: 50, logReadChanges: 10, turnLogMs: 4 },
      });
      const read = await pages.covering(7n as Revision);
      assert.ok(read.kind === 'ok');
      const { changes, through } = read.value;
      const revisions = changes.map(({ revision }) => Number(revision));
      assert.deepEqual(
        revisions,
        Array.from({ length: size }, (_, n) => 8 + n),
      );
      assert.equal(through, BigInt(7 + size));
      assert.deepEqual(
        asked,
        Array.from({ length: size / 10 }, () => 10),
      );
      pages.stop();
    }
  });

  it('I30: a page over which the log is compacted ends with its last part', async () => {
    const time = manualTime();
    const storage = await logOf(time, 100);
    const pages = new LogPages({
      storage: {
        async changes(after, options) {
          const read = await storage.changes(after, options);
          await storage.compact(90n as Revision);
          return read;
        },
      },
      maker,
      clock: time.clock,
      timers: time.timers,
      limits: { ...limits, logPageChanges: 50, logReadChanges: 10 },
    });
    const read = await pages.covering(7n as Revision);
    assert.ok(read.kind === 'ok');
    assert.deepEqual([read.value.after, read.value.through], [7n, 17n]);
    assert.equal(read.value.changes.length, 10);
    assert.equal((await pages.covering(17n as Revision)).kind, 'compacted');
    pages.stop();
  });

  it('C1: who stops waiting for a revision is not kept', () => {
    const progress = new Progress({
      ask: () => Promise.resolve(0n as Revision),
      clock: systemClock,
      timers: systemTimers,
      currentWaitMs: 1000,
    });
    const calls: number[] = [];
    const callOff = progress.when(5n as Revision, () => calls.push(1));
    progress.when(6n as Revision, () => calls.push(2));
    callOff();
    assert.equal(progress.waitingCount, 1);
    progress.advance(6n as Revision);
    progress.wake();
    assert.deepEqual(calls, [2]);
    assert.equal(progress.waitingCount, 0);
  });

  it('C1 I30: those whose revision has come are called a few in each turn, others not looked at', async () => {
    const time = manualTime();
    let nowMs = 0;
    const clock = { ...time.clock, monotonicMs: () => (nowMs += 1) };
    const ask = (): Promise<Revision> => Promise.resolve(0n as Revision);
    const progress = new Progress({ ask, clock, timers: time.timers, currentWaitMs: 1000 });
    const called: bigint[] = [];
    for (let at = 1n; at <= 20n; at += 1n) {
      progress.when(at as Revision, () => called.push(at));
      progress.when(1_000n as Revision, () => called.push(at));
    }
    progress.advance(20n as Revision);
    progress.wake();
    const first = called.length;
    assert.ok(first > 0 && first < 20, `${first} in one turn`);
    progress.wake();
    assert.equal(called.length, first, 'one slice a turn');
    await turns(20);
    assert.equal(called.length, 20);
    assert.deepEqual(
      called,
      [...called].sort((one, other) => Number(one - other)),
    );
    assert.equal(progress.waitingCount, 20);
    progress.close();
    assert.equal(progress.waitingCount, 0);
    assert.equal(time.pendingCount, 0);
  });
});
