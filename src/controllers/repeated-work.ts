/**
 * Work that a controller does at its start and then again after a while, one run at a time.
 *
 *     start ▶ work ─ done ───▶ afterSuccessMs ▶ work ...        undefined: it has been done
 *                  └ failed ─▶ onError, afterFailureMs ▶ work ...
 *
 * Elsewhere: work that changes call for (work-queue.ts, key-queue.ts).
 *
 * Invariants: the pause begins when a run has ended, so runs never meet. After `stop` nothing
 * begins, and it resolves when the run in hand has ended; long work asks `stopped` on its way.
 */
import type { TimerHandle, Timers } from '../stdx/clock.ts';
import type { Controller } from './controller.ts';

export interface RepeatedWork {
  readonly timers: Timers;
  readonly work: (stopped: () => boolean) => Promise<void>;
  readonly afterSuccessMs: number | undefined;
  readonly afterFailureMs: number;
  readonly onError: (error: unknown) => void;
}

export function repeatWork(repeated: RepeatedWork): Controller {
  const { timers, work, onError, afterSuccessMs, afterFailureMs } = repeated;
  let stopped = false;
  let next: TimerHandle | undefined;
  let working: Promise<void> = Promise.resolve();

  const run = async (): Promise<void> => {
    let pauseMs = afterSuccessMs;
    try {
      await work(() => stopped);
    } catch (error) {
      onError(error);
      pauseMs = afterFailureMs;
    }
    if (!stopped && pauseMs !== undefined) next = timers.after(pauseMs, begin);
  };
  const begin = (): void => {
    working = run();
  };

  return {
    start: begin,
    async stop() {
      stopped = true;
      next?.cancel();
      await working;
    },
  };
}
