/** Members of JSON objects under construction; `__proto__` is a key like any other. */
import type { JsonArray, JsonValue } from '../unstructured.ts';

export type Draft = Record<string, JsonValue | undefined>;

export function setMember(draft: Draft, key: string, value: JsonValue): void {
  if (key !== '__proto__') {
    draft[key] = value;
    return;
  }
  // Assigning would change the prototype instead.
  const member = { value, writable: true, enumerable: true, configurable: true };
  Object.defineProperty(draft, key, member);
}

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
