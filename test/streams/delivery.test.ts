/** Delivery alone: groups and watchers are stand-ins, each turn of the event loop is run by hand. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Timers } from '../../src/stdx/clock.ts';
import { RingBuffer } from '../../src/stdx/ring-buffer.ts';
import type { Revision } from '../../src/storage/storage.ts';
import type { StagedWrite } from '../../src/storage/write-stages.ts';
import { Delivery } from '../../streams/delivery.ts';
import { FrameRing } from '../../streams/frame-ring.ts';
import { defaultStreamLimits } from '../../streams/limits.ts';
import type { StreamLimits } from '../../streams/limits.ts';
import { Scope } from '../../streams/scope.ts';
import type { OutstandingChange } from '../../streams/scope.ts';
import type { Frame } from '../../streams/selection.ts';
import type { WatchGroup } from '../../streams/watch-group.ts';
import type { Watcher } from '../../streams/watcher.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

type Group = WatchGroup<Watcher>;

/** Of the stand-ins, how a watcher takes its writes. */
interface Taking {
  readonly settlesLater?: boolean;
  readonly write?: () => boolean;
}

class Stage {
  readonly time = manualTime(0);
  /** `<watcher>:<frames>`, or what the watcher was told. */
  readonly log: string[] = [];
  readonly counts = { framesTotal: 0 };
  readonly written: number[] = [];
  readonly limits: StreamLimits;
  readonly delivery: Delivery;
  turnsAsked: (() => void)[] = [];
  timersMade = 0;
  #writeMs = 0;

  constructor(limits: Partial<StreamLimits> = {}, writeMs = 0) {
    this.limits = { ...defaultStreamLimits, ...limits };
    this.#writeMs = writeMs;
    const timers: Timers = {
      after: (ms, callback) => ((this.timersMade += 1), this.time.timers.after(ms, callback)),
      nextTurn: (callback) => (this.turnsAsked.push(callback), { cancel: () => undefined }),
    };
    const stages = {
      encoded: () => undefined,
      written: ({ seq }: StagedWrite) => void this.written.push(seq),
    };
    const { counts, time } = this;
    this.delivery = new Delivery({
      limits: this.limits,
      clock: time.clock,
      timers,
      stages,
      counts,
    });
  }

  /** Live watchers a, b, c, … and so many that are not live. */
  group(takings: number | readonly Taking[], more: { others?: number; scope?: Scope } = {}): Group {
    const all = typeof takings === 'number' ? Array<Taking>(takings).fill({}) : takings;
    const names = all.map((_, at) => String.fromCharCode(97 + at));
    const live = names.map((name) => ({
      resume: () => void this.log.push(`${name} resumes`),
      stalled: () => void this.log.push(`${name} stalls`),
      end: () => void this.log.push(`${name} ends`),
    }));
    const sinks = all.map(({ settlesLater = false, write = () => true }, at) => ({
      settlesLater,
      write: (bytes: Uint8Array) => {
        this.log.push(`${names[at]}:${Buffer.from(bytes).toString()}`);
        this.time.advance(this.#writeMs);
        return write();
      },
    }));
    const group = {
      live,
      liveSinks: sinks,
      livePositions: all.map(() => ({ seq: 0, revision: 0n as Revision })),
      settlesLater: sinks.some((sink) => sink.settlesLater),
      watchersCount: all.length + (more.others ?? 0),
      ring: new FrameRing(0, this.limits, { bytes: 0 }),
      scope: more.scope ?? new Scope(),
      unwritten: new RingBuffer(),
      sent: undefined,
      ...{ queued: false, position: -1, again: false, freshBytes: 0, crowdedWrites: 0 },
      ...{ restsUntilMs: 0, passSeq: -1 },
    };
    return group as unknown as Group;
  }

  /** Frames with these texts, a change each. */
  make(group: Group, from: number, ...texts: readonly string[]): OutstandingChange[] {
    return texts.map((text, at) => {
      const seq = from + at;
      const write = { seq, groupsLeft: 1 };
      const change = { write, scopesLeft: 0, groupsCount: 0 } as unknown as OutstandingChange;
      this.delivery.attributeFramesTo(change);
      this.push(group, seq, text);
      this.delivery.allFramesMade(change);
      return change;
    });
  }

  push(group: Group, seq: number, text: string): void {
    const frame: Frame = { seq, revision: BigInt(seq) as Revision, bytes: Buffer.from(text) };
    group.ring.push(frame, group.watchersCount - group.live.length);
    this.delivery.onFrame(group, frame);
  }

  /** What is logged in this turn. */
  turn(): string {
    for (const callback of this.turnsAsked.splice(0)) callback();
    return this.log.splice(0).join(' ');
  }

  /** In each turn until none is asked for. */
  rest(): string[] {
    const seen: string[] = [];
    for (; this.turnsAsked.length > 0; seen.push(this.turn())) assert.ok(seen.length < 1_000);
    return seen;
  }
}

describe('delivery to live watchers', () => {
  it('asks for one turn, in which each is written what all of them have in common', () => {
    const stage = new Stage();
    const group = stage.group(3);
    const sent: number[][] = [];
    Object.assign(group, { sent: { observeMany: (...of: number[]) => void sent.push(of) } });
    stage.make(group, 1, '1', '22');
    assert.equal(stage.turnsAsked.length, 1);
    assert.deepEqual(stage.rest(), ['c:122 b:122 a:122']);
    assert.deepEqual([stage.counts.framesTotal, sent], [6, [[6, 9]]]);
    assert.deepEqual([group.ring.bytes, group.freshBytes, group.again], [0, 0, false]);
  });

  it('gives each what it misses, and counts that', () => {
    const stage = new Stage();
    const group = stage.group(3);
    group.ring.push({ seq: 1, revision: 1n as Revision, bytes: Buffer.from('1') }, 9);
    group.livePositions[1] = { seq: 1, revision: 1n as Revision };
    stage.make(group, 2, '2');
    assert.deepEqual(stage.rest(), ['c:12 b:2 a:12']);
    assert.equal(stage.counts.framesTotal, 5);
    stage.make(group, 3, '3');
    assert.deepEqual(stage.rest(), ['c:3 b:3 a:3']);
  });

  it('gives a frame that comes in the middle of a pass to those behind it at once, then to the others', () => {
    const stage = new Stage({ turnWritesMax: 2 });
    const group = stage.group(5);
    stage.make(group, 1, '1');
    assert.equal(stage.turn(), 'e:1 d:1');
    stage.make(group, 2, '2');
    assert.deepEqual(stage.rest().slice(0, 3), ['c:12 b:12', 'a:12', 'e:2 d:2']);
    assert.deepEqual([group.ring.bytes, stage.turnsAsked.length], [0, 0]);
  });

  it('keeps the frames of those who are not live, and marks nothing where nobody is', () => {
    const stage = new Stage();
    const group = stage.group(2, { others: 1 });
    stage.make(group, 1, '1');
    stage.rest();
    assert.equal(group.ring.bytes, 1);
    const idle = stage.group(0, { others: 20 });
    const [change] = stage.make(idle, 1, '1');
    assert.equal(stage.turnsAsked.length, 0);
    assert.deepEqual([change?.groupsCount, change?.write.groupsLeft, idle.freshBytes], [0, 0, 0]);
  });

  it('ends a turn at its writes, resumptions among them, and at its bytes', () => {
    const stage = new Stage({ turnWritesMax: 2, frameBytesBase: 1, framesMax: 1 });
    const behind = stage.group(3);
    stage.make(behind, 1, '1', '2');
    assert.deepEqual(stage.rest().slice(0, 2), ['c resumes b resumes', 'a resumes']);
    const large = new Stage({ turnBytesMax: 4 });
    const [first, second] = [large.group(3), large.group(1)];
    for (const group of [first, second]) large.make(group, 1, '333');
    assert.equal(large.turn(), 'c:333 b:333');
    assert.deepEqual([second.position, second.freshBytes], [-1, 3], 'its pass has not begun');
    assert.deepEqual(
      large
        .rest()
        .filter((seen) => seen !== '')
        .toSorted(),
      ['a:333 a:333'],
    );
  });

  it('tells a watcher whose sink takes no more, and ends one whose sink throws', () => {
    const stage = new Stage();
    const fails = (): boolean => {
      throw new Error('broken');
    };
    stage.make(stage.group([{ write: fails }, { write: () => false }, {}]), 1, '1');
    assert.deepEqual(stage.rest(), ['c:1 b:1 b stalls a:1 a ends']);
  });
});

describe('writes that are delivered', () => {
  it('are written when the last chunk that holds them is, not before', () => {
    const stage = new Stage({ liveChunkBytes: 2 });
    const groups = [stage.group(2), stage.group(1)];
    const change = { write: { seq: 1, groupsLeft: 1 }, groupsCount: 0 } as OutstandingChange;
    stage.delivery.attributeFramesTo(change);
    for (const group of groups) stage.push(group, 1, '1');
    assert.deepEqual([change.groupsCount, change.write.groupsLeft], [2, 3]);
    stage.delivery.allFramesMade(change);
    stage.make(groups[0] as Group, 2, '2', '3');
    assert.equal(stage.turn(), 'b:12 a:12 a:1');
    assert.deepEqual(stage.written, [2, 1], 'the second group had only the first of them');
    stage.rest();
    assert.deepEqual(stage.written, [2, 1, 3]);
  });

  it('are remembered up to a bound, and none for frames of no change', () => {
    const stage = new Stage({ framesMax: 3 });
    const group = stage.group(1);
    const changes = stage.make(group, 1, ...'123456789');
    assert.equal(group.unwritten.length, 3);
    stage.push(group, 10, 'x');
    assert.deepEqual(new Set(changes.map(({ groupsCount }) => groupsCount)), new Set([1]));
    assert.equal(group.unwritten.length, 3);
  });
});

describe('a scope whose live watchers are behind', () => {
  it('is held above so many bytes, once, for so many turns at most', async () => {
    const stage = new Stage({ freshBytesMax: 2, turnWritesMax: 1, holdTurnsMax: 3 });
    const group = stage.group(9);
    stage.make(group, 1, '12');
    assert.equal(group.scope.isHeld, false);
    let relieved = 0;
    const relief = stage.delivery.relief().then(() => (relieved += 1));
    stage.make(group, 2, '3');
    for (const turns of [1, 2]) {
      assert.equal(group.scope.isHeld, true);
      stage.turn();
      stage.make(group, 2 + turns, 'xxx');
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual([group.scope.turnsHeld, relieved], [turns, 0]);
    }
    stage.turn();
    await relief;
    assert.deepEqual([group.scope.turnsHeld, group.scope.isHeld], [-1, false]);
  });

  it('goes on when its groups have had their passes', async () => {
    const stage = new Stage({ freshBytesMax: 0, turnWritesMax: 2 });
    const scope = new Scope();
    const groups = [stage.group(1, { scope }), stage.group(2, { scope })];
    const relief = stage.delivery.relief();
    for (const group of groups) stage.make(group, 1, '1');
    stage.turn();
    assert.equal(scope.isHeld, true);
    stage.turn();
    assert.equal(scope.isHeld, false);
    await relief;
    stage.make(groups[0] as Group, 2, '2');
    assert.equal(scope.isHeld, true);
  });
});

describe('a rest', () => {
  const limits = { restMs: 10, restEventsMin: 2, restWritesMin: 4, freshBytesMax: 9 };

  it('begins behind a crowded pass alone, whatever passes there were before', () => {
    const stage = new Stage(limits);
    const group = stage.group(3);
    for (const seq of [1, 3, 5]) {
      stage.make(group, seq, '1', '2');
      assert.deepEqual(stage.rest(), ['c:12 b:12 a:12']);
    }
    assert.equal(stage.timersMade, 0);
  });

  it('is one timer for all groups, ends with the first, and leaves nothing behind', () => {
    const stage = new Stage(limits);
    const scope = new Scope();
    const groups = [stage.group(4, { scope }), stage.group(4, { scope })];
    for (const round of [0, 1, 2]) {
      for (const group of groups) stage.make(group, round * 4 + 1, '1', '2');
      stage.rest();
      for (const group of groups) stage.make(group, round * 4 + 3, '3');
      assert.deepEqual([stage.turnsAsked.length, stage.time.pendingCount], [0, 1]);
      if (round === 1) stage.make(groups[0] as Group, round * 4 + 4, '123456789');
      else stage.time.advance(10);
      assert.deepEqual([scope.groupTurns.items.length, stage.time.pendingCount], [2, 0]);
      stage.rest();
      stage.time.advance(10);
    }
  });

  it('does not keep what a write had no room for', () => {
    const stage = new Stage({ ...limits, liveChunkBytes: 2 });
    stage.make(stage.group(4), 1, '1', '2', '3');
    assert.deepEqual(stage.rest(), ['d:12 c:12 b:12 a:12', 'd:3 c:3 b:3 a:3']);
    assert.equal(stage.timersMade, 0);
  });

  it('that was ended by bytes is over', () => {
    const stage = new Stage(limits);
    const group = stage.group(4);
    stage.make(group, 1, '1', '2');
    stage.rest();
    stage.make(group, 3, '1234567890');
    assert.equal(stage.rest().length, 1);
    stage.make(group, 4, '4');
    assert.deepEqual(stage.rest(), ['d:4 c:4 b:4 a:4']);
  });
});

describe('turns', () => {
  it('of sinks that settle later are short where nobody else had the event loop between two', () => {
    const stage = new Stage({ turnUnsettledMax: 2, turnWritesMs: 100 });
    const group = stage.group(Array<Taking>(6).fill({ settlesLater: true }));
    for (const seq of [1, 2]) {
      group.live.length = 1;
      stage.make(group, seq, `${seq}`);
      assert.equal(stage.rest().length, 1);
      stage.time.advance(50);
    }
    const crowd = stage.group(Array<Taking>(40).fill({ settlesLater: true }));
    stage.make(crowd, 1, '1');
    assert.deepEqual(new Set(stage.rest().map((seen) => seen.split(' ').length)), new Set([2]));
  });

  it('end when their time is used up, which is looked at behind every few writes', () => {
    const stage = new Stage({ turnWritesMs: 10 }, 5);
    stage.make(stage.group(40), 1, '1');
    assert.deepEqual(
      stage.rest().map((seen) => seen.split(' ').length),
      [16, 16, 8],
    );
  });

  const waiting = (stage: Stage, names: string, bytes: number): void => {
    const scope = new Scope();
    for (const name of names) {
      const takeTurn = (): number => (stage.log.push(name), stage.time.advance(4), bytes);
      stage.delivery.ask({ group: { scope }, takeTurn } as unknown as Watcher);
    }
  };

  it('give those who are not live some bytes and some time, and go on', () => {
    const bytes = new Stage({ turnPumpBytesMax: 10, turnPumpMs: 1_000 });
    waiting(bytes, 'abcde', 5);
    assert.deepEqual(bytes.rest(), ['a b', 'c d', 'e']);
    const time = new Stage({ turnPumpMs: 12 });
    waiting(time, 'abcde', 0);
    assert.deepEqual(time.rest(), ['a b c', 'd e']);
  });

  it('leave them a quarter of it when live events have used the time up', () => {
    const stage = new Stage({ turnPumpMs: 24, turnWritesMs: 1_000 }, 50);
    stage.make(stage.group(1), 1, '1');
    waiting(stage, 'bcdef', 0);
    assert.deepEqual(stage.rest(), ['a:1 b c', 'd e f']);
  });
});
