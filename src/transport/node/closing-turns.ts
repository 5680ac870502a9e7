/**
 * What node does much more for in the same turn than who asks for it sees, a bounded number of
 * times in each turn of the event loop: connections of HTTP/1.1 that close, answers of unknown
 * length that end, sessions and sockets that close with their port.
 *
 * Connections. Thousands may go at once whose answers nobody has read: what is being written to
 * them fails in one turn, read from or not, and node would close all of them at the end of it. Over
 * TLS that takes a tenth of a millisecond each: the session is freed, and the request and its
 * answer are told.
 *
 *     a socket is destroyed ─▶ among the first of its turn ─▶ closed
 *                           ─▶ behind them ─▶ [ waits ] ─▶ closed, as many in each turn, in order
 *
 * Answers. With a server that stops, all watches end. Behind the end of each answer node tells its
 * request and its answer, and closes the connection: several times what it takes to ask for it.
 *
 * Invariants: who waits is destroyed or closed already for everybody who asks; nothing more is
 * read or written, be it for a parser that reads below the socket. While nobody waits and nothing
 * is done there is no timer.
 * Bound: as many wait as there are connections, and answers on them.
 */
import type { Socket } from 'node:net';
import { onceATurn } from '../../stdx/once-a-turn.ts';
import { RingBuffer } from '../../stdx/ring-buffer.ts';
import type { Timers } from '../../stdx/clock.ts';

/** Two or three milliseconds, what node does behind each included. Policy: the others wait. */
export const closingsPerTurn = 32;

/** Answers that end. As long, for the end of an answer may be that of its connection. Policy: the
 * others wait. */
export const endingsPerTurn = 16;

/** Sessions and sockets that are closed with their port. Policy: the others wait. */
export const shutdownsPerTurn = 16;

/** Does what it is called with, so much in a turn. */
export type TurnQueue = (work: () => void) => void;

export function createTurnQueue(timers: Pick<Timers, 'nextTurn'>, perTurn: number): TurnQueue {
  const waiting = new RingBuffer<() => void>();
  let doneInTurn = 0;
  const arm = onceATurn(timers, () => {
    doneInTurn = 0;
    // Before the work: what throws holds nobody up.
    if (waiting.length > 0) arm();
    while (waiting.length > 0 && doneInTurn < perTurn) {
      doneInTurn += 1;
      waiting.shift()();
    }
  });
  return (work) => {
    arm();
    if (waiting.length > 0 || doneInTurn >= perTurn) return void waiting.push(work);
    doneInTurn += 1;
    work();
  };
}

/** Of node. */
type ClosingSocket = Pick<Socket, '_destroy'> & {
  readonly _handle?: { readStop(): number } | null;
};

/** Of all sockets that the result is called with, each before it is destroyed. */
export function createClosings(timers: Pick<Timers, 'nextTurn'>): (socket: ClosingSocket) => void {
  const queue = createTurnQueue(timers, closingsPerTurn);
  return (socket) => {
    const close = socket._destroy.bind(socket);
    socket._destroy = (error, done) => {
      socket._handle?.readStop();
      queue(() => close(error, done));
    };
  };
}
