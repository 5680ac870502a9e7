/**
 * How many streams the connections of HTTP/2 open, or leave open when they end, in one turn of the
 * event loop. Node makes a stream of each head that it reads, 15 to 35 µs each, before anybody is
 * asked; one read brings a thousand, and all connections that have something to read are read from
 * in the same turn. A head of many headers counts as several streams. It may also be much larger
 * than its bytes: it repeats a header in one byte, and until a client has confirmed the settings
 * node counts the headers, not what is in them. When a client goes, node closes each of its
 * streams, which takes as long.
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

/** `reset`: by the client, before it had its answer. `cut`: by the server, because it took too much
 * time. */
export type StreamEnd = 'answered' | 'reset' | 'cut';

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

interface Member {
  readonly connection: SessionConnection;
  open: number;
  allowed: number;
  /** Opened and closed in one turn, as of the turn of this number. */
  resets: number;
  resetsTurn: number;
  /** Heads that were too large, in the turn of this number. */
  tooLarge: number;
  tooLargeTurn: number;
  waits: boolean;
  gone: boolean;
}

/** `streamsMax`: what a connection may have open at most. */
export function createSessionTurns(
  timers: Pick<Timers, 'nextTurn'>,
  streamsMax: number,
): SessionTurns {
  const members = new Set<Member>();
  const waiting = new RingBuffer<Member>();
  /** Those who have opened streams in this turn. */
  const active = new Set<Member>();
  let turnNumber = 0;
  let streamsInTurn = 0;

  const arm = onceATurn(timers, () => {
    turnNumber += 1;
    streamsInTurn = 0;
    for (const member of active) allowMore(member, streamsMax);
    active.clear();
    readOn(waiting);
    if (waiting.length > 0) arm();
  });
  const count = (streams: number): void => {
    const before = streamsInTurn;
    streamsInTurn += streams;
    arm();
    const { streamsPerTurn } = sessionLimits;
    if (before >= streamsPerTurn || streamsInTurn < streamsPerTurn) return;
    for (const member of members) pause(member, waiting);
  };
  const opened = (member: Member, head: StreamHead) => {
    const openedTurn = turnNumber;
    member.open += 1;
    active.add(member);
    count(streamsOf(head));
    if (head.tooLarge) countTooLarge(member, turnNumber);
    return (end: StreamEnd): void => {
      member.open -= 1;
      if (end === 'cut') count(sessionLimits.streamsPerTurn);
      if (end === 'reset' && openedTurn === turnNumber && !member.gone) {
        countReset(member, turnNumber);
      }
    };
  };

  return (connection) => {
    const member = newMember(connection, streamsAtFirst(streamsMax));
    members.add(member);
    return {
      get open() {
        return member.open;
      },
      opened: (head) => opened(member, head),
      requested: (texts) => count(streamsOf({ texts, tooLarge: false })),
      read: (headerTexts) => count(headerTexts / sessionLimits.headerTextsPerStream),
      ending: () => count(member.open + sessionLimits.streamsPerEnd),
      gone() {
        member.gone = true;
        members.delete(member);
        active.delete(member);
      },
    };
  };
}

function pause(member: Member, waiting: RingBuffer<Member>): void {
  if (member.waits) return;
  member.waits = true;
  member.connection.read(false);
  waiting.push(member);
}

function readOn(waiting: RingBuffer<Member>): void {
  let reading = 0;
  while (waiting.length > 0 && reading < sessionLimits.readingAfterWait) {
    const member = waiting.shift();
    member.waits = false;
    if (member.gone) continue;
    reading += 1;
    member.connection.read(true);
  }
}

function newMember(connection: SessionConnection, allowed: number): Member {
  const counts = { open: 0, resets: 0, resetsTurn: -1, tooLarge: 0, tooLargeTurn: -1 };
  return { connection, allowed, ...counts, waits: false, gone: false };
}

/** Of those that are too large a connection may send as many in a turn as fill it. */
function streamsOf({ texts, tooLarge }: StreamHead): number {
  const { headerTextsPerStream, streamsPerTurn, tooLargePerTurn } = sessionLimits;
  return tooLarge ? streamsPerTurn / tooLargePerTurn : Math.max(1, texts / headerTextsPerStream);
}

function countTooLarge(member: Member, turnNumber: number): void {
  if (member.tooLargeTurn !== turnNumber) member.tooLarge = 0;
  member.tooLargeTurn = turnNumber;
  member.tooLarge += 1;
  if (member.tooLarge > sessionLimits.tooLargePerTurn) member.connection.end();
}

function countReset(member: Member, turnNumber: number): void {
  const { resetsForgotten, resetsMax } = sessionLimits;
  const forgotten = (turnNumber - member.resetsTurn) * resetsForgotten;
  member.resetsTurn = turnNumber;
  member.resets = Math.max(0, member.resets - forgotten) + 1;
  if (member.resets > resetsMax) member.connection.end();
}

export function streamsAtFirst(streamsMax: number): number {
  return Math.min(streamsMax, sessionLimits.streamsAtFirst);
}

function allowMore(member: Member, streamsMax: number): void {
  if (member.gone || member.allowed === streamsMax || member.open * 2 < member.allowed) return;
  member.allowed = Math.min(streamsMax, member.allowed * 2);
  member.connection.allow(member.allowed);
}
