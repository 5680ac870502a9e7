/**
 * How many streams the connections of HTTP/2 open in one turn of the event loop. Node makes a
 * stream of each head that it reads, 15 to 35 µs each, before anybody is asked; one read brings a
 * thousand, and all connections that have something to read are read from in the same turn. A head
 * may also be much larger than its bytes: it repeats a header in one byte, and until a client has
 * confirmed the settings node counts the pairs of a head, not what is in them.
 *
 *     connection a ─ reads ─▶ streams … over the budget: all connections wait
 *     next turn: a few of them read on, in the order in which they wait
 *
 * Invariants: in a turn that is over its budget nobody else is read from, and he who is reads no
 * further than he has read. A connection begins with `streamsAtFirst` streams and may have twice as
 * many when half of them are open at the end of a turn, up to its limit. One that opens and resets
 * more than `resetsPerTurn` in one turn ends: nobody was asked about them yet. So does one that
 * sends more than `tooLargePerTurn` heads in one turn which are larger than may be. While no stream
 * is opened there is no timer.
 * Bound: as many wait as there are connections.
 *
 * Elsewhere: when the requests of these streams begin (stream-turns.ts).
 */
import { RingBuffer } from '../../stdx/ring-buffer.ts';
import type { Timers } from '../../stdx/clock.ts';

export const sessionLimits = {
  /** Of all connections. Policy: they wait to be read from. */
  streamsPerTurn: 128,
  /** A head of more pairs counts for as many streams. */
  pairsPerStream: 16,
  /** Heads of one connection. Policy: it is ended. */
  tooLargePerTurn: 8,
  /** Of one connection, opened and reset unasked. Policy: it is ended. */
  resetsPerTurn: 100,
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
  readonly pairs: number;
  /** It will be refused. */
  readonly tooLarge: boolean;
}

export interface SessionMember {
  /** How many streams are open. */
  readonly open: number;
  /** Returns what is called when the stream is closed. */
  opened(head: StreamHead): () => void;
  /** The connection is closed. */
  gone(): void;
}

export type SessionTurns = (connection: SessionConnection) => SessionMember;

interface Member {
  readonly connection: SessionConnection;
  open: number;
  allowed: number;
  /** Opened and closed in the turn of this number. */
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
  let openedInTurn = 0;
  let isArmed = false;

  const arm = (): void => {
    if (isArmed) return;
    isArmed = true;
    timers.nextTurn(turn);
  };
  const turn = (): void => {
    isArmed = false;
    turnNumber += 1;
    openedInTurn = 0;
    for (const member of active) allowMore(member, streamsMax);
    active.clear();
    let reading = 0;
    while (waiting.length > 0 && reading < sessionLimits.readingAfterWait) {
      const member = waiting.shift();
      member.waits = false;
      if (member.gone) continue;
      reading += 1;
      member.connection.read(true);
    }
    if (waiting.length > 0) arm();
  };
  const opened = (member: Member, head: StreamHead): (() => void) => {
    const openedTurn = turnNumber;
    const { streamsPerTurn } = sessionLimits;
    member.open += 1;
    active.add(member);
    const wasBelow = openedInTurn < streamsPerTurn;
    openedInTurn += streamsOf(head);
    arm();
    if (wasBelow && openedInTurn >= streamsPerTurn) pause(members, waiting);
    if (head.tooLarge) countTooLarge(member, turnNumber);
    return () => {
      member.open -= 1;
      if (openedTurn === turnNumber && !member.gone) countReset(member, turnNumber);
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
      gone() {
        member.gone = true;
        members.delete(member);
        active.delete(member);
      },
    };
  };
}

function pause(members: ReadonlySet<Member>, waiting: RingBuffer<Member>): void {
  for (const member of members) {
    if (member.waits) continue;
    member.waits = true;
    member.connection.read(false);
    waiting.push(member);
  }
}

function newMember(connection: SessionConnection, allowed: number): Member {
  const counts = { open: 0, resets: 0, resetsTurn: -1, tooLarge: 0, tooLargeTurn: -1 };
  return { connection, allowed, ...counts, waits: false, gone: false };
}

/** Of those that are too large a connection may send as many in a turn as fill it. */
function streamsOf({ pairs, tooLarge }: StreamHead): number {
  const { pairsPerStream, streamsPerTurn, tooLargePerTurn } = sessionLimits;
  return tooLarge ? streamsPerTurn / tooLargePerTurn : Math.ceil(pairs / pairsPerStream);
}

function countTooLarge(member: Member, turnNumber: number): void {
  if (member.tooLargeTurn !== turnNumber) member.tooLarge = 0;
  member.tooLargeTurn = turnNumber;
  member.tooLarge += 1;
  if (member.tooLarge > sessionLimits.tooLargePerTurn) member.connection.end();
}

function countReset(member: Member, turnNumber: number): void {
  if (member.resetsTurn !== turnNumber) member.resets = 0;
  member.resetsTurn = turnNumber;
  member.resets += 1;
  if (member.resets > sessionLimits.resetsPerTurn) member.connection.end();
}

export function streamsAtFirst(streamsMax: number): number {
  return Math.min(streamsMax, sessionLimits.streamsAtFirst);
}

function allowMore(member: Member, streamsMax: number): void {
  if (member.gone || member.allowed === streamsMax || member.open * 2 < member.allowed) return;
  member.allowed = Math.min(streamsMax, member.allowed * 2);
  member.connection.allow(member.allowed);
}
