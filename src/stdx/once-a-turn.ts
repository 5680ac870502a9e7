/** Asking for the next turn of the event loop, by many who want one and the same. */
import type { Timers } from './clock.ts';

/** Returns what asks: however often that is called, `turn` runs once, in the next turn. What it
 * asks for itself comes in the turn behind that. */
export function onceATurn(timers: Pick<Timers, 'nextTurn'>, turn: () => void): () => void {
  let isAsked = false;
  const run = (): void => {
    isAsked = false;
    turn();
  };
  return () => {
    if (isAsked) return;
    isAsked = true;
    timers.nextTurn(run);
  };
}
