/**
 * Which of the forms of a type a value has: what all walks over values decide first.
 *
 * Invariant: null takes any form; so does a value of a form that the type does not have, which is
 * then for validation to refuse.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../unstructured.ts';
import { deducedType } from '../schema/deduced.ts';
import type { MergeMap, MergeType } from '../schema/merge-type.ts';
import { compareText, sortTexts } from '../value/ordering.ts';

export type Form = 'map' | 'list' | 'scalar';

/** 'any' only for a type with several forms. */
export function formOf(type: MergeType, value: JsonValue | undefined): Form | 'any' {
  const only = onlyForm(type);
  if (only !== undefined) return only;
  if (value === undefined || value === null) return 'any';
  if (typeof value !== 'object') return type.scalar === undefined ? 'any' : 'scalar';
  if (Array.isArray(value)) return type.list === undefined ? 'any' : 'list';
  return type.map === undefined ? 'any' : 'map';
}

function onlyForm(type: MergeType): Form | undefined {
  if (type.map !== undefined) {
    return type.scalar === undefined && type.list === undefined ? 'map' : undefined;
  }
  if (type.scalar !== undefined) return type.list === undefined ? 'scalar' : undefined;
  return 'list';
}

/** The form by which a value of any form is treated. */
export function leadingForm(type: MergeType, form: Form | 'any'): Form {
  if (form !== 'any') return form;
  if (type.map !== undefined) return 'map';
  return type.scalar === undefined ? 'list' : 'scalar';
}

/** The form in which the value is looked at. */
export function formFor(type: MergeType, value: JsonValue): Form {
  return leadingForm(type, formOf(type, value));
}

/** Undefined for null and for anything that is no list. */
export function asList(value: JsonValue | undefined): JsonArray | undefined {
  return Array.isArray(value) ? (value as JsonArray) : undefined;
}

/** Undefined for null and for anything that is no object. */
export function asMap(value: JsonValue | undefined): JsonObject | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return value as JsonObject;
}

export function isEmptyMap(map: JsonObject | undefined): boolean {
  if (map === undefined) return true;
  // To look for the first of many members, the engine lists all of them.
  if (namesOfLarge.has(map)) return false;
  for (const key in map) if (map[key] !== undefined) return false;
  return true;
}

/** An own member: names such as `constructor` may be keys of the data. What the prototype would
 * answer with is a function, which no JSON value is, but for one name. */
export function memberOf(map: JsonObject, name: string): JsonValue | undefined {
  const value = map[name];
  if (typeof value !== 'function' && name !== '__proto__') return value;
  return Object.hasOwn(map, name) ? value : undefined;
}

/** The names of the members in the order in which field sets have them. */
export function sortedNames(map: JsonObject): readonly string[] {
  const known = namesOfLarge.get(map);
  if (known !== undefined) return known;
  const names = inOrder(Object.keys(map));
  if (names.length > largeMin) namesOfLarge.set(map, names);
  return names;
}

/** Of maps that have many; values never change once they are read. All walks ask for them. */
const namesOfLarge = new WeakMap<JsonObject, readonly string[]>();
const largeMin = 256;

function inOrder(names: string[]): readonly string[] {
  for (let i = 1; i < names.length; i += 1) {
    if (compareText(names[i - 1] as string, names[i] as string) > 0) return sortTexts(names);
  }
  return names;
}

/** Of a member. What no schema declares is treated as untyped; validation has refused it where
 * that matters. */
export function memberType(map: MergeMap, name: string): MergeType {
  return map.fields.get(name)?.type ?? map.values ?? deducedType;
}
