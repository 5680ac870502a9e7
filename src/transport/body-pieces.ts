/**
 * The bytes of a body as it comes, in pieces of any size.
 *
 * Elsewhere: the limit on them (request-body.ts).
 *
 * A large body whose length is known has memory of its size, into which each piece is copied as it
 * comes: joined at the end, all of it would be copied in one turn.
 *
 * Invariant: what is kept takes at most twice its bytes and 1 KiB, however small the pieces are:
 * a body may come a byte at a time, and an object for each would be a hundred bytes of memory. Of a
 * length that was said, memory is touched only as far as bytes have come.
 */

/** Larger ones are kept as they are, and so is the first, unless they fit behind small ones. */
const smallBytesMax = 4 * 1024;
const blockBytesMin = 1024;
const blockBytesMax = 64 * 1024;

/** A smaller body is soon joined. */
const wholeBytesMin = 128 * 1024;

export class BodyPieces {
  readonly #isOwned: boolean;
  /** Of a body whose length is known. */
  #whole: Buffer | undefined;
  #pieces: Uint8Array[] = [];
  /** Small pieces are copied into it; what is full is one of the pieces. */
  #block: Buffer | undefined;
  #blockBytes = 0;
  #bytes = 0;

  /** `isOwned`: what is added may be kept; otherwise it is copied. */
  constructor(isOwned: boolean) {
    this.#isOwned = isOwned;
  }

  /** So many bytes will come, with those that have. */
  expect(bytes: number): void {
    if (bytes < wholeBytesMin || bytes < this.#bytes) return;
    const before = this.take();
    this.#whole = Buffer.allocUnsafeSlow(bytes);
    if (before.byteLength > 0) this.add(before);
  }

  add(piece: Uint8Array): void {
    if (this.#whole !== undefined && this.#bytes + piece.byteLength <= this.#whole.length) {
      this.#whole.set(piece, this.#bytes);
      this.#bytes += piece.byteLength;
      return;
    }
    this.#endWhole();
    const isFirst = this.#bytes === 0;
    this.#bytes += piece.byteLength;
    if (!isFirst && (piece.byteLength <= smallBytesMax || this.#hasRoomFor(piece))) {
      return this.#copy(piece);
    }
    this.#closeBlock();
    this.#pieces.push(this.#isOwned ? piece : Buffer.from(piece));
  }

  /** All of them; nothing is kept. */
  take(): Uint8Array {
    this.#endWhole();
    this.#closeBlock();
    const [first] = this.#pieces;
    const isOne = first !== undefined && this.#pieces.length === 1;
    const bytes = isOne ? first : Buffer.concat(this.#pieces, this.#bytes);
    this.clear();
    return bytes;
  }

  clear(): void {
    this.#pieces = [];
    this.#whole = undefined;
    this.#block = undefined;
    this.#blockBytes = 0;
    this.#bytes = 0;
  }

  /** All of it has come, or more than was said. */
  #endWhole(): void {
    if (this.#whole === undefined) return;
    if (this.#bytes > 0) this.#pieces.push(this.#whole.subarray(0, this.#bytes));
    this.#whole = undefined;
  }

  #hasRoomFor(piece: Uint8Array): boolean {
    return (this.#block?.length ?? 0) - this.#blockBytes >= piece.byteLength;
  }

  #copy(piece: Uint8Array): void {
    if (!this.#hasRoomFor(piece)) {
      this.#closeBlock();
      // As much again as there is, so that small bodies have small blocks.
      const wanted = Math.min(Math.max(this.#bytes, blockBytesMin), blockBytesMax);
      this.#block = Buffer.allocUnsafeSlow(wanted);
    }
    this.#block?.set(piece, this.#blockBytes);
    this.#blockBytes += piece.byteLength;
  }

  #closeBlock(): void {
    if (this.#block !== undefined) this.#pieces.push(this.#block.subarray(0, this.#blockBytes));
    this.#block = undefined;
    this.#blockBytes = 0;
  }
}
