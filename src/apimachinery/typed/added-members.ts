/**
 * A conformed document without what conforming has added: the members that were given, no others. A
 * manager owns the fields that it sends, not those that the type adds.
 *
 * Pure; parts that need no change are shared.
 */
import type { JsonArray, JsonObject, JsonValue } from '../unstructured.ts';
import { isJsonObject } from '../unstructured.ts';
import { ownMember, setMember } from '../../stdx/lookup.ts';

/** `conformed` is what conform() has made of `given`. */
export function withoutAddedMembers(conformed: JsonObject, given: JsonObject): JsonObject {
  const kept: Record<string, JsonValue | undefined> = {};
  for (const name of Object.keys(conformed)) {
    const value = conformed[name];
    const said = ownMember(given, name);
    if (said === undefined || value === undefined) continue;
    setMember(kept, name, partGiven(value, said));
  }
  return kept;
}

function partGiven(value: JsonValue, given: JsonValue): JsonValue {
  if (isJsonObject(value) && isJsonObject(given)) return withoutAddedMembers(value, given);
  if (!Array.isArray(value) || !Array.isArray(given)) return value;
  const [items, said] = [value as JsonArray, given as JsonArray];
  if (items.length !== said.length) return value;
  return items.map((item, index) => partGiven(item, said[index] ?? null));
}
