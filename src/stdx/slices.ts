/**
 * One long walk in slices: the walk asks now and then, and waits for the next turn of the event
 * loop when its slice has taken `sliceMs`. Walks that ask the same timer share its slices.
 *
 * Requests share the turns of turns.ts instead. Slices are for the streams, which have the event
 * loop for themselves while they load, and which wait for the store between the parts of a walk: a
 * step of turns.ts cannot wait.
 */
import type { Clock, Timers } from './clock.ts';

const sliceMs = 8;

/** Undefined: go on. */
export type EndOfSlice = () => Promise<void> | undefined;

export function createSliceTimer(
  clock: Pick<Clock, 'monotonicMs'>,
  timers: Pick<Timers, 'nextTurn'>,
) {
  let startedMs = clock.monotonicMs();
  let next: Promise<void> | undefined;
  const endOfSlice: EndOfSlice = () => {
    if (next !== undefined) return next;
    if (clock.monotonicMs() - startedMs < sliceMs) return undefined;
    next = new Promise((resolve) => {
      timers.nextTurn(() => {
        startedMs = clock.monotonicMs();
        next = undefined;
        resolve();
      });
    });
    return next;
  };
  return endOfSlice;
}
