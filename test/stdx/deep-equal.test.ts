/** Equality of JSON values, by cases and against canonical texts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { deepEqual } from '../../src/stdx/deep-equal.ts';

const cases: readonly (readonly [unknown, unknown, boolean])[] = [
  [{ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, true],
  [{ a: undefined }, {}, true],
  [{}, { a: undefined }, true],
  [{ a: 1 }, { b: 1 }, false],
  [{ a: null }, {}, false],
  [[1, 2], [2, 1], false],
  [[], {}, false],
  [{}, [], false],
  [null, {}, false],
  [10n ** 20n, 10n ** 20n, true],
  [1n, 1, false],
  [0, false, false],
  ['1', 1, false],
  [JSON.parse('{"__proto__":{}}'), { x: 1 }, false],
  [JSON.parse('{"__proto__":{}}'), JSON.parse('{"__proto__":{}}'), true],
  [{ constructor: 1 }, {}, false],
];

test('equal JSON content is equal, whatever the key order; nothing else is', () => {
  for (const [left, right, equal] of cases) {
    assert.equal(deepEqual(left, right), equal, `${String(left)} ${String(right)}`);
    assert.equal(deepEqual(right, left), equal);
  }
});

test('two JSON values are equal exactly when their canonical texts are', () => {
  const canonical = (value: unknown): unknown => {
    // Each says what it is: an empty list and an empty object are not the same text.
    if (Array.isArray(value)) return ['list', ...value.map(canonical)];
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return ['object', ...members.map(([key, member]) => [key, canonical(member)])];
  };
  const small = fc.jsonValue({ maxDepth: 2 });
  fc.assert(
    fc.property(small, small, (left, right) => {
      const equal = JSON.stringify(canonical(left)) === JSON.stringify(canonical(right));
      assert.equal(deepEqual(left, right), equal);
      assert.equal(deepEqual(left, structuredClone(left)), true);
    }),
  );
});
