import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TokenCache } from '../../src/authentication/token-cache.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

function cacheOf(entriesMax: number, ttlMs = 1000) {
  const time = manualTime();
  return { time, cache: new TokenCache<string>({ clock: time.clock, entriesMax, ttlMs }) };
}

describe('a cache of tokens', () => {
  it('keeps a value for its time, or until the token itself ends', () => {
    const { cache, time } = cacheOf(10);
    cache.set('long', 'a');
    cache.set('short', 'b', time.clock.nowMs() + 500);
    time.advance(499);
    assert.deepEqual([cache.get('long'), cache.get('short')], ['a', 'b']);
    time.advance(1);
    assert.deepEqual([cache.get('long'), cache.get('short')], ['a', undefined]);
    time.advance(500);
    assert.equal(cache.get('long'), undefined);
    assert.equal(cache.size, 0);
  });

  it('keeps none for longer when the wall clock is set back, and ends it when it is set ahead', () => {
    const { cache, time } = cacheOf(10);
    cache.set('long', 'a');
    cache.set('short', 'b', time.clock.nowMs() + 500);
    time.setWall(-3_600_000);
    time.advance(500);
    assert.deepEqual([cache.get('long'), cache.get('short')], ['a', undefined]);
    time.advance(500);
    assert.equal(cache.get('long'), undefined);
    cache.set('ahead', 'c', time.clock.nowMs() + 500);
    time.setWall(3_600_000);
    assert.equal(cache.get('ahead'), undefined);
  });

  it('holds so many and no more: what is longest in it goes first', () => {
    const { cache } = cacheOf(2);
    cache.set('one', 'a');
    cache.set('two', 'b');
    cache.set('one', 'a again');
    cache.set('three', 'c');
    assert.equal(cache.size, 2);
    assert.deepEqual(
      ['one', 'two', 'three'].map((token) => cache.get(token)),
      ['a again', undefined, 'c'],
    );
  });

  it('holds so much and no more, whatever each of them says of its size', () => {
    const { clock } = manualTime();
    const cache = new TokenCache<string>({ clock, entriesMax: 10, ttlMs: 1000, charsMax: 100 });
    for (const token of ['one', 'two', 'three']) cache.set(token, token, Infinity, '', 40);
    assert.deepEqual(
      ['one', 'two', 'three'].map((token) => cache.get(token)),
      [undefined, 'two', 'three'],
    );
    cache.set('three', 'less', Infinity, '', 10);
    cache.set('four', 'four', Infinity, '', 40);
    assert.equal(cache.size, 3);
  });

  it('tells scopes of one token apart', () => {
    const { cache } = cacheOf(10);
    cache.set('token', 'for api', Infinity, 'api');
    assert.equal(cache.get('token', 'vault'), undefined);
    assert.equal(cache.get('token', 'api'), 'for api');
  });
});
