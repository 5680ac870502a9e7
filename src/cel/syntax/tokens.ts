/**
 * Text to tokens. The longest match wins, as in the reference's grammar; a character that no token
 * begins with is reported and skipped.
 *
 * The kinds are numbered in the order in which messages list what was expected.
 *
 * Bounds: linear in the text, but for text that opens a long string again and again, which each
 * time ends at the first wrong character.
 */
import type { Source } from './source.ts';

export const kinds = {
  eof: 0,
  equals: 1,
  notEquals: 2,
  in: 3,
  less: 4,
  lessEquals: 5,
  greaterEquals: 6,
  greater: 7,
  and: 8,
  or: 9,
  leftBracket: 10,
  rightBracket: 11,
  leftBrace: 12,
  rightBrace: 13,
  leftParen: 14,
  rightParen: 15,
  dot: 16,
  comma: 17,
  minus: 18,
  exclamation: 19,
  question: 20,
  colon: 21,
  plus: 22,
  star: 23,
  slash: 24,
  percent: 25,
  true: 26,
  false: 27,
  null: 28,
  float: 31,
  int: 32,
  uint: 33,
  string: 34,
  bytes: 35,
  identifier: 36,
  escapedIdentifier: 37,
} as const;

export type TokenKind = (typeof kinds)[keyof typeof kinds];

/** How messages name a kind. */
export const kindNames: Readonly<Record<number, string>> = {
  0: '<EOF>',
  1: "'=='",
  2: "'!='",
  3: "'in'",
  4: "'<'",
  5: "'<='",
  6: "'>='",
  7: "'>'",
  8: "'&&'",
  9: "'||'",
  10: "'['",
  11: "']'",
  12: "'{'",
  13: "'}'",
  14: "'('",
  15: "')'",
  16: "'.'",
  17: "','",
  18: "'-'",
  19: "'!'",
  20: "'?'",
  21: "':'",
  22: "'+'",
  23: "'*'",
  24: "'/'",
  25: "'%'",
  26: "'true'",
  27: "'false'",
  28: "'null'",
  31: 'NUM_FLOAT',
  32: 'NUM_INT',
  33: 'NUM_UINT',
  34: 'STRING',
  35: 'BYTES',
  36: 'IDENTIFIER',
  37: 'ESC_IDENTIFIER',
};

export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const words: ReadonlyMap<string, TokenKind> = new Map<string, TokenKind>([
  ['in', kinds.in],
  ['true', kinds.true],
  ['false', kinds.false],
  ['null', kinds.null],
]);

const singles: ReadonlyMap<number, TokenKind> = new Map<number, TokenKind>(
  (
    [
      ['<', kinds.less],
      ['>', kinds.greater],
      ['!', kinds.exclamation],
      ['[', kinds.leftBracket],
      [']', kinds.rightBracket],
      ['{', kinds.leftBrace],
      ['}', kinds.rightBrace],
      ['(', kinds.leftParen],
      [')', kinds.rightParen],
      ['.', kinds.dot],
      [',', kinds.comma],
      ['-', kinds.minus],
      ['?', kinds.question],
      [':', kinds.colon],
      ['+', kinds.plus],
      ['*', kinds.star],
      ['/', kinds.slash],
      ['%', kinds.percent],
    ] as const
  ).map(([text, kind]) => [text.charCodeAt(0), kind]),
);

const doubles: ReadonlyMap<string, TokenKind> = new Map<string, TokenKind>([
  ['==', kinds.equals],
  ['!=', kinds.notEquals],
  ['<=', kinds.lessEquals],
  ['>=', kinds.greaterEquals],
  ['&&', kinds.and],
  ['||', kinds.or],
]);

const code = (text: string): number => text.charCodeAt(0);
const quote = code('"');
const apostrophe = code("'");
const backslash = code('\\');
const backtick = code('`');
const newline = 10;
const carriageReturn = 13;

const isDigit = (c: number | undefined): boolean => c !== undefined && c >= 48 && c <= 57;
const isHex = (c: number | undefined): boolean =>
  isDigit(c) || (c !== undefined && ((c >= 65 && c <= 70) || (c >= 97 && c <= 102)));
const isLetter = (c: number | undefined): boolean =>
  c !== undefined && ((c >= 65 && c <= 90) || (c >= 97 && c <= 122) || c === 95);
const isSpace = (c: number): boolean => c === 32 || c === 9 || c === 13 || c === 10 || c === 12;

/** What a match came to: where it ended, or where it failed. */
type Match = { readonly end: number } | { readonly failedAt: number };

const escapes: ReadonlySet<number> = new Set([...'abfnrtv"\'\\?`'].map(code));
const hexDigits: ReadonlyMap<number, number> = new Map([
  [code('x'), 2],
  [code('X'), 2],
  [code('u'), 4],
  [code('U'), 8],
]);

/** The end of the escape sequence that begins at `at` (with its backslash). */
function matchEscape(points: Uint32Array, at: number): Match {
  const c = points[at + 1];
  if (c === undefined) return { failedAt: at + 1 };
  if (escapes.has(c)) return { end: at + 2 };
  const digits = hexDigits.get(c);
  if (digits !== undefined) {
    for (let i = 0; i < digits; i += 1) {
      if (!isHex(points[at + 2 + i])) return { failedAt: at + 2 + i };
    }
    return { end: at + 2 + digits };
  }
  if (c < 48 || c > 51) return { failedAt: at + 1 };
  for (let i = 2; i < 4; i += 1) {
    const octal = points[at + i];
    if (octal === undefined || octal < 48 || octal > 55) return { failedAt: at + i };
  }
  return { end: at + 4 };
}

/** A string in quotes that begins at `at`, without its prefix. */
function matchQuoted(points: Uint32Array, at: number, raw: boolean, triple: boolean): Match {
  const mark = points[at];
  let i = at + (triple ? 3 : 1);
  for (;;) {
    const c = points[i];
    if (c === undefined) return { failedAt: i };
    if (c === mark) {
      if (!triple) return { end: i + 1 };
      if (points[i + 1] === mark && points[i + 2] === mark) return { end: i + 3 };
    }
    if (!triple && (c === newline || c === carriageReturn)) return { failedAt: i };
    if (c === backslash && !raw) {
      const escape = matchEscape(points, i);
      if ('failedAt' in escape) return escape;
      i = escape.end;
    } else {
      i += 1;
    }
  }
}

function matchString(points: Uint32Array, at: number, raw: boolean): Match {
  const mark = points[at];
  if (points[at + 1] === mark && points[at + 2] === mark) {
    const long = matchQuoted(points, at, raw, true);
    // Not closed: then the first two are an empty string.
    return 'end' in long ? long : { end: at + 2 };
  }
  return matchQuoted(points, at, raw, false);
}

function skip(points: Uint32Array, at: number, accept: (c: number | undefined) => boolean): number {
  let i = at;
  while (accept(points[i])) i += 1;
  return i;
}

function matchNumber(points: Uint32Array, at: number): { end: number; kind: TokenKind } {
  const isU = (c: number | undefined): boolean => c === 117 || c === 85;
  if (points[at] === 48 && points[at + 1] === 120 && isHex(points[at + 2])) {
    const end = skip(points, at + 2, isHex);
    return isU(points[end]) ? { end: end + 1, kind: kinds.uint } : { end, kind: kinds.int };
  }
  const whole = skip(points, at, isDigit);
  let end = whole;
  if (points[end] === 46 && isDigit(points[end + 1])) end = skip(points, end + 1, isDigit);
  if (points[end] === 101 || points[end] === 69) {
    const sign = points[end + 1] === 43 || points[end + 1] === 45 ? 1 : 0;
    if (isDigit(points[end + 1 + sign])) end = skip(points, end + 1 + sign, isDigit);
  }
  if (end > whole) return { end, kind: kinds.float };
  return isU(points[end]) ? { end: end + 1, kind: kinds.uint } : { end, kind: kinds.int };
}

const isQuote = (c: number | undefined): boolean => c === quote || c === apostrophe;

/** Letters before a quote: r, R, b, B, br and so on. Undefined: no prefix of a string. */
function stringPrefix(
  points: Uint32Array,
  at: number,
): { size: number; bytes: boolean } | undefined {
  const isR = (c: number | undefined): boolean => c === 114 || c === 82;
  const isB = (c: number | undefined): boolean => c === 98 || c === 66;
  if (isB(points[at]) && isR(points[at + 1]) && isQuote(points[at + 2]))
    return { size: 2, bytes: true };
  if (isB(points[at]) && isQuote(points[at + 1])) return { size: 1, bytes: true };
  if (isR(points[at]) && isQuote(points[at + 1])) return { size: 1, bytes: false };
  return undefined;
}

interface Scanned {
  readonly kind: TokenKind;
  readonly end: number;
}

function scanWord(source: Source, at: number): Scanned {
  const { points } = source;
  const prefix = stringPrefix(points, at);
  if (prefix !== undefined) {
    const raw = points[at + prefix.size - 1] === 114 || points[at + prefix.size - 1] === 82;
    const match = matchString(points, at + prefix.size, raw);
    if ('end' in match) {
      return { kind: prefix.bytes ? kinds.bytes : kinds.string, end: match.end };
    }
  }
  const end = skip(points, at, (c) => isLetter(c) || isDigit(c));
  return { kind: words.get(source.slice(at, end)) ?? kinds.identifier, end };
}

/** `.-/` and space are allowed between the marks. */
const isEscapedPart = (c: number | undefined): boolean =>
  isLetter(c) || isDigit(c) || c === 46 || c === 45 || c === 47 || c === 32;

function scan(source: Source, at: number): Scanned | { readonly failedAt: number } {
  const { points } = source;
  const c = points[at] as number;
  if (isLetter(c)) return scanWord(source, at);
  if (isDigit(c)) return matchNumber(points, at);
  if (c === 46 && isDigit(points[at + 1])) {
    const { end } = matchNumber(points, at);
    return { kind: kinds.float, end };
  }
  if (isQuote(c)) {
    const match = matchString(points, at, false);
    return 'end' in match ? { kind: kinds.string, end: match.end } : match;
  }
  if (c === backtick) {
    const end = skip(points, at + 1, isEscapedPart);
    if (points[end] !== backtick || end === at + 1) return { failedAt: end };
    return { kind: kinds.escapedIdentifier, end: end + 1 };
  }
  const double = doubles.get(source.slice(at, at + 2));
  if (double !== undefined) return { kind: double, end: at + 2 };
  const single = singles.get(c);
  if (single !== undefined) return { kind: single, end: at + 1 };
  const begins = c === code('=') || c === code('&') || c === code('|');
  return { failedAt: begins ? at + 1 : at };
}

/**
 * A function that gives one token after the other, and `eof` for ever at the end. `report` is told
 * where unknown text begins and what it is, when the token after it is asked for; it may throw.
 */
export function tokenizer(source: Source, report: (at: number, text: string) => void): () => Token {
  const { points } = source;
  let at = 0;
  return () => {
    while (at < points.length) {
      const c = points[at] as number;
      if (isSpace(c)) {
        at += 1;
      } else if (c === 47 && points[at + 1] === 47) {
        at = skip(points, at, (p) => p !== undefined && p !== newline);
      } else {
        const found = scan(source, at);
        const start = at;
        if ('end' in found) {
          at = found.end;
          return { kind: found.kind, start, end: at, text: source.slice(start, at) };
        }
        at = Math.min(found.failedAt + 1, points.length);
        report(start, source.slice(start, at));
      }
    }
    return { kind: kinds.eof, start: points.length, end: points.length, text: '<EOF>' };
  };
}
