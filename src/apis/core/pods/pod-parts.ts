/** Readers of the parts of a pod. */
import { objects, part } from '../../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../../apimachinery/unstructured.ts';

export function specOf(pod: ApiObject): JsonObject {
  return part(pod, 'spec');
}

/** The objects of a list in the spec. */
export function objectsAt(pod: ApiObject, list: string): readonly JsonObject[] {
  return objects(specOf(pod), list);
}
