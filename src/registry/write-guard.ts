/**
 * Guards of writes: admission plugins, and checks of what else the writer may do. For example,
 * nobody may grant rights that they do not have, and a node may only write what belongs to it.
 *
 *     a creation, a change ▶ mutate ▶ the rules of the kind ▶ validate ▶ stored | refused
 *     a deletion           ▶ validate ▶ stored | refused, no change
 *     a connection         ▶ mutate ▶ validate ▶ made | refused
 *
 * What it is not: authorization of the request, which has happened, or the rules of the kind.
 *
 * Invariants: it is asked about the very object that is stored, in the form in which it was decided
 * on: the object's actor asks in the middle of its decision, waits for the answer, and asks again
 * where the object has changed meanwhile (actors/SPEC.md, state `deciding`). What is mutated obeys
 * the rules of the kind like what was sent, and what is validated is not changed any more. A guard
 * may take long, up to the deadline of the request. The description of the request is only made for
 * writes that have a guard.
 */
import type { AdmissionOperation, Told } from '../apimachinery/admission-data.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import type { ApiObject, JsonObject } from '../apimachinery/unstructured.ts';
import type { Awaitable } from '../stdx/awaitable.ts';

/** What has to be asked about a write. Data: commands hold it. */
export interface Asks {
  /** Before the rules of the kind, of what is created, and of what is changed. */
  readonly mutateCreation: boolean;
  readonly mutateChange: boolean;
  /** After them. Of a deletion that is all. */
  readonly validate: boolean;
}

/** Of a write that nobody has a say in. */
export const asksNothing: Asks = {
  mutateCreation: false,
  mutateChange: false,
  validate: false,
};

/** How a write is asked for. Data: commands hold it. */
export interface WriteTerms {
  readonly dryRun: boolean;
  /** As the request gives them, without apiVersion and kind. */
  readonly options: JsonObject;
  /** Of the monotonic clock: what is not answered by then is refused. */
  readonly deadlineMs: number;
}

/** Those who have a say in a write. */
export interface WriteGuard {
  readonly asks: Asks;
  /** Resolves when what it judges by is as new as the write; undefined: it is. */
  current(): Promise<void> | undefined;
  hear(terms: WriteTerms): WriteHearing;
}

/** One write before those who have a say in it. Objects are in the version that is decided in or,
 * what there is, in the stored one, but for what is posted (versions.ts). `resourceVersion`: of
 * `current`, where that is known. */
export interface WriteHearing {
  /** An object that is to be written, with what it has to have; or why it may not be. `current`
   * undefined: it is created. */
  mutate(
    next: ApiObject,
    current: ApiObject | undefined,
    resourceVersion?: string,
  ): Awaitable<ApiObject | StatusError>;
  /** `current` undefined: a creation, or what is posted to a subresource; `next` undefined: a
   * deletion. Undefined: go on. */
  validate(
    next: ApiObject | undefined,
    current: ApiObject | undefined,
    resourceVersion?: string,
  ): Awaitable<StatusError | undefined>;
  /** By all that has been heard so far; undefined: nothing. */
  told(): Told | undefined;
}

export interface GuardedWrite {
  readonly kind: KindInfo;
  readonly namespace: string;
  /** Absent: the one that the object will have. */
  readonly name?: string | undefined;
  /** Absent: the object itself. */
  readonly subresource?: string | undefined;
}

interface Operations {
  readonly create: readonly AdmissionOperation[];
  readonly update: readonly AdmissionOperation[];
  readonly updateOrCreate: readonly AdmissionOperation[];
  readonly delete: readonly AdmissionOperation[];
  readonly connect: readonly AdmissionOperation[];
}

/** What a write may come to: an update may create. */
export const operations: Operations = {
  create: ['CREATE'],
  update: ['UPDATE'],
  updateOrCreate: ['UPDATE', 'CREATE'],
  delete: ['DELETE'],
  connect: ['CONNECT'],
};

/** Undefined: nothing to say about this write. */
export type GuardOf = (
  user: UserInfo,
  write: GuardedWrite,
  operations: readonly AdmissionOperation[],
) => WriteGuard | undefined;
