/**
 * Reading objects for tables, by the path from the object to the value: what is not there, or is
 * something else than expected, is empty.
 *
 * Nothing is validated: a table must show what is stored, whatever it is. Elsewhere: the readers of
 * one member (src/apimachinery/members.ts), for which a number is no text.
 */
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';

export function valueAt(from: JsonValue | undefined, ...path: string[]): JsonValue | undefined {
  let value: JsonValue | undefined = from;
  for (const part of path) {
    if (!isJsonObject(value)) return undefined;
    value = value[part];
  }
  return value ?? undefined;
}

/** Numbers and booleans too, as they are written; '' for what is none. */
export function printedAt(from: JsonValue | undefined, ...path: string[]): string {
  const value = valueAt(from, ...path);
  return value === undefined || typeof value === 'object' ? '' : String(value);
}

export function countAt(from: JsonValue | undefined, ...path: string[]): number {
  const value = valueAt(from, ...path);
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : 0;
}

export function isTrue(from: JsonValue | undefined, ...path: string[]): boolean {
  return valueAt(from, ...path) === true;
}

export function partAt(from: JsonValue | undefined, ...path: string[]): JsonObject {
  const value = valueAt(from, ...path);
  return isJsonObject(value) ? value : {};
}

/** The objects of a list. */
export function objectsAt(from: JsonValue | undefined, ...path: string[]): readonly JsonObject[] {
  const value = valueAt(from, ...path);
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isJsonObject) : [];
}

/** The texts of a list. */
export function textsAt(from: JsonValue | undefined, ...path: string[]): readonly string[] {
  const value = valueAt(from, ...path);
  if (!Array.isArray(value)) return [];
  return (value as readonly JsonValue[]).filter((each) => typeof each === 'string');
}

/** The condition of this type. */
export function conditionOf(object: JsonObject, type: string): JsonObject | undefined {
  return objectsAt(object, 'status', 'conditions').find((each) => each['type'] === type);
}

export function hasCondition(object: JsonObject, type: string): boolean {
  return conditionOf(object, type)?.['status'] === 'True';
}
