import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { IndexedHeap } from '../../src/stdx/indexed-heap.ts';
import type { HeapItem } from '../../src/stdx/indexed-heap.ts';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';

interface Item extends HeapItem {
  readonly at: number;
}

const item = (at: number): Item => ({ heapIndex: -1, at });

describe('an indexed heap', () => {
  it('gives the first of those that are in it, whoever has left meanwhile', () => {
    for (let seed = 1; seed <= 50; seed += 1) {
      const prng = seededPrng(seed);
      const heap = new IndexedHeap<Item>((one, other) => one.at < other.at);
      const model = new Set<Item>();
      for (let step = 0; step < 400; step += 1) {
        const kind = randomBelow(prng, 4);
        if (kind < 2) {
          const added = item(randomBelow(prng, 40));
          heap.push(added);
          model.add(added);
        } else if (kind === 2) {
          const left = [...model][randomBelow(prng, model.size + 1)];
          if (left === undefined) continue;
          heap.remove(left);
          heap.remove(left);
          model.delete(left);
        } else {
          const taken = heap.shift();
          assert.equal(taken?.at, least(model));
          if (taken !== undefined) model.delete(taken);
        }
        assert.equal(heap.length, model.size);
        assert.equal(heap.first?.at, least(model));
      }
      heap.clear();
      assert.equal(heap.length, 0);
      for (const left of model) heap.remove(left);
      assert.equal(heap.first, undefined);
    }
  });

  it('looks at few others when one comes, leaves or is taken', () => {
    let looks = 0;
    const heap = new IndexedHeap<Item>((one, other) => ((looks += 1), one.at < other.at));
    const items = Array.from({ length: 10_000 }, (_, i) => item((i * 7_919) % 10_000));
    for (const each of items) heap.push(each);
    for (const each of items.slice(0, 5_000)) heap.remove(each);
    while (heap.shift() !== undefined);
    assert.ok(looks < 10_000 * 60, `${looks} looks`);
  });
});

function least(items: Iterable<Item>): number | undefined {
  let at: number | undefined;
  for (const each of items) at = Math.min(at ?? each.at, each.at);
  return at;
}
