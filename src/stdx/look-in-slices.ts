/**
 * A look at each of many things, in slices: so many in a turn of the event loop, or fewer where
 * what is done about them takes long.
 *
 * What is looked at was there when the walk began: some of it may have gone when its turn comes.
 */
import type { Clock, Timers } from './clock.ts';

/** Looked at in one turn. */
const sliceCount = 1_000;
/** For what is done about them in one turn. Policy: the others come in the next. */
const sliceMs = 4;

export interface SliceDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Pick<Timers, 'nextTurn'>;
}

/** Begins at once. `look` is told when its slice has begun, and says whether it did something that
 * takes time; `ended` comes in the turn of the last one. */
export function lookInSlices<T>(
  { clock, timers }: SliceDeps,
  items: readonly T[],
  look: (item: T, nowMs: number) => boolean,
  ended: () => void,
): void {
  const lookFrom = (from: number): void => {
    const nowMs = clock.monotonicMs();
    let end = Math.min(items.length, from + sliceCount);
    for (let i = from; i < end; i += 1) {
      if (look(items[i] as T, nowMs) && clock.monotonicMs() - nowMs >= sliceMs) end = i + 1;
    }
    if (end < items.length) timers.nextTurn(() => lookFrom(end));
    else ended();
  };
  lookFrom(0);
}
