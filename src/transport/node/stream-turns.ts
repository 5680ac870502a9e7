/**
 * When requests begin, and the first of each connection over TLS. One read of a connection brings
 * hundreds of them, and in HTTP/2 maybe the resets of all of them behind their heads. And hundreds
 * of clients come in one turn after a restart, each with certificates that have to be read.
 *
 * The first of a turn begins at once. Those behind it wait for the next turn, where one that was
 * reset costs nothing, and then begin in their order, so many in a turn.
 *
 * Bounds: at most the open streams of all connections wait (`http2StreamsMax` each), and those
 * that were reset in this turn or wait behind them; or the first requests of `connectionsMax`
 * connections.
 */
import type { Timers } from '../../stdx/clock.ts';

/** Each takes a fraction of a millisecond before its first wait. */
export const requestsPerTurn = 16;
/** Node takes a millisecond for each certificate of a chain, before anybody has looked at it. */
export const certificatesPerTurn = 1;

interface Waiting {
  readonly stream: { readonly closed: boolean };
  readonly begin: () => void;
}

/** Calls `begin` now or in a later turn, or never when the stream is closed by then. */
export type StreamTurns = (stream: Waiting['stream'], begin: () => void) => void;

export function createStreamTurns(
  timers: Pick<Timers, 'nextTurn'>,
  beginningsPerTurn: number,
): StreamTurns {
  let taken = false;
  let arriving: Waiting[] = [];
  let beginning: Waiting[] = [];
  let at = 0;

  const next = (): Waiting | undefined => {
    if (at === beginning.length) {
      beginning = arriving;
      arriving = [];
      at = 0;
    }
    const waiting = beginning[at];
    if (waiting !== undefined) at += 1;
    return waiting;
  };

  const turn = (): void => {
    for (let begun = 0; begun < beginningsPerTurn;) {
      const waiting = next();
      if (waiting === undefined) return void (taken = false);
      if (waiting.stream.closed) continue;
      begun += 1;
      waiting.begin();
    }
    timers.nextTurn(turn);
  };

  return (stream, begin) => {
    if (taken) return void arriving.push({ stream, begin });
    taken = true;
    timers.nextTurn(turn);
    begin();
  };
}
