/**
 * What is sent to other servers is written in turns of the event loop: node would encrypt a body as
 * a whole in the turn in which it is given.
 *
 *     body ─▶ a slice is written ─▶ the connection has taken it ─▶ the next one, in its turn
 *
 * Invariants: slices count with what is read (read-turns.ts); no more than one of a body waits for
 * its connection. A body of one slice is written at once.
 */
import type { ClientRequest } from 'node:http';
import type { ReadTurns } from './read-turns.ts';

/** A tenth of a millisecond or two over TLS. */
export const sliceBytesMax = 256 * 1024;

/** A body that was made in parts stays in parts. */
export type HttpBody = string | readonly Uint8Array[];

export function bodyBytes(body: HttpBody): number {
  if (typeof body === 'string') return Buffer.byteLength(body);
  return body.reduce((sum, part) => sum + part.length, 0);
}

/** Its length has been announced. */
export function writeInTurns(
  request: ClientRequest,
  body: HttpBody,
  turns: Pick<ReadTurns, 'later'>,
): void {
  if (typeof body === 'string' && body.length <= sliceBytesMax) {
    request.end(body);
    return;
  }
  const slices = slicesOf(typeof body === 'string' ? [Buffer.from(body)] : body);
  const passOn = (): boolean => {
    if (request.destroyed) return false;
    const next = slices.next();
    if (next.done === true) request.end();
    else {
      writeNow(request, next.value, () => void turns.later(passOn));
    }
    return false;
  };
  passOn();
}

function* slicesOf(parts: readonly Uint8Array[]): Generator<Uint8Array, undefined> {
  for (const part of parts) {
    for (let at = 0; at < part.length; at += sliceBytesMax) {
      yield part.subarray(at, at + sliceBytesMax);
    }
  }
  return undefined;
}

/** Node would hold it until nobody counts the time any more. */
function writeNow(request: ClientRequest, slice: Uint8Array, taken: () => void): void {
  const { socket } = request;
  socket?.cork();
  request.write(slice, (error) => {
    if (!error) taken();
  });
  socket?.uncork();
}
