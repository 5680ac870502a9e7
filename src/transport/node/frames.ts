/**
 * Where the frames of HTTP/2 end in what a client sends, and so the pieces that are passed on
 * before the time is looked at (read-turns.ts).
 *
 * Bound: a few numbers for each connection.
 */
import { frameHeadBytes, frameTypes, preface } from '../http2/protocol.ts';

/** A piece of HTTP/2, without the bytes of bodies. A header that is repeated takes one byte, so
 * this may be as many headers. */
export const framesBytes = 2 * 1024;
/** What a frame of a body counts for, however long it is: as much work as heads of this length. */
const dataFrameBytes = 16;

/** Pieces of `framesBytes`, and what has come of bodies between these: of a body nothing is worked
 * off but its bytes. Returns where the piece ends that begins at a position. */
export function createFrameReader(): (bytes: Uint8Array, from: number) => number {
  const reader = new FrameReader();
  return (bytes, from) => reader.pieceEnd(bytes, from);
}

class FrameReader {
  /** Bytes of a frame's head that have come, and what they say. */
  #headAt = 0;
  #length = 0;
  #type: number | undefined;
  /** Of the frame, behind its head. */
  #left = preface.length;

  pieceEnd(bytes: Uint8Array, from: number): number {
    let at = from;
    for (let counted = 0; at < bytes.length && counted < framesBytes;) {
      if (this.#left === 0) {
        counted += this.#readHead(bytes[at] as number);
        at += 1;
        continue;
      }
      const isData = this.#type === frameTypes.data;
      const most = isData ? bytes.length : Math.min(bytes.length, at + framesBytes - counted);
      const end = Math.min(most, at + this.#left);
      if (!isData) counted += end - at;
      this.#left -= end - at;
      at = end;
    }
    return at;
  }

  /** Returns what it counts for. */
  #readHead(byte: number): number {
    const at = this.#headAt;
    if (at < 3) this.#length = (this.#length << 8) | byte;
    else if (at === 3) this.#type = byte;
    this.#headAt += 1;
    if (this.#headAt < frameHeadBytes) return 1;
    this.#left = this.#length;
    this.#headAt = this.#length = 0;
    return this.#type === frameTypes.data ? 1 + dataFrameBytes - frameHeadBytes : 1;
  }
}
