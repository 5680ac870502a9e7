/**
 * One long walk in slices: the walk asks now and then, and waits for the next turn of the event loop
 * when its slice has taken `sliceMs`.
 *
 * Requests share the turns of turns.ts instead. A slice is for the streams, which own the event loop
 * while they load, and which wait for the store between the parts of a walk: there a step would hold
 * its place among the requests while it waits, and its time would be taken from theirs.
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
  const endOfSlice: EndOfSlice = () => {
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
