import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createCompactor } from '../../src/storage/compactor.ts';
import {
  createMemoryMedium,
  createMemoryStorage,
} from '../../src/storage/memory/memory-storage.ts';
import type { Clock, Timers } from '../../src/stdx/clock.ts';
import type { Revision } from '../../src/storage/storage.ts';
import { absent, commitOne, key, put } from '../contract/storage-fixture.ts';

interface ManualTime extends Clock, Timers {
  set(nowMs: number): void;
  /** Runs what is due now; tells how many timers were. */
  fire(): number;
}

function manualTime(): ManualTime {
  let nowMs = 1_000_000;
  let timers: { readonly atMs: number; readonly callback: () => void }[] = [];
  const after = (delayMs: number, callback: () => void): { cancel(): void } => {
    const timer = { atMs: nowMs + delayMs, callback };
    timers.push(timer);
    return { cancel: () => void (timers = timers.filter((t) => t !== timer)) };
  };
  return {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    after,
    nextTurn: (callback) => after(0, callback),
    set: (ms) => void (nowMs = ms),
    fire() {
      const due = timers.filter((t) => t.atMs <= nowMs);
      timers = timers.filter((t) => t.atMs > nowMs);
      for (const timer of due) timer.callback();
      return due.length;
    },
  };
}

const historyMs = 300_000;
const turns = async (): Promise<void> => {
  for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('compactor', () => {
  it('forgets exactly what is older than the history, whatever the times and revisions', async () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 90_000 }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(gaps, fc.bigInt(1n, 5000n), async (deltas, revisionStep) => {
        const time = manualTime();
        const storage = createMemoryStorage({ clock: time, revisionStep });
        const made: { readonly revision: Revision; readonly timeMs: number }[] = [];
        for (const [i, delta] of deltas.entries()) {
          time.set(time.nowMs() + delta);
          const revision = await commitOne(storage, put(key(`k${i}`), absent));
          made.push({ revision, timeMs: time.nowMs() });
        }
        const options = { storage, clock: time, timers: time, historyMs, intervalMs: 1000 };
        const compactor = createCompactor({ ...options, onError: assert.ifError });
        const old = made.filter((m) => m.timeMs <= time.nowMs() - historyMs);
        assert.equal(await compactor.runOnce(), old.at(-1)?.revision ?? 0n);
      }),
      { numRuns: 60 },
    );
  });

  it('judges age by the log, so another process compacts what this one wrote', async () => {
    const time = manualTime();
    const medium = createMemoryMedium();
    const first = createMemoryStorage({ clock: time, medium });
    const revision = await commitOne(first, put(key('a'), absent));
    await first.close();
    time.set(time.nowMs() + historyMs);
    const storage = createMemoryStorage({ clock: time, medium });
    const options = { storage, clock: time, timers: time, historyMs, intervalMs: 1000 };
    const compactor = createCompactor({ ...options, onError: assert.ifError });
    assert.equal(await compactor.runOnce(), revision);
  });

  it('runs at its interval from start to stop, and goes on after a failure', async () => {
    const time = manualTime();
    const storage = createMemoryStorage({ clock: time });
    await commitOne(storage, put(key('a'), absent));
    const errors: unknown[] = [];
    let failing = true;
    const flaky = {
      ...storage,
      compact: (before: Revision): Promise<void> => {
        if (failing) return Promise.reject(new Error('io'));
        return storage.compact(before);
      },
    };
    const compactor = createCompactor({
      storage: flaky,
      clock: time,
      timers: time,
      historyMs,
      intervalMs: 1000,
      onError: (error) => errors.push(error),
    });
    compactor.start();
    compactor.start();
    time.set(time.nowMs() + historyMs);
    assert.equal(time.fire(), 1);
    await turns();
    assert.equal(errors.length, 1);
    failing = false;
    time.set(time.nowMs() + 1000);
    assert.equal(time.fire(), 1);
    await turns();
    assert.equal(await storage.compactRevision(), await storage.revision());
    await compactor.stop();
    time.set(time.nowMs() + 10_000);
    assert.equal(time.fire(), 0);
  });
});
