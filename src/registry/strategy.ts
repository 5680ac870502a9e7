/**
 * What a kind may decide for itself in a write: the hooks of the generic verbs, as functions.
 *
 * genericStrategy does what most kinds do; a kind replaces single functions
 * (src/apis/strategies.ts). All are pure: they run inside an actor's decision and may run again.
 */
import type { FieldError } from '../apimachinery/field-error.ts';
import { formatGroupVersion } from '../apimachinery/schema.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import type { ApiObject, JsonValue } from '../apimachinery/unstructured.ts';
import { withMember, without } from '../apimachinery/unstructured.ts';
import { valueWhenAbsent } from '../apimachinery/typed/conform.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import type { Steps } from '../stdx/stepwise.ts';
import { toStorageVersion } from './versions.ts';

export interface KindStrategy {
  /** Completes or resets what the client may not choose. Metadata is already prepared. `user`:
   * who creates it; undefined: the server itself. */
  prepareForCreate(object: ApiObject, user?: UserInfo): ApiObject;
  /** Likewise, for a write to the main resource. `next` already has the immutable metadata. */
  prepareForUpdate(next: ApiObject, current: ApiObject, nowMs: number): ApiObject;
  /** Likewise, for a write to the status: `next` differs in it and in the client's metadata. */
  prepareForStatusUpdate(next: ApiObject, current: ApiObject, nowMs: number): ApiObject;
  /** Of writes to the kind's other subresources, by name. */
  readonly subresources: Readonly<Record<string, SubresourceRules>>;
  /** Does the expensive part of the next three functions beforehand and in steps; it changes their
   * time, not their result. `current` undefined: a creation. Returns undefined if there is little
   * work; absent: there never is much. */
  readonly prepareValidation?:
    ((next: ApiObject, current: ApiObject | undefined) => Steps<unknown> | undefined) | undefined;
  /** The same for validateStatusUpdate. */
  readonly prepareStatusValidation?:
    ((next: ApiObject, current: ApiObject) => Steps<unknown> | undefined) | undefined;
  validate(object: ApiObject): readonly FieldError[];
  /** For creations only: fields that no later write can change. */
  validateCreated(object: ApiObject): readonly FieldError[];
  /** For a write to the main resource; `validate` is called, too. */
  validateUpdate(next: ApiObject, current: ApiObject): readonly FieldError[];
  /** For a write to the status, which leaves the rest unchanged. */
  validateStatusUpdate(next: ApiObject, current: ApiObject): readonly FieldError[];
  /** What a writer should know of an object that is accepted, as texts of Warning headers: of a
   * creation (`current` undefined), or of a write to the object ('' or 'scale') or to another
   * subresource. Absent: there is nothing to say. */
  warnings?(
    next: ApiObject,
    current: ApiObject | undefined,
    subresource: string,
  ): readonly string[];
  /** What the validation of this object has let pass; said also where the write is refused. */
  validationWarnings?(next: ApiObject): readonly string[];
  /** The warning for a deletion without a propagation policy. Absent: none. */
  readonly deletionWarning?: string | undefined;
  /** Why this object may not be deleted at all, if so. */
  forbidDeletion(name: string): StatusError | undefined;
  /** Seconds an accepted delete waits; `requested` is what the client asked for. 0: at once.
   * Undefined: the kind knows no grace. */
  gracePeriodSeconds(object: ApiObject, requested: number | undefined): number | undefined;
  /** A deletion means the object that was found, whether it says so or not. Absent: what there is
   * when it is carried out. */
  readonly deletesWhatWasFound?: boolean | undefined;
  /** Whether something beside metadata.finalizers and the grace period keeps a deleted object. */
  holdsDeletion(object: ApiObject): boolean;
  /** The object as it looks once its deletion is marked; `found` is it before. */
  markDeletion(object: ApiObject, found: ApiObject): ApiObject;
}

/** What a write to a subresource that shows the object itself may change, and must obey. */
export interface SubresourceRules {
  /** The current object with what may be written here taken from `next`, in which the metadata is
   * already prepared. */
  prepare(next: ApiObject, current: ApiObject, nowMs: number): ApiObject;
  validate(next: ApiObject, current: ApiObject): readonly FieldError[];
}

export type StrategyOf = (kind: KindInfo) => KindStrategy;

export function genericStrategy(kind: KindInfo): KindStrategy {
  const hasStatus = kind.subresources.some((s) => s.name === 'status');
  const initial = hasStatus ? initialStatusOf(kind) : undefined;
  return {
    prepareForCreate: (object) => (hasStatus ? withStatus(object, initial) : object),
    prepareForUpdate: (next, current) => (hasStatus ? withStatusOf(next, current) : next),
    prepareForStatusUpdate: (next) => next,
    subresources: {},
    validate: () => [],
    validateCreated: () => [],
    validateUpdate: () => [],
    validateStatusUpdate: () => [],
    forbidDeletion: () => undefined,
    gracePeriodSeconds: () => undefined,
    holdsDeletion: () => false,
    markDeletion: (object) => object,
  };
}

/** The status that says nothing, as any write of the object writes it: in the stored version. */
function initialStatusOf(kind: KindInfo): JsonValue | undefined {
  const status = kind.schema && valueWhenAbsent(kind.schema, 'status');
  if (status === undefined) return undefined;
  const bare: ApiObject = {
    kind: kind.kind,
    apiVersion: formatGroupVersion(kind),
    metadata: {},
    status,
  };
  return toStorageVersion(bare, kind)['status'];
}

function withStatus(object: ApiObject, status: JsonValue | undefined): ApiObject {
  if (status !== undefined) return withMember(object, 'status', status);
  return object['status'] === undefined ? object : (without(object, 'status') as ApiObject);
}

export function withStatusOf(next: ApiObject, current: ApiObject): ApiObject {
  return withStatus(next, current['status']);
}
