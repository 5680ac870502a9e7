/** A map of many keys is split bit by bit, and otherwise like any other. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';
import { createQueueMeters } from '../../src/controllers/queue-meters.ts';
import { systemClock } from '../../src/stdx/clock.ts';
import { KeyLine } from '../../src/stdx/key-line.ts';
import { SplitMap } from '../../src/stdx/split-map.ts';
import { largestTable } from '../support/checks/largest-table.ts';

/** As there. */
const partKeysMax = 4_096;
const named = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `/maps/ns/d${i}`);

describe('a map of many keys', () => {
  it('is in parts of one size, however many there are', () => {
    for (const count of [20_000, 80_000]) {
      const map = new SplitMap<number>();
      const keys = named(count);
      const most = largestTable(() => keys.forEach((key, i) => map.set(key, i)));
      assert.equal(most, partKeysMax + 1);
      assert.equal(map.size, count);
    }
  });

  it('is what a line of keys, and the meter of a queue, keep them in', () => {
    const line = new KeyLine();
    const meter = createQueueMeters(systemClock).meterOf('many');
    const keys = named(20_000);
    const most = largestTable(() => {
      for (const key of keys) {
        line.add(key);
        meter.added(key);
      }
    });
    assert.equal(most, partKeysMax + 1);
    for (const key of keys) assert.equal(line.take(), key);
    assert.equal(line.take(), undefined);
  });

  it('is as any other map for random keys that come and go', () => {
    const prng = seededPrng(28);
    const map = new SplitMap<number>();
    const model = new Map<string, number>();
    for (let step = 0; step < 60_000; step += 1) {
      const key = `k${randomBelow(prng, 30_000)}`;
      if (randomBelow(prng, 4) === 0) assert.equal(map.delete(key), model.delete(key));
      else (map.set(key, step), model.set(key, step));
      assert.equal(map.size, model.size);
    }
    assert.deepEqual([...map.keys()].sort(), [...model.keys()].sort());
    for (const key of named(10).concat([...model.keys()])) {
      assert.equal(map.get(key), model.get(key));
      assert.equal(map.has(key), model.has(key));
    }
    map.clear();
    assert.deepEqual([map.size, [...map.keys()], map.get('k1')], [0, [], undefined]);
    map.set('k1', 1);
    assert.deepEqual([...map.keys()], ['k1']);
  });

  it('shows a walk that is held all that stays, and nothing that was removed before', () => {
    const map = new SplitMap<true>();
    const first = named(partKeysMax);
    for (const key of first) map.set(key, true);
    const walk = map.keys();
    const seen = new Set<string>();
    for (let i = 0; i < 100; i += 1) seen.add(walk.next().value as string);
    for (const key of first.slice(-50)) map.delete(key);
    for (const key of named(5 * partKeysMax).slice(partKeysMax)) map.set(key, true);
    for (const key of walk) seen.add(key);
    for (const key of first.slice(0, -50)) assert.ok(seen.has(key), key);
    for (const key of first.slice(-50)) assert.ok(!seen.has(key), key);
  });
});
