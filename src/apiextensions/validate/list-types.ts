/**
 * Lists of type set and map have no entry twice: compared by the whole entry, or by its keys (spec
 * 1, section 4.5).
 *
 * Invariants: each entry that is there more than once is reported once, at its second place.
 * Bounds: linear in the value, by a Set of what was seen; `duplicatesMax` errors; `stepUnits`
 * entries a step.
 */
import { duplicate, invalid } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { shownAsJson } from '../schema/go-text.ts';
import { propertyOf, spineMemo, valuesOf } from '../schema/structural-schema.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { keyText } from './entry-key.ts';

const duplicatesMax = 1000;
const stepUnits = 4000;

const listType = 'x-kubernetes-list-type';
/** Whether this schema, or one below it, has a list whose entries must differ. */
export const hasUniqueLists = spineMemo(
  (schema) => schema[listType] === 'set' || schema[listType] === 'map',
);

interface Search {
  readonly errors: FieldError[];
  units: number;
}

export function* listTypeErrors(
  object: JsonObject,
  schema: StructuralSchema | undefined,
): Steps<readonly FieldError[]> {
  if (schema === undefined || !hasUniqueLists(schema)) return [];
  const search: Search = { errors: [], units: 0 };
  yield* checkMembers(object, schema, '', search);
  return search.errors;
}

function* check(
  value: JsonValue | undefined,
  schema: StructuralSchema,
  path: string,
  search: Search,
): Steps<void> {
  if (typeof value !== 'object' || value === null || !hasUniqueLists(schema)) return;
  if (search.errors.length >= duplicatesMax) return;
  if (isJsonObject(value)) {
    yield* checkMembers(value, schema, path, search);
    return;
  }
  const list = value;
  if (schema[listType] === 'set') {
    const report = (at: number): void =>
      reportDuplicate(search, `${path}[${at}]`, list[at] as JsonValue);
    yield* repeated(list, entryKey, report, search);
  }
  if (schema[listType] === 'map') {
    yield* checkMap(list, schema['x-kubernetes-list-map-keys'] ?? [], path, search);
  }
  const { items } = schema;
  if (items === undefined || !hasUniqueLists(items)) return;
  for (let at = 0; at < list.length; at += 1) {
    if (isLong(search)) yield;
    yield* check(list[at], items, `${path}[${at}]`, search);
  }
}

function isLong(search: Search): boolean {
  search.units += 1;
  return search.units % stepUnits === 0;
}

function* checkMembers(
  members: JsonObject,
  schema: StructuralSchema,
  path: string,
  search: Search,
): Steps<void> {
  const values = valuesOf(schema);
  for (const name in members) {
    if (isLong(search)) yield;
    const declared = propertyOf(schema, name);
    if (declared !== undefined) {
      yield* check(members[name], declared, path === '' ? name : `${path}.${name}`, search);
    }
    if (values !== undefined) yield* check(members[name], values, `${path}[${name}]`, search);
  }
}

function* checkMap(
  list: readonly JsonValue[],
  keys: readonly string[],
  path: string,
  search: Search,
): Steps<void> {
  const wrong = list.findIndex((entry) => entry !== null && !isJsonObject(entry));
  if (wrong !== -1) {
    const detail = 'must be an object for an array of list-type map';
    const error = invalid(`${path}[${wrong}]`, list[wrong], detail);
    if (search.errors.length < duplicatesMax) search.errors.push(shownAsJson(error));
    return;
  }
  const [first = ''] = keys;
  const keyOf = (entry: JsonValue): unknown => {
    const members = entry as JsonObject | null;
    if (keys.length === 1) return entryKey(ownMemberOf(members, first));
    return `\0${keyText(keys.map((key) => ownMemberOf(members, key)))}`;
  };
  const report = (at: number): void => {
    const entry = list[at] as JsonObject | null;
    const there = keys.filter((key) => ownMemberOf(entry, key) !== undefined);
    const shown = Object.fromEntries(there.map((key) => [key, ownMemberOf(entry, key)]));
    reportDuplicate(search, `${path}[${at}]`, shown);
  };
  yield* repeated(list, keyOf, report, search);
}

function ownMemberOf(members: JsonObject | null, name: string): JsonValue | undefined {
  return members !== null && Object.hasOwn(members, name) ? members[name] : undefined;
}

function reportDuplicate(search: Search, field: string, value: JsonValue): void {
  if (search.errors.length >= duplicatesMax) return;
  search.errors.push(shownAsJson(duplicate(field, value)));
}

/** A Set tells scalars apart; of all else a text that no scalar is. */
function entryKey(entry: JsonValue | undefined): unknown {
  if (typeof entry === 'string') return entry.startsWith('\0') ? `\0"${entry}` : entry;
  if (typeof entry !== 'object' || entry === null) return entry;
  return `\0${keyText([entry])}`;
}

/** Reports the places where an entry comes for the second time. */
function* repeated(
  list: readonly JsonValue[],
  keyOf: (entry: JsonValue) => unknown,
  report: (at: number) => void,
  search: Search,
): Steps<void> {
  const seen = new Set<unknown>();
  const reported = new Set<unknown>();
  for (let at = 0; at < list.length; at += 1) {
    if (isLong(search)) yield;
    const key = keyOf(list[at] as JsonValue);
    if (!seen.has(key)) seen.add(key);
    else if (!reported.has(key)) {
      reported.add(key);
      report(at);
    }
  }
}
