/**
 * Bytes that come in pieces, as one run. A small piece that is kept would keep the memory of all
 * that was read with it, and be an object of its own, larger than what it holds.
 *
 * Bound: twice what has been added; how much that is its owner says.
 */
export class GatheredBytes {
  #memory: Buffer = Buffer.alloc(0);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** A copy is kept. */
  add(piece: Uint8Array): void {
    const size = this.#size + piece.length;
    if (size > this.#memory.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(size, 2 * this.#size));
      this.#memory.copy(larger, 0, 0, this.#size);
      this.#memory = larger;
    }
    this.#memory.set(piece, this.#size);
    this.#size = size;
  }

  /** Shared with it: what is added later may change nothing of it. */
  whole(): Buffer {
    return this.#memory.subarray(0, this.#size);
  }
}
