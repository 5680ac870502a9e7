/**
 * Calls that are cut end a few in each turn. A server that hangs makes many late together, and many
 * clients go together: each call has an error made, a connection closed, and whoever waits told.
 *
 * Bound: as many wait as there are calls.
 */
import type { Timers } from '../stdx/clock.ts';
import { onceATurn } from '../stdx/once-a-turn.ts';

/** Each takes up to half a millisecond. */
export const endsAtOnceMax = 16;

/** Returns what ends a call in its turn. */
export function createEndingCalls(timers: Pick<Timers, 'nextTurn'>): (end: () => void) => void {
  const waiting = new Set<() => void>();
  const nextTurn = onceATurn(timers, () => {
    let ended = 0;
    for (const end of waiting) {
      if (ended >= endsAtOnceMax) break;
      waiting.delete(end);
      end();
      ended += 1;
    }
    if (waiting.size > 0) nextTurn();
  });
  return (end) => {
    waiting.add(end);
    nextTurn();
  };
}
