/**
 * Memory for many small things that are made one after the other and live equally long: they lie
 * in shared blocks. A buffer of its own costs some 400 bytes beside its content, and work at each
 * collection.
 *
 *     block [ a | b | c | d |    ]   [ e |        next
 *
 * A block lives for as long as anything in it, so blocks are not for what comes and goes.
 *
 * Bounds: one block at a time is not full; what is larger than a quarter of a block has memory of
 * its own.
 */

/** So many bytes that nobody else has. */
export type Allocate = (size: number) => Buffer;

export const blockBytesDefault = 64 * 1024;
/** Larger parts have memory of their own. */
export const blockPartBytesMax = blockBytesDefault / 4;
/** Parts begin at multiples of it, as those of a pool do. */
const partBytes = 8;

/** Memory of its own, of exactly this size. */
export const ownMemory: Allocate = (size) => Buffer.allocUnsafeSlow(size);

/** `nextBlock`: where blocks come from. */
export function blockMemory(
  blockBytes = blockBytesDefault,
  nextBlock = (): Buffer => ownMemory(blockBytes),
): Allocate {
  let block: Buffer = Buffer.alloc(0);
  let used = 0;
  return (size) => {
    if (size > blockBytes / 4) return ownMemory(size);
    if (used + size > block.length) {
      block = nextBlock();
      used = 0;
    }
    const start = used;
    used += Math.ceil(size / partBytes) * partBytes;
    return block.subarray(start, start + size);
  };
}
