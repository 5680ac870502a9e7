/** Clients that go: few cost nothing more than before, thousands are worked off in slices. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDepartures, departureLimits } from '../../src/transport/departures.ts';

const { atOncePerTurn, sliceMs, togetherMax } = departureLimits;

/** Each departure takes `eachMs`, and leaves `laterMs` to promises. */
function harness(eachMs: number, laterMs = 0) {
  let nowMs = 0;
  let leftMs = 0;
  let turns: (() => void)[] = [];
  const gone: number[] = [];
  const nextTurn = (callback: () => void) => {
    turns.push(callback);
    return { cancel: () => undefined };
  };
  const departures = createDepartures({ monotonicMs: () => nowMs }, { nextTurn });
  const go = (name: number, fails = false): void => {
    departures.add({
      depart() {
        nowMs += eachMs;
        leftMs += laterMs;
        gone.push(name);
        if (fails) throw new Error('it fails');
      },
    });
  };
  /** False: nothing is to be done in it. */
  const turn = (): boolean => {
    const now = turns;
    turns = [];
    const failures: unknown[] = [];
    for (const callback of now) {
      try {
        callback();
      } catch (error) {
        failures.push(error);
      }
      nowMs += leftMs;
      leftMs = 0;
    }
    if (failures.length > 0) throw failures[0];
    return now.length > 0;
  };
  return { departures, gone, go, turn };
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

describe('clients that go', () => {
  it('are told of at once when they are few, and ask for one turn', () => {
    const { gone, go, turn } = harness(1);
    for (const name of numbers(3)) {
      go(name);
      assert.equal(gone.length, name + 1);
    }
    assert.equal(turn(), true);
    assert.equal(turn(), false);
  });

  it('together by the thousand are told of in slices, in the order in which they went', () => {
    const { departures, gone, go, turn } = harness(1);
    for (const name of numbers(1_000)) go(name);
    assert.equal(gone.length, atOncePerTurn);
    assert.equal(departures.waitingCount, 1_000 - atOncePerTurn);
    let longest = 0;
    for (let had = gone.length; turn(); had = gone.length) {
      longest = Math.max(longest, gone.length - had);
    }
    assert.deepEqual(gone, numbers(1_000));
    assert.ok(longest < 4 * sliceMs, `${longest} ms in a turn`);
    assert.equal(departures.waitingCount, 0);
  });

  // Before, a thousand whose handlers waited for others had them all go on in one turn.
  it('are told of a few in each turn where that leaves much to promises', () => {
    const { gone, go, turn } = harness(0, 0.5);
    for (const name of numbers(200)) go(name);
    let longest = 0;
    for (let had = gone.length; turn(); had = gone.length) {
      longest = Math.max(longest, gone.length - had);
    }
    assert.deepEqual(gone, numbers(200));
    assert.ok(longest / 2 < 2 * sliceMs + togetherMax, `${longest} in a turn`);
  });

  it('while others wait go behind them', () => {
    const { gone, go, turn } = harness(1);
    for (const name of numbers(200)) go(name);
    turn();
    go(200);
    while (turn());
    assert.deepEqual(gone, numbers(201));
  });

  it('hold nobody up when one of them fails', () => {
    const { gone, go, turn } = harness(0);
    for (const name of numbers(200)) go(name, name === 100);
    assert.throws(() => {
      while (turn());
    }, /it fails/);
    while (turn());
    assert.deepEqual(gone, numbers(200));
  });
});
