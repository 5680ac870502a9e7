/**
 * Whether a value is one whose walks (checking, comparing, writing it) take turns of the event loop
 * of their own. A body tells by its bytes; this is for what is made here: by a patch, a webhook, a
 * policy.
 *
 * Bound: the walk ends as soon as the answer is known.
 */
import type { JsonObject, JsonValue } from './unstructured.ts';

/** About as many characters as a body has bytes that is worked on in one turn. */
export const largeChars = 64 * 1024;
/** What a member or an item counts for beside its text: short ones cost as much. */
export const valueChars = 16;

export function isLargeValue(value: JsonValue): boolean {
  return charsLeft(value, largeChars) < 0;
}

/** Below 0: there are more. */
function charsLeft(value: JsonValue, left: number): number {
  if (typeof value === 'string') return left - value.length;
  if (typeof value !== 'object' || value === null) return left;
  let now = left;
  for (const name in value as JsonObject) {
    const inner = (value as JsonObject)[name];
    now = charsLeft(inner ?? null, now - valueChars - name.length);
    if (now < 0) break;
  }
  return now;
}
