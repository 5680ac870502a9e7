/**
 * What a conversion webhook may have changed (spec 1, section 9): everything but who the object is.
 * Its metadata are those of the original, with the labels and annotations that the webhook gave.
 *
 * Invariants: pure; labels and annotations that are as they were are not validated again, and there
 * are no more of them than an object may have.
 */
import { formatFieldErrors, tooMany } from '../../apimachinery/field-error.ts';
import { part, text } from '../../apimachinery/members.ts';
import type {
  ApiObject,
  JsonObject,
  JsonValue,
  ObjectDraft,
} from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { metadataLimits } from '../../apimachinery/validation/metadata-limits.ts';
import { validateAnnotations, validateLabels } from '../../apimachinery/validation/object-meta.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import type { ConvertedObject, RestoreMetadata } from '../custom-schema.ts';
import { goTypeOf } from '../schema/go-text.ts';

/** What came back for `original` is not of the kind and version that were asked for; undefined: it
 * is. */
export function typeProblem(
  original: ApiObject,
  converted: JsonObject,
  apiVersion: string,
): string | undefined {
  if (converted['apiVersion'] !== apiVersion) {
    const received = text(converted, 'apiVersion');
    return `invalid groupVersion (expected ${apiVersion}, received ${received})`;
  }
  if (converted['kind'] !== original.kind) {
    return `invalid kind (expected ${original.kind}, received ${text(converted, 'kind')})`;
  }
  return undefined;
}

/** Another object came back; undefined: it is the same one. */
export function identityProblem(original: ApiObject, converted: JsonObject): string | undefined {
  const metadata = part(converted, 'metadata');
  for (const [name, shown] of identity) {
    const before = text(original.metadata, name);
    const after = text(metadata, name);
    if (before !== after) return `must have the same ${shown}: ${before} != ${after}`;
  }
  return undefined;
}

const identity = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const;

export const restoreMetadata: RestoreMetadata = (original, converted) => {
  const given = converted['metadata'];
  if (given === undefined) return refused('missing metadata in converted object');
  if (!isJsonObject(given)) {
    return refused(`invalid metadata of type ${goTypeOf(given)} in converted object`);
  }
  const before: JsonObject = part(original, 'metadata');
  const metadata: ObjectDraft = { ...before };
  for (const name of ['labels', 'annotations'] as const) {
    const value = given[name];
    if (value === undefined || value === null) {
      delete metadata[name];
      continue;
    }
    const problem = mapProblem(name, value, before[name] ?? null);
    if (problem !== undefined) return refused(problem);
    metadata[name] = value;
  }
  return { kind: 'ok', object: { ...converted, metadata } as ApiObject };
};

function refused(problem: string): ConvertedObject {
  return { kind: 'refused', problem };
}

const rules = { labels: validateLabels, annotations: validateAnnotations };

function mapProblem(
  name: 'labels' | 'annotations',
  value: JsonValue,
  before: JsonValue,
): string | undefined {
  if (!isJsonObject(value)) {
    return `invalid metadata.${name} of type ${goTypeOf(value)} in converted object`;
  }
  const entries = Object.entries(value);
  const most = metadataLimits[name];
  if (entries.length > most) {
    return formatFieldErrors([tooMany(`metadata.${name}`, entries.length, most)]);
  }
  for (const [key, each] of entries) {
    if (typeof each === 'string') continue;
    return (
      `metadata.${name}[${key}] must be a string, ` + `but is ${goTypeOf(each)} in converted object`
    );
  }
  if (deepEqual(value, before)) return undefined;
  const texts = value as Readonly<Record<string, string>>;
  const errors = rules[name](`metadata.${name}`, texts);
  return errors.length === 0 ? undefined : formatFieldErrors(errors);
}
