/**
 * Values as messages of the reference show them. Clients compare these texts.
 */
import { stringifyJson } from '../../apimachinery/codecs/lossless.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';

/** Characters of one value that are shown at most; whoever sends more gets the beginning. */
const shownMax = 10_000;

/** JSON with sorted keys and without `<`, `>` and `&`. */
export function goJson(value: JsonValue | undefined): string {
  const text = stringifyJson(beginningOf(value ?? null, { left: shownMax }));
  const escaped = text.replace(/[<>&\u2028\u2029]/g, unicodeEscape);
  return escaped.length <= shownMax ? escaped : `${escaped.slice(0, shownMax)}...`;
}

/** As much of a value as can be shown, in the order in which it is shown: what is left out stands
 * behind `shownMax` characters of its text. */
function beginningOf(value: JsonValue, room: { left: number }): JsonValue {
  if (typeof value === 'string') {
    room.left -= value.length;
    return value.length <= shownMax ? value : value.slice(0, shownMax + 1);
  }
  room.left -= 1;
  if (typeof value === 'bigint') return isGoInteger(value) ? value : Number(value);
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    for (const item of value as readonly JsonValue[]) {
      if (room.left < 0) break;
      items.push(beginningOf(item, room));
    }
    return items;
  }
  if (!isJsonObject(value)) return value;
  const members: [string, JsonValue][] = [];
  for (const name of sortedNames(value)) {
    const member = value[name];
    if (room.left < 0) break;
    if (member === undefined) continue;
    room.left -= name.length;
    members.push([name, beginningOf(member, room)]);
  }
  return Object.fromEntries(members);
}

const manyNames = 500;
/** Of large objects: the same one may be asked for in each column of a row. */
const sorted = new WeakMap<object, readonly string[]>();

function sortedNames(object: JsonObject): readonly string[] {
  const known = sorted.get(object);
  if (known !== undefined) return known;
  const names = Object.keys(object).sort();
  if (names.length > manyNames) sorted.set(object, names);
  return names;
}

function unicodeEscape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A number as `%v` prints it: an integer that fits into 64 bits has all its digits, any other is a
 * double. */
export function goNumber(value: number | bigint): string {
  return isGoInteger(value) ? String(value) : goDouble(Number(value));
}

/** Exponents from here on are written as such; JavaScript has 21. */
const exponentFrom = 6;

/** A double as `%v` prints it, whole or not: `1e+06`, `1e-05`, `20.5`. */
export function goDouble(value: number): string {
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  const size = Number(exponent);
  if (size >= -4 && size < exponentFrom) return String(value);
  return `${digits}e${exponent.charAt(0)}${exponent.slice(1).padStart(2, '0')}`;
}

/** `map[a:1 b:[x y]]`. */
export function goValue(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'number' || typeof value === 'bigint') return goNumber(value);
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(goValue).join(' ')}]`;
  if (!isJsonObject(value)) return String(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([name, member]) => `${name}:${goValue(member)}`).join(' ')}]`;
}

/** The type as `%T` prints it. */
export function goTypeOf(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'object') {
    return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
  }
  return isGoInteger(value) ? 'int64' : 'float64';
}

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;

/** Whether the reference reads a number as an int64, and not as a double. */
export function isGoInteger(value: number | bigint): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value);
  return value >= int64Min && value <= int64Max;
}

/** Lists and objects are shown as JSON, numbers as they are printed. */
export function shownAsJson(error: FieldError): FieldError {
  const { value } = error;
  if (typeof value === 'number' || typeof value === 'bigint') {
    return { ...error, shown: goNumber(value) };
  }
  if (typeof value !== 'object' || value === null) return error;
  return { ...error, shown: goJson(value) };
}
