/**
 * Where the bytes of one resource's entries lie: in blocks, one written behind the other, as in a
 * log. A buffer of its own for each write would cost some 400 bytes beside its content, and the
 * engine, while it marks its heap because buffers have grown by 64 MB, does milliseconds of that in
 * each call that makes one.
 *
 *     writes ─▶ [ a1 b1 a2 c1 | a3 a4 b2 … ]      a1 a2 a3 b1 are superseded
 *                 sparse: c1 is moved behind b2, and the block goes with its last reader
 *
 * Invariants: a block of which less than half is of the state, and that is not written to, is
 * handed to its owner, once, who moves what is left (takeSparse); nothing is ever written over,
 * for readers, the history and snapshots may still have it.
 * Bounds: blocks have at most an eighth of what was ever written here, and `blockBytesMax`; what is
 * larger than a quarter of a block has memory of its own. Moving costs at most one byte for each
 * that was superseded.
 */
import { blockBytesDefault, ownMemory } from '../src/stdx/blocks.ts';
import type { EntryKey } from './streams.ts';

export const entryMemoryLimits = {
  blockBytesMin: 4 * 1024,
  blockBytesMax: blockBytesDefault,
  /** Of a block, for one entry. */
  partShare: 1 / 4,
  /** Of all bytes that were written, for the block that is written to. */
  writtenShare: 1 / 8,
  /** Of a block: less that is of the state makes it sparse. */
  stateShare: 1 / 2,
} as const;

const partBytes = 8;

export interface EntryBlock {
  readonly memory: Buffer;
  /** Of entries that were put here, some of them more than once. */
  readonly keys: EntryKey[];
  used: number;
  /** Bytes of entries that are of the state. */
  stateBytes: number;
}

export class EntryMemory {
  readonly #blocks = new Map<ArrayBufferLike, EntryBlock>();
  readonly #sparse: EntryBlock[] = [];
  #open: EntryBlock | undefined;
  #written = 0;

  /** For the next entry: `kept` says afterwards that the state has it. */
  readonly allocate = (size: number): Buffer => {
    this.#written += size;
    const block = this.#blockFor(size);
    if (block === undefined) return ownMemory(size);
    const start = block.used;
    block.used += Math.ceil(size / partBytes) * partBytes;
    return block.memory.subarray(start, start + size);
  };

  kept(key: EntryKey, bytes: Uint8Array): void {
    const block = this.#blocks.get(bytes.buffer);
    if (block === undefined) return;
    block.keys.push(key);
    block.stateBytes += bytes.length;
  }

  superseded(bytes: Uint8Array): void {
    const block = this.#blocks.get(bytes.buffer);
    if (block === undefined) return;
    block.stateBytes -= bytes.length;
    if (block !== this.#open) this.#letGo(block);
  }

  /** The next block whose entries are to be moved. */
  takeSparse(): EntryBlock | undefined {
    return this.#sparse.pop();
  }

  #blockFor(size: number): EntryBlock | undefined {
    const open = this.#open;
    if (open !== undefined && open.used + size <= open.memory.length) {
      return size > open.memory.length * entryMemoryLimits.partShare ? undefined : open;
    }
    const bytes = blockBytesAfter(this.#written);
    if (size > bytes * entryMemoryLimits.partShare) return undefined;
    const block = { memory: ownMemory(bytes), keys: [], used: 0, stateBytes: 0 };
    this.#blocks.set(block.memory.buffer, block);
    this.#open = block;
    if (open !== undefined) this.#letGo(open);
    return block;
  }

  /** Not written to any more. */
  #letGo(block: EntryBlock): void {
    if (block.stateBytes >= block.memory.length * entryMemoryLimits.stateShare) return;
    this.#blocks.delete(block.memory.buffer);
    if (block.stateBytes > 0) this.#sparse.push(block);
  }
}

/** A power of two; 0: too little was written. */
function blockBytesAfter(written: number): number {
  const { blockBytesMax, blockBytesMin, writtenShare } = entryMemoryLimits;
  const most = Math.min(written * writtenShare, blockBytesMax);
  return most < blockBytesMin ? 0 : 2 ** Math.floor(Math.log2(most));
}
