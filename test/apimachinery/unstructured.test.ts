import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { withMember } from '../../src/apimachinery/unstructured.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';

describe('withMember', () => {
  it('says what spreading says, in the same order, whatever the names are', () => {
    const name = fc.oneof(fc.constantFrom('__proto__', 'constructor', '0', 'a'), fc.string());
    const object = fc.dictionary(name, fc.jsonValue(), { noNullPrototype: true });
    fc.assert(
      fc.property(object, fc.constantFrom('a', 'managedFields', '7'), (given, added) => {
        const before = JSON.stringify(given);
        const expected = JSON.stringify({ ...given, [added]: 1 });
        assert.equal(JSON.stringify(withMember(given as JsonObject, added, 1)), expected);
        assert.equal(JSON.stringify(given), before);
      }),
    );
  });

  it('makes no prototype of a member', () => {
    const given = JSON.parse('{"__proto__":{"deletionTimestamp":"x"}}') as JsonObject;
    const copy = withMember(given, 'a', 1);
    assert.equal(copy['deletionTimestamp'], undefined);
    assert.deepEqual(Object.keys(copy), ['__proto__', 'a']);
  });
});
