/**
 * A total order over JSON values, and their canonical text: what set items and keys of list items
 * are sorted by and told apart with (spec 1, section 2.5).
 *
 *     numbers < texts < booleans < lists < objects < null
 *
 * Texts are in the order of their UTF-8 bytes; lists and objects (by sorted keys) element by
 * element.
 *
 * Invariant: values that compare as equal have the same canonical text, and the reverse.
 */
import { stringifyJson } from '../../codecs/lossless.ts';
import type { JsonArray, JsonObject, JsonValue } from '../../unstructured.ts';

export function compareValues(a: JsonValue, b: JsonValue): number {
  const rank = rankOf(a);
  const difference = rank - rankOf(b);
  if (difference !== 0) return difference;
  switch (rank) {
    case 0:
      return compareNumbers(a as number | bigint, b as number | bigint);
    case 1:
      return compareText(a as string, b as string);
    case 2:
      return Number(a) - Number(b);
    case 3:
      return compareLists(a as JsonArray, b as JsonArray);
    case 4:
      return compareObjects(a as JsonObject, b as JsonObject);
    default:
      return 0;
  }
}

function rankOf(value: JsonValue): number {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return 0;
    case 'string':
      return 1;
    case 'boolean':
      return 2;
    default:
      if (value === null) return 5;
      return Array.isArray(value) ? 3 : 4;
  }
}

function compareNumbers(a: number | bigint, b: number | bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareLists(a: JsonArray, b: JsonArray): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i += 1) {
    const order = compareValues(a[i] as JsonValue, b[i] as JsonValue);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareObjects(a: JsonObject, b: JsonObject): number {
  const left = sortedKeys(a);
  const right = sortedKeys(b);
  const shared = Math.min(left.length, right.length);
  for (let i = 0; i < shared; i += 1) {
    const [leftKey, rightKey] = [left[i] as string, right[i] as string];
    const order =
      compareText(leftKey, rightKey) ||
      compareValues(a[leftKey] as JsonValue, b[rightKey] as JsonValue);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function sortedKeys(object: JsonObject): readonly string[] {
  return Object.keys(object)
    .filter((key) => object[key] !== undefined)
    .sort(compareText);
}

/** By UTF-8 bytes. The engine compares UTF-16 units, which differs behind U+D7FF only. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i += 1) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left === right) continue;
    return byteRank(left) - byteRank(right);
  }
  return a.length - b.length;
}

/** Texts put in the order of compareText; by the engine's own order where that is the same. */
export function sortTexts(texts: string[]): string[] {
  return texts.some(hasSurrogate) ? texts.sort(compareText) : texts.sort();
}

/** Half a character that stands behind all others. */
const surrogate = /[\ud800-\udfff]/;

function hasSurrogate(text: string): boolean {
  return surrogate.test(text);
}

function byteRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** Letters that the text form of path elements escapes besides those of JSON itself. */
const unsafeLetters = /[<>&\u2028\u2029]/g;
const plainText = /^[ !#-%'-;=?-[\]-~]*$/;

/** Characters of a canonical text. Policy: a longer one, as no valid name is, keeps its letters:
 * JSON reads the same of both, and escapes would make it six times as long. */
const escapedMax = 16 * 1024;

/** Compact JSON with sorted keys; `<`, `>` and `&` escaped as clients of the field expect. */
export function canonicalText(value: JsonValue): string {
  if (typeof value === 'string' && plainText.test(value)) return `"${value}"`;
  if (typeof value === 'number') return String(value);
  const text = stringifyJson(sorted(value));
  if (text.length > escapedMax) return text;
  return text.replace(
    unsafeLetters,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function sorted(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as JsonArray).map(sorted);
  const object = value as JsonObject;
  return Object.fromEntries(sortedKeys(object).map((key) => [key, sorted(object[key] ?? null)]));
}
