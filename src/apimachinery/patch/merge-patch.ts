/**
 * JSON merge patch (RFC 7386): null removes, objects merge, everything else replaces.
 *
 * Invariants: neither value is changed; what the patch does not touch is shared with the target.
 * Recursion is as deep as the patch, which decoding bounds.
 */
import { ownMember, setMember } from '../../stdx/lookup.ts';
import type { JsonValue } from '../unstructured.ts';
import { isJsonObject } from '../unstructured.ts';

export function applyMergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return patch;
  const base = isJsonObject(target) ? target : {};
  const merged: Record<string, JsonValue | undefined> = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    if (value === null) delete merged[key];
    else setMember(merged, key, applyMergePatch(ownMember(base, key), value));
  }
  return merged;
}
