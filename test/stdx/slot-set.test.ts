import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';
import { SlotSet, ticketOf } from '../../src/stdx/slot-set.ts';

describe('slot set', () => {
  it('agrees with a Set under random additions, removals and clears', () => {
    const prng = seededPrng(11);
    const tickets = Array.from({ length: 40 }, (_, i) => ticketOf(i));
    const slots = new SlotSet<number>();
    const model = new Set<number>();
    for (let step = 0; step < 20_000; step += 1) {
      const ticket = tickets[randomBelow(prng, tickets.length)] as (typeof tickets)[0];
      const roll = randomBelow(prng, 1_000);
      if (roll < 500) {
        slots.add(ticket);
        model.add(ticket.item);
      } else if (roll < 998) {
        slots.remove(ticket);
        model.delete(ticket.item);
      } else {
        slots.clear();
        model.clear();
      }
      assert.equal(slots.size, model.size);
      assert.equal(ticket.at >= 0, model.has(ticket.item));
      if (step % 50 !== 0) continue;
      assert.deepEqual(
        [...slots.items()].sort((a, b) => a - b),
        [...model].sort((a, b) => a - b),
      );
    }
  });

  it('may change while its members are walked over', () => {
    const slots = new SlotSet<string>();
    const tickets = ['a', 'b', 'c'].map(ticketOf);
    for (const ticket of tickets) slots.add(ticket);
    const seen: string[] = [];
    for (const item of slots.items()) {
      seen.push(item);
      for (const ticket of tickets) slots.remove(ticket);
    }
    assert.deepEqual(seen, ['a', 'b', 'c']);
    assert.equal(slots.size, 0);
  });
});
