/**
 * Lists of type set and map have no entry twice: told by the whole entry, or by its keys (spec 1,
 * section 4.5).
 *
 * Invariants: each entry that is there more than once is reported once, at its second place.
 * Bounds: linear in the value, by a Map of what was seen; `duplicatesMax` errors.
 */
import { duplicate, invalid } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { canonicalText } from '../../stdx/canonical-text.ts';
import { shownAsJson } from '../schema/go-text.ts';
import { propertyOf, spineMemo, valuesOf } from '../schema/structural-schema.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';

const duplicatesMax = 1000;

const listType = 'x-kubernetes-list-type';
const hasUnique = spineMemo((schema) => schema[listType] === 'set' || schema[listType] === 'map');

export function listTypeErrors(
  object: JsonObject,
  schema: StructuralSchema | undefined,
): readonly FieldError[] {
  if (schema === undefined || !hasUnique(schema)) return [];
  const errors: FieldError[] = [];
  checkMembers(object, schema, '', errors);
  return errors;
}

function check(
  value: JsonValue | undefined,
  schema: StructuralSchema,
  path: string,
  errors: FieldError[],
): void {
  if (typeof value !== 'object' || value === null || !hasUnique(schema)) return;
  if (errors.length >= duplicatesMax) return;
  if (isJsonObject(value)) {
    checkMembers(value, schema, path, errors);
    return;
  }
  const list = value as readonly JsonValue[];
  if (schema[listType] === 'set') checkSet(list, path, errors);
  if (schema[listType] === 'map') {
    checkMap(list, schema['x-kubernetes-list-map-keys'] ?? [], path, errors);
  }
  const { items } = schema;
  if (items === undefined || !hasUnique(items)) return;
  for (let at = 0; at < list.length; at += 1) check(list[at], items, `${path}[${at}]`, errors);
}

function checkMembers(
  members: JsonObject,
  schema: StructuralSchema,
  path: string,
  errors: FieldError[],
): void {
  const values = valuesOf(schema);
  for (const name in members) {
    const declared = propertyOf(schema, name);
    if (declared !== undefined) {
      check(members[name], declared, path === '' ? name : `${path}.${name}`, errors);
    }
    if (values !== undefined) check(members[name], values, `${path}[${name}]`, errors);
  }
}

function checkSet(list: readonly JsonValue[], path: string, errors: FieldError[]): void {
  for (const at of repeated(list)) {
    report(errors, duplicate(`${path}[${at}]`, list[at] as JsonValue));
  }
}

function checkMap(
  list: readonly JsonValue[],
  keys: readonly string[],
  path: string,
  errors: FieldError[],
): void {
  const wrong = list.findIndex((entry) => entry !== null && !isJsonObject(entry));
  if (wrong !== -1) {
    const detail = 'must be an object for an array of list-type map';
    report(errors, invalid(`${path}[${wrong}]`, list[wrong], detail));
    return;
  }
  const found = list.map((entry) => keysOf(entry as JsonObject | null, keys));
  for (const at of repeated(found)) {
    report(errors, duplicate(`${path}[${at}]`, found[at] as JsonValue));
  }
}

/** Those that are there. */
function keysOf(entry: JsonObject | null, keys: readonly string[]): JsonObject {
  if (entry === null) return {};
  const there = keys.filter((key) => Object.hasOwn(entry, key));
  return Object.fromEntries(there.map((key) => [key, entry[key]]));
}

function report(errors: FieldError[], error: FieldError): void {
  if (errors.length < duplicatesMax) errors.push(shownAsJson(error));
}

/** The places where an entry comes for the second time. */
function repeated(list: readonly JsonValue[]): readonly number[] {
  if (list.length < 2) return [];
  const seen = new Map<JsonValue, number>();
  const places: number[] = [];
  for (const [at, entry] of list.entries()) {
    // A text that looks like the form of a list is not that list.
    const key = typeof entry === 'object' && entry !== null ? `{${canonicalText(entry)}` : entry;
    const own = typeof key === 'string' && typeof entry === 'string' ? `"${key}` : key;
    const times = seen.get(own) ?? 0;
    seen.set(own, times + 1);
    if (times === 1) places.push(at);
  }
  return places;
}
