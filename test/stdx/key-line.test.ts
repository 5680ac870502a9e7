/** Keys that wait, and are taken in order (src/stdx/key-line.ts). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { KeyLine } from '../../src/stdx/key-line.ts';

describe('a line of keys', () => {
  it('gives each key once and in order, however additions and takings are mixed', () => {
    const step = fc.oneof(fc.constant(undefined), fc.constantFrom(...'abcdefgh'));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const line = new KeyLine();
        const model: string[] = [];
        for (const key of steps) {
          if (key === undefined) assert.equal(line.take(), model.shift());
          else {
            line.add(key);
            if (!model.includes(key)) model.push(key);
          }
          assert.equal(line.size, model.length);
          for (const each of 'abcdefgh') assert.equal(line.has(each), model.includes(each));
        }
        for (const key of model) assert.equal(line.take(), key);
        assert.equal(line.take(), undefined);
      }),
    );
  });

  it('looks at each of n keys once while it is emptied: iterators are begun once, not n times', () => {
    const line = new KeyLine();
    const begin = Set.prototype.values;
    let begun = 0;
    Set.prototype.values = function (this: Set<unknown>) {
      begun += 1;
      return begin.call(this);
    };
    try {
      for (let i = 0; i < 1000; i += 1) line.add(`${i}`);
      for (let i = 0; i < 1000; i += 1) assert.equal(line.take(), `${i}`);
    } finally {
      Set.prototype.values = begin;
    }
    assert.equal(begun, 1);
  });
});
