/**
 * A say in writes of some kinds, by what the writer may do beside the write itself: nobody may
 * grant what they do not have.
 *
 *     write ▶ decided on the current object ▶ check(next, current) ▶ stored | refused, no change
 *
 * What it is not: authorization of the request, which has happened, or validation.
 *
 * Invariants: the check runs inside the decision and may run again, so it sees what is stored. It
 * cannot wait there: where an answer has to be fetched, the decision is refused, the answer
 * fetched, and the write tried again; `run` does that.
 */
import type { UserInfo } from '../authentication/authenticator.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import type { Production } from '../../actors/actors.ts';

/** Both in the stored version. `current` undefined: a creation. Undefined: go on. */
export type WriteCheck = (
  next: ApiObject,
  current: ApiObject | undefined,
) => StatusError | undefined;

export interface WriteGuard {
  run<T>(write: (check: WriteCheck) => Promise<T>): Promise<T>;
}

/** Undefined: nothing to say about writes of this user to this kind. */
export type GuardOf = (
  user: UserInfo,
  target: { readonly kind: KindInfo; readonly namespace: string },
) => WriteGuard | undefined;

export const unguarded: WriteCheck = () => undefined;

/** What a guard leaves of a production. */
export function guarded(
  check: WriteCheck,
  production: Production,
  current: ApiObject | undefined,
): Production {
  if (production.kind === 'refused') return production;
  const error = check(production.object, current);
  return error === undefined ? production : { kind: 'refused', error };
}
