import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';
import { TimerWheel, WheelEntry } from '../../src/stdx/timer-wheel.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

class Named extends WheelEntry {
  readonly name: string;
  constructor(name: string) {
    super();
    this.name = name;
  }
}

function setUp(fire?: (entry: Named, wheel: TimerWheel<Named>) => void) {
  const time = manualTime();
  const fired: string[] = [];
  const { clock, timers } = time;
  const wheel = new TimerWheel<Named>({ clock, timers, tickMs: 10, slotsCount: 8 }, (entry) => {
    fired.push(`${entry.name}@${wheel.now()}`);
    fire?.(entry, wheel);
  });
  return { time, wheel, fired };
}

describe('timer wheel', () => {
  it('fires each entry once, at its tick, also rounds later', () => {
    const { time, wheel, fired } = setUp();
    wheel.schedule(new Named('a'), 1);
    wheel.schedule(new Named('b'), 3);
    wheel.schedule(new Named('far'), 3 + 8 * 5);
    time.advance(1_000);
    assert.deepEqual(fired, ['a@1', 'b@3', 'far@43']);
    assert.equal(wheel.count, 0);
  });

  it('an entry that is cancelled or moved does not fire where it was', () => {
    const { time, wheel, fired } = setUp();
    const [a, b, c] = [new Named('a'), new Named('b'), new Named('c')];
    for (const entry of [a, b, c]) wheel.schedule(entry, 5);
    wheel.cancel(b);
    wheel.cancel(b);
    wheel.schedule(c, 2);
    time.advance(200);
    assert.deepEqual(fired, ['c@2', 'a@5']);
  });

  it('a callback may schedule itself again and cancel what is due with it', () => {
    const others = [new Named('x'), new Named('y')] as const;
    const { time, wheel, fired } = setUp((entry, turning) => {
      const other = entry === others[0] ? others[1] : others[0];
      turning.cancel(other);
      if (turning.now() < 20) turning.schedule(entry, turning.now() + 4);
    });
    for (const entry of others) wheel.schedule(entry, 4);
    time.advance(1_000);
    assert.equal(fired.length, 5);
    assert.equal(new Set(fired.map((text) => text[0])).size, 1);
  });

  it('catches up in one turn when the process was held up for longer than a round', () => {
    const { time, wheel, fired } = setUp();
    const prng = seededPrng(3);
    for (let i = 0; i < 200; i += 1) wheel.schedule(new Named(`e${i}`), 1 + randomBelow(prng, 90));
    time.clock.monotonicMs();
    time.advance(10_000);
    assert.equal(new Set(fired).size, 200);
    assert.equal(wheel.count, 0);
  });

  it('fires ten thousand that are due together in slices, each once', async () => {
    const time = manualTime();
    let lookedMs = 0;
    const clock = {
      nowMs: () => 0,
      monotonicMs: () => time.clock.monotonicMs() + (lookedMs += 0.01),
    };
    const perTurn: number[] = [0];
    const options = { clock, timers: time.timers, tickMs: 10, slotsCount: 8 };
    const wheel = new TimerWheel<Named>(options, () => {
      perTurn[perTurn.length - 1] = (perTurn.at(-1) as number) + 1;
    });
    const due = wheel.now() + 50;
    for (let at = 0; at < 10_000; at += 1) wheel.schedule(new Named(`${at}`), due);
    time.advance(1_000);
    for (let turn = 0; turn < 50; turn += 1) {
      perTurn.push(0);
      await nextTurn();
    }
    assert.equal(
      perTurn.reduce((sum, count) => sum + count, 0),
      10_000,
    );
    assert.ok(Math.max(...perTurn) <= 1_000, `${perTurn.join(' ')}`);
    assert.equal(wheel.count, 0);
    assert.equal(time.pendingCount, 0);
  });

  it('sets no timer while nothing is scheduled', () => {
    let set = 0;
    const time = manualTime();
    const timers = {
      ...time.timers,
      after: (ms: number, callback: () => void) => ((set += 1), time.timers.after(ms, callback)),
    };
    const options = { clock: time.clock, timers, tickMs: 10, slotsCount: 8 };
    const wheel = new TimerWheel<Named>(options, () => undefined);
    time.advance(1_000);
    assert.equal(set, 0);
    wheel.schedule(new Named('a'), wheel.now() + 2);
    time.advance(1_000);
    const after = set;
    time.advance(10_000);
    assert.equal(set, after);
  });
});
