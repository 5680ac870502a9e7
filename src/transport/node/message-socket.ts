/**
 * A connection of node's HTTP/1.1 that has changed over to WebSocket: what the client says
 * (message-reader.ts), and how it ends.
 *
 *     open ──▶ closing    this side or the client has said goodbye, or the client said what is
 *       │         │       against the protocol; both sides have `closeMs` to say theirs
 *       └────┬────┘
 *            ▼
 *         closed          the socket is
 *
 * One thing that a client says in each turn of the event loop: a read may bring thousands. What
 * follows waits, and the socket is not read from meanwhile.
 *
 * A message that is not whole `messageMs` after its beginning ends the connection, for what has
 * come of it counts among the bodies. It may take longer while nobody listens.
 */
import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import type { TimerHandle, Timers } from '../../stdx/clock.ts';
import { slotOf } from '../../stdx/slot-set.ts';
import type { Slot } from '../../stdx/slot-set.ts';
import type { Deadlines, Expiring } from '../deadlines.ts';
import type { BodyBytes } from '../load.ts';
import { controlFrame, opcodes, slowClosure } from '../web-socket.ts';
import { MessageReader } from './message-reader.ts';
import type { Said } from './message-reader.ts';

/** Both sides have said goodbye within it, or the connection is cut. */
const closeMs = 30_000;

/** What is joined to a client's key (RFC 6455, 1.3). */
const keySuffix = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** What shows that the key was read. */
export function acceptedKey(key: string): string {
  return createHash('sha1')
    .update(key + keySuffix)
    .digest('base64');
}

export interface MessageSocketDeps {
  readonly timers: Pick<Timers, 'after' | 'nextTurn'>;
  readonly bodies: Pick<BodyBytes, 'take' | 'give'>;
  readonly deadlines: Pick<Deadlines, 'add' | 'remove' | 'nowMs'>;
  /** Of a message that the client sends. */
  readonly messageBytesMax: number;
  /** From its beginning to its end. */
  readonly messageMs: number;
}

export interface MessageListener {
  /** The bytes may be kept until the client is read from again. */
  message(bytes: Uint8Array, isText: boolean): void;
  /** The connection is no longer there. */
  closed(): void;
}

export class MessageSocket implements Expiring {
  /** Of the message that has begun. */
  deadlineMs = 0;
  readonly waiting: Slot<Expiring> = slotOf<Expiring>(this);
  readonly #socket: Socket;
  readonly #timers: MessageSocketDeps['timers'];
  readonly #deadlines: MessageSocketDeps['deadlines'];
  readonly #messageMs: number;
  readonly #reader: MessageReader;
  #listener: MessageListener | undefined;
  #isPaused = false;
  /** Something was said in this turn. */
  #waits = false;
  #hasSaidGoodbye = false;
  /** The client has, or has said what nobody reads behind. */
  #isDeaf = false;
  #timer: TimerHandle | undefined;

  /** 101 has been said on it. */
  constructor(socket: Socket, deps: MessageSocketDeps) {
    const { bodies, deadlines, messageBytesMax, messageMs, timers } = deps;
    this.#socket = socket;
    this.#timers = timers;
    this.#deadlines = deadlines;
    this.#messageMs = messageMs;
    this.#reader = new MessageReader(messageBytesMax, bodies);
    socket.setTimeout(0);
    socket.setNoDelay(true);
    socket.on('data', (bytes: Buffer) => {
      if (this.#isDeaf) return;
      this.#reader.give(bytes);
      if (!this.#waits && !this.#isPaused) this.#read();
    });
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      this.#isDeaf = true;
      this.#timer?.cancel();
      this.#deadlines.remove(this);
      this.#reader.clear();
      this.#listener?.closed();
    });
  }

  /** Messages may be written. */
  get isOpen(): boolean {
    return !this.#hasSaidGoodbye && this.#socket.writable;
  }

  listen(listener: MessageListener): void {
    this.#listener = listener;
  }

  pause(): void {
    this.#isPaused = true;
    this.#flow();
  }

  resume(): void {
    this.#isPaused = false;
    if (this.#waits) return;
    this.#read();
  }

  /** Says goodbye, once, and waits for the client's. */
  close(code: number): void {
    this.#sayGoodbye(goodbyeOf(code));
  }

  #sayGoodbye(payload: Uint8Array): void {
    if (this.#hasSaidGoodbye) return;
    this.#hasSaidGoodbye = true;
    this.#socket.write(controlFrame(opcodes.close, payload));
    this.#timer = this.#timers.after(closeMs, () => this.#socket.destroy());
  }

  /** Reads on until something has been said, or nothing is left. */
  #read(): void {
    const said = this.#isDeaf ? undefined : this.#reader.next();
    if (said !== undefined) {
      this.#waits = true;
      this.#timers.nextTurn(() => {
        this.#waits = false;
        if (!this.#isPaused) this.#read();
      });
      this.#hear(said);
    }
    this.#expectEnd(said);
    this.#flow();
  }

  /** Of a message that has begun. */
  #expectEnd(said: Said | undefined): void {
    if (said?.kind === 'message' || !this.#reader.hasBegun) this.#deadlines.remove(this);
    if (this.#isDeaf || !this.#reader.hasBegun || this.waiting.at >= 0) return;
    this.deadlineMs = this.#deadlines.nowMs() + this.#messageMs;
    this.#deadlines.add(this);
  }

  expire(): void {
    if (this.#isPaused) this.#expectEnd(undefined);
    else this.#refuse(slowClosure);
  }

  #flow(): void {
    if (this.#socket.destroyed) return;
    const reads = this.#isDeaf || (!this.#waits && !this.#isPaused);
    if (reads) this.#socket.resume();
    else this.#socket.pause();
  }

  #hear(said: Said): void {
    if (said.kind === 'message') {
      if (!this.#hasSaidGoodbye) this.#listener?.message(said.bytes, said.isText);
    } else if (said.kind === 'ping') this.#pong(said.bytes);
    else if (said.kind === 'close') this.#endBehind(said.bytes);
    else if (said.kind === 'wrong') this.#refuse(said.code);
  }

  #refuse(code: number): void {
    this.#endBehind(goodbyeOf(code));
  }

  /** Whoever reads nothing would have the socket grow. */
  #pong(payload: Uint8Array): void {
    if (this.isOpen && !this.#socket.writableNeedDrain) {
      this.#socket.write(controlFrame(opcodes.pong, payload));
    }
  }

  #endBehind(payload: Uint8Array): void {
    this.#isDeaf = true;
    this.#deadlines.remove(this);
    this.#reader.clear();
    this.#sayGoodbye(payload);
    this.#socket.end();
  }
}

/** What is said with a goodbye: why. */
function goodbyeOf(code: number): Buffer {
  const payload = Buffer.alloc(2);
  payload.writeUInt16BE(code);
  return payload;
}
