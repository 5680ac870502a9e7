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
 * Invariants: what one connection sends is passed on in its order, of what is held one read in a
 * turn. In a turn whose time is over at
 * most `heldPerTurn` connections are read from; then all others wait in line as well. Whoever waits
 * passes on a piece each time that the line has come round. While nobody waits and
 * nothing is read there is no timer.
 * Bounds: one read of each connection is held, `heldPerTurn` more in each turn; the line holds the
 * connections that there are.
 */
import { onceATurn } from '../../stdx/once-a-turn.ts';
import { RingBuffer } from '../../stdx/ring-buffer.ts';
import type { Clock, Timers } from '../../stdx/clock.ts';

export const readLimits = {
  /** For those in line, and as long for those who are read from. Policy: they wait in line. */
  turnMs: 4,
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

interface Member {
  readonly connection: ReadConnection;
  held: Uint8Array[];
  /** In line. */
  waits: boolean;
  /** By others. */
  stopped: boolean;
}

export function createReadTurns(
  clock: Pick<Clock, 'monotonicMs'>,
  timers: Pick<Timers, 'nextTurn'>,
): ReadTurns {
  const members = new Set<Member>();
  const line = new RingBuffer<Member>();
  /** They wait for the next turn. */
  const resting: Member[] = [];
  const time = createTurnTime(clock);
  let heldInTurn = 0;

  const arm = onceATurn(timers, () => {
    heldInTurn = 0;
    time.begin();
    for (const member of resting.splice(0)) line.push(member);
    // Before the work: what throws holds nobody up.
    if (line.length > 0) arm();
    while (line.length > 0 && !time.isOver()) passOne(line.shift(), enter, resting);
    // Those who still wait are ahead of those who are read from.
    if (line.length === 0) time.begin();
  });
  const enter = (member: Member): void => {
    if (member.waits || member.stopped) return;
    member.waits = true;
    line.push(member);
    arm();
  };
  const hold = (member: Member, bytes: Uint8Array): void => {
    member.held.push(bytes);
    member.connection.read(false);
    enter(member);
    heldInTurn += 1;
    if (heldInTurn !== readLimits.heldPerTurn) return;
    for (const other of members) {
      if (!other.waits && !other.stopped) other.connection.read(false);
      enter(other);
    }
  };
  const take = (member: Member, bytes: Uint8Array): void => {
    const { connection } = member;
    arm();
    for (let at = 0; at < bytes.length && !connection.gone;) {
      if (member.waits || member.stopped || time.isOver()) return hold(member, bytes.subarray(at));
      const from = at;
      at = connection.pieceEnd(bytes, from);
      connection.pass(bytes.subarray(from, at));
    }
  };

  return (connection) => {
    const member: Member = { connection, held: [], waits: false, stopped: false };
    members.add(member);
    return {
      take: (bytes) => take(member, bytes),
      takeLater: (bytes) => hold(member, bytes),
      allow(reading) {
        member.stopped = !reading;
        if (reading && member.held.length > 0) enter(member);
        else connection.read(reading);
      },
      end() {
        member.held = [];
        members.delete(member);
      },
    };
  };
}

/** A piece of the one who is first in line; without one it reads on. Behind the last piece of a
 * read it waits for the next turn: a session of HTTP/2 forgets the streams that are reset only
 * then, and would refuse those which their client opens for them. */
function passOne(member: Member, enter: (member: Member) => void, resting: Member[]): void {
  const { connection, held } = member;
  member.waits = false;
  if (member.stopped || connection.gone) return;
  const [first] = held;
  if (first === undefined) return connection.read(true);
  const end = connection.pieceEnd(first, 0);
  if (end < first.length) {
    held[0] = first.subarray(end);
    enter(member);
  } else {
    held.shift();
    member.waits = true;
    resting.push(member);
  }
  connection.pass(first.subarray(0, end));
}

/** For reads: `turnMs` from the first of a turn on. */
function createTurnTime(clock: Pick<Clock, 'monotonicMs'>) {
  let endsMs: number | undefined;
  return {
    begin: () => void (endsMs = undefined),
    isOver(): boolean {
      const nowMs = clock.monotonicMs();
      endsMs ??= nowMs + readLimits.turnMs;
      return nowMs >= endsMs;
    },
  };
}
