/**
 * Cuts what a client sends into frames (RFC 9113, 4.1).
 *
 * Invariants: each frame is shown once, whole, in its order; its payload is a view of what was
 * read, or a copy where it came in several reads, and may be kept. Nothing is shown of a frame that
 * is larger than may be, nor behind one.
 * Bound: of a frame that has not come whole, what has come of it is kept: at most
 * `frameBytesMin` and as much again.
 */
import { GatheredBytes } from '../../stdx/gathered-bytes.ts';
import { frameBytesMin, frameHeadBytes, preface, readUint31 } from './protocol.ts';

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Uint8Array;
}

/** `not HTTP/2`: what stands in place of the preface. */
export type BrokenFraming = 'not HTTP/2' | 'frame too large';

export class FrameParser {
  readonly #onFrame: (frame: Frame) => void;
  #prefaceAt = 0;
  /** Of a frame that has not come whole: its head and what has come of its payload. */
  #part: GatheredBytes | undefined;

  constructor(onFrame: (frame: Frame) => void) {
    this.#onFrame = onFrame;
  }

  /** `goesOn` is asked before each frame. Undefined: all is well. */
  take(bytes: Uint8Array, goesOn: () => boolean): BrokenFraming | undefined {
    let at = this.#prefaceAt < preface.length ? this.#takePreface(bytes) : 0;
    if (at < 0) return 'not HTTP/2';
    while (at < bytes.length && goesOn()) {
      const part = this.#part;
      if (part !== undefined) {
        at = this.#completePart(part, bytes, at);
      } else {
        const length = bytes.length - at < frameHeadBytes ? undefined : payloadBytes(bytes, at);
        if (length !== undefined && length > frameBytesMin) return 'frame too large';
        const end = at + frameHeadBytes + (length ?? 0);
        if (length === undefined || end > bytes.length) {
          this.#part = new GatheredBytes();
          this.#part.add(bytes.subarray(at));
          at = bytes.length;
        } else {
          this.#show(bytes, at, end);
          at = end;
        }
      }
      if (at < 0) return 'frame too large';
    }
    return undefined;
  }

  #takePreface(bytes: Uint8Array): number {
    let at = 0;
    while (at < bytes.length && this.#prefaceAt < preface.length) {
      if (bytes[at] !== preface[this.#prefaceAt]) return -1;
      at += 1;
      this.#prefaceAt += 1;
    }
    return at;
  }

  /** Returns where the bytes go on; negative: the frame is too large. */
  #completePart(part: GatheredBytes, bytes: Uint8Array, from: number): number {
    const headEnd = Math.min(bytes.length, from + Math.max(0, frameHeadBytes - part.size));
    part.add(bytes.subarray(from, headEnd));
    if (part.size < frameHeadBytes) return headEnd;
    const length = payloadBytes(part.whole(), 0);
    if (length > frameBytesMin) return -1;
    const end = Math.min(bytes.length, headEnd + frameHeadBytes + length - part.size);
    part.add(bytes.subarray(headEnd, end));
    if (part.size === frameHeadBytes + length) {
      this.#part = undefined;
      this.#show(part.whole(), 0, part.size);
    }
    return end;
  }

  #show(bytes: Uint8Array, from: number, to: number): void {
    this.#onFrame({
      type: bytes[from + 3] as number,
      flags: bytes[from + 4] as number,
      stream: readUint31(bytes, from + 5),
      payload: bytes.subarray(from + frameHeadBytes, to),
    });
  }
}

function payloadBytes(bytes: Uint8Array, at: number): number {
  const high = ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8);
  return high | (bytes[at + 2] as number);
}
