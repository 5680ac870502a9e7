/**
 * Applies a webhook's patch to the object that it was shown. The result is decoded, defaulted and
 * converted to the stored version.
 *
 * Invariants: it is decoded leniently: unknown fields are dropped, as in a body of a client. Long
 * patches are applied in steps.
 * Bound: what the store does not take is shown to no further webhook.
 */
import { jsonSteps } from '../../apimachinery/codecs/json.ts';
import { formatFieldError } from '../../apimachinery/field-error.ts';
import { jsonPatchSteps, readJsonPatch } from '../../apimachinery/patch/json-patch.ts';
import type { GroupVersionKind } from '../../apimachinery/schema.ts';
import type { KindInfo, Scheme } from '../../apimachinery/scheme.ts';
import {
  newInternalError,
  newRequestEntityTooLarge,
  StatusError,
} from '../../apimachinery/status-error.ts';
import {
  newTypeMismatch,
  typeMismatch,
  typeMismatchError,
} from '../../apimachinery/type-mismatch.ts';
import { conformedDocument, typedDocument } from '../../apimachinery/typed/field-validation.ts';
import type { DocumentType } from '../../apimachinery/typed/field-validation.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { finished, runToEnd } from '../../stdx/stepwise.ts';
import { wholeTurnMs } from '../../stdx/turns.ts';
import type { Turns } from '../../stdx/turns.ts';
import type { Proposed } from '../admission.ts';
import { isOutgrown, objectBytesMax } from '../outgrown.ts';
import { storedAgain } from '../shown-object.ts';

export interface Patched {
  /** As it is stored; the very same one where nothing has changed. */
  readonly object: ApiObject;
  readonly patch: JsonValue;
}

interface Ports {
  readonly scheme: Scheme;
  readonly turns: Turns;
}

export type ReadPatch =
  /** Nobody can know what it wants. */
  | { readonly kind: 'undecodable'; readonly problem: string }
  | { readonly kind: 'ok'; readonly operations: readonly JsonValue[] };

/** A patch as it came. */
export async function readPatch(bytes: Buffer, turns: Turns): Promise<ReadPatch> {
  const reading = jsonSteps(bytes);
  const isLarge = isLargePatch(bytes);
  const decoded = isLarge ? await runToEnd(turns, reading) : finished(reading);
  if (isLarge) await turns.pause(wholeTurnMs);
  if (decoded.kind === 'refused') return undecodable(decoded.error.message);
  const patch = decoded.value ?? [];
  if (!Array.isArray(patch)) return undecodable('a JSON patch is a list of operations');
  const operations = patch as readonly JsonValue[];
  const wrong = operations.findIndex((each) => each !== null && !isJsonObject(each));
  if (wrong >= 0) return undecodable(`operation ${wrong} is not an object`);
  return { kind: 'ok', operations };
}

/** Bytes: with more, each walk over what it makes takes a turn of its own. */
const atOnceBytesMax = 64 * 1024;

export function isLargePatch(bytes: Buffer): boolean {
  return bytes.length > atOnceBytesMax;
}

function undecodable(problem: string): ReadPatch {
  return { kind: 'undecodable', problem };
}

/** `shown`: the object as the webhook saw it. `isLarge`: of the patch. */
export async function patchedBy(
  patch: readonly JsonValue[],
  proposed: Proposed,
  shown: ApiObject,
  as: GroupVersionKind,
  isLarge: boolean,
  { scheme, turns }: Ports,
): Promise<Patched | StatusError> {
  const read = readJsonPatch(patch);
  if (read.kind !== 'ok') return newInternalError(read.problem);
  const applying = jsonPatchSteps(shown, read.patch);
  const applied = await runToEnd(turns, applying);
  if (applied.kind === 'refused') return newInternalError(applied.problem);
  const { value } = applied;
  if (!isJsonObject(value)) return newInternalError('the patched object is not an object');
  const other = otherKind(value, shown, proposed.kind);
  if (other !== undefined) return other;
  if (await runToEnd(turns, isOutgrown(value))) return newRequestEntityTooLarge(objectBytesMax);
  const type = typeOf(scheme, proposed, as);
  if (isLarge) await turns.pause(wholeTurnMs);
  const conformed = conformedDocument(value, type, 'merged');
  if (isLarge) await turns.pause(wholeTurnMs);
  const typed = typedDocument(value, type, 'Ignore', [], conformed);
  if (typed.kind === 'refused') return newInternalError(typed.error.message);
  if (deepEqual(typed.object, shown)) return { object: proposed.next, patch };
  if (isLarge) await turns.pause(wholeTurnMs);
  const object = await storedAgain(scheme, proposed, proposed.next, typed.object, as);
  if (isLarge) await turns.pause(wholeTurnMs);
  return object instanceof StatusError ? object : { object, patch };
}

/** A patch makes no object of another kind. */
function otherKind(
  patched: JsonObject,
  { apiVersion, kind, metadata }: ApiObject,
  { custom, group }: KindInfo,
): StatusError | undefined {
  if (patched['kind'] === undefined) return newInternalError("Object 'Kind' is missing");
  const mismatch = typeMismatch(patched, { apiVersion, kind });
  if (mismatch === undefined) return undefined;
  if (custom !== undefined) {
    return newTypeMismatch({ group, kind, name: metadata.name ?? '' }, mismatch, null);
  }
  return newInternalError(formatFieldError(typeMismatchError(mismatch, null)));
}

/** Of the object, or of what only its subresource takes. */
function typeOf(
  scheme: Scheme,
  { kind: parent, subresource }: Proposed,
  as: GroupVersionKind,
): DocumentType {
  const { group, kind, version } = as;
  const found: KindInfo | undefined = scheme.findKind(group, version, kind);
  const sent = found ?? parent.subresources.find(({ name }) => name === subresource);
  return {
    group,
    version,
    kind,
    schema: sent?.schema,
    custom: sent?.custom,
    defaults: sent?.defaults,
  };
}
