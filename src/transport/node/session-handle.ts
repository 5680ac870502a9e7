/** What node has below a session of HTTP/2: its library. Not documented. */
import type { ServerHttp2Session } from 'node:http2';

export interface SessionHandle {
  receive?(bytes: Uint8Array): void;
  /** Whether it would read or write anything, now or later. */
  hasPendingData?(): boolean;
}

/** Returns what looks it up: when the session is destroyed there is none. Undefined: this version
 * of Node has nothing of the kind. */
export function handleOf(
  session: ServerHttp2Session,
): (() => SessionHandle | undefined) | undefined {
  const symbol = Object.getOwnPropertySymbols(session).find((each) => {
    return each.description === 'kHandle';
  });
  if (symbol === undefined) return undefined;
  const handles = session as unknown as Record<symbol, SessionHandle | undefined>;
  return () => handles[symbol];
}
