/**
 * Evaluations do not wait. One that needs what takes time says so and ends; when that has come it
 * is run again.
 *
 *     run ─▶ a value is missing ─▶ it is waited for ─▶ run again … ─▶ everything was there
 *
 * The last run has every value from its start, so that its result and its cost are those of an
 * evaluation that waited. Of what a run misses only the first thing is waited for: nothing is asked
 * for that an evaluation which waits would not have needed.
 *
 * Invariant: evaluations are pure, and what has come once is there for the runs after it.
 */
import { after } from '../stdx/awaitable.ts';
import type { Awaitable } from '../stdx/awaitable.ts';
import { unknownResult } from './evaluation-error.ts';

export interface LateValues {
  /** Ends the run that needs it, by throwing. The promise never rejects. */
  missing(name: string, comes: () => Promise<void>): never;
  /** Ends a run that goes on though it misses something: what would come of it is not used. */
  endIfMissing(): void;
  /** Runs `evaluate` until nothing is missing: at once, where nothing is. One after the other. */
  complete<T>(evaluate: () => Awaitable<T>): Awaitable<T>;
}

export function lateValues(): LateValues {
  let open: (() => Promise<void>) | undefined;
  const run = <T>(evaluate: () => Awaitable<T>): Awaitable<T> => {
    open = undefined;
    return after(evaluate(), (result) =>
      open === undefined ? result : arrived().then(() => run(evaluate)),
    );
  };
  /** What comes may miss something itself. */
  const arrived = async (): Promise<void> => {
    while (open !== undefined) {
      const comes = open;
      open = undefined;
      await comes();
    }
  };
  return {
    missing(name, comes) {
      open ??= comes;
      throw unknownResult([name]);
    },
    endIfMissing() {
      if (open !== undefined) throw unknownResult([]);
    },
    complete: run,
  };
}
