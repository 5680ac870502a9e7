/**
 * A say in writes of some kinds, by what is written and by what the writer may do beside the write
 * itself: nobody may grant what they do not have, a node keeps to itself.
 *
 *     a creation ▶ mutate ▶ validated by its kind's rules ▶ validate ▶ stored | refused, no change
 *     a change, a deletion ▶ decided on the current object ▶ validate ▶ stored | refused, no change
 *
 * What it is not: authorization of the request, which has happened, or the rules of the kind.
 *
 * Invariants: it is asked about the very object that is stored: the object's actor asks in the
 * middle of its decision, waits for the answer, and asks again where the object has changed
 * meanwhile (actors/SPEC.md, state `deciding`). A guard may take its time; a deadline bounds it.
 */
import type { UserInfo } from '../apimachinery/user-info.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import { StatusError } from '../apimachinery/status-error.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';

/** Objects are in the stored version. */
export interface WriteGuard {
  /** Resolves when what it judges by is as new as the write; undefined: it is. */
  current(): Promise<void> | undefined;
  /** An object that is to be created, with what it has to have; or why it may not be. What is added
   * is nobody's. */
  mutate(object: ApiObject): Awaitable<ApiObject | StatusError>;
  /** `current` undefined: a creation, or what is posted to a subresource; `next` undefined: a
   * deletion. Undefined: go on. */
  validate(
    next: ApiObject | undefined,
    current: ApiObject | undefined,
  ): Awaitable<StatusError | undefined>;
}

/** Most guards know at once, and most writes then need no turn. */
export type Awaitable<T> = T | Promise<T>;

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
    current() {
      const coming = [first.current(), second.current()].filter((one) => one !== undefined);
      return coming.length === 0 ? undefined : Promise.all(coming).then(() => undefined);
    },
    mutate: (object) =>
      after(first.mutate(object), (mutated) =>
        mutated instanceof StatusError ? mutated : second.mutate(mutated),
      ),
    validate: (next, current) =>
      after(first.validate(next, current), (error) => error ?? second.validate(next, current)),
  };
}

function after<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
