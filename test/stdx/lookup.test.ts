/** Tables and data that are asked with the names every object answers to. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lookup, ownMember } from '../../src/stdx/lookup.ts';

const borrowed = Object.getOwnPropertyNames(Object.prototype);

test('a table answers with what was put in, and with nothing of the prototype', () => {
  const table = lookup({ a: 1, constructor: 2 });
  assert.deepEqual(Object.entries(table), [
    ['a', 1],
    ['constructor', 2],
  ]);
  assert.ok(borrowed.length > 10);
  for (const name of borrowed) {
    assert.equal(table[name], name === 'constructor' ? 2 : undefined, name);
  }
});

test('a member is read only where the object has it itself', () => {
  const data = JSON.parse('{"__proto__":"x","a":"y"}') as Record<string, string>;
  for (const name of borrowed) {
    assert.equal(ownMember(data, name), name === '__proto__' ? 'x' : undefined, name);
  }
  assert.equal(ownMember(data, 'a'), 'y');
});
