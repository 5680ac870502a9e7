/**
 * A connection of node's HTTP/1.1 that both sides use as they like (101 Switching Protocols).
 *
 * Invariants: bytes go to the socket in the order in which they are written; `false` is what its
 * queue says, and there is one `drain` for it. When the client half-closes, the other direction
 * goes on until it is ended.
 */
import type { Socket } from 'node:net';
import type { Conversation, Receiver } from '../http-exchange.ts';
import type { StreamedExchange } from '../streamed-exchange.ts';

/** A client that vanishes without a word is noticed after some minutes. */
const keepAliveMs = 30_000;

export class NodeByteStream implements Conversation {
  readonly settlesLater = true;
  readonly #socket: Socket;
  readonly #exchange: StreamedExchange;
  #blocked = false;
  #drained: (() => void) | undefined;
  /** end() was called: all has been said. */
  isEnded = false;

  constructor(socket: Socket, exchange: StreamedExchange) {
    this.#socket = socket;
    this.#exchange = exchange;
    socket.setKeepAlive(true, keepAliveMs);
    socket.on('drain', () => {
      this.#blocked = false;
      if (!this.closed) this.#drained?.();
    });
  }

  get closed(): boolean {
    return this.isEnded || this.#exchange.closed;
  }

  /** Bytes that the socket has not taken. */
  get unreadBytes(): number {
    return this.#socket.writableLength;
  }

  write(bytes: Uint8Array): boolean {
    if (this.closed || !this.#socket.writable) return !this.#blocked;
    this.#exchange.count(bytes.byteLength);
    // Copied: the socket keeps what it cannot send at once.
    this.#blocked = !this.#socket.write(Buffer.from(bytes));
    return !this.#blocked;
  }

  onDrain(callback: () => void): void {
    this.#drained = callback;
  }

  receive(receiver: Receiver): void {
    this.#socket.on('data', (bytes: Uint8Array) => receiver.data(bytes, false));
    this.#socket.on('end', () => receiver.end());
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    if (!this.#socket.destroyed) this.#socket.resume();
  }

  end(): void {
    if (this.closed) return;
    this.isEnded = true;
    this.#socket.destroySoon();
  }

  abort(): void {
    if (!this.#exchange.closed) this.#exchange.cut();
  }
}
