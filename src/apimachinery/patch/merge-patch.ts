/**
 * JSON merge patch (RFC 7386): null removes, objects merge, everything else replaces.
 *
 * As in the reference, null also leaves a member out of objects in lists, which the RFC would
 * store; but not of a list in the place of an object.
 *
 * Invariants: neither value is changed; what the patch does not touch is shared with the target.
 * Recursion is as deep as the patch, which decoding bounds.
 */
import { ownMember, setMember } from '../../stdx/lookup.ts';
import type { JsonValue } from '../unstructured.ts';
import { isJsonObject } from '../unstructured.ts';

export function applyMergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return isJsonObject(target) ? patch : withoutNullMembers(patch);
  const base = isJsonObject(target) ? target : {};
  const merged: Record<string, JsonValue | undefined> = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    if (value === null) delete merged[key];
    else setMember(merged, key, applyMergePatch(ownMember(base, key), value));
  }
  return merged;
}

function withoutNullMembers(value: JsonValue): JsonValue {
  if (!Array.isArray(value)) return value;
  const items = value as readonly JsonValue[];
  if (!items.some((item) => typeof item === 'object' && item !== null)) return value;
  return items.map((item) => applyMergePatch(undefined, item));
}
