/** The table of numbers, beside a Map. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { NumberTable } from '../../src/stdx/number-table.ts';

const key = fc.oneof(fc.nat({ max: 40 }), fc.nat({ max: 2 ** 31 - 1 }));
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('set' as const), key }),
    fc.record({ kind: fc.constant('delete' as const), key }),
    fc.record({ kind: fc.constant('clear' as const), key }),
  ),
  { maxLength: 300, size: 'max' },
);

describe('a table of numbers', () => {
  it('holds what a Map holds', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const table = new NumberTable<number>();
        const map = new Map<number, number>();
        all.forEach(({ key: at, kind }, step) => {
          if (kind === 'set') {
            table.set(at, step);
            map.set(at, step);
          } else if (kind === 'delete') assert.equal(table.delete(at), map.delete(at));
          else if (step % 50 === 0) {
            table.clear();
            map.clear();
          }
          assert.equal(table.size, map.size);
          assert.equal(table.get(at), map.get(at));
          assert.equal(table.has(at), map.has(at));
        });
        assert.deepEqual(new Map(table), map);
        assert.deepEqual(new Set(table.keys()), new Set(map.keys()));
        assert.deepEqual([...table.values()].sort(), [...map.values()].sort());
      }),
    );
  });

  it('shows to who goes through it those who are still there', () => {
    const table = new NumberTable<string>();
    for (let number = 1; number < 200; number += 2) table.set(number, `${number}`);
    const seen: number[] = [];
    table.forEach((_value, number) => {
      seen.push(number);
      // As node does with the streams of a session that ends.
      table.delete(number);
      table.delete(number + 2);
    });
    assert.equal(table.size, 0);
    assert.equal(new Set(seen).size, seen.length);
    assert.equal(table.delete(1), false);
  });
});
