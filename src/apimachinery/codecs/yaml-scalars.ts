/**
 * What an unquoted YAML scalar means. Users write manifests for the reference implementation,
 * whose reader follows YAML 1.1 here: yes, no, on, off, y and n are booleans, 0755 is octal,
 * 1_000 is a number. Time stamps and base-60 numbers stay strings.
 *
 * The text has already been cut out of the document.
 *
 * One deliberate difference: an integer beyond 64 bits keeps its digits.
 */
import { parseNumberToken } from './lossless.ts';

const booleans = new Map<string, boolean>([
  ...spellings(true, ['y', 'yes', 'true', 'on']),
  ...spellings(false, ['n', 'no', 'false', 'off']),
]);

const nulls = new Set(['', '~', 'null', 'Null', 'NULL']);

const infinity = /^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$/;
const startsSpecial = /^(?:[-+.0-9~yYnNtTfFoO]|$)/;
const startsLikeNumber = /^[-+.0-9]/;
const prefixedInteger = /^([-+]?)(0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+)$/;
const decimal = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

export type YamlScalar =
  | { readonly kind: 'value'; readonly value: null | boolean | number | bigint | string }
  /** Infinity or not-a-number, which JSON cannot carry. */
  | { readonly kind: 'not-finite' };

export function resolvePlainScalar(text: string): YamlScalar {
  // Most texts are of a letter that begins no other word.
  if (!startsSpecial.test(text)) return { kind: 'value', value: text };
  if (nulls.has(text)) return { kind: 'value', value: null };
  const truth = booleans.get(text);
  if (truth !== undefined) return { kind: 'value', value: truth };
  if (!startsLikeNumber.test(text)) return { kind: 'value', value: text };
  if (infinity.test(text)) return { kind: 'not-finite' };
  return { kind: 'value', value: parseNumber(text) ?? text };
}

/** True when a reader of YAML 1.1 or 1.2 would take the unquoted text for something else. */
export function needsQuotes(text: string): boolean {
  const scalar = resolvePlainScalar(text);
  return scalar.kind !== 'value' || typeof scalar.value !== 'string';
}

/** Characters of a number. Policy: a longer text is a text. */
const numberCharsMax = 4096;

function parseNumber(text: string): number | bigint | undefined {
  if (text.length > numberCharsMax) return undefined;
  const digits = text.replaceAll('_', '');
  const integer = prefixedInteger.exec(digits);
  if (integer !== null) return parsePrefixed(integer[1] as string, integer[2] as string);
  if (!decimal.test(digits)) return undefined;
  const token = digits.startsWith('+') ? digits.slice(1) : digits;
  // A commit hash such as 12e4567 has the form of a number, but is none that can be held.
  return Number.isFinite(Number(token)) ? parseNumberToken(token) : undefined;
}

/** More than any number of 64 bits has, few enough to cost nothing. */
const prefixedDigitsMax = 300;

function parsePrefixed(sign: string, digits: string): number | bigint | undefined {
  // Beyond a double's range it is a text, as digits without a prefix are.
  if (digits.length > prefixedDigitsMax) return undefined;
  const magnitude = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits);
  const value = sign === '-' ? -magnitude : magnitude;
  const small = Number(value);
  return Number.isSafeInteger(small) ? small : value;
}

function spellings(value: boolean, words: readonly string[]): (readonly [string, boolean])[] {
  return words.flatMap((word) => {
    const capital = (word[0] as string).toUpperCase() + word.slice(1);
    return [word, capital, word.toUpperCase()].map((form) => [form, value] as const);
  });
}
