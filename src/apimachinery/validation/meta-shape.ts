/**
 * From a decoded document to an object with typed metadata (spec 1, sections 2.2 and 2.5).
 *
 * This file answers "is it a string", not "is it a good name"; a wrong shape is a decode error
 * (400), a wrong value a validation error (422).
 *
 * Invariants of the result: every known field of metadata has its type; null and empty members are
 * gone, times are in whole seconds UTC, maps and fields are in one order, so that equal metadata
 * are equal bytes; unknown fields are dropped and named.
 */
import { createTextCache } from '../../stdx/text-cache.ts';
import { ownMember } from '../../stdx/lookup.ts';
import { formatRfc3339, parseRfc3339 } from '../time.ts';
import { draftOf, isJsonObject } from '../unstructured.ts';
import type { ApiObject, JsonObject, JsonValue } from '../unstructured.ts';

export type MetaShape =
  | {
      readonly kind: 'ok';
      readonly object: ApiObject;
      /** Paths of fields that metadata does not have: `metadata.foo`. */
      readonly unknownFields: readonly string[];
    }
  | {
      readonly kind: 'refused';
      /** What the first wrong field is and should be; for the message of a 400. */
      readonly problem: string;
    };

/** Absent apiVersion and kind become ''; absent metadata becomes {}. `label` is put in their place
 * where it is given. */
export function checkMetaShape(
  object: JsonObject,
  label?: { readonly apiVersion: string; readonly kind: string },
): MetaShape {
  const unknownFields: string[] = [];
  try {
    const apiVersion = readString(object['apiVersion'], 'apiVersion');
    const kind = readString(object['kind'], 'kind');
    const metadata = readFields(object['metadata'], 'metadata', META_FIELDS, unknownFields);
    const shaped = draftOf(object);
    shaped['apiVersion'] = label?.apiVersion ?? apiVersion ?? '';
    shaped['kind'] = label?.kind ?? kind ?? '';
    shaped['metadata'] = metadata;
    return { kind: 'ok', object: shaped as ApiObject, unknownFields };
  } catch (error) {
    if (error instanceof WrongShape) return { kind: 'refused', problem: error.message };
    throw error;
  }
}

const aTime = 'an RFC 3339 time';

/** Thrown and caught in this file only: the readers nest, and the first problem is the answer. */
class WrongShape extends Error {
  constructor(path: string, expected: string, found: JsonValue) {
    super(`${path}: expected ${expected}, found ${describe(found, expected)}`);
  }
}

/** Undefined leaves the field out. */
type Reader = (
  value: JsonValue | undefined,
  path: string,
  unknownFields: string[],
) => JsonValue | undefined;

interface FieldTable {
  /** In the order in which the fields are written. */
  readonly rows: readonly (readonly [string, Reader])[];
  readonly names: ReadonlySet<string>;
}

function fieldTable(...rows: FieldTable['rows']): FieldTable {
  return { rows, names: new Set(rows.map(([name]) => name)) };
}

const readString = (value: JsonValue | undefined, path: string): string | undefined => {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw new WrongShape(path, 'a string', value);
};

/** A string that is written even when empty: it is required, and validation will say so. */
const readRequiredString: Reader = (value, path) => readString(value, path) ?? '';

const readBoolean: Reader = (value, path) => {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') return value;
  throw new WrongShape(path, 'a boolean', value);
};

const readInteger: Reader = (value, path) => {
  if (value === undefined || value === null) return undefined;
  if (Number.isSafeInteger(value)) return value;
  throw new WrongShape(path, 'an integer', value);
};

/** Zero is the same as absent. */
const readCounter: Reader = (value, path, unknown) =>
  readInteger(value, path, unknown) || undefined;

const readTime: Reader = (value, path) => {
  if (value === undefined || value === null) return undefined;
  const text = typeof value === 'string' ? readTimes.get(value) : undefined;
  if (text !== undefined) return text;
  const epochMs = typeof value === 'string' ? parseRfc3339(value) : undefined;
  if (epochMs === undefined) throw new WrongShape(path, aTime, value);
  const read = formatRfc3339(epochMs);
  if (value === read) readTimes.keep(read, read);
  return read;
};

/** Every update has the times of its object again. Bound: texts of 16 KiB in all. */
const readTimes = createTextCache<string>(16 * 1024);

const readStringMap: Reader = (value, path) => {
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) throw new WrongShape(path, 'an object of strings', value);
  if (isSortedMap(value)) return value;
  const keys = Object.keys(value).sort();
  if (keys.length === 0) return undefined;
  const textOf = (key: string): string => {
    const text = value[key];
    return typeof text === 'string' ? text : (readString(text, `${path}[${key}]`) ?? '');
  };
  return Object.fromEntries(keys.map((key) => [key, textOf(key)]));
};

/** Whether it is what reading would make of it; an empty map is left out. */
function isSortedMap(value: JsonObject): boolean {
  let before: string | undefined;
  for (const key in value) {
    if (typeof value[key] !== 'string' || (before !== undefined && key < before)) return false;
    before = key;
  }
  return before !== undefined;
}

const readAnyObject: Reader = (value, path) => {
  if (value === undefined || value === null) return undefined;
  if (isJsonObject(value)) return value;
  throw new WrongShape(path, 'an object', value);
};

function listOf(read: Reader, what: string): Reader {
  return (value, path, unknown) => {
    if (value === undefined || value === null) return undefined;
    if (!Array.isArray(value)) throw new WrongShape(path, `a list of ${what}`, value);
    if (value.length === 0) return undefined;
    const items = value as readonly JsonValue[];
    return items.map((item, i) => read(item, `${path}[${i}]`, unknown) ?? null);
  };
}

function objectOf(fields: FieldTable): Reader {
  return (value, path, unknown) => readFields(value, path, fields, unknown);
}

const OWNER_FIELDS = fieldTable(
  ['apiVersion', readRequiredString],
  ['kind', readRequiredString],
  ['name', readRequiredString],
  ['uid', readRequiredString],
  ['controller', readBoolean],
  ['blockOwnerDeletion', readBoolean],
);

const MANAGED_FIELDS = fieldTable(
  ['manager', readString],
  ['operation', readString],
  ['apiVersion', readString],
  ['time', readTime],
  ['fieldsType', readString],
  ['fieldsV1', readAnyObject],
  ['subresource', readString],
);

const META_FIELDS = fieldTable(
  ['name', readString],
  ['generateName', readString],
  ['namespace', readString],
  ['selfLink', readString],
  ['uid', readString],
  ['resourceVersion', readString],
  ['generation', readCounter],
  ['creationTimestamp', readTime],
  ['deletionTimestamp', readTime],
  ['deletionGracePeriodSeconds', readInteger],
  ['labels', readStringMap],
  ['annotations', readStringMap],
  ['ownerReferences', listOf(objectOf(OWNER_FIELDS), 'objects')],
  ['finalizers', listOf(readRequiredString, 'strings')],
  ['managedFields', listOf(objectOf(MANAGED_FIELDS), 'objects')],
);

function readFields(
  value: JsonValue | undefined,
  path: string,
  fields: FieldTable,
  unknownFields: string[],
): JsonObject {
  const source = value === undefined || value === null ? {} : value;
  if (!isJsonObject(source)) throw new WrongShape(path, 'an object', source);
  const result: Record<string, JsonValue> = {};
  for (const [name, read] of fields.rows) {
    const field = ownMember(source, name);
    // What is absent is never wrong, so its path is not asked for.
    const known = read(field, field === undefined ? path : `${path}.${name}`, unknownFields);
    if (known !== undefined) result[name] = known;
  }
  for (const name of Object.keys(source)) {
    if (!fields.names.has(name)) unknownFields.push(`${path}.${name}`);
  }
  return result;
}

/** A time is a string, too: what is found in its place is `another string`. */
function describe(value: JsonValue, expected: string): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'object':
      return 'an object';
    case 'string':
      return expected === aTime ? 'another string' : 'a string';
    case 'bigint':
    case 'number':
      return 'a number';
    default:
      return `a ${typeof value}`;
  }
}
