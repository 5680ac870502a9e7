/**
 * Sessions of HTTP/2 that are over although nobody has closed them. What a client may not send (a
 * body for a stream that is none, a head that cannot be decoded, a frame of a wrong length) the
 * library answers with a GOAWAY. Behind that it neither reads nor writes, and node is not told:
 * connection, streams and what was made for them would stay, although the client has gone.
 *
 *     something was read ─▶ next turn: the library wants to read or write ─▶ goes on
 *                                      it wants neither ─▶ waits in line ─▶ is destroyed
 *
 * A GOAWAY that waits for a client who reads nothing is looked for again when the session is idle.
 *
 * Invariants: who is destroyed has been sent all that there was for it; what one turn destroys is
 * within the streams of a turn (session-turns.ts), but for one session with more. While nothing is
 * read and nobody waits there is no timer.
 * Bound: as many wait as there are sessions.
 */
import type { ServerHttp2Session } from 'node:http2';
import { onceATurn } from '../../stdx/once-a-turn.ts';
import { RingBuffer } from '../../stdx/ring-buffer.ts';
import type { Timers } from '../../stdx/clock.ts';
import { handleOf } from './session-handle.ts';
import { sessionLimits } from './session-turns.ts';

export interface EndingSession {
  /** It neither reads nor writes any more. */
  readonly isOver: boolean;
  /** How many streams are open. */
  readonly open: number;
  destroy(): void;
}

export interface SessionEnds {
  /** Something of it has been read, or nothing for long. */
  look(session: EndingSession): void;
}

export function createSessionEnds(timers: Pick<Timers, 'nextTurn'>): SessionEnds {
  const waiting = new RingBuffer<EndingSession>();
  let looked = new Set<EndingSession>();
  const arm = onceATurn(timers, () => {
    const { streamsPerEnd, streamsPerTurn } = sessionLimits;
    const read = looked;
    looked = new Set();
    for (const session of read) if (session.isOver) waiting.push(session);
    for (let closed = 0; waiting.length > 0 && closed < streamsPerTurn;) {
      const session = waiting.shift();
      closed += session.open + streamsPerEnd;
      session.destroy();
    }
    if (waiting.length > 0) arm();
  });
  return {
    look(session) {
      looked.add(session);
      arm();
    },
  };
}

/** Where node does not say what its library wants, it is over when it is destroyed. */
export function endingSession(
  session: ServerHttp2Session,
  streams: { readonly open: number },
): EndingSession {
  const handle = handleOf(session);
  return {
    get isOver() {
      return !session.destroyed && handle?.()?.hasPendingData?.() === false;
    },
    get open() {
      return streams.open;
    },
    destroy: () => session.destroy(),
  };
}
