/**
 * Where the frames of HTTP/2 end in what a client sends, and so the pieces that are passed on
 * before the time is looked at (read-turns.ts); and the heads in them (head-fields.ts).
 *
 * Bound: a few numbers for each connection.
 */
import type { HeadFields } from './head-fields.ts';

/** A piece of HTTP/2, without the bytes of bodies. A header that is repeated takes one byte, so
 * this may be as many headers. */
export const framesBytes = 2 * 1024;
/** What a frame of a body counts for, however long it is: as much work as heads of this length. */
const dataFrameBytes = 16;
/** What a frame counts for that resets a stream: to make and close one takes a fraction of a
 * millisecond in a process where nothing is compiled yet. */
const resetFrameBytes = 128;

const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'.length;
const frameHeadBytes = 9;
const dataType = 0;
const headersType = 1;
const resetType = 3;
const continuationType = 9;

export interface FrameEvents {
  /** The piece holds the end of a frame that resets a stream. */
  onReset?(): void;
  readonly heads?: HeadFields | undefined;
}

/** Pieces of `framesBytes`, and what has come of bodies between these: of a body nothing is worked
 * off but its bytes. Returns where the piece ends that begins at a position. */
export function createFrameReader(
  events: FrameEvents = {},
): (bytes: Uint8Array, from: number) => number {
  const reader = new FrameReader(events);
  return (bytes, from) => reader.pieceEnd(bytes, from);
}

class FrameReader {
  readonly #events: FrameEvents;
  /** Bytes of a frame's head that have come, and what they say. */
  #headAt = 0;
  #length = 0;
  #type: number | undefined;
  #flags = 0;
  #stream = 0;
  /** Of the frame, behind its head. */
  #left = preface;

  constructor(events: FrameEvents) {
    this.#events = events;
  }

  pieceEnd(bytes: Uint8Array, from: number): number {
    let at = from;
    for (let counted = 0; at < bytes.length && counted < framesBytes;) {
      if (this.#left === 0) {
        counted += this.#readHead(bytes[at] as number);
        at += 1;
        continue;
      }
      const isData = this.#type === dataType;
      const most = isData ? bytes.length : Math.min(bytes.length, at + framesBytes - counted);
      const end = Math.min(most, at + this.#left);
      if (!isData) counted += end - at;
      counted += this.#readRest(bytes, at, end);
      at = end;
    }
    return at;
  }

  /** Returns what it counts for. */
  #readHead(byte: number): number {
    const at = this.#headAt;
    if (at < 3) this.#length = (this.#length << 8) | byte;
    else if (at === 3) this.#type = byte;
    else if (at === 4) this.#flags = byte;
    else this.#stream = at === 5 ? byte & 0x7f : (this.#stream << 8) | byte;
    this.#headAt += 1;
    if (this.#headAt < frameHeadBytes) return 1;
    this.#left = this.#length;
    this.#headAt = this.#length = 0;
    if (this.#type === dataType) return 1 + dataFrameBytes - frameHeadBytes;
    if (this.#holdsHeaders) {
      this.#events.heads?.begin({
        begins: this.#type === headersType,
        flags: this.#flags,
        stream: this.#stream,
        length: this.#left,
      });
    }
    return 1;
  }

  /** Returns what it counts for beside its bytes. */
  #readRest(bytes: Uint8Array, from: number, to: number): number {
    this.#left -= to - from;
    if (this.#holdsHeaders) this.#events.heads?.read(bytes, from, to);
    if (this.#type !== resetType || this.#left > 0) return 0;
    this.#events.onReset?.();
    return resetFrameBytes;
  }

  get #holdsHeaders(): boolean {
    return this.#type === headersType || this.#type === continuationType;
  }
}
