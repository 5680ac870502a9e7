/** Members of JSON objects under construction; `__proto__` is a key like any other. */
import { setMember } from '../../stdx/lookup.ts';
import type { JsonArray, JsonValue } from '../unstructured.ts';

export type Draft = Record<string, JsonValue | undefined>;

/** A copy that shares nothing with the value. */
export function cloneJson(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as JsonArray).map(cloneJson);
  const copy: Draft = {};
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) setMember(copy, key, cloneJson(member));
  }
  return copy;
}
