/**
 * Reading the members of an object that may lack them: one of another type reads as empty.
 *
 * Nothing is checked: who must refuse what has another type says so before it reads, or reads
 * strictly (configuration-document.ts, typed/).
 *
 * Invariants: nothing throws, and nothing is copied that is as it should be: what is returned
 * belongs to the object, and what is empty may be one object for all.
 */
import type { JsonObject, JsonValue } from './unstructured.ts';
import { isJsonObject } from './unstructured.ts';

const noMembers: JsonObject = {};
const noItems: readonly JsonValue[] = [];

export function text(object: JsonObject | undefined, name: string): string {
  const value = object?.[name];
  return typeof value === 'string' ? value : '';
}

export function part(object: JsonObject | undefined, name: string): JsonObject {
  const value = object?.[name];
  return isJsonObject(value) ? value : noMembers;
}

export function items(object: JsonObject | undefined, name: string): readonly JsonValue[] {
  const value = object?.[name];
  return Array.isArray(value) ? (value as readonly JsonValue[]) : noItems;
}

/** The list itself where it holds objects only, as it does once it has been read by its type. */
export function objects(object: JsonObject | undefined, name: string): readonly JsonObject[] {
  const list = items(object, name);
  for (const item of list) if (!isJsonObject(item)) return list.filter(isJsonObject);
  return list as readonly JsonObject[];
}

/** The texts of a list. */
export function texts(object: JsonObject | undefined, name: string): readonly string[] {
  return items(object, name).filter((item) => typeof item === 'string');
}

/** The members that are texts. */
export function textMap(object: JsonObject, name: string): Readonly<Record<string, string>> {
  const map = part(object, name);
  if (holdsTexts(map)) return map;
  const entries = Object.entries(map).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(entries);
}

function holdsTexts(map: JsonObject): map is Readonly<Record<string, string>> {
  for (const name in map) if (typeof map[name] !== 'string') return false;
  return true;
}
