/**
 * JSON text to values and back without losing a digit of an integer.
 *
 * It bounds neither depth nor size and does not check UTF-8; codecs/json.ts does that for what
 * clients send. What the store gives back has been through there.
 *
 * Both directions take the engine's own JSON when that is exact, which is nearly always:
 *  - reading: a text in which no number token is long (16 digits and more) or has an exponent of
 *    three digits cannot hold an integer beyond 2^53 or a number beyond the range of a double;
 *  - writing: a value without a bigint.
 *
 * Invariants: an own property named `__proto__` stays an own property; nothing is ever assigned
 * through the prototype. A key that comes twice has its last value. Lone surrogates survive, as
 * escapes. What is read and written again keeps the value of every integer.
 */
import type { Steps } from '../../stdx/stepwise.ts';
import type { JsonValue } from '../unstructured.ts';
import { parsePieces } from './json-pieces.ts';
import { markLongIntegers, withLongIntegers } from './long-integers.ts';

/** A number token that a double may not hold, at a place where a value may begin. It may also
 * match inside a string: that costs time, never correctness. The first expression is the quick
 * one; it matches wherever the second does, and in many a uid besides. */
const doubtfulDigits = /\d{16}|\d[eE]\+?\d{3}/;
const doubtfulNumber = /(?:^|[:[,\s])-?(?:\d{16}|\d[\d.]*[eE]\+?\d{3})/;

const integerToken = /^-?\d+$/;

/** Throws SyntaxError for what is not JSON, RangeError for a number beyond a double's range. */
export function parseJsonText(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue;
  if (!doubtfulDigits.test(text) || !doubtfulNumber.test(text)) return value;
  const marked = markLongIntegers(text, isLongInteger);
  if (marked === undefined) return value;
  return withLongIntegers(JSON.parse(marked.text) as JsonValue, marked.mark);
}

/** parseJsonText() in parts. */
export function parseSteps(text: string): Steps<JsonValue> {
  return parsePieces(text, parseJsonText);
}

/** The value of one JSON number token: a bigint when it is an integer that a double cannot hold.
 * Throws RangeError when it is beyond a double's range. */
export function parseNumberToken(token: string): number | bigint {
  return isLongInteger(token) ? BigInt(token) : Number(token);
}

/** Whether it is an integer that a double cannot hold. Throws RangeError as parseNumberToken(). */
function isLongInteger(token: string): boolean {
  const value = Number(token);
  if (!Number.isFinite(value)) {
    throw new RangeError(`number ${abbreviate(token)} is out of range`);
  }
  return !Number.isSafeInteger(value) && integerToken.test(token);
}

/** JSON text of a value; `indent` 0 is compact. Undefined properties are left out. */
export function stringifyJson(value: JsonValue, indent = 0): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    // The engine refuses a bigint with a TypeError; anything else (a stack overflow) is a bug.
    if (!(error instanceof TypeError)) throw error;
    return stringifyWithBigints(value, ' '.repeat(indent), indent === 0 ? '' : '\n');
  }
}

/** `newline` carries the indentation of the surrounding level; '' is compact. */
function stringifyWithBigints(value: JsonValue, step: string, newline: string): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = newline === '' ? '' : newline + step;
  const colon = newline === '' ? ':' : ': ';
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (const item of value) parts.push(inner + stringifyWithBigints(item, step, inner));
    return parts.length === 0 ? '[]' : `[${parts.join(',')}${newline}]`;
  }
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    parts.push(inner + JSON.stringify(key) + colon + stringifyWithBigints(item, step, inner));
  }
  return parts.length === 0 ? '{}' : `{${parts.join(',')}${newline}}`;
}

function abbreviate(token: string): string {
  return token.length <= 32 ? token : `${token.slice(0, 32)}...`;
}
