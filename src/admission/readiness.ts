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

export interface Readiness {
  /** What was stored at the start is in force. */
  readonly isReady: boolean;
  /** Resolves when it is. */
  readonly whenReady: Promise<void>;
}

export interface SettableReadiness extends Readiness {
  setReady(): void;
}

export function createReadiness(): SettableReadiness {
  let isReady = false;
  let resolve = (): void => undefined;
  const whenReady = new Promise<void>((done) => (resolve = done));
  return {
    get isReady() {
      return isReady;
    },
    whenReady,
    setReady() {
      isReady = true;
      resolve();
    },
  };
}

/** Resolves when it is ready, or has been waited for long enough; undefined: it is. */
export function untilReady(
  { isReady, whenReady }: Readiness,
  timers: Pick<Timers, 'after'>,
): Promise<void> | undefined {
  if (isReady) return undefined;
  return new Promise((resolve) => {
    const timer = timers.after(readyWaitMs, resolve);
    void whenReady.then(() => {
      timer.cancel();
      resolve();
    });
  });
}
