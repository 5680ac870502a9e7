/**
 * Joins a client's connection and one to another server: what one says the other hears.
 *
 * Invariants: neither is read faster than the other takes it. When one of them ends the other one
 * is ended, behind what was on its way, as by the reference: half a connection is none.
 */
import type { Duplex } from 'node:stream';
import type { Timers } from '../stdx/clock.ts';
import type { Conversation, HttpExchange } from '../transport/http-exchange.ts';
import { endConnection, whenOver } from './over.ts';

/** Resolves when both are over. `rest`: what the server has said already. */
export function join(
  exchange: HttpExchange,
  conversation: Conversation,
  socket: Duplex,
  rest: Buffer,
  timers: Pick<Timers, 'after'>,
): Promise<void> {
  return new Promise((resolve) => {
    const cut = (): void => void socket.destroy();
    conversation.receive({
      data(bytes) {
        // Copied: it waits in the socket, and the memory is the transport's.
        if (!socket.write(Buffer.from(bytes))) conversation.pause();
      },
      end: () => endConnection(socket, timers),
    });
    socket.on('drain', () => conversation.resume());
    conversation.onDrain(() => socket.resume());
    socket.on('data', (piece: Buffer) => {
      if (!conversation.write(piece)) socket.pause();
    });
    socket.on('end', () => endConnection(socket, timers));
    exchange.onAbort(cut);
    if (rest.length > 0 && !conversation.write(rest)) socket.pause();
    else socket.resume();
    conversation.resume();
    whenOver(socket, () => {
      exchange.offAbort(cut);
      conversation.end();
      resolve();
    });
  });
}
