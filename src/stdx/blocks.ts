/**
 * Memory for many small things that are made one after the other and live equally long: they lie
 * in shared blocks. A buffer of its own costs some 400 bytes beside its content, and work at each
 * collection. It may cost milliseconds, too: while the engine marks its heap because buffers have
 * grown by 64 MB, it does some 5 ms of that in each call that makes one. A hundred made in one turn
 * can hold everybody up for as long as the heap takes.
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

/** For what is gone soon: a small one lies in node's pool. */
export const pooledMemory: Allocate = (size) => Buffer.allocUnsafe(size);

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

/** This memory, from its beginning, and a pool for what does not fit behind it. */
export function memoryWithin({ buffer, byteLength, byteOffset }: Uint8Array): Allocate {
  const memory = Buffer.from(buffer, byteOffset, byteLength);
  let used = 0;
  return (size) => {
    if (used + size > memory.length) return pooledMemory(size);
    used += size;
    return memory.subarray(used - size, used);
  };
}
