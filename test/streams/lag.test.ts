import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createMemoryStorage } from '../../src/storage/memory/memory-storage.ts';
import { StorageError } from '../../src/storage/storage.ts';
import type { Revision, Storage } from '../../src/storage/storage.ts';
import { defaultStreamLimits } from '../../streams/limits.ts';
import { manualTime } from '../support/doubles/manual-time.ts';
import { pausableTail } from '../support/doubles/pausable-tail.ts';
import type { PausableTail } from '../support/doubles/pausable-tail.ts';
import { createWorld, pods, putMany, TestSink, turns, watchRequest } from './harness.ts';
import type { World } from './harness.ts';

const waitMs = defaultStreamLimits.currentWaitMs;
const namespace = 'ns';

async function laggingWorld(): Promise<{ readonly world: World; readonly log: PausableTail }> {
  const log = pausableTail(createMemoryStorage({ clock: manualTime().clock, revisionStep: 3n }));
  const world = await createWorld({ storage: log.storage });
  await putMany(world, 3);
  await world.settle();
  return { world, log };
}

/** What became of a promise, as far as it is known. */
function watched(promise: Promise<unknown>): { end: 'open' | 'done' | string } {
  const state: { end: string } = { end: 'open' };
  promise.then(
    () => (state.end = 'done'),
    (error: unknown) => (state.end = (error as StorageError).code),
  );
  return state;
}

describe('a server behind its store', () => {
  it('I24: a consistent read that the log does not reach in time is refused, never answered from the past', async () => {
    const { world, log } = await laggingWorld();
    log.pause();
    const acknowledged = await world.put({ namespace, name: 'new' });
    const reads = [1, 2, 3].map(() => watched(world.streams.waitUntilCurrent()));
    await turns(5);
    world.time.advance(waitMs - 1);
    await turns(5);
    assert.deepEqual(new Set(reads.map(({ end }) => end)), new Set(['open']));
    const later = watched(world.streams.waitUntilCurrent());
    world.time.advance(1);
    await turns(5);
    assert.deepEqual(new Set(reads.map(({ end }) => end)), new Set(['lagging']));
    assert.equal(later.end, 'open', 'each has its own time');
    assert.equal(world.streams.snapshot(pods).get(namespace, 'new'), undefined);

    log.resume();
    await turns(5);
    assert.equal(later.end, 'done');
    assert.equal(world.streams.snapshot(pods).get(namespace, 'new')?.revision, acknowledged);
    assert.equal(watched(world.streams.waitUntilCurrent()).end, 'open');
    await world.settle();
    assert.deepEqual(world.fatal, []);
    await world.stop();
  });

  // Such a read got 500 when its server was told to stop.
  it('I24: a read that waits when all watches are ended for a stop gets what it waits for', async () => {
    const { world, log } = await laggingWorld();
    const sink = new TestSink();
    world.streams.watch(watchRequest(), sink);
    log.pause();
    const acknowledged = await world.put({ namespace, name: 'new' });
    const read = watched(world.streams.waitUntilCurrent());
    await turns(5);
    await world.streams.endAllWatches();
    assert.equal(sink.ended, true);
    const late = new TestSink();
    world.streams.watch(watchRequest(), late);
    assert.deepEqual([late.ended, read.end], [true, 'open']);
    log.resume();
    await turns(5);
    assert.equal(read.end, 'done');
    assert.equal(world.streams.snapshot(pods).get(namespace, 'new')?.revision, acknowledged);
    await world.stop();
    const refused = watched(world.streams.waitUntilCurrent());
    await turns(3);
    assert.equal(refused.end, 'closed');
  });

  it('I24: a watch that has to begin at the present gets one ERROR event, Timeout, and the end', async () => {
    const { world, log } = await laggingWorld();
    log.pause();
    await world.put({ namespace, name: 'new' });
    const starts = [{ kind: 'now' }, { kind: 'state', atLeast: undefined, mark: true }] as const;
    const sinks = starts.map((start) => {
      const sink = new TestSink();
      world.streams.watch(watchRequest({ start }), sink);
      return sink;
    });
    await turns(5);
    world.time.advance(waitMs);
    await turns(5);
    for (const sink of sinks) {
      assert.equal(sink.ended, true);
      const { errors, events, state } = sink.replay();
      assert.deepEqual([events, [...state]], [[], []]);
      assert.deepEqual(
        errors.map(({ code }) => code),
        [504],
      );
    }
    log.resume();
    await world.stop();
  });

  it('I24: a store that does not answer is asked once, and reads end in time until it does', async () => {
    const inner = createMemoryStorage({ clock: manualTime().clock });
    let silent = false;
    const unanswered: (() => void)[] = [];
    const storage: Storage = {
      ...inner,
      revision: () =>
        silent
          ? new Promise<Revision>((resolve) => {
              unanswered.push(() => void inner.revision().then(resolve));
            })
          : inner.revision(),
    };
    const world = await createWorld({ storage });
    silent = true;
    for (let i = 0; i < 5; i += 1) {
      const reads = Array.from({ length: 100 }, () => watched(world.streams.waitUntilCurrent()));
      await turns(3);
      world.time.advance(waitMs);
      await turns(3);
      assert.deepEqual(new Set(reads.map(({ end }) => end)), new Set(['lagging']));
      assert.equal(world.streams.stats().readsWaitingCount, 0);
    }
    assert.equal(unanswered.length, 1);
    assert.ok(world.streams.stats().lagMs >= waitMs);
    silent = false;
    for (const answer of unanswered) answer();
    await turns(3);
    const read = watched(world.streams.waitUntilCurrent());
    await turns(3);
    assert.equal(read.end, 'done');
    assert.equal(world.streams.stats().lagMs, 0);
    await world.stop();
  });

  it('I24: a store that says no refuses the reads that asked, and no other', async () => {
    const inner = createMemoryStorage({ clock: manualTime().clock });
    let failing = false;
    const storage: Storage = {
      ...inner,
      revision: () =>
        failing ? Promise.reject(new StorageError('io', 'no answer')) : inner.revision(),
    };
    const world = await createWorld({ storage });
    failing = true;
    const refused = watched(world.streams.waitUntilCurrent());
    await turns(3);
    assert.equal(refused.end, 'io');
    failing = false;
    const served = watched(world.streams.waitUntilCurrent());
    await turns(3);
    assert.equal(served.end, 'done');
    await world.stop();
  });

  it('I25: how far it is behind is known from the first question on, and forgotten when caught up', async () => {
    const { world, log } = await laggingWorld();
    const stats = (): unknown[] => {
      const { lagMs, oldestReadMs, readsWaitingCount } = world.streams.stats();
      return [lagMs, oldestReadMs, readsWaitingCount];
    };
    assert.deepEqual(stats(), [0, 0, 0]);
    log.pause();
    await world.put({ namespace, name: 'new' });
    world.time.advance(10_000);
    assert.deepEqual(stats(), [0, 0, 0], 'nobody has asked');
    void world.streams.waitUntilCurrent().catch(() => undefined);
    await turns(3);
    world.time.advance(1_000);
    void world.streams.waitUntilCurrent().catch(() => undefined);
    void world.streams.waitUntilCurrent().catch(() => undefined);
    await turns(3);
    world.time.advance(500);
    assert.deepEqual(stats(), [1_500, 1_500, 3]);
    world.time.advance(waitMs);
    await turns(3);
    assert.deepEqual(stats(), [1_500 + waitMs, 0, 0], 'the reads are refused, the lag goes on');
    log.resume();
    await turns(5);
    assert.deepEqual(stats(), [0, 0, 0]);
    await world.stop();
  });

  it('I25: a server that nobody asks does nothing to find out', async () => {
    const { world, log } = await laggingWorld();
    world.time.advance(waitMs);
    const { pendingCount } = world.time;
    log.pause();
    await world.put({ namespace, name: 'new' });
    await turns(5);
    assert.equal(world.time.pendingCount, pendingCount);
    log.resume();
    await world.settle();
    world.time.advance(waitMs);
    assert.equal(world.time.pendingCount, pendingCount, 'a read leaves no timer behind');
    await world.stop();
  });
});
