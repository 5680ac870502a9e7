/** How long a write takes on its way to the sockets of those who watch it, stage by stage. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Clock } from '../../src/stdx/clock.ts';
import { createCommitter } from '../../src/storage/committer.ts';
import type { GroupCommitter } from '../../src/storage/committer.ts';
import type { Submission } from '../../src/storage/pending-commit.ts';
import type { Revision } from '../../src/storage/storage.ts';
import { createWriteStages } from '../../src/storage/write-stages.ts';
import type { WriteStages } from '../../src/storage/write-stages.ts';
import {
  createWorld,
  labelIs,
  podMutation,
  TestSink,
  turns,
  watchRequest,
  type World,
} from './harness.ts';

/** Stands still but when it is moved, or looked at while it ticks. */
interface TestClock extends Clock {
  nowMs(): number;
  atMs: number;
  tickMs: number;
}

function testClock(tickMs: number): TestClock {
  return {
    atMs: 1_000,
    tickMs,
    nowMs: () => 1_000_000,
    monotonicMs() {
      this.atMs += this.tickMs;
      return this.atMs;
    },
  };
}

interface Measured {
  readonly world: World;
  readonly clock: TestClock;
  readonly stages: WriteStages;
  readonly committer: GroupCommitter;
  /** As a request has it written. */
  write(submission: Submission): Promise<Revision>;
}

async function measuredWorld(tickMs: number, limits = {}): Promise<Measured> {
  const clock = testClock(tickMs);
  const stages = createWriteStages({ monotonicMs: () => clock.monotonicMs() });
  const ticking = { nowMs: () => clock.nowMs(), monotonicMs: () => clock.monotonicMs() };
  const world = await createWorld({ limits, deps: { clock: ticking, stages } });
  const committer = createCommitter({ ...world.time, storage: world.storage, stages });
  return {
    world,
    clock,
    stages,
    committer,
    async write(submission) {
      const now = (): number => clock.monotonicMs();
      const write = { startMs: now(), receivedMs: now(), decidedMs: now() };
      const outcome = await committer.submit({ ...submission, write }).outcome;
      assert.equal(outcome.kind, 'applied');
      await world.settle();
      return (outcome as { revision: Revision }).revision;
    },
  };
}

/** `<operation> <stage>`: how many, and how many milliseconds together. */
function countsOf(stages: WriteStages): ReadonlyMap<string, readonly [number, number]> {
  const all = [
    ...stages.stages().map((each) => ({ ...each, what: `${each.operation} ${each.stage}` })),
    ...stages.deliveries().map((each) => ({ ...each, what: `${each.operation} all` })),
  ];
  const seen = all.filter(({ seconds }) => seconds.count > 0);
  return new Map(
    seen.map(({ what, seconds }) => [what, [seconds.count, Math.round(seconds.sum * 1000)]]),
  );
}

const object = (name: string, payload: string, labels = {}) => ({
  namespace: 'ns',
  name,
  payload,
  labels,
});

describe('stages of delivery', () => {
  it('I29: each stage of a write counts once, in order, and together they are the whole', async () => {
    const { clock, stages, world, write } = await measuredWorld(1);
    const blocked = new TestSink(() => true);
    for (const sink of [new TestSink(), new TestSink(), blocked]) {
      world.streams.watch(watchRequest(), sink);
    }
    world.streams.watch(watchRequest({ predicate: labelIs('a', 'b') }), new TestSink());
    await world.settle();
    const labels = { a: 'b' };
    const made = await write(podMutation(object('p', '1', labels), { kind: 'absent' }));
    const held = { kind: 'revision', revision: made } as const;
    const changed = await write(podMutation(object('p', '2', labels), held));
    await write({
      ...podMutation(object('p', '', labels), { kind: 'revision', revision: changed }),
      operation: { kind: 'delete' },
    });
    const counts = countsOf(stages);
    for (const operation of ['create', 'update', 'delete']) {
      let sum = 0;
      for (const stage of ['received', 'decided', 'durable', 'seen', 'encoded', 'written']) {
        const [count, ms] = counts.get(`${operation} ${stage}`) ?? [0, 0];
        assert.equal(count, 1, `${operation} ${stage}`);
        // The clock moves at each look: what is looked at later is later. Whether the log or the
        // answer to the commit is first is the store's business.
        const least = stage === 'durable' || stage === 'seen' ? 0 : 1;
        assert.ok(ms >= least, `${operation} ${stage}: ${ms} ms`);
        if (stage !== 'received') sum += ms;
      }
      assert.deepEqual(counts.get(`${operation} all`), [1, sum]);
    }
    assert.ok(clock.atMs > 1_000);
    await world.stop();
  });

  it('I29: written is when the last live watcher of the last group has been handed it', async () => {
    const { clock, stages, world, write } = await measuredWorld(0, { turnWritesMax: 1 });
    const stall = { now: false };
    const sinks = Array.from({ length: 5 }, () => new TestSink());
    const stuck = new TestSink(() => stall.now);
    for (const sink of [...sinks, stuck]) {
      const taken = sink.write.bind(sink);
      sink.write = (chunk) => {
        clock.atMs += 7;
        return taken(chunk);
      };
      const ofLabel = sinks.indexOf(sink) > 2;
      world.streams.watch(watchRequest(ofLabel ? { predicate: labelIs('a', 'b') } : {}), sink);
    }
    await world.settle();
    stall.now = true;
    await write(podMutation(object('p', '1', { a: 'b' }), { kind: 'absent' }));
    assert.deepEqual(countsOf(stages).get('create written'), [1, 6 * 7]);
    await write(podMutation(object('q', '1', { a: 'b' }), { kind: 'absent' }));
    assert.deepEqual(countsOf(stages).get('create written'), [2, 6 * 7 + 5 * 7], 'not who waits');
    await world.stop();
  });

  it('I29: what nobody watches live is neither encoded nor written', async () => {
    const { stages, world, write } = await measuredWorld(1);
    world.streams.watch(watchRequest({ predicate: labelIs('a', 'b') }), new TestSink());
    await world.settle();
    await write(podMutation(object('p', '1'), { kind: 'absent' }));
    assert.deepEqual(
      [...countsOf(stages).keys()],
      ['received', 'decided', 'durable', 'seen'].map((stage) => `create ${stage}`),
    );
    await world.stop();
  });

  it('I29: what others have committed has the stages of the follower alone', async () => {
    const { stages, world } = await measuredWorld(1);
    world.streams.watch(watchRequest(), new TestSink());
    await world.settle();
    await world.put(object('p', '1'));
    await world.settle();
    assert.deepEqual([...countsOf(stages).keys()], ['create encoded', 'create written']);
    await world.stop();
  });

  it('I29: watchers that leave before their turn do not keep a write from being written', async () => {
    const { committer, stages, world } = await measuredWorld(1);
    const handles = [1, 2].map(() => world.streams.watch(watchRequest(), new TestSink()));
    world.streams.watch(watchRequest({ predicate: labelIs('a', 'b') }), new TestSink());
    await world.settle();
    const labelled = podMutation(object('p', '1', { a: 'b' }), { kind: 'absent' } as const);
    await committer.submit(labelled).outcome;
    await world.streams.waitUntilCurrent();
    for (const handle of handles) handle.close();
    await turns(5);
    assert.equal(countsOf(stages).get('create written')?.[0], 1);
    await world.stop();
  });

  it('I29: the log may be first: then it says what is durable', () => {
    const revision = 7n as Revision;
    const decided = { startMs: 0, receivedMs: 1, decidedMs: 3 };
    const expected = { decided: 2, durable: 4, seen: 0, encoded: 5, written: 6, all: 17 };
    for (const answeredAfter of ['seen', 'written']) {
      const clock = testClock(0);
      const stages = createWriteStages({ monotonicMs: () => clock.atMs });
      const write = stages.seen(revision, 'update', 1, 7);
      if (answeredAfter === 'seen') stages.durable(revision, decided, 9);
      clock.atMs = 12;
      write.groupsLeft = 1;
      stages.encoded(write);
      write.groupsLeft = 0;
      stages.written(write, 18);
      if (answeredAfter === 'written') stages.durable(revision, decided, 30);
      const counts = countsOf(stages);
      for (const [stage, ms] of Object.entries(expected)) {
        assert.deepEqual(counts.get(`update ${stage}`), [1, ms], `${stage}, ${answeredAfter}`);
      }
    }
  });

  it('I29: so many writes are remembered, and no more', () => {
    const stages = createWriteStages({ monotonicMs: () => 0 });
    const decided = { startMs: 0, receivedMs: 0, decidedMs: 0 };
    for (let i = 1n; i <= 4_097n; i += 1n) stages.durable(i as Revision, decided, 0);
    for (const each of [2n, 1n]) stages.encoded(stages.seen(each as Revision, 'create', 1, 0));
    assert.equal(countsOf(stages).get('create seen')?.[0], 1);
  });
});
