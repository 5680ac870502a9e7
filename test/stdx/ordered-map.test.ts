/** A map in the order of writing, beside a Map that does the same. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { OrderedMap } from '../../src/stdx/ordered-map.ts';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';

it('has what a Map has in which each key that is set is taken out before', () => {
  const prng = seededPrng(7);
  const map = new OrderedMap<number>();
  const model = new Map<string, number>();
  for (let round = 0; round < 30_000; round += 1) {
    const key = `k${randomBelow(prng, 6_000)}`;
    const what = randomBelow(prng, 10);
    if (what < 7) {
      model.delete(key);
      model.set(key, round);
      map.set(key, round);
    } else {
      model.delete(key);
      map.delete(key);
    }
    if (round === 20_000) {
      model.clear();
      map.clear();
    }
    assert.equal(map.size, model.size);
    assert.equal(map.get(key), model.get(key));
    if (round % 1_000 > 0) continue;
    assert.deepEqual([...map.values()], [...model.values()]);
    assert.equal(map.first, model.values().next().value);
  }
});
