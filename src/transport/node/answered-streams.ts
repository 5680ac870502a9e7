/**
 * Ends a stream of HTTP/2 whose answer came before its body: it stays until both sides have ended,
 * and a client may never end its own, so what is held for the answer would be held as long.
 *
 * Invariant: a stream is reset only when the whole answer has been written. Node says that it is
 * finished when it has handed the end of the answer on, and a reset that comes then may overtake
 * it: the client would have a head, and an error in place of the rest.
 * Bound: one look at a time for each such stream, in ever longer pauses while its client takes
 * nothing; whoever takes nothing is cut for that elsewhere.
 */
import { constants } from 'node:http2';
import type { ServerHttp2Stream } from 'node:http2';
import type { Timers } from '../../stdx/clock.ts';

const firstPauseMs = 1;
const pauseMaxMs = 1_000;

/** `isRead`: the body has come to its end. */
export function closeWhenAnswered(
  stream: ServerHttp2Stream,
  isRead: () => boolean,
  timers: Timers,
): void {
  const look = (pauseMs: number): void => {
    if (stream.destroyed || stream.closed || isRead()) return;
    if (stream.state.localClose === 1) stream.close(constants.NGHTTP2_NO_ERROR);
    else timers.after(pauseMs, () => look(Math.min(2 * pauseMs, pauseMaxMs)));
  };
  stream.once('finish', () => timers.nextTurn(() => look(firstPauseMs)));
}
