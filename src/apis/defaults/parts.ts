/** Parts of objects as defaults see them. */
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject, withMember } from '../../apimachinery/unstructured.ts';

export function inSpec(object: JsonObject, step: (spec: JsonObject) => JsonObject): JsonObject {
  const { spec } = object;
  if (!isJsonObject(spec)) return object;
  const made = step(spec);
  return made === spec ? object : withMember(object, 'spec', made);
}
