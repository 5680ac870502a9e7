/**
 * The values of literals: numbers in 64 bits, strings and bytes with their escapes.
 *
 * Each function gives the value, or a message that says what is wrong.
 */
import { lookup } from '../../stdx/lookup.ts';
import { canonicalInt, Double, Uint } from '../value.ts';

export type Literal<T> = { readonly value: T } | { readonly error: string };

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;
const uint64Max = 2n ** 64n - 1n;

/** More digits than any 64-bit number has; longer texts are refused before they are read. */
const digitsMax = 80;

function integerOf(digits: string): bigint | undefined {
  const significant = digits.replace(/^(0x)?0+(?=[0-9a-fA-F])/, '$1');
  return significant.length > digitsMax ? undefined : BigInt(significant);
}

export function intLiteral(text: string, negative: boolean): Literal<number | bigint> {
  const size = integerOf(text);
  const value = size === undefined || !negative ? size : -size;
  if (value === undefined || value < int64Min || value > int64Max) {
    return { error: 'invalid int literal' };
  }
  return { value: canonicalInt(value) };
}

/** With its `u` at the end. */
export function uintLiteral(text: string): Literal<Uint> {
  const value = integerOf(text.slice(0, -1));
  if (value === undefined || value > uint64Max) return { error: 'invalid uint literal' };
  return { value: new Uint(canonicalInt(value)) };
}

export function doubleLiteral(text: string, negative: boolean): Literal<Double> {
  const value = Number(text);
  if (!Number.isFinite(value)) return { error: 'invalid double literal' };
  return { value: new Double(negative ? -value : value) };
}

/** Without prefix and quotes; newlines are `\n` whatever the text has. */
function body(text: string): { readonly raw: boolean; readonly inner: string } {
  const normal = text.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  const raw = /^[rR]/.test(normal);
  const marked = raw ? normal.slice(1) : normal;
  const isLong = marked.length >= 6 && /^("""|''')/.test(marked);
  return { raw, inner: isLong ? marked.slice(3, -3) : marked.slice(1, -1) };
}

const escapePattern = new RegExp(
  [
    String.raw`\\(?:([abfnrtv\\'"\`?])`,
    String.raw`[xX]([0-9a-fA-F]{2})`,
    String.raw`u([0-9a-fA-F]{4})`,
    String.raw`U([0-9a-fA-F]{8})`,
    String.raw`([0-3][0-7]{2}))`,
  ].join('|'),
  'g',
);

const simpleEscapes: Readonly<Record<string, string>> = lookup({
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '?': '?',
});

const isScalar = (point: number): boolean =>
  point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);

type Groups = readonly (string | undefined)[];

/** The number that an escape spells: a code point of a string, a byte of bytes. */
function escapedNumber([, , byte, short, long, octal]: Groups): number {
  return octal === undefined
    ? Number.parseInt((byte ?? short ?? long) as string, 16)
    : Number.parseInt(octal, 8);
}

export function stringLiteral(text: string): Literal<string> {
  const { raw, inner } = body(text);
  if (raw || !inner.includes('\\')) return { value: inner };
  let wrong = false;
  const value = inner.replace(escapePattern, (...groups: Groups) => {
    const simple = groups[1];
    if (simple !== undefined) return simpleEscapes[simple] as string;
    const point = escapedNumber(groups);
    if (isScalar(point)) return String.fromCodePoint(point);
    wrong = true;
    return '';
  });
  return wrong ? { error: 'invalid unicode code point' } : { value };
}

/** With the `b` in front. Text in it becomes UTF-8; escapes are single bytes. */
export function bytesLiteral(text: string): Literal<Uint8Array> {
  const { raw, inner } = body(text.slice(1));
  if (raw || !inner.includes('\\')) return { value: new TextEncoder().encode(inner) };
  const parts: number[] = [];
  let at = 0;
  const addText = (end: number): void => {
    for (const byte of new TextEncoder().encode(inner.slice(at, end))) parts.push(byte);
  };
  for (const match of inner.matchAll(escapePattern)) {
    addText(match.index);
    at = match.index + match[0].length;
    const [, simple, , short, long] = match;
    if (short !== undefined || long !== undefined) return { error: 'unable to unescape string' };
    if (simple !== undefined) parts.push((simpleEscapes[simple] as string).charCodeAt(0));
    else parts.push(escapedNumber(match));
  }
  addText(inner.length);
  return { value: Uint8Array.from(parts) };
}
