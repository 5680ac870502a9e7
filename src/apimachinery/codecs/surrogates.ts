/**
 * Halves of surrogate pairs, which JSON and YAML can write as escapes and no UTF-8 can hold: each
 * becomes U+FFFD, so that an object has one content in every encoding.
 *
 * Bound: the recursion, by the nesting that the codec accepts.
 */
import type { JsonValue } from '../unstructured.ts';

const loneSurrogate = /\p{Surrogate}/gu;

function wellFormed(text: string): string {
  return text.replace(loneSurrogate, '\ufffd');
}

/** In every text and key of it. */
export function withoutLoneSurrogates(value: JsonValue): JsonValue {
  if (typeof value === 'string') return wellFormed(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(withoutLoneSurrogates);
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      wellFormed(key),
      withoutLoneSurrogates(member as JsonValue),
    ]),
  );
}
