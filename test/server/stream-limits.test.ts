/** What the flags and the cores make of the limits of watches. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { streamLimits } from '../../src/server/compose/stream-limits.ts';
import { defaultStreamLimits } from '../../streams/limits.ts';

describe('limits of watches', () => {
  it('crowded watches rest only where there are more workers than cores', () => {
    const restMs = (workers: number, cores: number): number =>
      streamLimits({ requestTimeoutMs: 60_000, store: 'lmdb', workers }, cores).restMs;
    assert.deepEqual([restMs(1, 1), restMs(1, 8), restMs(4, 4), restMs(4, 8)], [0, 0, 0, 0]);
    assert.ok(restMs(2, 1) > 0 && restMs(5, 4) > 0);
  });

  it('a read waits no longer than a request may take', () => {
    const short = streamLimits({ requestTimeoutMs: 500, store: 'lmdb', workers: 1 }, 1);
    assert.deepEqual([short.currentWaitMs, short.freshnessWaitMs], [500, 500]);
    const { currentWaitMs, freshnessWaitMs } = defaultStreamLimits;
    const long = streamLimits({ requestTimeoutMs: 600_000, store: 'lmdb', workers: 1 }, 1);
    assert.deepEqual([long.currentWaitMs, long.freshnessWaitMs], [currentWaitMs, freshnessWaitMs]);
  });

  it('a page of the log is one read of a cluster of stores, and several of a store in reach', () => {
    const limitsOf = (store: 'lmdb' | 'fdb') =>
      streamLimits({ requestTimeoutMs: 60_000, store, workers: 1 }, 1);
    const { logPageChanges, logReadChanges } = limitsOf('fdb');
    assert.equal(logReadChanges, logPageChanges);
    assert.ok(limitsOf('lmdb').logReadChanges < logPageChanges);
  });
});
