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

  it('is emptied without a walk over what waits: no iterator is begun', () => {
    const line = new KeyLine();
    const [ofSet, ofMap] = [Set.prototype.values, Map.prototype.keys];
    let begun = 0;
    Set.prototype.values = function (this: Set<unknown>) {
      begun += 1;
      return ofSet.call(this);
    };
    Map.prototype.keys = function (this: Map<unknown, unknown>) {
      begun += 1;
      return ofMap.call(this);
    };
    try {
      for (let i = 0; i < 1000; i += 1) line.add(`${i}`);
      for (let i = 0; i < 1000; i += 1) assert.equal(line.take(), `${i}`);
    } finally {
      Set.prototype.values = ofSet;
      Map.prototype.keys = ofMap;
    }
    assert.equal(begun, 0);
  });
});
