/**
 * apiVersion, kind and metadata of embedded resources: their types are checked, metadata are
 * brought into their one form, and unknown fields in them dropped (spec 1, section 2.2).
 *
 * Elsewhere: the rules of names and labels (validate/embedded-resources.ts). The metadata of the
 * object itself is read in the same way for every kind.
 *
 * Of a body the first wrong type is a problem; of what is stored it is dropped, field by field.
 *
 * Invariants: what has its form is returned as it came. Schemas without embedded resources cost
 * nothing. Bounds: linear in the value; `unknownFieldsMax` paths are named.
 */
import { formatFieldError, invalid } from '../../apimachinery/field-error.ts';
import { unknownFieldsMax } from '../../apimachinery/typed/conform.ts';
import type { JsonObject, JsonValue, ObjectDraft } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { checkMetaShape } from '../../apimachinery/validation/meta-shape.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { shownAsJson } from '../schema/go-text.ts';
import {
  hasEmbeddedResources,
  isEmbedded,
  propertyOf,
  valuesOf,
} from '../schema/structural-schema.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { metadataProblem } from './metadata-problem.ts';

export interface CoerceOptions {
  /** The value is a whole resource. */
  readonly isResource: boolean;
  /** What has a wrong type is dropped. */
  readonly dropsInvalid: boolean;
}

export type Coerced =
  | { readonly kind: 'ok'; readonly value: JsonValue; readonly unknownFields: readonly string[] }
  | { readonly kind: 'refused'; readonly problem: CoerceProblem };

export interface CoerceProblem {
  readonly field: string;
  readonly value: JsonValue;
  readonly detail: string;
}

export function coerceProblemText({ field, value, detail }: CoerceProblem): string {
  return formatFieldError(shownAsJson(invalid(field, value, detail)));
}

interface Walk {
  readonly dropsInvalid: boolean;
  readonly unknown: string[];
}

class Refused extends Error {
  readonly problem: CoerceProblem;
  constructor(problem: CoerceProblem) {
    super(problem.detail);
    this.problem = problem;
  }
}

const noFields: readonly string[] = [];

export function coerceEmbedded(
  value: JsonValue,
  schema: StructuralSchema | undefined,
  { dropsInvalid, isResource }: CoerceOptions,
): Coerced {
  if (!isResource && (schema === undefined || !hasEmbeddedResources(schema))) {
    return { kind: 'ok', value, unknownFields: noFields };
  }
  const walk: Walk = { dropsInvalid, unknown: [] };
  try {
    const made = coerce(value, schema, isResource, '', walk);
    return { kind: 'ok', value: made, unknownFields: walk.unknown.sort() };
  } catch (error) {
    if (error instanceof Refused) return { kind: 'refused', problem: error.problem };
    throw error;
  }
}

function coerce(
  value: JsonValue,
  schema: StructuralSchema | undefined,
  isResource: boolean,
  path: string,
  walk: Walk,
): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (!isResource && (schema === undefined || !hasEmbeddedResources(schema))) return value;
  if (Array.isArray(value)) return coerceItems(value, schema?.items, path, walk);
  return coerceMembers(value as JsonObject, schema ?? {}, isResource, path, walk);
}

function coerceItems(
  list: readonly JsonValue[],
  schema: StructuralSchema | undefined,
  path: string,
  walk: Walk,
): JsonValue {
  if (schema === undefined) return list;
  let changed: JsonValue[] | undefined;
  for (let at = 0; at < list.length; at += 1) {
    const item = list[at] as JsonValue;
    const made = coerce(item, schema, isEmbedded(schema), `${path}[${at}]`, walk);
    if (made === item) continue;
    changed ??= [...list];
    changed[at] = made;
  }
  return changed ?? list;
}

function coerceMembers(
  members: JsonObject,
  schema: StructuralSchema,
  isResource: boolean,
  path: string,
  walk: Walk,
): JsonValue {
  let changed: ObjectDraft | undefined;
  for (const name in members) {
    const member = members[name];
    if (member === undefined) continue;
    const made = isResource ? coerceTypeMeta(name, member, path, walk) : member;
    const declared = propertyOf(schema, name);
    const below = declared ?? valuesOf(schema);
    const within = declared === undefined ? `${path}[${name}]` : child(path, name);
    const inner =
      made === undefined || below === undefined
        ? made
        : coerce(made, below, isEmbedded(below), within, walk);
    if (inner === member) continue;
    changed ??= { ...members };
    if (inner === undefined) delete changed[name];
    else changed[name] = inner;
  }
  return changed ?? members;
}

function child(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** Undefined: it is dropped. */
function coerceTypeMeta(
  name: string,
  value: JsonValue,
  path: string,
  walk: Walk,
): JsonValue | undefined {
  if (name === 'metadata') return coerceMetadata(value, child(path, name), walk);
  if (name !== 'apiVersion' && name !== 'kind') return value;
  if (typeof value === 'string') return value;
  if (walk.dropsInvalid) return undefined;
  throw new Refused({ field: child(path, name), value, detail: 'must be a string' });
}

function coerceMetadata(value: JsonValue, path: string, walk: Walk): JsonValue | undefined {
  const shape = checkMetaShape({ metadata: value });
  if (shape.kind === 'ok') {
    for (const field of shape.unknownFields) {
      if (walk.unknown.length >= unknownFieldsMax) break;
      walk.unknown.push(`${path}${field.slice('metadata'.length)}`);
    }
    const made = shape.object.metadata as JsonObject;
    return deepEqual(made, value) ? value : made;
  }
  if (!walk.dropsInvalid) {
    const detail = metadataProblem(value) ?? shape.problem;
    throw new Refused({ field: path, value, detail });
  }
  if (!isJsonObject(value)) return value;
  const right = Object.entries(value).filter(
    ([name, member]) => checkMetaShape({ metadata: { [name]: member } }).kind === 'ok',
  );
  return coerceMetadata(Object.fromEntries(right), path, walk);
}
