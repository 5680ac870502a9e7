import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLimiter } from '../../src/stdx/limiter.ts';

describe('a limiter', () => {
  it('runs so many tasks at once and no more, first come, first served, failures included', async () => {
    const limit = createLimiter(2);
    const begun: number[] = [];
    const ends: ((failure?: Error) => void)[] = [];
    const results = Array.from({ length: 5 }, (_, i) =>
      limit(() => {
        begun.push(i);
        return new Promise<number>((resolve, reject) => {
          ends[i] = (failure) => (failure === undefined ? resolve(i) : reject(failure));
        });
      }),
    );
    const seen = Promise.allSettled(results);
    const settle = async (i: number, failure?: Error): Promise<void> => {
      ends[i]?.(failure);
      await new Promise<void>((resolve) => setImmediate(resolve));
    };
    await settle(-1);
    assert.deepEqual(begun, [0, 1]);
    await settle(1, new Error('failed'));
    assert.deepEqual(begun, [0, 1, 2]);
    await settle(0);
    await settle(2);
    assert.deepEqual(begun, [0, 1, 2, 3, 4]);
    await settle(3);
    await settle(4);
    const kinds = (await seen).map(({ status }) => status);
    assert.deepEqual(kinds, ['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
  });

  it('has all its places again when all tasks have ended', async () => {
    const limit = createLimiter(1);
    for (let i = 0; i < 3; i += 1) {
      await assert.rejects(limit(() => Promise.reject(new Error('no'))));
    }
    assert.equal(await limit(() => Promise.resolve('yes')), 'yes');
  });
});
