/**
 * How much is read of connections to other servers in one turn of the event loop. Node reads from
 * every connection that has something, 64 KiB of each at least, and decrypts it, before anybody can
 * ask it to stop: hundreds of them may have so much in the same turn.
 *
 *     read ─▶ there is room left ─▶ the others are read from as well
 *          ─▶ there is none      ─▶ all others stop, and wait in line: a few go on in each turn
 *
 * Invariants: who has stopped goes on in a later turn, in the order of the line; one whose reader
 * has paused it stays paused. While nobody waits and nothing is read there is no timer.
 * Bounds: `bytesPerTurn`, and the read that exceeds it; the line holds the connections there are.
 */
import type { Duplex } from 'node:stream';
import type { Timers } from '../stdx/clock.ts';
import { onceATurn } from '../stdx/once-a-turn.ts';
import { RingBuffer } from '../stdx/ring-buffer.ts';

export const rawReadLimits = {
  /** Of all connections. Policy: the others wait for the next turn. */
  bytesPerTurn: 1024 * 1024,
  /** What a read counts for beside its bytes: it may be one. */
  readBytes: 4 * 1024,
  /** Who wait in line and are read from again in one turn: each brings 64 KiB, or twice. */
  againPerTurn: 16,
} as const;

/** Of node: below a socket. `reading`: the socket wants it to. */
interface Handle {
  readonly reading?: boolean;
  readStart(): number;
  readStop(): number;
}

/** A connection whose reader pauses and resumes it here. */
export interface RawReader {
  /** So much has come. */
  took(bytes: number): void;
  pause(): void;
  /** As soon as there is room for it. */
  resume(): void;
  /** It is closed. */
  end(): void;
}

export type RawReads = (connection: Duplex) => RawReader;

export function createRawReads(timers: Pick<Timers, 'nextTurn'>): RawReads {
  const line = new Line(timers);
  return (connection) => new Reader(connection, line);
}

class Line {
  readonly readers = new Set<Reader>();
  readonly #waiting = new RingBuffer<Reader>();
  readonly #nextTurn: () => void;
  #leftBytes: number = rawReadLimits.bytesPerTurn;

  constructor(timers: Pick<Timers, 'nextTurn'>) {
    this.#nextTurn = onceATurn(timers, () => this.#turn());
  }

  get hasRoom(): boolean {
    return this.#leftBytes > 0 && this.#waiting.length === 0;
  }

  took(bytes: number): void {
    const hadRoom = this.#leftBytes > 0;
    this.#leftBytes -= bytes + rawReadLimits.readBytes;
    this.#nextTurn();
    if (!hadRoom || this.#leftBytes > 0) return;
    for (const reader of this.readers) reader.stop();
  }

  wait(reader: Reader): void {
    this.#waiting.push(reader);
    this.#nextTurn();
  }

  #turn(): void {
    this.#leftBytes = rawReadLimits.bytesPerTurn;
    const count = Math.min(rawReadLimits.againPerTurn, this.#waiting.length);
    if (this.#waiting.length > count) this.#nextTurn();
    for (let left = count; left > 0; left -= 1) this.#waiting.shift().goOn();
  }
}

class Reader implements RawReader {
  readonly #connection: Duplex;
  readonly #line: Line;
  #isPaused = false;
  /** In line. */
  #waits = false;

  constructor(connection: Duplex, line: Line) {
    this.#connection = connection;
    this.#line = line;
    line.readers.add(this);
  }

  took(bytes: number): void {
    this.#line.took(bytes);
  }

  pause(): void {
    this.#isPaused = true;
    this.#connection.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    if (this.#waits) return;
    if (this.#line.hasRoom) this.goOn();
    else this.#wait();
  }

  end(): void {
    this.#line.readers.delete(this);
  }

  /** There is no room in this turn. Node's own pause would still have one more read come. */
  stop(): void {
    if (this.#waits || this.#isPaused) return;
    handleOf(this.#connection)?.readStop();
    this.#wait();
  }

  goOn(): void {
    this.#waits = false;
    if (this.#isPaused || this.#connection.destroyed) return;
    // To node it may be one that is being read from.
    const handle = handleOf(this.#connection);
    if (handle?.reading === true) handle.readStart();
    this.#connection.resume();
  }

  #wait(): void {
    this.#waits = true;
    this.#line.wait(this);
  }
}

function handleOf(connection: Duplex): Handle | null | undefined {
  return (connection as { readonly _handle?: Handle | null })._handle;
}
