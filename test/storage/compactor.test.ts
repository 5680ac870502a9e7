import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createCompactor } from '../../src/storage/compactor.ts';
import {
  createMemoryMedium,
  createMemoryStorage,
} from '../../src/storage/memory/memory-storage.ts';
import type { Revision } from '../../src/storage/storage.ts';
import { manualTime } from '../support/doubles/manual-time.ts';
import { absent, commitOne, key, put } from '../contract/storage-fixture.ts';

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
        const storage = createMemoryStorage({ clock: time.clock, revisionStep });
        const made: { readonly revision: Revision; readonly timeMs: number }[] = [];
        for (const [i, delta] of deltas.entries()) {
          time.advance(delta);
          const revision = await commitOne(storage, put(key(`k${i}`), absent));
          made.push({ revision, timeMs: time.clock.nowMs() });
        }
        const options = {
          storage,
          clock: time.clock,
          timers: time.timers,
          historyMs,
          intervalMs: 1000,
        };
        const compactor = createCompactor({ ...options, onError: assert.ifError });
        const old = made.filter((m) => m.timeMs <= time.clock.nowMs() - historyMs);
        assert.equal(await compactor.runOnce(), old.at(-1)?.revision ?? 0n);
      }),
      { numRuns: 60 },
    );
  });

  it('judges age by the log, so another process compacts what this one wrote', async () => {
    const time = manualTime();
    const medium = createMemoryMedium();
    const first = createMemoryStorage({ clock: time.clock, medium });
    const revision = await commitOne(first, put(key('a'), absent));
    await first.close();
    time.advance(historyMs);
    const storage = createMemoryStorage({ clock: time.clock, medium });
    const options = {
      storage,
      clock: time.clock,
      timers: time.timers,
      historyMs,
      intervalMs: 1000,
    };
    const compactor = createCompactor({ ...options, onError: assert.ifError });
    assert.equal(await compactor.runOnce(), revision);
  });

  it('forgets nothing that is young when the wall clock is set ahead, and what is old when it is set back', async () => {
    const day = 24 * 60 * 60_000;
    for (const byMs of [365 * day, -365 * day]) {
      const time = manualTime();
      const storage = createMemoryStorage({ clock: time.clock });
      const compactor = createCompactor({
        storage,
        clock: time.clock,
        timers: time.timers,
        historyMs,
        intervalMs: 1000,
        onError: assert.ifError,
      });
      await compactor.runOnce();
      time.advance(historyMs / 10);
      const old = await commitOne(storage, put(key('before'), absent));
      await compactor.runOnce();
      time.setWall(byMs);
      time.advance(historyMs / 2);
      await commitOne(storage, put(key('after'), absent));
      assert.equal(await compactor.runOnce(), 0n);
      time.advance(historyMs / 2);
      assert.equal(await compactor.runOnce(), old);
    }
  });

  it('runs at its interval from start to stop, and goes on after a failure', async () => {
    const time = manualTime();
    const storage = createMemoryStorage({ clock: time.clock });
    await commitOne(storage, put(key('a'), absent));
    const errors: unknown[] = [];
    let failing = true;
    let runs = 0;
    const flaky = {
      ...storage,
      compact: (before: Revision): Promise<void> => {
        runs += 1;
        if (failing) return Promise.reject(new Error('io'));
        return storage.compact(before);
      },
    };
    const compactor = createCompactor({
      storage: flaky,
      clock: time.clock,
      timers: time.timers,
      historyMs,
      intervalMs: 1000,
      onError: (error) => errors.push(error),
    });
    time.advance(historyMs);
    compactor.start();
    compactor.start();
    time.advance(1000);
    await turns();
    assert.equal(errors.length, 1);
    failing = false;
    time.advance(1000);
    await turns();
    assert.equal(await storage.compactRevision(), await storage.revision());
    await compactor.stop();
    await commitOne(storage, put(key('b'), absent));
    time.advance(historyMs);
    time.advance(10_000);
    await turns();
    assert.equal(runs, 2);
  });
});
