/**
 * One chunked response on uWebSockets.js.
 *
 * Two properties of that library shape this file. A chunk that does not fit its cork buffer is
 * written after the buffer, and is dropped when that first write meets a full socket: so no write
 * in a cork is ever larger than the buffer. And a corked write that fits reports success although
 * the flush behind it may fail: so a backed-up socket is noticed one write later.
 *
 *     flowing --write says false--> blocked --writable--> probing --small write accepted--> flowing
 *                                      ^                     |
 *                                      +----- refused -------+
 *
 * Probing: the library flushes what it holds but cannot say whether that was everything, so the
 * next write starts with a small piece and goes on only if that one is accepted.
 *
 * Ending: what a backed-up socket has not taken when end() is called is written as the socket takes
 * it, and only then is the library told of the end. It cuts a reader who takes nothing of an ended
 * response for 10 s, whatever the idle timeout says.
 *
 * Bounds: the library holds at most one piece more than the socket took, plus a probe per writable
 * event; the rest of the chunk that met the full socket is kept here, as a copy.
 */
import type { ResponseStream } from '../http-exchange.ts';
import type { UwsResponse } from './uws-binding.ts';

/** The cork buffer is 16 KiB; chunk framing takes at most 10 bytes of it. */
const pieceBytesMax = 16 * 1024 - 64;
const probeBytesMax = 1024;

const nothing = (): void => {};
const noBytes = new Uint8Array(0);

/**
 * How responses of one server are written to: one function to be corked serves them all, for an
 * audience of thousands leaves the caches of the processor little room for one each.
 *
 * Methods are called as such, `res.cork(...)`, and not kept and called: of a method that it finds
 * at the call the engine knows that it is the library's and goes there directly.
 */
export class UwsWrites {
  #res: UwsResponse;
  #piece: Uint8Array = noBytes;
  #accepted = true;
  readonly #corked = (): void => {
    this.#accepted = this.#res.write(this.#piece);
  };

  /** Any response of the server. */
  constructor(res: UwsResponse) {
    this.#res = res;
  }

  /** What `write` says. The library runs what is corked before it returns. */
  send(res: UwsResponse, piece: Uint8Array): boolean {
    this.#res = res;
    // The same for a whole audience.
    if (this.#piece !== piece) this.#piece = piece;
    res.cork(this.#corked);
    return this.#accepted;
  }
}

/** The listener of a response's events. */
export interface ResponseWatcher {
  /** Its socket has not taken everything. Called again each time that it has taken a part. */
  blocked(): void;
  /** The library has been given all of it, and its end. */
  finished(): void;
}

export class UwsResponseStream implements ResponseStream {
  readonly preambleSent = true;
  /** Bytes that were written. */
  sentBytes = 0;
  readonly #res: UwsResponse;
  readonly #writes: UwsWrites;
  readonly #watcher: ResponseWatcher;
  /** Takes no more chunks. */
  #closed = false;
  /** Closed by end(), with bytes that the socket has yet to take. */
  #ending = false;
  #blocked = false;
  #probing = false;
  /** What a backed-up socket has not taken: only while blocked. */
  #rest: Uint8Array[] = [];
  #drained: (() => void) | undefined;

  /** The head has been written. */
  constructor(res: UwsResponse, writes: UwsWrites, watcher: ResponseWatcher) {
    this.#res = res;
    this.#writes = writes;
    this.#watcher = watcher;
    res.onWritable(() => {
      this.#writable();
      return true;
    });
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** It waits for its socket. */
  get isBlocked(): boolean {
    return this.#blocked;
  }

  write(chunk: Uint8Array): boolean {
    // Not byteLength, which the engine asks a function for.
    const { length } = chunk;
    if (this.#closed || length === 0) return !this.#blocked;
    this.sentBytes += length;
    if (this.#blocked) {
      this.#rest.push(copyOf(chunk, 0));
      return false;
    }
    const taken = this.#push(chunk);
    if (taken < length) this.#rest.push(copyOf(chunk, taken));
    return !this.#blocked;
  }

  onDrain(callback: () => void): void {
    this.#drained = callback;
  }

  end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#drained = undefined;
    if (this.#blocked) this.#ending = true;
    else this.#finish();
  }

  abort(): void {
    if (this.#closed && !this.#ending) return;
    this.gone();
    this.#res.close();
  }

  /** The connection is no longer ours: forget what was to be sent. */
  gone(): void {
    this.#closed = true;
    this.#ending = false;
    this.#rest = [];
    this.#drained = undefined;
  }

  #finish(): void {
    this.gone();
    this.#res.cork(() => this.#res.end());
    this.#watcher.finished();
  }

  /** Writes until the socket is backed up; returns the bytes taken. Sets blocked. */
  #push(chunk: Uint8Array): number {
    let at = 0;
    const { length } = chunk;
    while (at < length && !this.#blocked) {
      const size = this.#probing ? probeBytesMax : pieceBytesMax;
      const piece = at === 0 && length <= size ? chunk : chunk.subarray(at, at + size);
      at += piece.length;
      if (this.#writes.send(this.#res, piece)) this.#probing = false;
      else {
        this.#blocked = true;
        this.#watcher.blocked();
      }
    }
    return at;
  }

  #writable(): void {
    if (this.#closed && !this.#ending) return;
    // An empty cork flushes what the library holds; nothing else does while a handler is set.
    this.#res.cork(nothing);
    if (!this.#blocked) return;
    this.#blocked = false;
    this.#probing = true;
    while (this.#rest.length > 0) {
      const first = this.#rest[0] as Uint8Array;
      const taken = this.#push(first);
      if (taken < first.byteLength) this.#rest[0] = first.subarray(taken);
      else this.#rest.shift();
      if (this.#blocked) return;
    }
    if (this.#ending) this.#finish();
    else this.#drained?.();
  }
}

/** Not slice(): of a Buffer that is a view, and the caller uses its memory again. */
function copyOf(chunk: Uint8Array, from: number): Uint8Array {
  return Uint8Array.prototype.slice.call(chunk, from);
}
