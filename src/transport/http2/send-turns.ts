/**
 * Which stream of a connection sends next: those that are ready send a frame each, by turns, within
 * the windows of both, until the socket has enough (RFC 9113, 5.2).
 *
 *     something is queued, and the stream has a window ─▶ ready ─▶ a frame ─▶ ready again
 *     only the end of an answer is left                ─▶ finishing: it takes no window
 *
 * Invariants: a stream waits in one of the two, once. A window that is taken away while a stream
 * waits holds it up; who changes windows makes it ready again.
 */
import { RingBuffer } from '../../stdx/ring-buffer.ts';
import type { FrameWriter } from './frame-writer.ts';
import { flags, frameBytesMin, noBytes, windowAtFirst } from './protocol.ts';
import type { PeerSettings } from './settings.ts';
import type { Http2Stream } from './stream.ts';

export class SendTurns {
  readonly #writer: FrameWriter;
  readonly #peer: PeerSettings;
  readonly #onSent: (stream: Http2Stream) => void;
  readonly #ready = new RingBuffer<Http2Stream>();
  readonly #finishing = new RingBuffer<Http2Stream>();
  /** Of the connection. */
  window = windowAtFirst;

  /** `onSent`: the whole answer of a stream is on its way. */
  constructor(writer: FrameWriter, peer: PeerSettings, onSent: (stream: Http2Stream) => void) {
    this.#writer = writer;
    this.#peer = peer;
    this.#onSent = onSent;
  }

  windowOf(stream: Http2Stream): number {
    return this.#peer.window + stream.credit;
  }

  /** So many bytes would not be queued. */
  sendsNow(stream: Http2Stream, bytes: number): boolean {
    if (this.#writer.isBlocked || this.#ready.length > 0 || stream.queuedBytes > 0) return false;
    return bytes <= Math.min(this.windowOf(stream), this.window, frameBytesMin);
  }

  makeReady(stream: Http2Stream): void {
    if (stream.isReady || stream.closed || stream.isSent) return;
    const isFinishing = stream.queuedBytes === 0;
    if (isFinishing ? !stream.isSendEnded : this.windowOf(stream) <= 0) return;
    stream.isReady = true;
    if (isFinishing) this.#finishing.push(stream);
    else this.#ready.push(stream);
  }

  send(): void {
    while (this.#finishing.length > 0 && !this.#writer.isBlocked) {
      this.#sendSome(this.#finishing.shift());
    }
    while (this.#ready.length > 0 && this.window > 0 && !this.#writer.isBlocked) {
      this.#sendSome(this.#ready.shift());
    }
  }

  clear(): void {
    this.#ready.clear();
    this.#finishing.clear();
  }

  #sendSome(stream: Http2Stream): void {
    stream.isReady = false;
    const bytesMax = Math.min(this.window, this.windowOf(stream), frameBytesMin);
    // Its window may have been taken away meanwhile.
    if (stream.closed || (stream.queuedBytes > 0 && bytesMax <= 0)) return;
    const part = stream.next(bytesMax);
    const bytes = part === undefined ? 0 : part.to - part.from;
    const isLast = stream.isSendEnded && stream.queuedBytes === 0;
    const flagBits = isLast ? flags.endStream : 0;
    if (part !== undefined) {
      this.window -= bytes;
      stream.credit -= bytes;
      this.#writer.data(stream.id, part.chunk, part.from, part.to, flagBits);
    } else if (isLast) this.#writer.data(stream.id, noBytes, 0, 0, flagBits);
    stream.sent(bytes, this.#writer.position);
    if (isLast) return this.#onSent(stream);
    if (stream.queuedBytes > 0) this.makeReady(stream);
    else stream.tellDrained();
  }
}
