/**
 * Checks on demand whether this server keeps up with the store. Nothing polls.
 *
 * Elsewhere: the protection of reads, which wait for the log or are refused (streams/freshness.ts).
 * This check tells operators and load balancers earlier.
 *
 * Bounds: one question of each sort at a time, however many ask; each of them waits at most
 * `logFollowLimits.waitMs`. A store that cannot be reached and a log that stands still look the
 * same: not current.
 */
import type { Streams } from '../../../streams/streams.ts';
import type { Timers } from '../../stdx/clock.ts';
import type { Storage } from '../../storage/storage.ts';

const logFollowLimits = {
  /** How long the log may take to be caught up with before the server is not ready. */
  waitMs: 2_000,
} as const;

export interface LogFollow {
  /** Whether the caches reach what is the store's newest revision now, in time. */
  isCurrent(): Promise<boolean>;
  /** The newest revision of the store; NaN when it does not say in time. As a number it is exact
   * to 2^53, and good for a difference beyond. */
  storeRevision(): Promise<number>;
}

export function createLogFollow(
  streams: Pick<Streams, 'waitUntilCurrent'>,
  storage: Pick<Storage, 'revision'>,
  timers: Timers,
): LogFollow {
  const current = oneAtATime(() =>
    streams.waitUntilCurrent().then(
      () => true,
      () => false,
    ),
  );
  const revision = oneAtATime(() => storage.revision().then(Number, () => NaN));
  return {
    isCurrent: () => inTime(timers, current(), false),
    storeRevision: () => inTime(timers, revision(), NaN),
  };
}

/** Who comes while an answer is awaited shares it. `ask` does not reject. */
function oneAtATime<T>(ask: () => Promise<T>): () => Promise<T> {
  let asking: Promise<T> | undefined;
  return () =>
    (asking ??= ask().finally(() => {
      asking = undefined;
    }));
}

function inTime<T>(timers: Timers, answer: Promise<T>, late: T): Promise<T> {
  return new Promise((resolve) => {
    const timer = timers.after(logFollowLimits.waitMs, () => resolve(late));
    void answer.then((value) => {
      timer.cancel();
      resolve(value);
    });
  });
}
