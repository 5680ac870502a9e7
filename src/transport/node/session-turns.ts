/**
 * How many streams the connections of HTTP/2 open, or leave open when they end, in one turn of the
 * event loop. One read brings a thousand heads, and all connections that have something to read are
 * read from in the same turn. Each is a stream before anybody is asked. A head of many headers
 * counts as several streams. It may also be much larger than its bytes: it repeats a header in one
 * byte. When a client goes, each of its streams is closed, which takes as long. For HTTP/1.1 over
 * TLS, a connection is one stream.
 *
 *     connection a ─ reads ─▶ streams … over the budget: all connections wait
 *     next turn: a few of them read on, in the order in which they wait
 *
 * Invariants: in a turn that is over its budget nobody else is read from, and he who is reads no
 * further than he has read. A connection begins with `streamsAtFirst` streams and may have twice as
 * many when half of them are open at the end of a turn, up to its limit. One that resets more than
 * `resetsMax` streams in the turns that open them ends: nobody was asked about them. So does one
 * that sends more than `tooLargePerTurn` heads in one turn which are larger than may be. While no
 * stream is opened there is no timer.
 * Bound: as many wait as there are connections.
 *
 * Elsewhere: when the requests of these streams begin (stream-turns.ts).
 */
import { onceATurn } from '../../stdx/once-a-turn.ts';
import { RingBuffer } from '../../stdx/ring-buffer.ts';
import type { Timers } from '../../stdx/clock.ts';
import type { StreamEnd } from '../http2/stream.ts';

export const sessionLimits = {
  /** Of all connections, those of connections that end included. Policy: they wait to be read
   * from. */
  streamsPerTurn: 128,
  /** So many streams take as long as the end of a connection over TLS. */
  streamsPerEnd: 4,
  /** Names and values of headers that take as long as a stream. */
  headerTextsPerStream: 32,
  /** Heads of one connection. Policy: it is ended. */
  tooLargePerTurn: 8,
  /** Of one connection, opened and reset unasked; twice as many streams as it begins with may be
   * given up together. Policy: it is ended. */
  resetsMax: 250,
  /** So many of these are forgotten in each turn. */
  resetsForgotten: 2,
  /** What one connection may have open, until it has shown that it uses them. */
  streamsAtFirst: 100,
  /** Connections that read on in a turn after a wait. */
  readingAfterWait: 4,
} as const;

export interface SessionConnection {
  /** Reads on, or no further for now. */
  read(reading: boolean): void;
  /** Tells the client how many streams may be open. */
  allow(streams: number): void;
  end(): void;
}

export interface StreamHead {
  /** Names and values of its headers. */
  readonly texts: number;
  /** It will be refused. */
  readonly tooLarge: boolean;
}

export interface SessionMember {
  /** How many streams are open. */
  readonly open: number;
  /** Returns what is called when the stream is closed. */
  opened(head: StreamHead): (end: StreamEnd) => void;
  /** A request of HTTP/1.1 with headers of so many names and values has come. */
  requested(texts: number): void;
  /** Trailers of so many names and values have come. */
  read(headerTexts: number): void;
  /** The client has gone: what it has open is closed in this turn. */
  ending(): void;
  /** The connection is closed. */
  gone(): void;
}

export type SessionTurns = (connection: SessionConnection) => SessionMember;

/** `streamsMax`: what a connection may have open at most. */
export function createSessionTurns(
  timers: Pick<Timers, 'nextTurn'>,
  streamsMax: number,
): SessionTurns {
  const sessions = new Sessions(timers, streamsMax);
  return (connection) => sessions.join(connection);
}

class Sessions {
  readonly streamsMax: number;
  readonly #members = new Set<Member>();
  readonly #waiting = new RingBuffer<Member>();
  /** Those who have opened streams in this turn. */
  readonly #active = new Set<Member>();
  readonly #arm: () => void;
  turnNumber = 0;
  #streamsInTurn = 0;

  constructor(timers: Pick<Timers, 'nextTurn'>, streamsMax: number) {
    this.streamsMax = streamsMax;
    this.#arm = onceATurn(timers, () => this.#turn());
  }

  join(connection: SessionConnection): Member {
    const member = new Member(connection, this);
    this.#members.add(member);
    return member;
  }

  count(streams: number): void {
    const before = this.#streamsInTurn;
    this.#streamsInTurn += streams;
    this.#arm();
    const { streamsPerTurn } = sessionLimits;
    if (before >= streamsPerTurn || this.#streamsInTurn < streamsPerTurn) return;
    for (const member of this.#members) this.#pause(member);
  }

  opened(member: Member): void {
    this.#active.add(member);
  }

  forget(member: Member): void {
    this.#members.delete(member);
    this.#active.delete(member);
  }

  #turn(): void {
    this.turnNumber += 1;
    this.#streamsInTurn = 0;
    for (const member of this.#active) member.allowMore();
    this.#active.clear();
    this.#readOn();
    if (this.#waiting.length > 0) this.#arm();
  }

  #pause(member: Member): void {
    if (member.waits) return;
    member.waits = true;
    member.connection.read(false);
    this.#waiting.push(member);
  }

  #readOn(): void {
    let reading = 0;
    while (this.#waiting.length > 0 && reading < sessionLimits.readingAfterWait) {
      const member = this.#waiting.shift();
      member.waits = false;
      if (member.isGone) continue;
      reading += 1;
      member.connection.read(true);
    }
  }
}

/** An object without closures, for there is one as long as its connection. */
class Member implements SessionMember {
  readonly connection: SessionConnection;
  readonly #sessions: Sessions;
  open = 0;
  waits = false;
  isGone = false;
  #allowed: number;
  /** Opened and closed in one turn, as of the turn of this number. */
  #resets = 0;
  #resetsTurn = -1;
  /** Heads that were too large, in the turn of this number. */
  #tooLarge = 0;
  #tooLargeTurn = -1;

  constructor(connection: SessionConnection, sessions: Sessions) {
    this.connection = connection;
    this.#sessions = sessions;
    this.#allowed = streamsAtFirst(sessions.streamsMax);
  }

  opened(head: StreamHead): (end: StreamEnd) => void {
    const sessions = this.#sessions;
    const openedTurn = sessions.turnNumber;
    this.open += 1;
    sessions.opened(this);
    sessions.count(streamsOf(head));
    if (head.tooLarge) this.#countTooLarge();
    return (end) => {
      this.open -= 1;
      if (end === 'cut') sessions.count(sessionLimits.streamsPerTurn);
      if (end === 'reset' && openedTurn === sessions.turnNumber && !this.isGone) {
        this.#countReset();
      }
    };
  }

  requested(texts: number): void {
    this.#sessions.count(streamsOf({ texts, tooLarge: false }));
  }

  read(headerTexts: number): void {
    this.#sessions.count(headerTexts / sessionLimits.headerTextsPerStream);
  }

  ending(): void {
    this.#sessions.count(this.open + sessionLimits.streamsPerEnd);
  }

  gone(): void {
    this.isGone = true;
    this.#sessions.forget(this);
  }

  allowMore(): void {
    const { streamsMax } = this.#sessions;
    if (this.isGone || this.#allowed === streamsMax || this.open * 2 < this.#allowed) return;
    this.#allowed = Math.min(streamsMax, this.#allowed * 2);
    this.connection.allow(this.#allowed);
  }

  #countTooLarge(): void {
    const { turnNumber } = this.#sessions;
    if (this.#tooLargeTurn !== turnNumber) this.#tooLarge = 0;
    this.#tooLargeTurn = turnNumber;
    this.#tooLarge += 1;
    if (this.#tooLarge > sessionLimits.tooLargePerTurn) this.connection.end();
  }

  #countReset(): void {
    const { resetsForgotten, resetsMax } = sessionLimits;
    const { turnNumber } = this.#sessions;
    const forgotten = (turnNumber - this.#resetsTurn) * resetsForgotten;
    this.#resetsTurn = turnNumber;
    this.#resets = Math.max(0, this.#resets - forgotten) + 1;
    if (this.#resets > resetsMax) this.connection.end();
  }
}

/** Of those that are too large a connection may send as many in a turn as fill it. */
function streamsOf({ texts, tooLarge }: StreamHead): number {
  const { headerTextsPerStream, streamsPerTurn, tooLargePerTurn } = sessionLimits;
  return tooLarge ? streamsPerTurn / tooLargePerTurn : Math.max(1, texts / headerTextsPerStream);
}

export function streamsAtFirst(streamsMax: number): number {
  return Math.min(streamsMax, sessionLimits.streamsAtFirst);
}
