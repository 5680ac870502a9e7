import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLimiter } from '../../src/stdx/limiter.ts';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';
import { RingBuffer } from '../../src/stdx/ring-buffer.ts';

describe('ring buffer', () => {
  it('agrees with an array under random pushes, shifts and clears', () => {
    const prng = seededPrng(5);
    const ring = new RingBuffer<number>();
    let model: number[] = [];
    for (let step = 0; step < 20_000; step += 1) {
      const roll = randomBelow(prng, 100);
      if (roll < 55) {
        ring.push(step);
        model.push(step);
      } else if (roll < 99) {
        if (model.length > 0) assert.equal(ring.shift(), model.shift());
      } else {
        ring.clear();
        model = [];
      }
      assert.equal(ring.length, model.length);
      if (model.length === 0) continue;
      const at = randomBelow(prng, model.length);
      assert.equal(ring.at(at), model[at]);
      const bound = model[at] as number;
      assert.equal(
        ring.partition((item) => item < bound),
        model.filter((item) => item < bound).length,
      );
    }
  });

  it('refuses what is not there', () => {
    const ring = new RingBuffer<number>();
    assert.throws(() => ring.shift());
    assert.throws(() => ring.at(0));
  });
});

describe('limiter', () => {
  it('runs at most so many tasks at once, in order of arrival, also when some fail', async () => {
    const limit = createLimiter(2);
    let running = 0;
    let most = 0;
    const started: number[] = [];
    const tasks = Array.from({ length: 20 }, (_, i) =>
      limit(async () => {
        started.push(i);
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        if (i % 3 === 0) throw new Error('no');
        return i;
      }).catch(() => -1),
    );
    const results = await Promise.all(tasks);
    assert.equal(most, 2);
    assert.deepEqual(
      started,
      Array.from({ length: 20 }, (_, i) => i),
    );
    assert.equal(results.filter((result) => result === -1).length, 7);
  });
});
