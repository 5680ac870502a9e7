import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTextCache } from '../../src/stdx/text-cache.ts';

describe('a cache by text', () => {
  it('keeps what fits, and at its limit starts anew with what is kept next', () => {
    const cache = createTextCache<number>(6);
    cache.keep('abc', 1);
    cache.keep('def', 2);
    assert.deepEqual([cache.get('abc'), cache.get('def')], [1, 2]);
    cache.keep('g', 3);
    assert.deepEqual(
      [cache.get('abc'), cache.get('def'), cache.get('g')],
      [undefined, undefined, 3],
    );
    cache.keep('hijkl', 4);
    assert.deepEqual([cache.get('g'), cache.get('hijkl')], [3, 4]);
  });
});
