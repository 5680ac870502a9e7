/**
 * The end of what another server says, and of a connection to it.
 *
 * Invariant: who looks late hears of it all the same: between the head of an answer and its reader
 * there is a promise, and the other server may have broken off by then.
 */
import type { Duplex, Readable } from 'node:stream';
import type { Timers } from '../stdx/clock.ts';

/** For what is still on its way to a server that was told of the end. */
const endMs = 30_000;

/** Calls back when no more comes, be it long since. */
export function whenOver(stream: Readable, callback: () => void): void {
  if (stream.closed) callback();
  else stream.on('close', callback);
}

/** Ends a connection behind what is on its way to the server; one that takes nothing is cut. */
export function endConnection(socket: Duplex, timers: Pick<Timers, 'after'>): void {
  const cut = (): void => void socket.destroy();
  const timer = timers.after(endMs, cut);
  whenOver(socket, () => timer.cancel());
  socket.end(cut);
}
