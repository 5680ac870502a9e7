/**
 * The contract of admission: named plugins that may change or refuse a write because of its
 * content, after authorization and before the commit (spec 2, section 1, rule 1; dry runs: spec 1,
 * section 4.7).
 *
 *     authorized ▶ the object that a create, update, patch or apply would write
 *                ▶ each plugin in order: admit (mutate); a second round, if one of them asks for it
 *                ▶ validation of the kind
 *                ▶ each plugin in order: validate ▶ stored | refused, nothing changes
 *     a deletion ▶ each plugin in order: admit (without changes) ▶ validate ▶ done | refused
 *     a connection, or a posted object that is not stored ▶ admit ▶ validate ▶ done | refused
 *
 * Authorization of the request, and the validation between the two phases, are not part of
 * admission.
 *
 * Invariants: a dry run is reviewed like any write; a plugin with side effects has to check for it.
 * The object's actor asks for each phase in the middle of its decision and waits. If the object has
 * changed meanwhile, it asks again. So a plugin may be asked several times about one write. Each
 * answer is about the two states that it was given, and only the last one counts.
 */
import type { AdmissionOperation } from '../apimachinery/admission-data.ts';
import type { GroupResource, GroupVersionKind } from '../apimachinery/schema.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import { newServiceUnavailable } from '../apimachinery/status-error.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import type { ApiObject, JsonObject } from '../apimachinery/unstructured.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import type { Attributes } from '../authorization/authorizer.ts';
import type { Awaitable } from '../stdx/awaitable.ts';
import type { Requester } from '../stdx/requester.ts';
import type { Steps } from '../stdx/stepwise.ts';

/** What is written, and where: what is known before the object is. */
export interface AdmissionTarget {
  /** As it is stored. */
  readonly resource: GroupResource;
  /** At the version of the request. Of a subresource: the kind that it belongs to. */
  readonly kind: KindInfo;
  /** '' for the object itself. */
  readonly subresource: string;
  readonly namespace: string;
  /** '' for a creation. */
  readonly name: string;
  /** What it may come to: an update may create. Never empty. */
  readonly operations: readonly AdmissionOperation[];
}

/** A request, whole. */
export interface AdmissionRequest extends AdmissionTarget {
  /** Of a creation: the one that the object has. */
  readonly name: string;
  readonly user: UserInfo;
  /** What it has come to. */
  readonly operation: AdmissionOperation;
  /** Of what was sent: `kind`, or what its subresource takes (Scale, Eviction, PodExecOptions). */
  readonly bodyKind: GroupVersionKind;
  /** Whoever does more than look must do nothing else. */
  readonly dryRun: boolean;
  /** CreateOptions, UpdateOptions or DeleteOptions, with apiVersion and kind; a patch is an update.
   * Undefined: of a connection. */
  readonly options: JsonObject | undefined;
  /** Of the monotonic clock: whoever has not answered by then is not waited for. */
  readonly deadlineMs: number;
  /** Nobody waits for an answer any more when it goes. Undefined: the server itself asks. */
  readonly requester: Requester | undefined;
}

/** Only `next`: a creation, what was posted to a subresource, or the options of a connection. Both:
 * an update. Only `current`: a deletion. Stored objects are in the version that they are stored in
 * and without resourceVersion; what is posted and not stored is as it was sent, with its defaults.
 * Of a scale they are the objects that are scaled. */
export interface Review extends AdmissionRequest {
  readonly next: ApiObject | undefined;
  readonly current: ApiObject | undefined;
  /** Of `current`; undefined: it is not committed yet. */
  readonly resourceVersion: string | undefined;
}

/** What is to be written, before the rules of its kind have looked at it. */
export interface Proposed extends Review {
  readonly next: ApiObject;
}

/** What becomes of an object by a write that may be mutated. */
export type MutatedOperation = Exclude<AdmissionOperation, 'DELETE'>;

/** Whether the authorizers allow this. Undefined: they are being asked, and the write is reviewed
 * again when they have answered. */
export type Ask = (attributes: Attributes) => boolean | undefined;

/** Why the write is refused: a text makes a 403. Undefined: it is not. */
export type Refusal = string | StatusError | undefined;

/** Has the write tried again when this has come, or cannot come any more; once for each text. What
 * the plugin answers meanwhile is its answer if there is no other. */
export type WaitFor = (what: string, comes: () => Promise<void>) => void;

/** Takes what a plugin tells the writer and the audit event, whether it allows the write or not. If
 * the review is tried again, what was recorded of it is forgotten. */
export interface AdmissionRecorder {
  /** The text of a Warning header. */
  warn(text: string): void;
  /** An audit annotation. `Request`: only for events that hold the body of the request. */
  annotate(key: string, value: string, level?: 'Request'): void;
}

/** One pass over the plugins that may change the object. */
export interface MutatePass {
  /** 1: a plugin has asked for it, and all are asked once more. There is no third. */
  readonly round: 0 | 1;
  /** Those before this plugin, and this one, are to see what it has made of the object: all are
   * asked once more. */
  askAgain(): void;
  /** What the plugin wants to know in round 1 of what it did in round 0. */
  readonly notes: Map<string, unknown>;
  readonly ask: Ask;
  readonly waitFor: WaitFor;
  readonly recorder: AdmissionRecorder;
}

/** How a plugin finds out what it validates by, and what it says. */
export interface ValidatePass {
  readonly ask: Ask;
  /** The same, waited for: of what there may be very many, one after the other. */
  readonly decide: (attributes: Attributes) => Awaitable<boolean>;
  readonly recorder: AdmissionRecorder;
}

export interface AdmissionPlugin {
  /** As flags name it. */
  readonly name: string;
  /** The resources that it decides on: `<group>/<resource>` as they are stored, with
   * `/<subresource>` for one. Absent: anything. A write of anything else costs a plugin nothing. */
  readonly resources?: readonly string[] | undefined;
  /** Whether it has anything to say; asked of every write of a user to what it can have a say in,
   * so it has to be quick. */
  concerns(user: UserInfo, target: AdmissionTarget): boolean;
  /** Resolves when what it keeps is as new as the write; absent: it keeps nothing. */
  readonly current?: ((target: AdmissionTarget) => Promise<void> | undefined) | undefined;
  /** What `admit` is asked about; absent: nothing. */
  readonly admits?: readonly MutatedOperation[] | undefined;
  /** The object with what it has to have, the very same one where it has all, or why it may not be
   * written. The next plugin sees what this one leaves. What it adds is nobody's, and has to obey
   * the rules of the kind. */
  readonly admit?:
    | ((proposed: Proposed, pass: MutatePass) => Awaitable<ApiObject | NonNullable<Refusal>>)
    | undefined;
  /** Its `admit` is asked once, behind both passes: nobody who changes the object sees what this
   * one leaves, and who validates it does. Of the last of all plugins alone. */
  readonly completes?: boolean | undefined;
  /** The same of a deletion, where there is nothing to change. */
  readonly admitDeletion?: ((review: Review, pass: MutatePass) => Awaitable<Refusal>) | undefined;
  /** Sees the object that is stored. Absent: it only admits. */
  readonly validate?: ((review: Review, pass: ValidatePass) => Awaitable<Refusal>) | undefined;
}

/** What a plugin answers while the authorizers are being asked. */
export const unanswered = newServiceUnavailable(
  'whether this may be written could not be found out',
);

export interface ListedObjects {
  readonly count: number;
  /** In key order, decoded one by one. */
  all(): Iterable<ApiObject>;
}

/** What is known of an object that counts, and which of two comes first. */
export interface FirstObject<T> {
  /** Undefined: it does not count. */
  read(object: ApiObject): T | undefined;
  /** Never both ways: a total order. */
  isBefore(a: T, b: T): boolean;
}

/** Reading what others have written, as the streams know it. */
export interface AdmissionObjects {
  get(resource: GroupResource, namespace: string, name: string): ApiObject | undefined;
  /** Those of a namespace, as they are now. */
  listed(resource: GroupResource, namespace: string): ListedObjects;
  /** What `make` makes of those of a namespace ('': of the cluster), in key order: asked again only
   * when one of them has changed; in turns, if it takes many steps. It may stop before the last
   * object. */
  summaries<T>(
    resource: GroupResource,
    make: (objects: Iterable<ApiObject>) => Steps<T>,
  ): (namespace: string) => Awaitable<T>;
  /** The first one of those of a resource without namespaces that count. A change of one of them
   * costs the same however many there are. */
  first<T>(resource: GroupResource, which: FirstObject<T>): () => Awaitable<T | undefined>;
  /** By namespace: the name of one whose record nobody can read, and of which no earlier state is
   * known. */
  lost(resource: GroupResource): (namespace: string) => string | undefined;
  /** Resolves when there is such an object, or when it has been waited for long enough. */
  appearance(resource: GroupResource, namespace: string, name: string): Promise<void>;
  /** Resolves when what was written before is seen. */
  current(): Promise<void>;
}
