/** Lengths of turns, by hand: time passes where the test says. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTurnWatch } from '../../src/stdx/turn-watch.ts';
import { watchedTurns } from '../../src/server/watchdog/watched-turns.ts';

function bench() {
  let nowMs = 0;
  const pending: (() => void)[] = [];
  const timers = {
    nextTurn(callback: () => void) {
      pending.push(callback);
      return { cancel: () => undefined };
    },
    after: () => ({ cancel: () => undefined }),
  };
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
  const watch = createTurnWatch<string>({
    clock,
    timers,
    describe: (label) => ({ verb: label }),
  });
  return {
    clock,
    timers,
    watch,
    pass: (ms: number) => void (nowMs += ms),
    turn: () => {
      for (const callback of pending.splice(0)) callback();
    },
  };
}

describe('the watch of turns', () => {
  it('sees a turn once, from its first mark to its end, whoever marks', () => {
    const { pass, turn, watch } = bench();
    watch.mark('a');
    pass(3);
    watch.mark('b');
    pass(4);
    turn();
    turn();
    assert.equal(watch.seconds.count, 1);
    assert.equal(watch.seconds.sum, 0.007);
    watch.mark('a');
    turn();
    assert.equal(watch.seconds.count, 2);
  });

  it('tells of the longest turn who took most of it, once', () => {
    const { pass, turn, watch } = bench();
    for (const [label, ms] of [
      ['short', 2],
      ['culprit', 30],
      ['late', 5],
    ] as const) {
      watch.mark(label);
      pass(ms);
    }
    turn();
    watch.mark('other');
    pass(36);
    turn();
    assert.deepEqual(watch.takeLongest(), { seconds: 0.037, labels: { verb: 'culprit' } });
    assert.equal(watch.takeLongest(), undefined);
    watch.mark('next');
    pass(1);
    turn();
    assert.deepEqual(watch.takeLongest(), { seconds: 0.001, labels: { verb: 'next' } });
  });

  it('knows in later turns whose step it is', () => {
    const { clock, pass, timers, turn, watch } = bench();
    const turns = watchedTurns({ clock, timers }, watch);
    watch.mark('list');
    let steps = 0;
    turns.run(() => {
      steps += 1;
      pass(steps === 2 ? 40 : 7);
      return steps < 3;
    });
    for (let n = 0; n < 4; n += 1) turn();
    assert.deepEqual(watch.takeLongest(), { seconds: 0.04, labels: { verb: 'list' } });
    assert.equal(steps, 3);
    assert.equal(watch.seconds.count, 3, 'each in a turn of its own');
  });
});
