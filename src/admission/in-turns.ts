/**
 * Runs work on a large pod in steps, with turns for other requests in between: a pod may have
 * thousands of containers, and each check of a plugin looks at all of them.
 *
 * Invariant: the result is the same with and without steps.
 * Bound: `containersAtOnce` containers in a step.
 */
import { objects } from '../apimachinery/members.ts';
import type { JsonObject } from '../apimachinery/unstructured.ts';
import { finished, runToEnd } from '../stdx/stepwise.ts';
import type { Steps } from '../stdx/stepwise.ts';
import type { Turns } from '../stdx/turns.ts';
import type { Awaitable } from '../stdx/awaitable.ts';

/** Containers that are looked at in one turn. */
const containersAtOnce = 200;

export function isLargePod(spec: JsonObject): boolean {
  const count = objects(spec, 'containers').length + objects(spec, 'initContainers').length;
  return count + objects(spec, 'ephemeralContainers').length > containersAtOnce;
}

export function inTurns<T>(
  turns: Pick<Turns, 'run'>,
  isLarge: boolean,
  work: Steps<T>,
): Awaitable<T> {
  return isLarge ? runToEnd(turns, work) : finished(work);
}

/** Each of them, with a step after so many. */
export function* stepping<T>(
  items: readonly T[],
  each: (item: T, at: number) => void,
): Steps<void> {
  for (const [at, item] of items.entries()) {
    each(item, at);
    if (at % containersAtOnce === containersAtOnce - 1) yield;
  }
}
