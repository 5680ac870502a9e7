/**
 * Blocks that are made before there is anything to put into them.
 *
 * The engine looks through its whole heap each time buffers have grown by 64 MB since it did so
 * last. Whoever fills a heap with a million objects and makes the blocks for their bytes meanwhile
 * has it looked through 17 times, half full on average; all blocks made first, it is as often, but
 * there is nothing on it yet.
 *
 * Bounds: so many bytes as are asked for. They are address space until something is written there.
 */
import { blockBytesDefault, ownMemory } from './blocks.ts';
import type { EndOfSlice } from './slices.ts';

/** Between two looks at the time: each block may pay for a step of the collector. */
const blocksPerStep = 4;

/** Gives one block after another, those that were reserved first. Where there is no memory for all
 * of them there are fewer. */
export async function reserveBlocks(bytes: number, endOfSlice: EndOfSlice): Promise<() => Buffer> {
  const blocks: (Buffer | undefined)[] = [];
  const wanted = Math.ceil(bytes / blockBytesDefault);
  while (blocks.length < wanted) {
    const block = blockOrNone();
    if (block === undefined) break;
    blocks.push(block);
    const pause = blocks.length % blocksPerStep === 0 ? endOfSlice() : undefined;
    if (pause !== undefined) await pause;
  }
  let next = 0;
  return () => {
    const block = blocks[next];
    // The reserve must not keep what its users have let go of.
    blocks[next] = undefined;
    next += 1;
    return block ?? ownMemory(blockBytesDefault);
  };
}

function blockOrNone(): Buffer | undefined {
  try {
    return ownMemory(blockBytesDefault);
  } catch {
    // What is needed in the end may be less: who needs more than there is will hear of it then.
    return undefined;
  }
}
