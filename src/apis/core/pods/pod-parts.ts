/** Readers of the parts of a pod. */
import { objects, part } from '../../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../../apimachinery/unstructured.ts';

/** Where containers stand in the spec of a pod, in the order in which they are looked at. */
export const containerLists = ['initContainers', 'containers', 'ephemeralContainers'] as const;

export function specOf(pod: ApiObject): JsonObject {
  return part(pod, 'spec');
}

/** The objects of a list in the spec. */
export function objectsAt(pod: ApiObject, list: string): readonly JsonObject[] {
  return objects(specOf(pod), list);
}
