/**
 * How long a write waits for the configurations of admission that were stored when the server
 * started: nothing is written that one of them might have refused.
 *
 * Bound: `readyWaitMs` for all of them; then the write is refused with `notReady`, as by the
 * reference.
 */
import type { Timers } from '../stdx/clock.ts';

const readyWaitMs = 10_000;

/** Why the write is refused: a 403. */
export const notReady = 'not yet ready to handle request';

/** Resolves when what is coming is there, or has been waited for long enough. */
export function untilReady(
  coming: Promise<void> | undefined,
  timers: Pick<Timers, 'after'>,
): Promise<void> {
  return new Promise((resolve) => {
    const timer = timers.after(readyWaitMs, resolve);
    const end = (): void => {
      timer.cancel();
      resolve();
    };
    // What failed is not there: who asks sees that it is not ready.
    coming?.then(end, () => undefined);
  });
}
