/**
 * Closes the connections of HTTP/1.1 a bounded number in each turn of the event loop. Thousands may
 * go at once whose answers nobody has read: what is being written to them fails in one turn, read
 * from or not, and node would close all of them at the end of it. Over TLS that takes a tenth of a
 * millisecond each: the session is freed, and the request and its answer are told.
 *
 *     a socket is destroyed ─▶ among the first of its turn ─▶ closed
 *                           ─▶ behind them ─▶ [ waits ] ─▶ closed, as many in each turn, in order
 *
 * Invariants: who waits is destroyed already for everybody who asks; nothing more is read or
 * written. While nobody waits and none is closed there is no timer.
 * Bound: as many wait as there are connections.
 */
import type { Socket } from 'node:net';
import { onceATurn } from '../../stdx/once-a-turn.ts';
import { RingBuffer } from '../../stdx/ring-buffer.ts';
import type { Timers } from '../../stdx/clock.ts';

/** Two or three milliseconds, what node does behind each included. Policy: the others wait. */
export const closingsPerTurn = 32;

/** Of all sockets that the result is called with, each before it is destroyed. */
export function createClosings(
  timers: Pick<Timers, 'nextTurn'>,
): (socket: Pick<Socket, '_destroy'>) => void {
  const waiting = new RingBuffer<() => void>();
  let closedInTurn = 0;
  const arm = onceATurn(timers, () => {
    closedInTurn = 0;
    // Before the work: what throws holds nobody up.
    if (waiting.length > 0) arm();
    while (waiting.length > 0 && closedInTurn < closingsPerTurn) {
      closedInTurn += 1;
      waiting.shift()();
    }
  });
  return (socket) => {
    const close = socket._destroy.bind(socket);
    socket._destroy = (error, done) => {
      arm();
      if (waiting.length > 0 || closedInTurn >= closingsPerTurn) {
        waiting.push(() => close(error, done));
      } else {
        closedInTurn += 1;
        close(error, done);
      }
    };
  };
}
