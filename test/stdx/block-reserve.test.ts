/** Blocks that are made first: each is given once, and there is always one more. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { reserveBlocks } from '../../src/stdx/block-reserve.ts';
import { blockBytesDefault, blockMemory } from '../../src/stdx/blocks.ts';

describe('a reserve of blocks', () => {
  it('gives each block once, and makes more when it is empty', async () => {
    const nextBlock = await reserveBlocks(3 * blockBytesDefault, () => undefined);
    const blocks = Array.from({ length: 5 }, () => nextBlock());
    assert.equal(new Set(blocks.map(({ buffer }) => buffer)).size, 5);
    assert.ok(blocks.every(({ length }) => length === blockBytesDefault));
  });

  it('is made in slices', async () => {
    let pauses = 0;
    const endOfSlice = (): Promise<void> => {
      pauses += 1;
      return Promise.resolve();
    };
    await reserveBlocks(64 * blockBytesDefault, endOfSlice);
    assert.ok(pauses >= 8, `${pauses} pauses`);
  });

  it('has parts in its blocks that do not overlap', async () => {
    const allocate = blockMemory(blockBytesDefault, await reserveBlocks(1, () => undefined));
    const parts = Array.from({ length: 200 }, (_none, at) => allocate(1_000).fill(at));
    assert.ok(parts.every((part, at) => part.every((byte) => byte === at)));
  });
});
