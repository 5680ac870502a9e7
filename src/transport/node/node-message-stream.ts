/**
 * One response as messages of a WebSocket on a connection of node's HTTP/1.1, or a conversation in
 * such.
 *
 * Messages that are written one behind the other are one write: each that waits in a socket costs
 * an error of its own when the client goes.
 *
 * Invariants: every message is taken whole; `false` is what the queue of the socket says, and there
 * is one `drain` for it.
 */
import type { Socket } from 'node:net';
import { RingBuffer } from '../../stdx/ring-buffer.ts';
import type { Conversation, Receiver } from '../http-exchange.ts';
import type { MessageTurns } from '../message-turns.ts';
import { framed, normalClosure } from '../web-socket.ts';
import type { StreamedExchange } from '../streamed-exchange.ts';
import type { MessageSocket } from './message-socket.ts';

/** Its request has been answered with 101. */
export interface ChangedOver {
  readonly webSocket: Pick<MessageSocket, 'isOpen' | 'listen' | 'pause' | 'resume' | 'close'>;
  readonly socket: Socket;
  readonly exchange: StreamedExchange;
}

interface Said {
  readonly bytes: Uint8Array;
  readonly isText: boolean;
}

export class NodeMessageStream implements Conversation {
  /** Node calls back for each write. */
  readonly settlesLater = true;
  readonly #webSocket: ChangedOver['webSocket'];
  readonly #socket: Socket;
  readonly #exchange: StreamedExchange;
  readonly #isText: boolean;
  /** Framed, and given to the socket before anything else happens. */
  #written: Buffer[] = [];
  #writtenBytes = 0;
  #blocked = false;
  #drained: (() => void) | undefined;
  /** end() was called: all has been said. */
  isEnded = false;

  readonly #turns: MessageTurns;
  /** Said, and not heard yet. Meanwhile the client is not read from. */
  readonly #held = new RingBuffer<Said>();
  #receiver: Receiver | undefined;
  #isPaused = false;
  #hasLeft = false;

  constructor({ exchange, socket, webSocket }: ChangedOver, isText: boolean, turns: MessageTurns) {
    this.#webSocket = webSocket;
    this.#socket = socket;
    this.#exchange = exchange;
    this.#isText = isText;
    this.#turns = turns;
  }

  get closed(): boolean {
    return this.#exchange.closed || !this.#webSocket.isOpen;
  }

  /** Bytes that the socket has not taken. */
  get unreadBytes(): number {
    return this.#socket.writableLength + this.#writtenBytes;
  }

  write(message: Uint8Array): boolean {
    if (this.closed || message.byteLength === 0) return !this.#blocked;
    this.#exchange.count(message.byteLength);
    const frame = framed(message, this.#isText);
    if (this.#written.length === 0) queueMicrotask(() => this.#flush());
    this.#written.push(frame);
    this.#writtenBytes += frame.length;
    const { writableHighWaterMark, writableLength } = this.#socket;
    if (writableLength + this.#writtenBytes >= writableHighWaterMark) this.#flush();
    return !this.#blocked;
  }

  #flush(): void {
    const written = this.#written;
    if (written.length === 0) return;
    this.#written = [];
    this.#writtenBytes = 0;
    if (this.closed) return;
    const socket = this.#socket;
    socket.write(written.length === 1 ? (written[0] as Buffer) : Buffer.concat(written));
    if (!socket.writableNeedDrain || this.#blocked) return;
    this.#blocked = true;
    socket.once('drain', () => {
      this.#blocked = false;
      if (!this.closed) this.#drained?.();
    });
  }

  onDrain(callback: () => void): void {
    this.#drained = callback;
  }

  receive(receiver: Receiver): void {
    this.#receiver = receiver;
    this.#webSocket.listen({
      message: (bytes, isText) => this.#said({ bytes, isText }),
      closed: () => {
        this.#hasLeft = true;
        if (this.#held.length === 0) receiver.end();
      },
    });
  }

  #said(said: Said): void {
    if (this.#held.length === 0 && this.#turns.isFree) return this.#hear(said);
    this.#held.push(said);
    if (this.#held.length > 1) return;
    this.#webSocket.pause();
    this.#turns.later(() => this.#hearHeld());
  }

  #hear({ bytes, isText }: Said): void {
    this.#turns.heard(bytes.length);
    this.#receiver?.data(bytes, isText);
  }

  #hearHeld(): void {
    while (this.#held.length > 0 && this.#turns.hasRoom) this.#hear(this.#held.shift());
    if (this.#held.length > 0) this.#turns.later(() => this.#hearHeld());
    else if (this.#hasLeft) this.#receiver?.end();
    else if (!this.#isPaused) this.#webSocket.resume();
  }

  pause(): void {
    this.#isPaused = true;
    this.#webSocket.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (this.#held.length === 0) this.#webSocket.resume();
  }

  end(): void {
    if (this.closed) return;
    this.#flush();
    this.isEnded = true;
    // A paused one would not read the client's goodbye.
    this.#webSocket.resume();
    this.#webSocket.close(normalClosure);
  }

  abort(): void {
    if (!this.#exchange.closed) this.#exchange.cut();
  }
}
