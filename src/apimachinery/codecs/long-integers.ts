/**
 * Integers that a double cannot hold, carried past the engine's JSON reader: each is put into the
 * text as a string behind a mark, and taken out of what was read as a bigint.
 *
 *     {"a":9007199254740993}  ─▶  {"a":"\u00019007199254740993"}  ─▶  {a: 9007199254740993n}
 *
 * These are passes at the engine's speed; a reader in JavaScript takes several times as long.
 *
 * It expects JSON that the engine has accepted. Invariant: a mark stands in no string of the text,
 * neither as it is (JSON forbids that) nor as an escape: where somebody has written the usual one,
 * it goes on with the digest of the text, which nobody can write into that very text.
 */
import { createHash } from 'node:crypto';
import type { JsonValue } from '../unstructured.ts';

export interface MarkedText {
  readonly text: string;
  readonly mark: string;
}

const quote = 0x22;
const backslash = 0x5c;
const minus = 0x2d;
const exponent = 0x65;

/** Shorter ones fit. */
const longDigits = 16;

interface Mark {
  readonly mark: string;
  readonly escape: string;
}

const usualMark: Mark = { mark: '\u0001', escape: '\\u0001' };

function freeMark(json: string): Mark {
  if (!json.includes(usualMark.escape)) return usualMark;
  const digest = createHash('sha256').update(json, 'latin1').digest('hex');
  return { mark: usualMark.mark + digest, escape: usualMark.escape + digest };
}

/** Undefined: it has no such integer. Throws what `isLong` throws for a number that it does not
 * take. */
export function markLongIntegers(
  json: string,
  isLong: (token: string) => boolean,
): MarkedText | undefined {
  let free: Mark | undefined;
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < json.length; at += 1) {
    const char = json.charCodeAt(at);
    if (char === quote) at = closingQuote(json, at);
    else if (isOfNumber(char)) {
      const end = endOfNumber(json, at);
      const token = end - at >= longDigits || hasExponent(json, at, end) ? json.slice(at, end) : '';
      if (token !== '' && isLong(token)) {
        free ??= freeMark(json);
        parts.push(json.slice(from, at), '"', free.escape, token, '"');
        from = end;
      }
      at = end - 1;
    }
  }
  if (free === undefined) return undefined;
  parts.push(json.slice(from));
  return { text: parts.join(''), mark: free.mark };
}

/** What was read of a marked text, which nobody else has seen yet, with its bigints. */
export function withLongIntegers(value: JsonValue, mark: string): JsonValue {
  if (typeof value === 'string')
    return value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value;
  if (typeof value !== 'object' || value === null) return value;
  const draft = value as Record<string, JsonValue>;
  for (const key of Object.keys(draft)) {
    const before = draft[key] as JsonValue;
    const after = withLongIntegers(before, mark);
    // To a member that is there, whatever its name.
    if (after !== before) draft[key] = after;
  }
  return value;
}

function isOfNumber(char: number): boolean {
  return (char >= 0x30 && char <= 0x39) || char === minus;
}

/** The offset behind it. Outside strings, an `e` stands in the words true and false, too: these do
 * not begin like a number. */
function endOfNumber(json: string, start: number): number {
  let at = start + 1;
  for (; at < json.length; at += 1) {
    const char = json.charCodeAt(at);
    const isPart = isOfNumber(char) || char === 0x2b || char === 0x2e || (char | 0x20) === exponent;
    if (!isPart) break;
  }
  return at;
}

function hasExponent(json: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    if ((json.charCodeAt(at) | 0x20) === exponent) return true;
  }
  return false;
}

/** Characters that are looked at, one by one, behind a quote that a text holds: where there is one
 * there often is another, and each call of the engine's search takes as long as these. */
const lookedAt = 64;

/** The end of the text where there is none. */
export function closingQuote(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at >= 0; at = json.indexOf('"', at)) {
    let before = at - 1;
    while (json.charCodeAt(before) === backslash) before -= 1;
    // An even number of backslashes: they escape each other.
    if ((at - before) % 2 === 1) return at;
    at += 1;
    for (const end = at + lookedAt; at < end; at += 1) {
      const char = json.charCodeAt(at);
      if (char === quote) return at;
      if (char === backslash) at += 1;
    }
  }
  return json.length;
}
