/**
 * A queue of TLS handshakes: few continue in one turn, addresses take turns, and an address whose
 * certificates have cost too much waits.
 *
 *     connection ─▶ [ line of its address ]─▶ reads for a turn ─▶ over
 *                            └───────────── nothing came ◀──┘
 *
 * The library of TLS verifies each signature of the chain that a client sends in one piece, before
 * anybody here is asked, up to 0.4 s for a hundred certificates. So the one thing that can be
 * bounded is how many connections are read from before their handshake is over.
 *
 * Invariants: in one turn at most `readingMax` handshakes go on; an address waits only behind its
 * own connections, and one turn of each other address. What an address sends beyond a handshake
 * without certificates, and nobody has signed, counts for it: above `unverifiedBytesMax` its
 * connections wait until that is worked off. While nobody waits there is no timer.
 * Bounds: the line holds the connections that the listener takes; `addressesMax` are remembered.
 */
import type { Clock, Timers } from '../../stdx/clock.ts';
import { RingBuffer } from '../../stdx/ring-buffer.ts';

export const handshakeLimits = {
  readingMax: 4,
  /** How long only one handshake continues in a turn after untrusted certificates. */
  carefulMs: 10_000,
  /** Untrusted certificate bytes of one address before it waits: some twenty chains of eight
   * certificates. */
  unverifiedBytesMax: 64 * 1024,
  /** How fast that debt is worked off: 400 bytes of certificates take three milliseconds at most,
   * so a tenth of the time. */
  unverifiedBytesPerMs: 16,
  /** A handshake without certificates. */
  freeBytes: 2 * 1024,
  addressesMax: 10_000,
} as const;

/** While the connections that are being read send nothing, they are changed this often. */
const quietTurnMs = 1;
const debtTurnMs = 20;

/** A connection before its handshake is over. */
export interface HandshakeConnection {
  readonly address: string;
  /** Begins the handshake; called once. */
  begin(): void;
  /** Reads on, or no further for now. */
  read(reading: boolean): void;
  readonly bytesRead: number;
  /** Of these, what came before the server's answer, as far as it is known: no certificates. */
  readonly helloBytes: number;
  readonly gone: boolean;
}

export interface HandshakeQueue {
  add(connection: HandshakeConnection): void;
  /** The handshake is done or has failed. `verified`: its certificates are signed by a trusted CA,
   * or none can have come. */
  over(connection: HandshakeConnection, verified: boolean): void;
  readonly waitingCount: number;
}

interface Address {
  readonly name: string;
  readonly line: RingBuffer<Member>;
  debtBytes: number;
  /** When the debt was what it says. */
  sinceMs: number;
}

interface Member {
  readonly connection: HandshakeConnection;
  readonly address: Address;
  begun: boolean;
  over: boolean;
  seenBytes: number;
}

/** Addresses and the debt of each. */
interface Addresses {
  of(name: string): Address;
  /** Now. */
  debtOf(address: Address): number;
}

function createAddresses(clock: Clock): Addresses {
  const { addressesMax, readingMax, unverifiedBytesPerMs } = handshakeLimits;
  const addresses = new Map<string, Address>();
  /** Drops the oldest addresses that have nothing waiting, a few at a time. */
  const forgetSome = (): void => {
    let looked = 0;
    for (const [name, address] of addresses) {
      if (address.line.length === 0) addresses.delete(name);
      looked += 1;
      if (looked === readingMax * readingMax) return;
    }
  };
  return {
    of(name) {
      const known = addresses.get(name);
      if (known !== undefined) return known;
      if (addresses.size >= addressesMax) forgetSome();
      const line = new RingBuffer<Member>();
      const made: Address = { name, line, debtBytes: 0, sinceMs: clock.monotonicMs() };
      addresses.set(name, made);
      return made;
    },
    debtOf(address) {
      const nowMs = clock.monotonicMs();
      const paid = (nowMs - address.sinceMs) * unverifiedBytesPerMs;
      address.debtBytes = Math.max(0, address.debtBytes - paid);
      address.sinceMs = nowMs;
      return address.debtBytes;
    },
  };
}

/** Waiting connections, in one queue for each address. */
interface WaitingLines {
  readonly count: number;
  push(member: Member): void;
  /** The next connection of an address without debt; undefined: all have some. Closed connections
   * are skipped. */
  next(gone: (member: Member) => void): Member | undefined;
}

function createWaitingLines({ debtOf }: Addresses): WaitingLines {
  /** Addresses with waiting connections, in the order of their turns. */
  const order = new RingBuffer<Address>();
  let count = 0;
  return {
    get count() {
      return count;
    },
    push(member) {
      const { address } = member;
      if (address.line.length === 0) order.push(address);
      address.line.push(member);
      count += 1;
    },
    next(gone) {
      for (let left = order.length; left > 0; left -= 1) {
        const address = order.shift();
        if (debtOf(address) > handshakeLimits.unverifiedBytesMax) {
          order.push(address);
          continue;
        }
        const member = address.line.shift();
        count -= 1;
        if (address.line.length > 0) order.push(address);
        if (!member.over && !member.connection.gone) return member;
        gone(member);
        left = order.length + 1;
      }
      return undefined;
    },
  };
}

export function createHandshakeQueue(clock: Clock, timers: Timers): HandshakeQueue {
  const addresses = createAddresses(clock);
  const members = new Map<HandshakeConnection, Member>();
  const waiting = createWaitingLines(addresses);
  const reading = createReading(clock, waiting, (member) => members.delete(member.connection));
  let isArmed = false;

  const turn = (): void => {
    isArmed = false;
    arm(reading.change());
  };
  const arm = (moved: boolean): void => {
    if (isArmed || waiting.count === 0) return;
    isArmed = true;
    if (moved) timers.nextTurn(turn);
    else timers.after(reading.count === 0 ? debtTurnMs : quietTurnMs, turn);
  };

  return {
    add(connection) {
      const address = addresses.of(connection.address);
      const member: Member = { connection, address, begun: false, over: false, seenBytes: 0 };
      members.set(connection, member);
      waiting.push(member);
      reading.fill();
      arm(true);
    },
    over(connection, verified) {
      const member = members.get(connection);
      if (member === undefined) return;
      members.delete(connection);
      member.over = true;
      reading.remove(member);
      const { bytesRead, helloBytes } = connection;
      const sent = bytesRead - helloBytes - handshakeLimits.freeBytes;
      if (!verified && sent > 0) {
        addresses.debtOf(member.address);
        member.address.debtBytes += sent;
        reading.beCareful();
      }
      // The next one is read from in another turn.
      arm(true);
    },
    get waitingCount() {
      return waiting.count;
    },
  };
}

/** Those who are read from in this turn. */
interface Reading {
  readonly count: number;
  /** Takes as many as may be read from; whether one of them begins. */
  fill(): boolean;
  /** Those who are read from wait, and others are; whether anything has come meanwhile. */
  change(): boolean;
  remove(member: Member): void;
  /** For a while one alone is read from. */
  beCareful(): void;
}

function createReading(
  clock: Clock,
  waiting: WaitingLines,
  gone: (member: Member) => void,
): Reading {
  let reading: Member[] = [];
  let carefulUntilMs = 0;
  const start = (member: Member): void => {
    reading.push(member);
    member.seenBytes = member.connection.bytesRead;
    if (member.begun) return member.connection.read(true);
    member.begun = true;
    member.connection.begin();
  };
  const fill = (): boolean => {
    let begun = false;
    const max = clock.monotonicMs() < carefulUntilMs ? 1 : handshakeLimits.readingMax;
    while (reading.length < max) {
      const member = waiting.next(gone);
      if (member === undefined) break;
      begun ||= !member.begun;
      start(member);
    }
    return begun;
  };
  return {
    get count() {
      return reading.length;
    },
    fill,
    change() {
      let moved = false;
      const had = reading;
      reading = [];
      for (const member of had) {
        const { connection } = member;
        if (member.over) continue;
        if (connection.gone) gone(member);
        else {
          moved ||= connection.bytesRead !== member.seenBytes;
          connection.read(false);
          waiting.push(member);
        }
      }
      return fill() || moved;
    },
    remove(member) {
      reading = reading.filter((other) => other !== member);
    },
    beCareful() {
      carefulUntilMs = clock.monotonicMs() + handshakeLimits.carefulMs;
    },
  };
}
