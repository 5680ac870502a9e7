/**
 * Evaluations never wait. One that needs a value that is not there yet ends and names it. When the
 * value has arrived, the evaluation runs again from its start.
 *
 *     run ─▶ a value is missing ─▶ it is waited for ─▶ run again … ─▶ everything was there
 *
 * The last run has every value from its start, so its result and its cost are those of an
 * evaluation that could wait. Each run asks for the first missing value only, so nothing is asked
 * for that such an evaluation would not have needed.
 *
 * Invariant: evaluations are pure, and a value that has arrived is there for all later runs.
 */
import { after } from '../stdx/awaitable.ts';
import type { Awaitable } from '../stdx/awaitable.ts';
import { unknownResult } from './evaluation-error.ts';

export interface LateValues {
  /** Ends the run that needs it, by throwing. The promise never rejects. `comes` is called again if
   * something is missing in it. */
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
  /** What comes may miss something itself: then it comes again when that is there. */
  const arrived = async (): Promise<void> => {
    const awaited: (() => Promise<void>)[] = [];
    for (;;) {
      if (open !== undefined) awaited.push(open);
      open = undefined;
      const comes = awaited.at(-1);
      if (comes === undefined) return;
      await comes();
      if (open === undefined) awaited.pop();
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
