/**
 * The way from client-side apply to server-side apply (spec 1, section 3.2): the annotation in
 * which the client-side form keeps its last intent.
 *
 * It counts for one manager only, the one that the command-line client takes by default. What the
 * annotation lists, and the live object still has so, that manager may take without a conflict;
 * and where the annotation is there, an apply brings it up to date.
 *
 * Bounds: an annotation of more than LAST_APPLIED_BYTES_MAX is taken away instead: the object has
 * room for the intent itself, not for a second copy of it. One that says more than an object may
 * hold (values of a body, fields to own) says nothing: any client may write one.
 */
import type { Steps } from '../../../stdx/stepwise.ts';
import { bodyValuesMax, mayHoldMore } from '../../codecs/body-bounds.ts';
import { parseJsonText, stringifyJson } from '../../codecs/lossless.ts';
import { part, text } from '../../members.ts';
import type { ApiObject, JsonArray, JsonObject, JsonValue } from '../../unstructured.ts';
import { isJsonObject } from '../../unstructured.ts';
import type { ApplyRequest } from '../field-manager.ts';
import type { FieldSet } from '../fieldpath/field-set.ts';
import { difference, isEmptySet } from '../fieldpath/field-set.ts';
import type { Conflicts } from '../merge/update.ts';
import type { MergeType } from '../schema/merge-type.ts';
import { compareValuesOf } from '../typed/compare.ts';
import { countFields, ownableFieldsMax } from '../typed/count-fields.ts';
import { claimedFields } from '../typed/to-field-set.ts';
import { validateValue } from '../typed/validate.ts';
import { compareText } from '../value/ordering.ts';

/** The manager that goes on where client-side apply stopped. */
const clientManager = 'kubectl';

/** All annotations of an object may have so much. */
const LAST_APPLIED_BYTES_MAX = 256 * 1024;

/** Conflicts without those about fields that client-side apply had set. */
export function* withoutLastApplied(
  request: ApplyRequest,
  type: MergeType,
  live: JsonObject,
  conflicts: Conflicts,
): Steps<Conflicts> {
  if (request.manager !== clientManager) return conflicts;
  const allowed = yield* fieldsOfLastApplied(request, type, live);
  if (allowed === undefined) return conflicts;
  const left = new Map<string, FieldSet>();
  for (const [manager, set] of conflicts) {
    const rest = difference(set, allowed);
    if (!isEmptySet(rest)) left.set(manager, rest);
  }
  return left;
}

/** What client-side apply set and nobody has changed since. */
function* fieldsOfLastApplied(
  request: ApplyRequest,
  type: MergeType,
  live: JsonObject,
): Steps<FieldSet | undefined> {
  const text = annotationOf(live, request.lastAppliedAnnotation);
  const intent = text === '' ? undefined : parseIntent(text);
  if (intent === undefined || intent['apiVersion'] !== request.apiVersion) return undefined;
  if (countFields(type, intent) > ownableFieldsMax) return undefined;
  yield;
  if (validateValue(type, intent).length > 0) return undefined;
  yield;
  const claimed = claimedFields(type, intent);
  yield;
  const found = compareValuesOf(type, intent, live);
  if (found === undefined) return claimed;
  yield;
  return difference(difference(claimed, found.modified), found.removed);
}

function parseIntent(text: string): JsonObject | undefined {
  if (mayHoldMore(text, bodyValuesMax)) return undefined;
  try {
    const value: JsonValue = parseJsonText(text);
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

function annotationOf(object: JsonObject, name: string): string {
  return text(part(part(object, 'metadata'), 'annotations'), name);
}

/** The object with the annotation brought up to date, where it has one. */
export function withLastApplied(request: ApplyRequest, object: ApiObject): ApiObject {
  const name = request.lastAppliedAnnotation;
  if (request.manager !== clientManager || annotationOf(object, name) === '') return object;
  const { [name]: _old, ...others } = object.metadata.annotations ?? {};
  const text = `${stringifyJson(sorted(withoutAnnotation(request.applied, name)))}\n`;
  const fits = Buffer.byteLength(text, 'utf8') <= LAST_APPLIED_BYTES_MAX;
  const annotations = fits ? { ...others, [name]: text } : others;
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function withoutAnnotation(applied: ApiObject, name: string): JsonObject {
  const annotations = applied.metadata.annotations;
  if (annotations?.[name] === undefined) return applied;
  const { [name]: _own, ...others } = annotations;
  return { ...applied, metadata: { ...applied.metadata, annotations: others } };
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as JsonArray).map(sorted);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).sort(([a], [b]) => compareText(a, b));
  return Object.fromEntries(members.map(([key, member]) => [key, sorted(member ?? null)]));
}
