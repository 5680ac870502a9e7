/**
 * One response as messages of a WebSocket of uWebSockets.js, or a conversation in such.
 *
 * The library stops to tell of a socket that has room again when it was written to, and backed up
 * again, while it told: so what waits goes on in the next turn of the event loop.
 *
 * Invariants: the library takes every message whole, also one for which the socket has no room, and
 * says so; nothing more is written then until it has been sent. The library's socket is not touched
 * after its `close`. Bounds: the library closes a connection of which nothing has come for its idle
 * time, answers to its pings included; it holds at most one message more than the socket took. It
 * cannot ask a client to wait: what one says meanwhile is held (held-messages.ts).
 */
import type { Timers } from '../../stdx/clock.ts';
import type { Conversation, HttpExchange, MessageFraming, Receiver } from '../http-exchange.ts';
import type { TransportLoad } from '../load.ts';
import { messageTurnLimits } from '../message-turns.ts';
import type { MessageTurns } from '../message-turns.ts';
import {
  errorClosure,
  normalClosure,
  protocolsOf,
  tooBigClosure,
  webSocketLimits,
} from '../web-socket.ts';
import { HeldMessages } from './held-messages.ts';
import type { UwsUpgradeContext, UwsWebSocket } from './uws-binding.ts';
import type { ResponseWatcher } from './uws-response-stream.ts';

/** What `send` says of a message that it has not taken. */
const dropped = 2;
const takenAndSent = 1;

/** Of a client that asks to go on with WebSocket. */
export interface AskedUpgrade {
  readonly protocols: readonly string[];
  readonly upgrading: Upgrading;
  /** Undefined: the connection has not changed over. */
  framing: MessageFraming | undefined;
}

export interface Upgrading {
  /** The library's. */
  readonly context: UwsUpgradeContext;
  /** On a path where clients are listened to. */
  readonly converses: boolean;
}

/** Undefined: the client does not ask, or not as it should. */
export function askedUpgrade(
  exchange: HttpExchange,
  upgrading: Upgrading,
): AskedUpgrade | undefined {
  const protocols = protocolsOf(exchange);
  if (protocols === undefined) return undefined;
  return { protocols, upgrading, framing: undefined };
}

/** Shared by all of a port. */
export interface MessagePort {
  readonly timers: Pick<Timers, 'nextTurn'>;
  readonly load: Pick<TransportLoad, 'bodies' | 'spool'>;
  readonly messageTurns: MessageTurns;
}

export class UwsMessageStream implements Conversation {
  /** Bytes that were written. */
  sentBytes = 0;
  readonly #socket: UwsWebSocket;
  readonly #isText: boolean;
  readonly #timers: Pick<Timers, 'nextTurn'>;
  readonly #watcher: Pick<ResponseWatcher, 'blocked'>;
  #closed = false;
  /** The connection is no longer there. */
  #isOver = false;
  /** end() was called: all has been said. */
  isEnded = false;
  #blocked = false;
  /** It goes on in the next turn. */
  #resumes = false;
  #pings = 0;
  #drained: (() => void) | undefined;
  readonly #turns: MessageTurns;
  /** How many the client has said in this turn, and which turn it is. */
  #said = 0;
  #turn = 0;
  #receiver: Receiver | undefined;
  #paused = false;
  readonly #load: MessagePort['load'];
  /** Made for who says more than is taken. */
  #held: HeldMessages | undefined;
  #hearsLater = false;

  constructor(
    socket: UwsWebSocket,
    isText: boolean,
    { timers, load, messageTurns }: MessagePort,
    watcher: Pick<ResponseWatcher, 'blocked'>,
  ) {
    this.#turns = messageTurns;
    this.#socket = socket;
    this.#timers = timers;
    this.#watcher = watcher;
    this.#isText = isText;
    this.#load = load;
  }

  /** It waits for its socket. */
  get isBlocked(): boolean {
    return this.#blocked;
  }

  get closed(): boolean {
    return this.#closed;
  }

  write(message: Uint8Array): boolean {
    if (this.#closed || message.length === 0) return !this.#blocked;
    this.sentBytes += message.length;
    const said = this.#socket.send(message, !this.#isText, false);
    if (said === dropped) this.abort();
    this.#blocked = said !== takenAndSent;
    if (this.#blocked) this.#watcher.blocked();
    return !this.#blocked;
  }

  onDrain(callback: () => void): void {
    this.#drained = callback;
  }

  receive(receiver: Receiver): void {
    this.#receiver = receiver;
    if (!this.#paused) this.resume();
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#hear();
  }

  /** What is held, as much as one turn is for. */
  #hear(): void {
    let heard = 0;
    while (!this.#paused && this.#receiver !== undefined) {
      if (heard === messageTurnLimits.servedMax || !this.#turns.hasRoom) return this.#hearLater();
      const said = this.#held?.next();
      if (said === undefined) return;
      heard += 1;
      this.#turns.heard(said.bytes.length);
      this.#receiver.data(said.bytes, said.isText);
    }
  }

  #hearLater(): void {
    if (this.#hearsLater) return;
    this.#hearsLater = true;
    this.#turns.later(() => {
      this.#hearsLater = false;
      this.#hear();
    });
  }

  /** The memory is the library's. */
  received(message: ArrayBuffer, isBinary: boolean): void {
    if (this.#closed) return;
    const turns = this.#turns;
    this.#said = this.#turn === turns.turn ? this.#said + 1 : 1;
    this.#turn = turns.turn;
    const bytes = new Uint8Array(message);
    if (!turns.take(bytes.length, this.#said)) return this.abort();
    const isServed = this.#said <= messageTurnLimits.servedMax && turns.isFree;
    const isNext = !this.#paused && this.#held?.isEmpty !== false && isServed;
    if (isNext && this.#receiver !== undefined) {
      turns.heard(bytes.length);
      return this.#receiver.data(bytes, !isBinary);
    }
    this.#held ??= this.#holding();
    if (!this.#held.push(bytes, !isBinary)) {
      return this.#refuse(tooBigClosure, 'more than is held here for a side that does not read');
    }
    if (!this.#paused) this.#hearLater();
  }

  #holding(): HeldMessages {
    return new HeldMessages(this.#load, {
      ready: () => this.#hearLater(),
      failed: () => this.#refuse(errorClosure, 'what was said is lost: the disk failed'),
    });
  }

  end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.isEnded = true;
    this.#socket.end(normalClosure);
  }

  abort(): void {
    this.gone();
    if (!this.#isOver) this.#socket.close();
  }

  /** The client is told why. */
  #refuse(code: number, reason: string): void {
    if (this.#closed) return;
    this.gone();
    this.#socket.end(code, reason);
  }

  /** The socket has taken some. */
  drained(): void {
    if (!this.#blocked || this.#resumes || this.#closed) return;
    if (this.#socket.getBufferedAmount() > 0) return this.#watcher.blocked();
    this.#resumes = true;
    this.#timers.nextTurn(() => {
      this.#resumes = false;
      this.#blocked = false;
      this.#drained?.();
    });
  }

  /** The library has answered one: a read may bring ten thousands. */
  pinged(): void {
    if (this.#pings === 0) this.#timers.nextTurn(() => (this.#pings = 0));
    this.#pings += 1;
    if (this.#pings > webSocketLimits.pingsPerTurnMax) this.abort();
  }

  gone(): void {
    this.#closed = true;
    this.#drained = undefined;
  }

  /** The library says that the connection is no longer there. */
  over(): void {
    this.#isOver = true;
    this.gone();
    const receiver = this.#receiver;
    this.#receiver = undefined;
    this.#held?.clear();
    receiver?.end();
  }
}
