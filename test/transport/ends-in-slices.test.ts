/** Requests that run out of time together, and readers that are cut together. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Clock, Timers } from '../../src/stdx/clock.ts';
import { slotOf } from '../../src/stdx/slot-set.ts';
import type { Slot } from '../../src/stdx/slot-set.ts';
import { createDeadlines } from '../../src/transport/deadlines.ts';
import type { Expiring } from '../../src/transport/deadlines.ts';
import { StalledResponses } from '../../src/transport/stalled-responses.ts';
import type { StallableResponse } from '../../src/transport/stalled-responses.ts';

const count = 1_000;
/** Of one end. */
const eachMs = 1;
/** What may end in one turn. */
const perTurnMax = 8;

/** A clock that moves by what is done, and by timers; each callback is a turn. */
function harness() {
  let nowMs = 0;
  const due: { atMs: number; callback: () => void }[] = [];
  const ended: number[] = [];
  const after = (delayMs: number, callback: () => void) => {
    const entry = { atMs: nowMs + delayMs, callback };
    due.push(entry);
    return { cancel: () => void due.splice(due.indexOf(entry) >>> 0, 1) };
  };
  const nextTurn = (callback: () => void) => after(0, callback);
  const clock = { monotonicMs: () => nowMs } as Clock;
  const timers = { after, nextTurn } as unknown as Timers;
  const end = (name: number): void => {
    nowMs += eachMs;
    ended.push(name);
  };
  /** The most that ended in a turn. */
  const run = (untilMs: number): number => {
    let most = 0;
    while (due.length > 0) {
      due.sort((a, b) => a.atMs - b.atMs);
      const [next] = due as [(typeof due)[number]];
      if (next.atMs > untilMs) break;
      due.shift();
      nowMs = Math.max(nowMs, next.atMs);
      const had = ended.length;
      next.callback();
      most = Math.max(most, ended.length - had);
    }
    return most;
  };
  return { clock, timers, end, ended, run };
}

const numbers = Array.from({ length: count }, (_, i) => i);

function stalledReaders(bytesMax: number, idleTimeoutMs: number) {
  const { clock, timers, end, ended, run } = harness();
  const stalled = new StalledResponses({ bytesMax, idleTimeoutMs }, clock, timers);
  const slots: Slot<StallableResponse>[] = [];
  for (const name of numbers) {
    const item: StallableResponse = {
      stalledSinceMs: () => 0,
      cut() {
        stalled.remove(slot);
        stalled.release(1);
        end(name);
      },
    };
    const slot = slotOf(item);
    stalled.add(slot);
    slots.push(slot);
    stalled.hold(1);
  }
  return { ended, run, slots, stalled };
}

describe('what ends together', () => {
  // Eight hundred bodies that nobody wanted were answered in one turn, a second after their heads.
  it('requests out of time end in slices, each once', () => {
    const { clock, timers, end, ended, run } = harness();
    const deadlines = createDeadlines(clock, timers);
    for (const name of numbers) {
      const item = { deadlineMs: 100, expire: () => end(name) } as Expiring;
      Object.assign(item, { waiting: slotOf(item) });
      deadlines.add(item);
    }
    const most = run(10_000);
    assert.deepEqual(ended, numbers);
    assert.ok(most <= perTurnMax, `${most} in a turn`);
  });

  it('readers who take nothing are cut in slices, each once', () => {
    const { ended, run } = stalledReaders(10 * count, 8_000);
    const most = run(60_000);
    assert.deepEqual(ended, numbers);
    assert.ok(most <= perTurnMax, `${most} in a turn`);
  });

  it('readers who have gone while others were cut are not cut', () => {
    const { ended, run, slots, stalled } = stalledReaders(10 * count, 8_000);
    const gone = slots.slice(count / 2);
    for (let untilMs = 0; ended.length === 0; untilMs += 1) run(untilMs);
    for (const slot of gone) stalled.remove(slot);
    run(60_000);
    assert.deepEqual(ended, numbers.slice(0, count / 2));
    assert.equal(stalled.cutCount, count / 2);
  });

  it('readers are cut in slices for others to have room, and no more than that', () => {
    const { ended, run } = stalledReaders(count, 3_600_000);
    const most = run(60_000);
    assert.deepEqual(ended, numbers.slice(0, count / 2));
    assert.ok(most <= perTurnMax, `${most} in a turn`);
  });
});
