import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';
import { SlotSet, slotOf } from '../../src/stdx/slot-set.ts';

describe('slot set', () => {
  it('agrees with a Set under random additions, removals and clears', () => {
    const prng = seededPrng(11);
    const members = Array.from({ length: 40 }, (_, i) => slotOf(i));
    const slots = new SlotSet<number>();
    const model = new Set<number>();
    for (let step = 0; step < 20_000; step += 1) {
      const slot = members[randomBelow(prng, members.length)] as (typeof members)[0];
      const roll = randomBelow(prng, 1_000);
      if (roll < 500) {
        slots.add(slot);
        model.add(slot.item);
      } else if (roll < 998) {
        slots.remove(slot);
        model.delete(slot.item);
      } else {
        slots.clear();
        model.clear();
      }
      assert.equal(slots.size, model.size);
      assert.equal(slot.at >= 0, model.has(slot.item));
      if (step % 50 !== 0) continue;
      assert.deepEqual(
        [...slots.items()].sort((a, b) => a - b),
        [...model].sort((a, b) => a - b),
      );
    }
  });

  it('may change while its members are walked over', () => {
    const slots = new SlotSet<string>();
    const members = ['a', 'b', 'c'].map(slotOf);
    for (const slot of members) slots.add(slot);
    const seen: string[] = [];
    for (const item of slots.items()) {
      seen.push(item);
      for (const slot of members) slots.remove(slot);
    }
    assert.deepEqual(seen, ['a', 'b', 'c']);
    assert.equal(slots.size, 0);
  });
});
