/**
 * The turn of the event loop in which a document is sent. Many who wait for the same one, or ask
 * for it together, would all be sent it in one turn; the socket of each takes its time by the
 * bytes.
 */
import type { Turns } from '../stdx/turns.ts';

/** Bytes that a socket takes in a millisecond. */
const sentBytesPerMs = 1_000_000;

export function turnToSend(turns: Pick<Turns, 'pause'>, body: Uint8Array): Promise<void> {
  return turns.pause(body.byteLength / sentBytesPerMs);
}
