/**
 * Where node keeps the streams of a session of HTTP/2, by their numbers: a Map of its own, which
 * would keep each stream that has ended, and whatever hangs on it, until a full collection of the
 * engine (slot-set.ts says why). That is ten kilobytes a request, and a collection that is the
 * longer for it.
 *
 * Not documented: where a version of Node has nothing of the kind, its Map stays.
 */
import type { ServerHttp2Session } from 'node:http2';
import { NumberTable } from '../../stdx/number-table.ts';

interface StreamMap {
  readonly size: number;
  get(id: number): unknown;
  delete(id: number): boolean;
}

interface SessionState {
  streams?: Partial<StreamMap>;
  readonly pendingStreams?: unknown;
}

/** For a session that has just begun. */
export function letStreamsGo(session: ServerHttp2Session): void {
  const states = session as unknown as Record<symbol, SessionState | null | undefined>;
  for (const symbol of Object.getOwnPropertySymbols(session)) {
    const state = states[symbol];
    if (state?.pendingStreams === undefined) continue;
    if (state.streams?.size === 0) state.streams = new NumberTable<unknown>();
  }
}
