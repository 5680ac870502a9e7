/**
 * One response of unknown length over HTTP/2. A chunk that many streams share is copied once for
 * each connection, into what that has to say.
 */
import type { ResponseStream } from '../http-exchange.ts';
import type { StreamedExchange } from '../streamed-exchange.ts';
import type { Http2Stream } from './stream.ts';

export class Http2ResponseStream implements ResponseStream {
  readonly #stream: Http2Stream;
  readonly #exchange: StreamedExchange;
  #drained: (() => void) | undefined;
  #isEnded = false;

  constructor(stream: Http2Stream, exchange: StreamedExchange) {
    this.#stream = stream;
    this.#exchange = exchange;
  }

  get closed(): boolean {
    return this.#isEnded || this.#exchange.closed;
  }

  write(chunk: Uint8Array, shared = false): boolean {
    if (this.closed) return true;
    this.#exchange.count(chunk.byteLength);
    return this.#stream.write(chunk, shared);
  }

  /** The socket calls back for each write; those of many streams are one. */
  get settlesLater(): boolean {
    return this.#stream.isAlone;
  }

  onDrain(callback: () => void): void {
    this.#drained = callback;
  }

  drained(): void {
    if (!this.closed) this.#drained?.();
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
