/**
 * The contract of field ownership: who owns which field of an object, and server-side apply
 * (spec 1, sections 2.5, 3.2 and 4.5).
 *
 * Everything here is pure and synchronous: it runs inside an actor's decision and may run again.
 *
 *     trackUpdate   managers/track-update.ts   any write but apply: next, with its managedFields
 *     applyPatch    managers/apply-patch.ts    merges an intent into the live object
 *     ownedKindOf   managers/owned-kind.ts     what both need to know of a kind; made once a kind
 *
 *     value ◀ fieldpath ◀ schema ◀ typed ◀ merge ◀ managers        (each knows those to its left)
 *
 * Invariants: what is passed in is never changed. A write that changes nothing gives the live
 * object's managedFields, the very same entries with their times. Entries are sorted, and their
 * fieldsV1 are in canonical order.
 */
import type { Steps } from '../../stdx/stepwise.ts';
import type { StatusError } from '../status-error.ts';
import type { ApiObject, JsonObject } from '../unstructured.ts';
import type { FieldSet } from './fieldpath/field-set.ts';
import type { MergeType } from './schema/merge-type.ts';

/** What a kind brings: its shape at each version, and what each subresource may not own. */
export interface OwnedKind {
  readonly kind: string;
  /** How objects of this kind merge at a version. Undefined: the version is not served (any more);
   * entries of managers that wrote at it are dropped. */
  typeAt(apiVersion: string): MergeType | undefined;
  /** The object in the fields of another version; the same object where they do not differ. */
  toVersion(object: ApiObject, apiVersion: string): ApiObject;
  /** What is there before anything is: the parts of a new object that nobody owns for having made
   * them, such as an empty spec. */
  emptyAt(apiVersion: string): JsonObject;
  /** Takes away what a write to this subresource ('' is the object itself) cannot own. */
  keepWritable(fields: FieldSet, subresource: string): FieldSet;
}

/** Who writes, where and when. */
export interface FieldWriter {
  readonly kind: OwnedKind;
  /** Of the request: `apps/v1`. */
  readonly apiVersion: string;
  /** '' for the object itself. */
  readonly subresource: string;
  /** '' counts as `unknown`. For a default from the User-Agent see managers/manager-name.ts. */
  readonly manager: string;
  readonly nowMs: number;
}

export interface UpdateToTrack extends FieldWriter {
  /** Undefined: `next` is created. Of the same version as `next`, whichever that is. */
  readonly live: ApiObject | undefined;
  /**
   * As it is to be stored, with the managedFields that the client sent, if any: a list with one
   * empty entry clears, a valid list replaces the live one before the write is tracked, anything
   * else (absent, empty, malformed, or sent to a subresource) leaves the live one.
   */
  readonly next: ApiObject;
}

export interface ApplyRequest extends FieldWriter {
  /** Undefined: the intent creates the object. What comes out has its version. */
  readonly live: ApiObject | undefined;
  /** The intent. Its server-owned metadata (uid, resourceVersion ...) is for the caller to compare
   * with the live object's; here it is ignored. */
  readonly applied: ApiObject;
  readonly force: boolean;
  /** What the kind makes of the merged object: defaults, fields that a client may not choose. It
   * gets and gives the version of the live object (of the request, for a creation), and runs
   * before the result is compared with the live object. */
  readonly complete?: ((merged: ApiObject) => Steps<ApiObject>) | undefined;
  /** Name of the annotation of client-side apply; `kubectl` takes over what it lists. */
  readonly lastAppliedAnnotation: string;
}

export type ApplyOutcome =
  /** `object` is `live` itself when nothing changes. */
  | { readonly kind: 'ok'; readonly object: ApiObject }
  /** 409 with the conflicts, or 400 when the intent is not an object of this type. */
  | { readonly kind: 'refused'; readonly error: StatusError };

/** `next` with the managedFields it is to be stored with. Never fails. */
export type TrackUpdate = (update: UpdateToTrack) => ApiObject;

export type ApplyPatch = (request: ApplyRequest) => ApplyOutcome;
