/**
 * Guards of writes: admission plugins, and checks of what else the writer may do. For example,
 * nobody may grant rights that they do not have, and a node may only write what belongs to it.
 *
 *     a creation, a change ▶ mutate ▶ the rules of the kind ▶ validate ▶ stored | refused
 *     a deletion           ▶ validate ▶ stored | refused, no change
 *     a connection         ▶ mutate ▶ validate ▶ made | refused
 *
 * The request itself has been authorized before.
 *
 * Invariants: it is asked about the very object that is stored, in the form in which it was decided
 * on: the object's actor asks in the middle of its decision, waits for the answer, and asks again
 * where the object has changed meanwhile (actors/SPEC.md, state `deciding`). What is mutated obeys
 * the rules of the kind like what was sent, and what is validated is not changed any more. A guard
 * may take long, up to the deadline of the request. The description of the request is only made for
 * writes that have a guard.
 */
import type { AdmissionOperation, AdmissionNotes } from '../apimachinery/admission-data.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import type { ApiObject, JsonObject } from '../apimachinery/unstructured.ts';
import type { Awaitable } from '../stdx/awaitable.ts';
import type { Requester } from '../stdx/requester.ts';

/** Which questions must be asked about a write. Data, because commands hold it. */
export interface AdmissionPhases {
  /** Mutating questions, before validation, for creations and for changes. */
  readonly mutateCreation: boolean;
  readonly mutateChange: boolean;
  /** Validating questions, after validation by the kind. A deletion has only these. */
  readonly validate: boolean;
}

/** For a write without guards. */
export const noAdmissionPhases: AdmissionPhases = {
  mutateCreation: false,
  mutateChange: false,
  validate: false,
};

/** How a write was requested. Data, because commands hold it. */
export interface WriteTerms {
  readonly dryRun: boolean;
  /** As the request gives them, without apiVersion and kind. */
  readonly options: JsonObject;
  /** Of the monotonic clock: what is not answered by then is refused. */
  readonly deadlineMs: number;
}

/** The guards of writes. */
export interface WriteGuard {
  readonly asks: AdmissionPhases;
  /** Resolves when the guard's own data is as recent as the write, or the requester has gone;
   * undefined: it is. */
  current(requester?: Requester): Promise<void> | undefined;
  /** `requester`: for whom; when it goes the write is refused (504), and nobody is asked. */
  admit(terms: WriteTerms, requester?: Requester): WriteAdmission;
}

/** One write in front of its guards. Objects are in the version that is decided in or, what there
 * is, in the stored one, but for what is posted (versions.ts). `resourceVersion`: of `current`,
 * where that is known. */
export interface WriteAdmission {
  /** The object to be written with the additions of the guard, or the refusal. `current` undefined:
   * a creation. */
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
  /** The warnings and annotations so far; undefined: none. */
  notes(): AdmissionNotes | undefined;
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

/** What a write may turn out to be: an update may create. */
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
