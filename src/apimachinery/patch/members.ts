/** Members of JSON objects under construction; `__proto__` is a key like any other. */
import { setMember } from '../../stdx/lookup.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { JsonArray, JsonObject, JsonValue } from '../unstructured.ts';

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

/** Values in one step of a copy. */
const valuesPerStep = 2_000;

/** cloneJson() in steps. */
export function* cloneSteps(value: JsonValue, left = { values: valuesPerStep }): Steps<JsonValue> {
  if (typeof value !== 'object' || value === null) return value;
  const copy: Draft | JsonValue[] = Array.isArray(value) ? [] : {};
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    left.values -= 1;
    if (left.values <= 0) {
      yield;
      left.values = valuesPerStep;
    }
    const made = isFlat(member) ? cloneJson(member) : yield* cloneSteps(member, left);
    if (Array.isArray(copy)) copy.push(made);
    else setMember(copy, key, made);
  }
  return copy;
}

/** A scalar, or a few of them. */
function isFlat(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return true;
  let members = 0;
  for (const name in value) {
    members += 1;
    const member = (value as JsonObject)[name];
    if (members > flatMembersMax || (typeof member === 'object' && member !== null)) return false;
  }
  return true;
}

/** So many are copied at once: a generator for each would cost more. */
const flatMembersMax = 16;
