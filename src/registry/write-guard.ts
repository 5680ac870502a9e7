/**
 * A say in writes of some kinds, by what is written and by what the writer may do beside the write
 * itself: nobody may grant what they do not have, a node keeps to itself.
 *
 *     write ▶ decided on the current object ▶ check(next, current) ▶ stored | refused, no change
 *
 * Of a creation it may complete the object first, before it is validated.
 *
 * What it is not: authorization of the request, which has happened, or validation.
 *
 * Invariants: the check runs inside the decision and may run again, so it sees what is stored. It
 * cannot wait there: where an answer has to be fetched, the decision is refused, the answer
 * fetched, and the write tried again; `run` does that.
 */
import type { UserInfo } from '../apimachinery/user-info.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import { StatusError } from '../apimachinery/status-error.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import type { Production } from '../../actors/actors.ts';

/** Both in the stored version. `current` undefined: a creation, or what is posted to a subresource;
 * `next` undefined: a deletion. Undefined: go on. */
export type WriteCheck = (
  next: ApiObject | undefined,
  current: ApiObject | undefined,
) => StatusError | undefined;

/** An object that is to be created, in the stored version, as it may be: with what the guard has to
 * add; or why it may not be. What it adds is nobody's. */
export type Completion = (object: ApiObject) => ApiObject | StatusError;

export interface WriteGuard {
  /** `complete` absent: nothing to add. */
  run<T>(write: (check: WriteCheck, complete?: Completion) => Promise<T>): Promise<T>;
}

export interface GuardedWrite {
  readonly kind: KindInfo;
  readonly namespace: string;
  /** Absent: the one that the object will have. */
  readonly name?: string | undefined;
  /** Absent: the object itself, be it by its scale. */
  readonly subresource?: string | undefined;
}

/** Undefined: nothing to say about this write. */
export type GuardOf = (user: UserInfo, write: GuardedWrite) => WriteGuard | undefined;

/** Several guards as one: what one refuses the next is not asked about. */
export function allGuards(guards: readonly GuardOf[]): GuardOf {
  return (user, write) => {
    const concerned = guards.flatMap((guardOf) => guardOf(user, write) ?? []);
    return concerned.length === 0 ? undefined : concerned.reduce(both);
  };
}

function both(first: WriteGuard, second: WriteGuard): WriteGuard {
  return {
    run: (write) =>
      first.run((ofFirst, completeFirst) =>
        second.run((ofSecond, completeSecond) =>
          write(
            (next, current) => ofFirst(next, current) ?? ofSecond(next, current),
            oneAfterTheOther(completeFirst, completeSecond),
          ),
        ),
      ),
  };
}

function oneAfterTheOther(first?: Completion, second?: Completion): Completion | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return (object) => {
    const completed = first(object);
    return completed instanceof StatusError ? completed : second(completed);
  };
}

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
