/**
 * Runs work that is written as an iterator in the turns of the event loop (turns.ts): others run
 * between its steps, and work for a client that has gone stops at the next step.
 *
 * How long one step is, is for the iterator to see to.
 */
import type { Awaitable } from './awaitable.ts';
import { untilDone } from './turns.ts';
import type { Turns } from './turns.ts';

/** Work in parts: it yields where everybody else may have a turn. */
export type Steps<T> = Generator<undefined, T>;

/** What it returns, with all its parts in this turn. */
export function finished<T>(work: Iterator<undefined, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** What the iterator returns; undefined: stopped before its end. Rejects with what a step threw. */
export async function runStepwise<T>(
  turns: Pick<Turns, 'run'>,
  work: Iterator<undefined, T>,
  isStopped: () => boolean,
): Promise<T | undefined> {
  const { value } = await untilDone(turns, () => {
    if (isStopped()) return { value: undefined };
    const step = work.next();
    return step.done === true ? { value: step.value } : undefined;
  });
  return value;
}

/** The same, where nobody stops it. */
export function runToEnd<T>(turns: Pick<Turns, 'run'>, work: Iterator<undefined, T>): Promise<T> {
  return runStepwise(turns, work, () => false) as Promise<T>;
}

/** The same, with the first part in this step: what is small has no other. Throws what that part
 * threw. */
export function startedAtOnce<T>(
  turns: Pick<Turns, 'run'>,
  work: Iterator<undefined, T>,
): Awaitable<T> {
  const first = work.next();
  return first.done === true ? first.value : runToEnd(turns, work);
}
