/**
 * Halves of surrogate pairs, which JSON and YAML can write as escapes and no UTF-8 can hold: each
 * becomes U+FFFD, so that an object has one content in every encoding.
 *
 * Bounds: the recursion, by the nesting that the codec accepts; a step, by `valuesPerStep`.
 */
import { setMember } from '../../stdx/lookup.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { TextUnits } from '../../stdx/text-units.ts';
import type { JsonObject, JsonValue } from '../unstructured.ts';

const loneSurrogate = /\p{Surrogate}/u;

function wellFormed(text: string): string {
  if (!loneSurrogate.test(text)) return text;
  const units = new TextUnits();
  units.addAll(text);
  units.replaceHalves();
  return units.text;
}

const valuesPerStep = 2_000;

/** In every text and key of it. */
export function withoutLoneSurrogates(value: JsonValue): Steps<JsonValue> {
  return mended(value, { left: valuesPerStep });
}

function* mended(value: JsonValue, step: { left: number }): Steps<JsonValue> {
  if (typeof value !== 'object' || value === null) return wellFormedScalar(value);
  const isList = Array.isArray(value);
  const items: JsonValue[] = [];
  const members: Record<string, JsonValue> = {};
  for (const [key, inner] of Object.entries(value as JsonObject)) {
    step.left -= 1;
    if (step.left === 0) {
      step.left = valuesPerStep;
      yield;
    }
    const made =
      typeof inner === 'object' && inner !== null
        ? yield* mended(inner, step)
        : wellFormedScalar(inner as JsonValue);
    if (isList) items.push(made);
    else setMember(members, wellFormed(key), made);
  }
  return isList ? items : members;
}

function wellFormedScalar(value: JsonValue): JsonValue {
  return typeof value === 'string' ? wellFormed(value) : value;
}
