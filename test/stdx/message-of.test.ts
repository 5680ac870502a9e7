import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageOf } from '../../src/stdx/message-of.ts';

test('whatever is thrown says something', () => {
  assert.equal(messageOf(new TypeError('no such thing')), 'no such thing');
  assert.equal(messageOf('a text'), 'a text');
  assert.equal(messageOf(undefined), 'undefined');
});
