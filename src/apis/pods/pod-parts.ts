/** Parts of a pod, as what they are when they are there. */
import type { ApiObject, JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';

export function partOf(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}

export function specOf(pod: ApiObject): JsonObject {
  return partOf(pod, 'spec');
}

/** The objects of a list in the spec. */
export function objectsAt(pod: ApiObject, list: string): readonly JsonObject[] {
  const value = specOf(pod)[list];
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isJsonObject) : [];
}
