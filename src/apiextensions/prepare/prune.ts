/**
 * Pruning: what the schema does not have is dropped, and so are nulls where none may be and no
 * default takes their place (spec 1, section 4.8).
 *
 * What has another type than its schema is left for validation.
 *
 * apiVersion, kind and metadata stay at the root and in embedded resources. Where unknown fields
 * are kept, they stay as they are at any depth, but below a property that is declared the schema of
 * that property decides anew.
 *
 * Invariants: a part of which nothing is dropped is returned as it came. Bounds: linear in the
 * value; `unknownFieldsMax` paths are named.
 */
import { unknownFieldsMax } from '../../apimachinery/typed/conform.ts';
import type { JsonObject, JsonValue, ObjectDraft } from '../../apimachinery/unstructured.ts';
import {
  defaultOf,
  isEmbedded,
  keepsUnknown,
  memberSchema,
  propertyOf,
  valuesOf,
} from '../schema/structural-schema.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';

export interface Pruned {
  readonly value: JsonValue;
  /** Paths of what was dropped, sorted: `spec.a[0].b`. */
  readonly unknownFields: readonly string[];
}

export interface PruneOptions {
  /** The value is a whole resource. */
  readonly isResource: boolean;
  readonly dropsNulls: DroppedNulls;
}

/** 'untyped': those that no type refuses. */
export type DroppedNulls = boolean | 'untyped';

interface Walk {
  readonly keys: (string | number)[];
  depth: number;
  readonly unknown: string[];
  readonly dropsNulls: DroppedNulls;
}

const metaFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** `schema` undefined: it describes nothing. */
export function prune(
  value: JsonValue,
  schema: StructuralSchema | undefined,
  { dropsNulls, isResource }: PruneOptions,
): Pruned {
  const walk: Walk = { keys: [], depth: 0, unknown: [], dropsNulls };
  const root = schema ?? (isResource ? noSchema : undefined);
  const keeps = root !== undefined && keepsUnknown(root);
  const made = pruneValue(value, root, keeps, isResource, walk);
  const { unknown } = walk;
  return { value: made, unknownFields: unknown.length > 1 ? unknown.sort() : unknown };
}

const noSchema: StructuralSchema = {};

/** `keeps`: what is unknown here stays. Items take it over from their list. */
function pruneValue(
  value: JsonValue,
  schema: StructuralSchema | undefined,
  keeps: boolean,
  isResource: boolean,
  walk: Walk,
): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (keeps && schema === undefined) return value;
  if (Array.isArray(value)) return pruneItems(value, schema, keeps, walk);
  return pruneMembers(value as JsonObject, schema, keeps, isResource, walk);
}

function pruneItems(
  items: readonly JsonValue[],
  schema: StructuralSchema | undefined,
  keeps: boolean,
  walk: Walk,
): JsonValue {
  const below = schema?.items;
  const belowKeeps = keeps || (below !== undefined && keepsUnknown(below));
  const resource = below !== undefined && isEmbedded(below);
  let changed: JsonValue[] | undefined;
  const { keys, depth } = walk;
  walk.depth = depth + 1;
  for (let at = 0; at < items.length; at += 1) {
    const item = items[at] as JsonValue;
    if (typeof item !== 'object' || item === null) continue;
    keys[depth] = at;
    const made = pruneValue(item, below, belowKeeps, resource, walk);
    if (made === item) continue;
    changed ??= [...items];
    changed[at] = made;
  }
  walk.depth = depth;
  return changed ?? items;
}

const dropped = Symbol('dropped');

function pruneMembers(
  members: JsonObject,
  schema: StructuralSchema | undefined,
  keeps: boolean,
  isResource: boolean,
  walk: Walk,
): JsonValue {
  let changed: ObjectDraft | undefined;
  const { keys, depth } = walk;
  walk.depth = depth + 1;
  for (const name in members) {
    const member = members[name];
    if (member === undefined) continue;
    keys[depth] = name;
    const made = pruneMember(name, member, schema, keeps, isResource, walk);
    if (made === member) continue;
    // Spreading keeps a key named __proto__ a key; only such a copy may be written to.
    changed ??= { ...members };
    if (made === dropped) delete changed[name];
    else changed[name] = made;
  }
  walk.depth = depth;
  return changed ?? members;
}

function pruneMember(
  name: string,
  member: JsonValue,
  schema: StructuralSchema | undefined,
  keeps: boolean,
  isResource: boolean,
  walk: Walk,
): JsonValue | typeof dropped {
  if (schema !== undefined && member === null && walk.dropsNulls !== false) {
    const own = memberSchema(schema, name);
    if (own !== undefined && dropsNull(own, walk.dropsNulls)) return dropped;
  }
  if (isResource && metaFields.has(name)) return member;
  const declared = schema && propertyOf(schema, name);
  if (declared !== undefined) {
    return pruneValue(member, declared, keepsUnknown(declared), isEmbedded(declared), walk);
  }
  if (schema?.additionalProperties !== undefined) {
    const values = valuesOf(schema);
    const valuesKeep = values !== undefined && keepsUnknown(values);
    return pruneValue(member, values, valuesKeep, values !== undefined && isEmbedded(values), walk);
  }
  if (keeps) return member;
  nameUnknown(walk, name);
  return dropped;
}

function dropsNull(schema: StructuralSchema, which: DroppedNulls): boolean {
  if (schema.nullable === true || defaultOf(schema) !== undefined) return false;
  return which === true || !isTyped(schema);
}

function isTyped(schema: StructuralSchema): boolean {
  return (schema.type ?? '') !== '' || schema['x-kubernetes-int-or-string'] === true;
}

/** The type of a document that is no resource here is nobody's news. */
function nameUnknown(walk: Walk, name: string): void {
  if (walk.depth === 1 && metaFields.has(name)) return;
  if (walk.unknown.length < unknownFieldsMax) walk.unknown.push(pathOf(walk));
}

function pathOf({ keys, depth }: Walk): string {
  let path = '';
  for (let at = 0; at < depth; at += 1) {
    const key = keys[at] as string | number;
    path += typeof key === 'number' ? `[${key}]` : path === '' ? key : `.${key}`;
  }
  return path;
}
