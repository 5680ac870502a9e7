/**
 * Who owns which field, kept through every write (spec 1, sections 2.5 and 3.2).
 *
 * Elsewhere: the rules of ownership (apimachinery/fieldmanager); this is where the generic verbs
 * call them, at the version of the request.
 *
 * Fields are owned by who said them, whatever the rules of the kind make of them: what a kind fills
 * in is nobody's, and who says what a kind does not take owns it all the same.
 *
 * Invariant: a write that changes nothing leaves managedFields as they were, so that it is
 * recognised as one that changes nothing.
 */
import {
  trackUpdate,
  trackUpdateSteps,
} from '../apimachinery/fieldmanager/managers/track-update.ts';
import {
  decodeManaged,
  decodeManagedSteps,
  sameOwners,
} from '../apimachinery/fieldmanager/managers/managed-fields.ts';
import { ownedKindOf } from '../apimachinery/fieldmanager/managers/owned-kind.ts';
import type { FieldWriter, UpdateToTrack } from '../apimachinery/fieldmanager/field-manager.ts';
import { deducedType } from '../apimachinery/fieldmanager/schema/deduced.ts';
import { countFields, ownableFieldsMax } from '../apimachinery/fieldmanager/typed/count-fields.ts';
import { newTooLarge } from '../apimachinery/status-error.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import { formatGroupVersion } from '../apimachinery/schema.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import { withMember, withMetadata, without } from '../apimachinery/unstructured.ts';
import type { ApiObject, JsonValue, ObjectMeta } from '../apimachinery/unstructured.ts';
import { deepEqual } from '../stdx/deep-equal.ts';
import type { Steps } from '../stdx/stepwise.ts';
import { atVersionOf } from './versions.ts';
import type { DecisionScope } from './write-command.ts';

/** The writer, for field ownership. */
export interface Writer {
  /** '' counts as unknown. */
  readonly manager: string;
  /** '' for the object itself. */
  readonly subresource: string;
}

/** Its members are listed where it is passed on (here and in apply.ts), not spread: a spread with
 * one more member takes 1.5 µs, the list 20 ns, and every write has one. */
export function fieldWriter(
  { nowMs, scheme }: DecisionScope,
  kind: KindInfo,
  { manager, subresource }: Writer,
): FieldWriter {
  return {
    kind: ownedKindOf(kind, scheme),
    apiVersion: formatGroupVersion(kind),
    subresource,
    manager,
    nowMs,
  };
}

/** `next` (in the version that is decided in, with the managedFields that the client sent, if any)
 * as it is to be written after `live`; undefined: `next` is created. */
export function tracked(
  scope: DecisionScope,
  kind: KindInfo,
  writer: Writer,
  next: ApiObject,
  live: ApiObject | undefined,
): ApiObject {
  const update = updateToTrack(scope, kind, writer, next, live);
  return withOwnersOf(next, trackUpdate(update));
}

/** tracked() in parts, of an object that is there. */
export function* trackedSteps(
  scope: DecisionScope,
  kind: KindInfo,
  writer: Writer,
  next: ApiObject,
  live: ApiObject,
): Steps<ApiObject> {
  const update = updateToTrack(scope, kind, writer, next, live);
  return withOwnersOf(next, yield* trackUpdateSteps(update));
}

function updateToTrack(
  scope: DecisionScope,
  kind: KindInfo,
  writer: Writer,
  next: ApiObject,
  live: ApiObject | undefined,
): UpdateToTrack {
  const by = fieldWriter(scope, kind, writer);
  // Most requests speak the stored version: then nothing needs to be converted, or put back.
  const shown = (object: ApiObject): ApiObject =>
    object.apiVersion === by.apiVersion ? object : atVersionOf(object, kind);
  return {
    kind: by.kind,
    apiVersion: by.apiVersion,
    subresource: by.subresource,
    manager: by.manager,
    nowMs: by.nowMs,
    live: live === undefined ? undefined : shown(live),
    next: shown(next),
  };
}

/** `owned`: the same, maybe in another version. */
function withOwnersOf(next: ApiObject, owned: ApiObject): ApiObject {
  return next.apiVersion === owned.apiVersion ? owned : withOwners(next, owned.metadata);
}

/** Why an object is not written that has more fields to own than one may have. One that has come to
 * have them in another way may be written, but not grow: `live`. */
export function tooManyFields(
  { scheme }: Pick<DecisionScope, 'scheme'>,
  kind: KindInfo,
  object: ApiObject,
  live?: ApiObject,
): StatusError | undefined {
  const type = ownedKindOf(kind, scheme).typeAt(object.apiVersion) ?? deducedType;
  if (countFields(type, object) <= ownableFieldsMax) return undefined;
  if (
    live !== undefined &&
    countFields(type, object, Infinity) <= countFields(type, live, Infinity)
  ) {
    return undefined;
  }
  return newTooLarge(`the object has more than ${ownableFieldsMax} fields, keys and keyed items`);
}

/** A new object without the managedFields that its client sent, when they own nothing: cleared
 * ones, or ones that cannot be read. Its maker owns it, as if they had not been sent. */
export function withUsableOwners(object: ApiObject): ApiObject {
  const sent = object.metadata['managedFields'];
  if (sent === undefined || (decodeManaged(sent)?.owners.size ?? 0) > 0) return object;
  return withOwners(object, {});
}

/** Reads the managedFields that came with a new object, so that withUsableOwners() finds them read.
 * For large ones. */
export function* readOwners({ metadata }: ApiObject): Steps<void> {
  yield* decodeManagedSteps(metadata['managedFields']);
}

/** `next` with the entries of `live`, where all that has changed is when somebody wrote: what the
 * rules of the kind have taken back is nothing that was written. */
export function withoutIdleTimes(next: ApiObject, live: ApiObject): ApiObject {
  if (next.metadata.generation !== live.metadata.generation) return next;
  const entries = next.metadata['managedFields'];
  const stored = live.metadata['managedFields'];
  if (entries === stored || !sameButTimes(entries, stored)) return next;
  const idle = withOwners(next, live.metadata);
  return deepEqual(idle, live) ? idle : next;
}

function sameButTimes(entries: JsonValue | undefined, stored: JsonValue | undefined): boolean {
  const owners = decodeManaged(entries)?.owners;
  const before = decodeManaged(stored)?.owners;
  return owners !== undefined && before !== undefined && sameOwners(owners, before);
}

/** The object with another one's managedFields. */
export function withOwners(object: ApiObject, { managedFields }: ObjectMeta): ApiObject {
  const metadata: ObjectMeta =
    managedFields === undefined
      ? without(object.metadata, 'managedFields')
      : withMember(object.metadata, 'managedFields', managedFields);
  return withMetadata(object, metadata);
}
