/**
 * A long walk in slices: whoever walks asks now and then, and waits for the next turn of the event
 * loop when the slice has taken `sliceMs`. For walks that begin before there are turns to share
 * (turns.ts), or that wait for something between their parts.
 */
import type { Clock, Timers } from './clock.ts';

const sliceMs = 8;

/** Undefined: go on. */
export type YieldIfDue = () => Promise<void> | undefined;

export function yieldBetweenSlices(
  clock: Pick<Clock, 'monotonicMs'>,
  timers: Pick<Timers, 'nextTurn'>,
) {
  let startedMs = clock.monotonicMs();
  const endOfSlice: YieldIfDue = () => {
    if (clock.monotonicMs() - startedMs < sliceMs) return undefined;
    return new Promise((resolve) => {
      timers.nextTurn(() => {
        startedMs = clock.monotonicMs();
        resolve();
      });
    });
  };
  return endOfSlice;
}
