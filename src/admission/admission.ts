/**
 * Admission: what a write has to pass after it has been authorized and before it is committed, by
 * what is in it (spec 2, section 1, rule 1). The port: plugins stand behind it, by name.
 *
 *     authorized ▶ what a create, update, patch or apply makes of the object as it is
 *                ▶ each plugin in order: admit (mutate)
 *                ▶ the rules of the kind
 *                ▶ each plugin in order: validate ▶ stored | 403, no change
 *
 * What it is not: authorization of the request, or the rules of the kind, which stand between the
 * two phases.
 *
 * Invariants: a dry run is reviewed like any write. The object's actor asks for each phase in the
 * middle of its decision, waits, and asks again where the object has changed meanwhile; so a plugin
 * may be asked several times about one write, and its answer is about the two states.
 */
import type { GroupResource } from '../apimachinery/schema.ts';
import { newServiceUnavailable } from '../apimachinery/status-error.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import type { Attributes } from '../authorization/authorizer.ts';

/** What is written, and where. */
export interface AdmissionTarget {
  /** As it is stored. */
  readonly resource: GroupResource;
  /** '' for the object itself. */
  readonly subresource: string;
  readonly namespace: string;
  /** '' for a creation. */
  readonly name: string;
}

/** Only `next`: a creation, or what was posted to a subresource. Both: an update. Only `current`: a
 * deletion. Objects are in the version that they are stored in. */
export interface Review extends AdmissionTarget {
  readonly user: UserInfo;
  readonly next: ApiObject | undefined;
  readonly current: ApiObject | undefined;
}

/** Whether the authorizers allow this. Undefined: they are being asked, and the write is reviewed
 * again when they have answered. */
export type Ask = (attributes: Attributes) => boolean | undefined;

/** Why the write is refused: a text makes a 403. Undefined: it is not. */
export type Refusal = string | StatusError | undefined;

/** What is to be written, before the rules of its kind have looked at it. */
export interface Proposed extends Review {
  readonly next: ApiObject;
}

/** Has the write tried again when this has come, or cannot come any more; once for each text. What
 * the plugin answers meanwhile is its answer if there is no other. */
export type WaitFor = (what: string, comes: () => Promise<void>) => void;

/** What becomes of an object by a write that may be mutated. */
export type MutatedOperation = 'create' | 'update';

/** At once, or when whoever it asks elsewhere has answered. */
type Awaitable<T> = T | Promise<T>;

export interface AdmissionPlugin {
  /** As flags name it. */
  readonly name: string;
  /** Whether it has anything to say; asked of every write of a user, so it has to be quick. */
  concerns(user: UserInfo, target: AdmissionTarget): boolean;
  /** Resolves when what it keeps is as new as the write; absent: it keeps nothing. */
  readonly current?: ((target: AdmissionTarget) => Promise<void> | undefined) | undefined;
  /** Which writes `admit` is asked about; absent: none. */
  readonly admits?: readonly MutatedOperation[] | undefined;
  /** The object with what it has to have, or why it may not be written. The next plugin sees what
   * this one leaves. What it adds is nobody's, and has to obey the rules of the kind. */
  readonly admit?:
    | ((proposed: Proposed, waitFor: WaitFor) => Awaitable<ApiObject | NonNullable<Refusal>>)
    | undefined;
  /** Sees the object that is stored. Absent: it only admits. */
  readonly validate?: ((review: Review, ask: Ask) => Awaitable<Refusal>) | undefined;
}

/** What a plugin answers while the authorizers are being asked. */
export const unanswered = newServiceUnavailable(
  'whether this may be written could not be found out',
);

/** Reading what others have written, as the streams know it. */
export interface AdmissionObjects {
  get(resource: GroupResource, namespace: string, name: string): ApiObject | undefined;
  /** Of all namespaces, in key order. Made anew only when one of them has changed. */
  all(resource: GroupResource): readonly ApiObject[];
  /** Resolves when there is such an object, or when it has been waited for long enough. */
  appearance(resource: GroupResource, namespace: string, name: string): Promise<void>;
  /** Resolves when what was written before is seen. */
  current(): Promise<void>;
}
