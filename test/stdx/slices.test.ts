/** Long walks in slices: who walks waits for a turn when, and only when, a slice is over. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSliceTimer } from '../../src/stdx/slices.ts';

describe('a slice of a long walk', () => {
  it('ends after its time, and the next one begins with the turn that was waited for', async () => {
    let nowMs = 0;
    const turns: (() => void)[] = [];
    const timers = {
      nextTurn(callback: () => void) {
        turns.push(callback);
        return { cancel: () => undefined };
      },
    };
    const endOfSlice = createSliceTimer({ monotonicMs: () => nowMs }, timers);
    nowMs = 7;
    assert.equal(endOfSlice(), undefined);
    nowMs = 8;
    const pause = endOfSlice();
    assert.ok(pause !== undefined);
    // Others take long.
    nowMs = 1000;
    turns.shift()?.();
    await pause;
    nowMs = 1007;
    assert.equal(endOfSlice(), undefined);
    nowMs = 1008;
    assert.ok(endOfSlice() !== undefined);
    assert.equal(turns.length, 1);
  });
});
