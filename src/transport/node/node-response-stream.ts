/**
 * One response of unknown length on node's HTTP.
 *
 * HTTP/1.1: node's own response writes a chunk as four pieces, and each costs a pass through its
 * layers; for a broadcast that is most of what it costs. So the framing is made here, once for all
 * streams that share a chunk, and goes to the socket of the response in one write. Node writes the
 * head before and the last chunk after it.
 *
 *     queued behind an answer ahead (pipelining): node's response, which keeps it
 *     the socket is this response's:              framed, to the socket
 *
 * Invariants
 *  - Only the socket that node has given to this response is written to, and only when the head is
 *    in it: node gives a response its socket when the answers ahead of it are complete, and then
 *    writes what it kept before anything else. Everything goes through the socket's own queue, so
 *    what node writes to it (head, last chunk) and what is written here keep their order.
 *  - The head says `Transfer-Encoding: chunked`; for HTTP/1.0, which has no chunks, nothing is
 *    framed.
 *  - `false` is what the queue of the socket says; there is one `drain` for it.
 */
import type { ServerResponse } from 'node:http';
import type { ResponseStream } from '../http-exchange.ts';
import type { StreamedExchange } from '../streamed-exchange.ts';
import type { FramedChunks } from './framed-chunks.ts';

/** The head has been written, and says that chunks follow. */
export class ChunkedResponseStream implements ResponseStream {
  /** Node calls back for each write. */
  readonly settlesLater = true;
  readonly #res: ServerResponse;
  readonly #exchange: StreamedExchange;
  readonly #frames: FramedChunks;
  #blocked = false;
  #isEnded = false;
  #drained: (() => void) | undefined;
  /** Made at the first stall. */
  #onDrain: (() => void) | undefined;

  constructor(res: ServerResponse, exchange: StreamedExchange, frames: FramedChunks) {
    this.#res = res;
    this.#exchange = exchange;
    this.#frames = frames;
  }

  get closed(): boolean {
    return this.#isEnded || this.#exchange.closed;
  }

  write(chunk: Uint8Array, shared = false): boolean {
    if (this.closed || chunk.byteLength === 0) return !this.#blocked;
    this.#exchange.count(chunk.byteLength);
    const { socket } = this.#res;
    if (socket === null) return this.#queue(chunk);
    // The client has half-closed, and has gone; 'close' is on its way.
    if (!socket.writable) return false;
    if (!socket.write(this.#frames.of(chunk, shared)) && !this.#blocked) {
      this.#block();
      socket.once('drain', this.#onDrain as () => void);
    }
    return !this.#blocked;
  }

  onDrain(callback: () => void): void {
    this.#drained = callback;
  }

  end(): void {
    if (this.closed) return;
    this.#isEnded = true;
    this.#exchange.finish();
  }

  abort(): void {
    if (!this.closed) this.#exchange.cut();
  }

  /** Behind an answer ahead of it. */
  #queue(chunk: Uint8Array): boolean {
    if (!this.#res.write(Buffer.from(chunk)) && !this.#blocked) {
      this.#block();
      this.#res.once('drain', this.#onDrain as () => void);
    }
    return !this.#blocked;
  }

  #block(): void {
    this.#blocked = true;
    this.#onDrain ??= () => {
      this.#blocked = false;
      if (!this.closed) this.#drained?.();
    };
  }
}

/** HTTP/1.0, which has no chunks: the body ends with its connection. */
export class PassedResponseStream implements ResponseStream {
  readonly #res: ServerResponse;
  readonly #exchange: StreamedExchange;
  #isEnded = false;
  #drained: (() => void) | undefined;

  constructor(res: ServerResponse, exchange: StreamedExchange) {
    this.#res = res;
    this.#exchange = exchange;
    res.on('drain', () => {
      if (!this.closed) this.#drained?.();
    });
  }

  get closed(): boolean {
    return this.#isEnded || this.#exchange.closed;
  }

  write(chunk: Uint8Array, shared = false): boolean {
    const res = this.#res;
    if (this.closed || chunk.byteLength === 0) return !res.writableNeedDrain;
    this.#exchange.count(chunk.byteLength);
    return res.write(shared ? asBuffer(chunk) : Buffer.from(chunk));
  }

  onDrain(callback: () => void): void {
    this.#drained = callback;
  }

  end(): void {
    if (this.closed) return;
    this.#isEnded = true;
    this.#exchange.finish();
  }

  abort(): void {
    if (!this.closed) this.#exchange.cut();
  }
}

/** The same memory. */
function asBuffer(bytes: Uint8Array): Buffer {
  if (Buffer.isBuffer(bytes)) return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
