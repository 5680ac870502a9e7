import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPairCache } from '../../src/stdx/pair-cache.ts';

describe('a cache by two texts', () => {
  it('finds what was kept by both, in their order', () => {
    const cache = createPairCache<number>(3);
    cache.keep('a', 'b', 1);
    cache.keep('a', 'c', 2);
    cache.keep('\ud800', '', 3);
    assert.deepEqual(
      [cache.get('a', 'b'), cache.get('a', 'c'), cache.get('\ud800', '')],
      [1, 2, 3],
    );
    assert.deepEqual([cache.get('b', 'a'), cache.get('a', '')], [undefined, undefined]);
  });

  it('at its limit starts anew with what is kept next', () => {
    const cache = createPairCache<number>(2);
    for (const [at, name] of ['x', 'y', 'z'].entries()) cache.keep('a', name, at);
    const found = ['x', 'y', 'z'].map((name) => cache.get('a', name));
    assert.deepEqual(found, [undefined, undefined, 2]);
    cache.keep('a', 'w', 3);
    assert.deepEqual([cache.get('a', 'z'), cache.get('a', 'w')], [2, 3], 'there is room again');
  });
});
