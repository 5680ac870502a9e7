/**
 * The text of a value that may be large, in parts: others have their turns in between.
 *
 *     small ─▶ one part, the engine's own text
 *     large ─▶ what is large in it is found first, from the inside out, then written member by
 *              member; what is small in it is written by the engine
 *
 * Invariant: all parts together are what stringifyJson() gives. Bounds: a part is longer than
 * `partChars` only where one text is; what is noted beside the value is what is large in it.
 */
import { isLargeValue, largeChars, valueChars } from '../large-value.ts';
import type { JsonObject, JsonValue } from '../unstructured.ts';
import { isJsonObject } from '../unstructured.ts';
import { stringifyJson } from './lossless.ts';

const partChars = 32 * 1024;
/** Values that are looked at between two parts. */
const valuesAtOnce = 2048;

/** A part may be empty: then there is more to be done before the next. */
export function* jsonParts(value: JsonValue): Generator<string, void> {
  if (!isLargeValue(value)) return yield stringifyJson(value);
  const large: Large = { found: new Set(), values: 0 };
  yield '';
  yield* charsIn(value, large);
  let text = '';
  for (const piece of pieces(value, large)) {
    text += piece;
    if (text.length < partChars) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

interface Large {
  readonly found: Set<JsonValue>;
  /** Seen so far. */
  values: number;
}

/** How many characters it has, about; finds what is large in it. */
function* charsIn(value: JsonValue, large: Large): Generator<string, number> {
  large.values += 1;
  if (large.values % valuesAtOnce === 0) yield '';
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let chars = 0;
  if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) {
      chars += valueChars + (yield* charsIn(item, large));
    }
  } else {
    for (const name in value as JsonObject) {
      const member = (value as JsonObject)[name] ?? null;
      chars += valueChars + name.length + (yield* charsIn(member, large));
    }
  }
  if (chars >= largeChars) large.found.add(value);
  return chars;
}

function* pieces(value: JsonValue, large: Large): Generator<string, void> {
  if (!large.found.has(value)) return yield stringifyJson(value);
  const isObject = isJsonObject(value);
  let before = isObject ? '{' : '[';
  if (isObject) {
    for (const name in value) {
      const member = value[name];
      // As there: it is not written.
      if (member === undefined) continue;
      yield `${before}${JSON.stringify(name)}:`;
      yield* pieces(member, large);
      before = ',';
    }
  } else {
    for (const item of value as readonly JsonValue[]) {
      yield before;
      yield* pieces(item, large);
      before = ',';
    }
  }
  yield isObject ? '}' : ']';
}
