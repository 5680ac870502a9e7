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
 * cannot ask a client to wait: what one says meanwhile is held here, up to `conversationLimits`.
 */
import type { Timers } from '../../stdx/clock.ts';
import { conversationLimits } from '../http-exchange.ts';
import type { Conversation, HttpExchange, MessageFraming, Receiver } from '../http-exchange.ts';
import type { BodyBytes } from '../load.ts';
import { normalClosure, protocolsOf, webSocketLimits } from '../web-socket.ts';
import { messageTurnLimits } from './message-turns.ts';
import type { MessageTurns } from './message-turns.ts';
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

/** What a message takes beside its bytes. */
const perMessageBytes = 128;

/** What a client has said. */
interface Said {
  readonly bytes: Uint8Array;
  readonly isText: boolean;
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
  readonly #bodies: Pick<BodyBytes, 'take' | 'give'>;
  readonly #turns: MessageTurns;
  /** How many the client has said in this turn, and which turn it is. */
  #said = 0;
  #turn = 0;
  #receiver: Receiver | undefined;
  #paused = false;
  /** From `#heldFrom` on: to shift is to move all of them. */
  #held: Said[] = [];
  #heldFrom = 0;
  #hearsLater = false;
  #heldBytes = 0;

  constructor(
    socket: UwsWebSocket,
    isText: boolean,
    timers: Pick<Timers, 'nextTurn'>,
    watcher: Pick<ResponseWatcher, 'blocked'>,
    bodies: Pick<BodyBytes, 'take' | 'give'>,
    turns: MessageTurns,
  ) {
    this.#turns = turns;
    this.#socket = socket;
    this.#bodies = bodies;
    this.#timers = timers;
    this.#watcher = watcher;
    this.#isText = isText;
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
      if (heard === messageTurnLimits.servedMax) return this.#hearLater();
      const said = this.#held[this.#heldFrom];
      if (said === undefined) return this.#forget();
      heard += 1;
      this.#heldFrom += 1;
      this.#drop(said);
      this.#receiver.data(said.bytes, said.isText);
    }
  }

  #hearLater(): void {
    if (this.#hearsLater) return;
    this.#hearsLater = true;
    this.#timers.nextTurn(() => {
      this.#hearsLater = false;
      this.#hear();
    });
  }

  #drop({ bytes }: Said): void {
    const size = bytes.length + perMessageBytes;
    this.#heldBytes -= size;
    this.#bodies.give(size);
  }

  #forget(): void {
    this.#held = [];
    this.#heldFrom = 0;
  }

  /** The memory is the library's. */
  received(message: ArrayBuffer, isBinary: boolean): void {
    if (this.#closed) return;
    const { ofOneMin, servedMax } = messageTurnLimits;
    const hasRoomInTurn = this.#turns.take();
    this.#said = this.#turn === this.#turns.turn ? this.#said + 1 : 1;
    this.#turn = this.#turns.turn;
    if (!hasRoomInTurn && this.#said > ofOneMin) return this.abort();
    const bytes = new Uint8Array(message);
    const isNext = !this.#paused && this.#held.length === 0 && this.#said <= servedMax;
    if (isNext && this.#receiver !== undefined) return this.#receiver.data(bytes, !isBinary);
    const size = bytes.length + perMessageBytes;
    const total = this.#heldBytes + size;
    const hasRoom = total <= conversationLimits.heldBytesMax;
    if (!hasRoom || !this.#bodies.take(size, total)) return this.abort();
    this.#heldBytes = total;
    this.#held.push({ bytes: bytes.slice(), isText: !isBinary });
    if (!this.#paused) this.#hearLater();
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
    for (const said of this.#held.slice(this.#heldFrom)) this.#drop(said);
    this.#forget();
    receiver?.end();
  }
}
