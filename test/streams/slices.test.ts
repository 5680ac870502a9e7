/** What many watches cost together is taken in slices, a turn of the event loop each. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Revision } from '../../src/storage/storage.ts';
import { defaultStreamLimits } from '../../streams/limits.ts';
import { createWorld, fieldIs, labelIs, pods, TestSink, turns, watchRequest } from './harness.ts';
import type { World } from './harness.ts';

const namespace = 'ns';
const watchesCount = 200;

/** A turn in which the clock is looked at so often is 8 ms long. */
const looksPerSlice = 16;

/** Stands still until `isTicking`; then every look at it takes time. */
async function tickingWorld() {
  const ticking = { isTicking: false, atMs: 1_000 };
  const clock = {
    nowMs: () => 1_000_000,
    monotonicMs: () => (ticking.atMs += ticking.isTicking ? 8 / looksPerSlice : 0),
  };
  const limits = { currentWaitMs: 3_600_000 };
  return { ticking, world: await createWorld({ limits, deps: { clock } }) };
}

/** Each with a selection of its own, live, and shown every pod. */
async function watchers(world: World): Promise<TestSink[]> {
  const sinks = Array.from({ length: watchesCount }, (_, at) => {
    const sink = new TestSink();
    const predicate = { ...labelIs('app', 'a'), id: `a, and not ${at}` };
    world.streams.watch(watchRequest({ bookmarks: true, predicate }), sink);
    return sink;
  });
  await world.settle();
  await turns(watchesCount);
  return sinks;
}

const pod = (name: string) => ({ namespace, name, labels: { app: 'a' } });

function countOf(sinks: readonly TestSink[], is: (sink: TestSink) => boolean): number {
  return sinks.filter(is).length;
}

/** The most that became so in one turn, this one included. */
async function mostInOneTurn(count: () => number, all: number): Promise<number> {
  let most = count();
  for (let before = count(), left = 2_000; before < all; left -= 1) {
    assert.ok(left > 0, 'it ends');
    await turns(1);
    most = Math.max(most, count() - before);
    before = count();
  }
  return most;
}

describe('slices', () => {
  it('I30: a change that concerns many selections is handed to a few in each turn', async () => {
    const { ticking, world } = await tickingWorld();
    const sinks = await watchers(world);
    ticking.isTicking = true;
    let encodings = 0;
    const counting = { ...labelIs('app', 'a'), matches: () => ((encodings += 1), true) };
    for (let at = 0; at < watchesCount; at += 1) {
      const predicate = { ...counting, id: `counted ${at}` };
      world.streams.watch(watchRequest({ predicate }), new TestSink());
    }
    await world.settle();
    await turns(watchesCount);
    await world.put(pod('a'));
    const most = await mostInOneTurn(() => encodings, watchesCount);
    assert.ok(most <= 2 * looksPerSlice, `${most} in one turn`);
    await world.put(pod('b'));
    await mostInOneTurn(() => countOf(sinks, (sink) => sink.frames.length >= 2), watchesCount);
    const texts = new Set(sinks.map((sink) => sink.replay().events.join('\n')));
    assert.equal(texts.size, 1, 'all are sent the same');
    assert.deepEqual(world.fatal, []);
    await world.stop();
  });

  it('I30: what the log tells later has no second slice in a turn that was used up', async () => {
    const world = await createWorld({ limits: { turnApplyMs: 0 } });
    const applied = (): number => world.streams.snapshot(pods).count(undefined);
    // Each is told by itself: the one before has been applied, and its turn is used up.
    let most = 0;
    for (let at = 0; at < 20; at += 1) {
      const before = applied();
      for (const name of ['a', 'b', 'c']) {
        await world.put(pod(`${name}${at}`));
        for (let left = 20; left > 0; left -= 1) await Promise.resolve();
      }
      most = Math.max(most, applied() - before);
      await turns(6);
    }
    assert.equal(applied(), 60);
    assert.equal(most, 1);
    await world.stop();
  });

  it('I30 I8: no bookmark overtakes a change that is on its way to the groups', async () => {
    const limits = { turnApplyMs: 0, bookmarkIntervalMs: 200 };
    const world = await createWorld({ limits });
    const sinks = await watchers(world);
    await world.put(pod('a'));
    for (let at = 0; at < watchesCount; at += 1) {
      world.time.advance(100);
      await turns(1);
    }
    await world.settle();
    await turns(watchesCount);
    world.time.advance(2_000);
    for (const sink of sinks) assert.equal(sink.replay().events.length, 1);
    assert.ok(sinks.every((sink) => sink.replay().bookmarks.length > 0));
    await world.stop();
  });

  it('I30 I15: reads do not wait until a change is with all watches', async () => {
    const { ticking, world } = await tickingWorld();
    const sinks = await watchers(world);
    ticking.isTicking = true;
    for (let at = 10; at < 30; at += 1) await world.put(pod(`p${at}`));
    await world.streams.waitUntilCurrent();
    assert.equal(world.streams.snapshot(pods).count(undefined), 20);
    const isServed = ({ frames }: TestSink): boolean => frames.length === 20;
    assert.equal(countOf(sinks, isServed), 0, 'the last change is with none yet');
    const late = new TestSink();
    const predicate = { ...labelIs('app', 'a'), id: 'a, and not 0' };
    const start = { kind: 'state', atLeast: undefined, mark: true } as const;
    world.streams.watch(watchRequest({ predicate, start }), late);
    await mostInOneTurn(() => countOf(sinks, isServed), watchesCount);
    ticking.isTicking = false;
    await world.put(pod('q'));
    await world.settle();
    await turns(watchesCount);
    const texts = new Set(sinks.map((sink) => sink.replay().events.join('\n')));
    assert.equal(texts.size, 1, 'all are sent the same');
    assert.equal(late.replay().events.length, 21, 'who comes in between sees each once');
    assert.deepEqual(world.fatal, []);
    await world.stop();
  });

  it('C1 I30: above so many changes that wait for the watches they are left out, and none waits', async () => {
    for (const bound of [{ outstandingMax: 3 }, { outstandingBytesMax: 1 }]) {
      const limits = { turnApplyMs: 0, leaveOutGroupsMin: Infinity, ...bound };
      const world = await createWorld({ limits });
      const sinks = await watchers(world);
      for (let at = 0; at < 10; at += 1) await world.put(pod(`p${at}`));
      const handed = (): number => Math.min(...sinks.map(({ frames }) => frames.length));
      const isApplied = () => world.streams.snapshot(pods).count(undefined) === 10;
      for (let left = 20; !isApplied() && left > 0; left -= 1) await turns(1);
      assert.ok(isApplied());
      assert.ok(handed() < 10);
      for (let left = 20 * watchesCount; handed() < 10 && left > 0; left -= 1) await turns(1);
      const texts = new Set(sinks.map((sink) => sink.replay().events.join('\n')));
      assert.equal(texts.size, 1, 'all are sent the same');
      assert.ok(Math.min(...sinks.map(({ writes }) => writes)) < 10, 'several in one write');
      await world.stop();
    }
  });

  it('I30: watches that end together end a few in each turn, and see no change after', async () => {
    const { ticking, world } = await tickingWorld();
    const sinks = await watchers(world);
    await world.put(pod('a'));
    await world.settle();
    await turns(watchesCount);
    ticking.isTicking = true;
    world.streams.endWatches(pods);
    const late = new TestSink();
    const predicate = { ...labelIs('app', 'a'), id: 'a, and not 0' };
    world.streams.watch(watchRequest({ predicate, start: { kind: 'now' } }), late);
    const written = world.put(pod('b'));
    let endedBefore: number | undefined;
    const ended = (): number => {
      const count = countOf(sinks, (sink) => sink.ended);
      if (world.streams.snapshot(pods).count(undefined) === 2) endedBefore ??= count;
      return count;
    };
    const most = await mostInOneTurn(ended, watchesCount);
    assert.ok(most <= 2 * looksPerSlice, `${most} in one turn`);
    assert.ok((endedBefore ?? watchesCount) < watchesCount, 'the change waits for none of them');
    const revision = await written;
    ticking.isTicking = false;
    await world.settle();
    for (const sink of sinks) {
      const { bookmarks, events } = sink.replay();
      assert.equal(events.length, 1);
      assert.ok(
        (bookmarks.at(-1) ?? revision) < revision,
        'no bookmark is behind what it was sent',
      );
    }
    assert.equal(late.ended, false, 'one that begins meanwhile is another');
    assert.equal(world.streams.snapshot(pods).count(undefined), 2);
    await world.stop();
  });

  it('I30 I22: watches that wait for one revision begin a few in each turn', async () => {
    const { ticking, world } = await tickingWorld();
    await world.put(pod('a'));
    await world.settle();
    const revision = (world.streams.revision + 1n) as Revision;
    let waiting = watchesCount;
    const sinks = Array.from({ length: watchesCount }, () => {
      const sink = new TestSink();
      const start = { kind: 'state', atLeast: revision, mark: true } as const;
      const onInitialEventsEnd = (): void => void (waiting -= 1);
      world.streams.watch(
        { ...watchRequest({ bookmarks: true, start }), onInitialEventsEnd },
        sink,
      );
      return sink;
    });
    await turns(watchesCount);
    assert.equal(waiting, watchesCount);
    ticking.isTicking = true;
    await world.put(pod('b'));
    const most = await mostInOneTurn(() => watchesCount - waiting, watchesCount);
    assert.ok(most <= 2 * looksPerSlice, `${most} in one turn`);
    ticking.isTicking = false;
    for (const sink of sinks) assert.equal(sink.replay().events.length, 2);
    await world.stop();
  });

  it('I30: a stop ends all watches, a few in each turn', async () => {
    const { ticking, world } = await tickingWorld();
    const sinks = await watchers(world);
    ticking.isTicking = true;
    const stopped = world.stop();
    const most = await mostInOneTurn(() => countOf(sinks, ({ ended }) => ended), watchesCount);
    assert.ok(most <= 2 * looksPerSlice, `${most} in one turn`);
    await stopped;
  });

  it('I30 I20: groups that break by one change end in slices', async () => {
    const { ticking, world } = await tickingWorld();
    const sinks = Array.from({ length: watchesCount }, (_, at) => {
      const sink = new TestSink();
      const matches = () => {
        throw new Error('broken');
      };
      const predicate = { ...fieldIs('none', ''), pins: new Map(), id: `broken ${at}`, matches };
      world.streams.watch(watchRequest({ predicate }), sink);
      return sink;
    });
    await world.settle();
    ticking.isTicking = true;
    await world.put(pod('a'));
    const most = await mostInOneTurn(() => countOf(sinks, ({ ended }) => ended), watchesCount);
    assert.ok(most <= 4 * looksPerSlice, `${most} in one turn`);
    for (const sink of sinks) assert.equal(sink.replay().errors.length, 1);
    assert.equal(defaultStreamLimits.turnApplyMs, 8);
    await world.stop();
  });
});
