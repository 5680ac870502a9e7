/**
 * Memory that frames are written to, used again when the socket has taken what was in it. A buffer
 * for each write would be as much garbage as all that is sent, outside of the engine's heap, and
 * the engine would look at all of its heap for each 64 MB of it.
 *
 * Invariant: a block is its taker's alone until it is given back.
 * Bound: of each size a megabyte waits to be used again; taken are as many blocks as there are
 * writes that no socket has taken.
 */

/** The largest one. */
export const blockBytesMax = 64 * 1024;
const sizes = [4 * 1024, 16 * 1024, blockBytesMax] as const;
const keptBytes = 1024 * 1024;

export class WriteBlocks {
  readonly #kept: readonly Buffer[][] = sizes.map(() => []);

  /** One that holds so many bytes. */
  take(bytes: number): Buffer {
    const place = sizes.findIndex((size) => bytes <= size);
    return this.#kept[place]?.pop() ?? Buffer.allocUnsafeSlow(sizes[place] ?? bytes);
  }

  give(block: Buffer): void {
    const kept = this.#kept[sizes.findIndex((size) => size === block.length)];
    if (kept !== undefined && (kept.length + 1) * block.length <= keptBytes) kept.push(block);
  }
}
