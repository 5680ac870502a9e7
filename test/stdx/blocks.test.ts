/** Memory in shared blocks: nothing overlaps, and what is large has its own. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { blockMemory } from '../../src/stdx/blocks.ts';

describe('memory in blocks', () => {
  it('is of the size asked for, and no part overlaps another', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(40_000), { maxLength: 60 }), (sizes) => {
        const allocate = blockMemory();
        const parts = sizes.map((size, i) => allocate(size).fill(i));
        for (const [i, part] of parts.entries()) {
          assert.equal(part.length, sizes[i]);
          assert.ok(part.every((byte) => byte === i));
        }
      }),
    );
  });

  it('is shared by small parts, and of its own for a large one', () => {
    const allocate = blockMemory();
    const [a, b, large] = [allocate(100), allocate(100), allocate(20_000)];
    assert.equal(a.buffer, b.buffer);
    assert.equal(large.buffer.byteLength, 20_000);
  });
});
