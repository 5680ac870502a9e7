/**
 * How much of what clients send is read in one turn of the event loop. A segment may hold more work
 * than its bytes: a thousand frames, records of TLS of one byte, a header that is repeated in one
 * byte. The libraries of TLS and HTTP work all of it off before anybody is told, half a megabyte of
 * each connection, and all connections that have something to read are read from in the same turn.
 *
 *     read ─▶ time is left ─▶ passed on, piece by piece
 *          ─▶ time is over ─▶ held: its connection is read no further, and waits in line
 *     next turn: those in line pass on a piece each, in order and again, and then read on
 *
 * The time of the line is processor time, which is what others have to wait for: on a busy machine
 * four milliseconds pass while the processor is taken away once, and a turn might pass on one
 * piece.
 *
 * Invariants: what one connection sends is passed on in its order. What is held of it goes on read
 * by read; behind a read after which the connection has to rest, the next one waits for another
 * turn. In a turn whose time is over at most `heldPerTurn` connections are read from; then all
 * others wait in line as well. Whoever waits passes on a piece each time that the line has come
 * round; if others keep it from that when its turn comes, it has its place again as soon as they
 * let it go on. HTTP/2 goes on in the place of the record that its bytes came in. While nobody
 * waits and nothing is read there is no timer.
 * Bounds: one read of each connection is held, `heldPerTurn` more in each turn; the line holds the
 * connections that there are.
 */
import { onceATurn } from '../../stdx/once-a-turn.ts';
import type { Clock, ProcessorClock, Timers } from '../../stdx/clock.ts';
import { WaitingLine } from './waiting-line.ts';
import type { Waiting } from './waiting-line.ts';

export const readLimits = {
  /** For those in line, and as long for those who are read from. Policy: they wait in line. */
  turnMs: 4,
  /** On top of it for those in line, while this process has not had the processor for so long as
   * they may take. Policy: they wait for the next turn. */
  busyMs: 100,
  /** Each costs some microseconds. Policy: all connections wait in line. */
  heldPerTurn: 64,
} as const;

export interface ReadConnection {
  /** Where a piece ends that goes on at a position: so much is worked off before the time is looked
   * at. Each piece is passed on once, in its order. */
  pieceEnd(bytes: Uint8Array, from: number): number;
  pass(bytes: Uint8Array): void;
  /** Reads on, or no further for now. */
  read(reading: boolean): void;
  /** Asked behind the last piece of a read: some of what it has passed on takes effect between
   * turns only, and what is held behind it waits for the next one. Absent: always. */
  rests?(): boolean;
  readonly gone: boolean;
}

export interface ConnectionReads {
  /** These bytes have been read. */
  take(bytes: Uint8Array): void;
  /** The same, for the next turn. */
  takeLater(bytes: Uint8Array): void;
  /** Others want it to read on, or no further for now. */
  allow(reading: boolean): void;
  /** The connection is closed. */
  end(): void;
}

export type ReadTurns = (connection: ReadConnection) => ConnectionReads;

type ReadClock = Pick<Clock, 'monotonicMs'> & ProcessorClock;

export function createReadTurns(clock: ReadClock, timers: Pick<Timers, 'nextTurn'>): ReadTurns {
  const line = new Line(clock, timers);
  return (connection) => new Member(connection, line);
}

/** An object without closures, for there is one as long as its connection. */
class Member implements ConnectionReads, Waiting {
  readonly connection: ReadConnection;
  readonly #line: Line;
  /** Undefined most of the time. */
  held: Uint8Array[] | undefined;
  /** In line. */
  waits = false;
  /** By others. */
  stopped = false;
  place = 0;
  /** Its turn came while others kept it from going on. */
  isOwed = false;

  constructor(connection: ReadConnection, line: Line) {
    this.connection = connection;
    this.#line = line;
    line.members.add(this);
  }

  take(bytes: Uint8Array): void {
    const { connection } = this;
    const line = this.#line;
    line.arm();
    for (let at = 0; at < bytes.length && !connection.gone;) {
      if (this.waits || this.stopped || line.holds()) {
        return line.hold(this, at === 0 ? bytes : bytes.subarray(at));
      }
      const from = at;
      at = connection.pieceEnd(bytes, from);
      connection.pass(from === 0 && at === bytes.length ? bytes : bytes.subarray(from, at));
    }
  }

  takeLater(bytes: Uint8Array): void {
    this.#line.hold(this, bytes);
  }

  allow(reading: boolean): void {
    this.stopped = !reading;
    if (reading && this.held !== undefined) return this.#line.enter(this);
    if (reading) this.isOwed = false;
    this.connection.read(reading);
  }

  end(): void {
    this.held = undefined;
    this.#line.members.delete(this);
  }
}

class Line {
  readonly members = new Set<Member>();
  readonly #time: TurnTime;
  /** Asks for the next turn. */
  readonly arm: () => void;
  readonly #line = new WaitingLine<Member>();
  /** They wait for the next turn. */
  readonly #resting: Member[] = [];
  #heldInTurn = 0;
  /** The place of the one whose piece is being passed on. */
  #servedPlace: number | undefined;
  /** Somebody has come back to its place, and its turn is the next. */
  #owes = false;

  constructor(clock: ReadClock, timers: Pick<Timers, 'nextTurn'>) {
    this.#time = createTurnTime(clock);
    this.arm = onceATurn(timers, () => this.#turn());
  }

  /** Nothing more is passed on now that is read. */
  holds(): boolean {
    return this.#time.isOver() || (this.#owes && this.#servedPlace === undefined);
  }

  /** At its old place, or at the end. Who may not go on yet waits all the same. */
  enter(member: Member): void {
    if (member.waits || (member.isOwed && member.stopped)) return;
    member.waits = true;
    this.arm();
    if (!member.isOwed) return this.#line.join(member);
    member.isOwed = false;
    this.#owes = true;
    this.#line.rejoin(member);
  }

  hold(member: Member, bytes: Uint8Array): void {
    member.held ??= [];
    member.held.push(bytes);
    member.connection.read(false);
    // What comes of a piece goes on in its place.
    if (this.#servedPlace !== undefined && !member.waits && !member.isOwed) {
      member.place = this.#servedPlace;
      member.isOwed = true;
    }
    this.enter(member);
    this.#heldInTurn += 1;
    if (this.#heldInTurn !== readLimits.heldPerTurn) return;
    for (const other of this.members) {
      if (other.waits || other.stopped) continue;
      other.connection.read(false);
      this.enter(other);
    }
  }

  #turn(): void {
    const line = this.#line;
    this.#heldInTurn = 0;
    this.#time.begin();
    for (const member of this.#resting.splice(0)) this.#endRest(member);
    // Before the work: what throws holds nobody up.
    if (line.length > 0) {
      this.arm();
      this.#time.beginBusy();
    }
    while (line.length > 0 && !this.#time.isOver()) this.#passOne(line.shift());
    // Those who still wait are ahead of those who are read from.
    if (line.length === 0) this.#time.begin();
    this.#owes = false;
  }

  #rest(member: Member): void {
    member.waits = true;
    this.#resting.push(member);
  }

  /** Who has nothing to pass on reads on, and holds nobody up. */
  #endRest(member: Member): void {
    member.waits = false;
    if (member.connection.gone) return;
    if (member.held !== undefined) this.enter(member);
    else if (!member.stopped) member.connection.read(true);
  }

  /** A piece of the one who is first in line; without one it reads on. Behind the last piece of a
   * read that has to rest, or of all that is held, it waits for the next turn: a session of HTTP/2
   * forgets the streams that are reset only then, and would refuse those which their client opens
   * for them. */
  #passOne(member: Member): void {
    const { connection, held } = member;
    member.waits = false;
    if (connection.gone) return;
    if (member.stopped) return void (member.isOwed = true);
    const first = held?.[0];
    if (held === undefined || first === undefined) return connection.read(true);
    const { place } = member;
    const end = connection.pieceEnd(first, 0);
    if (end < first.length) {
      held[0] = first.subarray(end);
      this.enter(member);
    } else {
      if (held.length === 1) member.held = undefined;
      else held.shift();
      const rests = connection.rests?.() ?? true;
      if (member.held !== undefined && !rests) this.enter(member);
      else this.#rest(member);
    }
    this.#servedPlace = place;
    try {
      connection.pass(first.subarray(0, end));
    } finally {
      this.#servedPlace = undefined;
    }
  }
}

/** For reads: `turnMs` from the first of a turn on. */
interface TurnTime {
  begin(): void;
  /** `turnMs` of processor time from now on, for those in line. */
  beginBusy(): void;
  isOver(): boolean;
}

function createTurnTime(clock: ReadClock): TurnTime {
  const { busyMs, turnMs } = readLimits;
  let endsMs: number | undefined;
  /** Of processor time. */
  let busyEndsMs: number | undefined;
  return {
    begin: () => void (endsMs = busyEndsMs = undefined),
    beginBusy() {
      endsMs = clock.monotonicMs() + turnMs;
      busyEndsMs = clock.processorMs() + turnMs;
    },
    isOver(): boolean {
      const nowMs = clock.monotonicMs();
      endsMs ??= nowMs + turnMs;
      if (nowMs < endsMs) return false;
      if (busyEndsMs === undefined || nowMs >= endsMs + busyMs) return true;
      // Asked for last, because it costs a system call.
      return clock.processorMs() >= busyEndsMs;
    },
  };
}
