/**
 * One response as messages of a WebSocket on a connection of node's HTTP/1.1, or a conversation in
 * such.
 *
 * Invariants: every message is taken whole; `false` is what the queue of the socket says, and there
 * is one `drain` for it. Pings are not answered while the socket is backed up: whoever reads
 * nothing would have it grow.
 */
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Conversation, Receiver } from '../http-exchange.ts';
import { normalClosure } from '../web-socket.ts';
import type { StreamedExchange } from './node-response-stream.ts';

export class NodeMessageStream implements Conversation {
  /** Node calls back for each write. */
  readonly settlesLater = true;
  readonly #webSocket: WebSocket;
  readonly #socket: Socket;
  readonly #exchange: StreamedExchange;
  readonly #isText: boolean;
  #blocked = false;
  #drained: (() => void) | undefined;
  /** end() was called: all has been said. */
  isEnded = false;

  constructor(webSocket: WebSocket, socket: Socket, exchange: StreamedExchange, isText: boolean) {
    this.#webSocket = webSocket;
    this.#socket = socket;
    this.#exchange = exchange;
    this.#isText = isText;
    webSocket.on('ping', (data) => {
      if (!this.closed && !socket.writableNeedDrain) webSocket.pong(data);
    });
  }

  get closed(): boolean {
    return this.#exchange.closed || this.#webSocket.readyState !== this.#webSocket.OPEN;
  }

  /** Bytes that the socket has not taken. */
  get unreadBytes(): number {
    return this.#socket.writableLength;
  }

  write(message: Uint8Array): boolean {
    if (this.closed || message.byteLength === 0) return !this.#blocked;
    this.#exchange.count(message.byteLength);
    // The library keeps what it is given until the socket has it.
    this.#webSocket.send(Buffer.from(message), { binary: !this.#isText, compress: false });
    if (this.#socket.writableNeedDrain && !this.#blocked) {
      this.#blocked = true;
      this.#socket.once('drain', () => {
        this.#blocked = false;
        if (!this.closed) this.#drained?.();
      });
    }
    return !this.#blocked;
  }

  together(write: () => void): void {
    this.#socket.cork();
    write();
    this.#socket.uncork();
  }

  onDrain(callback: () => void): void {
    this.#drained = callback;
  }

  receive(receiver: Receiver): void {
    this.#webSocket.on('message', (data, isBinary) => {
      // One buffer, as the library is asked for.
      if (Buffer.isBuffer(data)) receiver.data(data, !isBinary);
    });
    this.#webSocket.on('close', () => receiver.end());
  }

  pause(): void {
    this.#webSocket.pause();
  }

  resume(): void {
    this.#webSocket.resume();
  }

  end(): void {
    if (this.closed) return;
    this.isEnded = true;
    // A paused one would not read the client's goodbye.
    this.#webSocket.resume();
    this.#webSocket.close(normalClosure);
  }

  abort(): void {
    if (!this.#exchange.closed) this.#exchange.cut();
  }
}
