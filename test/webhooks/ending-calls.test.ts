/** Calls that are late together do not end together. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { systemTimers } from '../../src/stdx/clock.ts';
import { createEndingCalls, endsAtOnceMax } from '../../src/webhooks/ending-calls.ts';

describe('calls without an answer in time', () => {
  // Before, a thousand calls to a webhook that hangs took three quarters of a second to end.
  it('end a few in each turn, in the order in which their time was over', async () => {
    const late = createEndingCalls(systemTimers);
    const ended: number[] = [];
    const count = 3 * endsAtOnceMax + 1;
    for (let at = 0; at < count; at += 1) late(() => void ended.push(at));
    assert.equal(ended.length, 0);
    for (let turn = 1; ended.length < count; turn += 1) {
      await setImmediate();
      assert.equal(ended.length, Math.min(count, turn * endsAtOnceMax));
    }
    assert.deepEqual(
      ended,
      [...ended].sort((a, b) => a - b),
    );
  });
});
