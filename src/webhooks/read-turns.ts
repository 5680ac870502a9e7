/**
 * What other servers send is read in turns of the event loop: node would read as much as there is
 * from every connection in one turn, and what is behind (a parser, which calls for each chunk of a
 * body, be it one byte) takes as long as they like.
 *
 *     connection ─▶ held, and reading stops ─▶ slice by slice, in turn with the others ─▶ HTTP
 *
 * Invariants: all slices of one turn together take `turnMs`, and the one more that was begun; what
 * has come before an end or a failure is passed on before it, however late it is read, and whatever
 * becomes of what is written (unheard-writes.ts). Bounds: a connection
 * holds what one read has given; how many are read from in one turn, raw-reads.ts says.
 *
 * Elsewhere: what clients of this server send (src/transport/node/read-turns.ts), which has to be
 * taken from below node's TLS and HTTP/2; here the connection itself can be replaced.
 */
import http from 'node:http';
import https from 'node:https';
import { Duplex } from 'node:stream';
import type { DuplexOptions } from 'node:stream';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Clock, Timers } from '../stdx/clock.ts';
import { systemClock, systemTimers } from '../stdx/clock.ts';
import { onceATurn } from '../stdx/once-a-turn.ts';
import { createHandshakeTurns, handshakeInTurns } from './handshake-turns.ts';
import { createNameLookup } from './name-lookup.ts';
import { createRawReads } from './raw-reads.ts';
import type { RawReader, RawReads } from './raw-reads.ts';
import { unheardWrites } from './unheard-writes.ts';

export const readTurnLimits = {
  /** Of all connections, in one turn. Policy: the rest comes in the next. */
  turnMs: 3,
  /** One step: the worst of them, chunks of one byte, are some 700. */
  sliceBytes: 4 * 1024,
} as const;

/** Passes one slice on. True: there is more. */
type PassOn = () => boolean;

export interface ReadTurns {
  /** In this turn, if there is time left and nobody waits. */
  soon(passOn: PassOn): void;
  /** From the next turn on. */
  later(passOn: PassOn): void;
}

export function createReadTurns(clock: Clock, timers: Pick<Timers, 'nextTurn'>): ReadTurns {
  const waiting = new Set<PassOn>();
  let usedMs = 0;
  const isOver = (): boolean => usedMs >= readTurnLimits.turnMs;
  const slice = (passOn: PassOn): boolean => {
    const startMs = clock.monotonicMs();
    const more = passOn();
    usedMs += clock.monotonicMs() - startMs;
    return more;
  };
  const nextTurn = onceATurn(timers, () => {
    usedMs = 0;
    for (const passOn of waiting) {
      if (isOver()) break;
      waiting.delete(passOn);
      // Behind the others.
      if (slice(passOn)) waiting.add(passOn);
    }
    if (waiting.size > 0) nextTurn();
  });
  const later = (passOn: PassOn): void => {
    waiting.add(passOn);
    nextTurn();
  };
  return {
    soon(passOn) {
      let more = true;
      while (more && waiting.size === 0 && !isOver()) more = slice(passOn);
      if (more) later(passOn);
      else nextTurn();
    },
    later,
  };
}

/** Of the process: it has one event loop. */
export const turnsOfProcess = createReadTurns(systemClock, systemTimers);

/** Of the process, too: it has one pool of threads. */
export const lookupOfProcess = createNameLookup({ clock: systemClock, timers: systemTimers });

/** Of the process, too. */
const handshakes = createHandshakeTurns(systemTimers);

/** Of the process, too. */
const readsOfProcess = createRawReads(systemTimers);

/** The agent of node whose connections are read in turns; no name that hangs stops another. */
export function agentInTurns(secure: boolean, options: https.AgentOptions): http.Agent {
  const own = { lookup: lookupOfProcess, ...options };
  const agent = secure ? new https.Agent(own) : new http.Agent(own);
  // Documented by node, missing in its types.
  const connecting = agent as unknown as Connecting;
  const { createConnection } = connecting;
  connecting.createConnection = (to) => {
    const open = (): Duplex => createConnection.call(agent, to);
    if (!secure) return readInTurns(open(), turnsOfProcess);
    const { attach, outer } = connectionInTurns(turnsOfProcess, readsOfProcess);
    handshakeInTurns(outer, open as () => TLSSocket, attach, handshakes);
    return outer;
  };
  return agent;
}

interface Connecting {
  createConnection(this: unknown, options: object): Duplex;
}

/** The same connection, whose bytes come in turns. */
export function readInTurns(inner: Duplex, turns: ReadTurns, reads = readsOfProcess): Duplex {
  const { attach, outer } = connectionInTurns(turns, reads);
  attach(inner);
  return outer;
}

/** A connection that is there before the one that it stands for: what is asked of it waits. */
function connectionInTurns(turns: ReadTurns, reads: RawReads) {
  const early = new EarlyUses();
  /** From the first bytes on: before them the handshake is read (handshake-turns.ts). */
  let reader: RawReader | undefined;
  let held: Buffer | undefined;
  let isWanted = false;
  let isPassing = false;
  /** Node may say so while the last that it gave is still held. */
  let hasEnded = false;
  let isOver = false;
  /** Why it is over. */
  let failure: Error | undefined;
  const passOn = (): boolean => {
    if (held === undefined || outer.destroyed) return false;
    const slice = held.subarray(0, readTurnLimits.sliceBytes);
    held = slice.length === held.length ? undefined : held.subarray(slice.length);
    isPassing = true;
    isWanted = outer.push(slice);
    isPassing = false;
    if (held !== undefined) return isWanted;
    if (hasEnded) outer.push(null);
    if (isOver) leave();
    else reader?.resume();
    return false;
  };
  /** What has been passed on may still wait for its reader. */
  const leave = (): void => {
    const isRead = outer.readableLength === 0;
    if (hasEnded && !isRead) outer.once('end', () => outer.destroy());
    else if (failure !== undefined && !isRead) whenRead(outer, turns, leave);
    else outer.destroy(hasEnded ? undefined : failure);
  };
  const outer: Duplex = new Duplex({
    allowHalfOpen: false,
    read() {
      isWanted = true;
      // Not within: what a stream is given while it asks, it passes on when nobody counts the time.
      if (held !== undefined && !isPassing) turns.later(passOn);
    },
    write: writesTo(early, () => hasEnded),
    final: (done) => early.use((to) => void to.end(done)),
    destroy(error, done) {
      early.inner?.destroy();
      held = undefined;
      done(error);
    },
  });
  const attach = (opened: Duplex): void => {
    opened.on('data', (chunk: Buffer) => {
      reader ??= reads(opened);
      reader.took(chunk.length);
      held = held === undefined ? chunk : Buffer.concat([held, chunk]);
      if (isWanted) turns.soon(passOn);
      if (held !== undefined) reader.pause();
    });
    opened.on('end', () => {
      hasEnded = true;
      if (held === undefined) outer.push(null);
    });
    opened.on('error', (error) => (failure = error));
    opened.on('timeout', () => void outer.emit('timeout'));
    opened.on('close', () => {
      isOver = true;
      reader?.end();
      if (held === undefined) leave();
    });
    early.begin(opened);
  };
  return { attach, outer: Object.assign(outer, likeSocket(early)) };
}

/** Calls back in the turn after the one in which all that has been passed on was taken. */
function whenRead(outer: Duplex, turns: ReadTurns, callback: () => void): void {
  const { read } = outer;
  outer.read = (size) => {
    const taken: unknown = read.call(outer, size);
    turns.later(() => {
      if (outer.readableLength === 0) callback();
      return false;
    });
    return taken;
  };
}

/** Who has ended hears no more, and half a connection is none. A write that failed for that would
 * cut off what he had said before, which may still be on its way to its reader. Of a connection
 * that has failed its own failure is told, when it closes. */
function writesTo(early: EarlyUses, hasEnded: () => boolean): NonNullable<DuplexOptions['write']> {
  const isDeaf = ({ destroyed }: Duplex): boolean => hasEnded() || destroyed || early.isUnheard();
  return (chunk, encoding, done) => {
    early.use((to) => {
      if (isDeaf(to)) done();
      else to.write(chunk as Buffer, encoding, (error) => done(isDeaf(to) ? undefined : error));
    });
  };
}

/** What is asked of a connection, in its order, when it is there. */
class EarlyUses {
  inner: Duplex | undefined;
  /** What was written lately was for nobody. */
  isUnheard = (): boolean => false;
  readonly #waiting: ((inner: Duplex) => void)[] = [];

  use(use: (inner: Duplex) => void): void {
    if (this.inner === undefined) this.#waiting.push(use);
    else use(this.inner);
  }

  begin(inner: Duplex): void {
    this.inner = inner;
    this.isUnheard = unheardWrites(inner);
    for (const use of this.#waiting.splice(0)) use(inner);
  }
}

/** What node's agent asks of a connection beside its bytes. */
function likeSocket(early: EarlyUses) {
  const ask = (use: (socket: Socket) => void): void => early.use((inner) => use(inner as Socket));
  return {
    setTimeout: (ms: number) => ask((socket) => void socket.setTimeout(ms)),
    setKeepAlive: (on: boolean, ms: number) => ask((socket) => void socket.setKeepAlive(on, ms)),
    setNoDelay: (on: boolean) => ask((socket) => void socket.setNoDelay(on)),
    ref: () => ask((socket) => void socket.ref()),
    unref: () => ask((socket) => void socket.unref()),
  };
}
