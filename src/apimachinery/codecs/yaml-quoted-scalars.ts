/**
 * The text of YAML scalars that are plain or in quotes: folded lines, escapes.
 *
 * Elsewhere: what the text means (yaml-scalars.ts). Blocks are read in yaml-block-scalars.ts.
 *
 * Invariant: each reader begins at the first character of its scalar, ends behind the last one,
 * and looks at no character more than a fixed number of times.
 */
import {
  char,
  isBlank,
  isBreak,
  isBreakOrEnd,
  isFlowIndicator,
  isSpaceOrEnd,
} from './yaml-cursor.ts';
import { wellFormed } from './surrogates.ts';
import type { Cursor } from './yaml-cursor.ts';

export interface PlainScalar {
  readonly text: string;
  /** Whether lines have ended behind it: then a key may follow. */
  readonly endsLine: boolean;
}

/** `indent`: the least column of the lines that continue it, outside of flow collections. */
export function readPlain(cursor: Cursor, indent: number, inFlow: boolean): PlainScalar {
  const { text } = cursor;
  let done = '';
  let start = cursor.pos;
  for (;;) {
    const end = plainEndInLine(cursor, inFlow);
    cursor.pos = end;
    if (end === start && done === '') throw cursor.invalid('found a character that starts nothing');
    cursor.skipBlanks();
    if (!isBreak(cursor.at())) return { text: done + text.slice(start, end), endsLine: false };
    const folded = skipFold(cursor, indent);
    const over =
      (!inFlow && cursor.column < indent) ||
      cursor.isAnyDocumentMarker() ||
      !continuesPlain(cursor, inFlow);
    if (over) return { text: done + text.slice(start, end), endsLine: true };
    done += text.slice(start, end) + folded;
    start = cursor.pos;
  }
}

/** Where the scalar ends in this line, blanks behind it left out. */
function plainEndInLine(cursor: Cursor, inFlow: boolean): number {
  const { text } = cursor;
  let end = cursor.pos;
  for (let at = end; ; at += 1) {
    const code = text.charCodeAt(at);
    if (code > char.colon && !inFlow) end = at + 1;
    else if (isBlank(code)) continue;
    else if (isBreakOrEnd(code)) return end;
    else if (code === char.colon && isSpaceOrEnd(text.charCodeAt(at + 1))) return end;
    else if (code === char.hash && at !== end) return end;
    else if (inFlow && endsPlainInFlow(text, at, code)) return end;
    else end = at + 1;
  }
}

function endsPlainInFlow(text: string, at: number, code: number): boolean {
  if (isFlowIndicator(code)) return true;
  return code === char.colon && isFlowIndicator(text.charCodeAt(at + 1));
}

/** A comment ends it, as does whatever ends it within a line. */
function continuesPlain(cursor: Cursor, inFlow: boolean): boolean {
  const code = cursor.at();
  if (code === char.hash || code === char.end) return false;
  if (code === char.colon && isSpaceOrEnd(cursor.at(1))) return false;
  return !inFlow || !endsPlainInFlow(cursor.text, cursor.pos, code);
}

/** Passes line breaks and the blanks of the next line; returns what they stand for. */
function skipFold(cursor: Cursor, indent: number): string {
  cursor.skipBreak();
  const empty = skipEmptyLines(cursor, indent);
  return empty === 0 ? ' ' : '\n'.repeat(empty);
}

function skipEmptyLines(cursor: Cursor, indent: number): number {
  let empty = 0;
  for (;;) {
    const code = cursor.at();
    if (isBreak(code)) {
      cursor.skipBreak();
      empty += 1;
    } else if (isBlank(code)) {
      if (code === char.tab && cursor.column < indent) {
        throw cursor.invalid('found a tab where indentation is expected');
      }
      cursor.pos += 1;
    } else return empty;
  }
}

export function readSingleQuoted(cursor: Cursor): string {
  const { text } = cursor;
  const opening = cursor.pos;
  let done = '';
  cursor.pos += 1;
  let start = cursor.pos;
  for (;;) {
    const code = cursor.at();
    if (code === char.singleQuote) {
      const piece = text.slice(start, cursor.pos);
      cursor.pos += 1;
      if (cursor.at() !== char.singleQuote) return done + piece;
      done += `${piece}'`;
      cursor.pos += 1;
      start = cursor.pos;
    } else if (isBreakOrEnd(code)) {
      done += textBeforeBreak(cursor, start) + foldInQuotes(cursor, opening);
      start = cursor.pos;
    } else cursor.pos += 1;
  }
}

export function readDoubleQuoted(cursor: Cursor): string {
  const { text } = cursor;
  const opening = cursor.pos;
  let done = '';
  /** Whether an escape may be half of a pair. */
  let halves = false;
  cursor.pos += 1;
  let start = cursor.pos;
  for (;;) {
    const code = cursor.at();
    if (code === char.doubleQuote) {
      const value = done + text.slice(start, cursor.pos);
      cursor.pos += 1;
      return halves ? wellFormed(value) : value;
    }
    if (code === char.backslash) {
      done += text.slice(start, cursor.pos);
      cursor.pos += 1;
      const escaped = readEscape(cursor, opening);
      halves ||= isSurrogate(escaped.charCodeAt(0));
      done += escaped;
      start = cursor.pos;
    } else if (isBreakOrEnd(code)) {
      done += textBeforeBreak(cursor, start) + foldInQuotes(cursor, opening);
      start = cursor.pos;
    } else cursor.pos += 1;
  }
}

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}

function textBeforeBreak(cursor: Cursor, start: number): string {
  let end = cursor.pos;
  while (end > start && isBlank(cursor.text.charCodeAt(end - 1))) end -= 1;
  return cursor.text.slice(start, end);
}

function foldInQuotes(cursor: Cursor, opening: number): string {
  if (cursor.at() === char.end) throw cursor.invalid('found a quote that is not closed', opening);
  const folded = skipFold(cursor, 0);
  refuseMarker(cursor);
  return folded;
}

function refuseMarker(cursor: Cursor): void {
  if (cursor.isAnyDocumentMarker()) {
    throw cursor.invalid('found a document marker inside quotes');
  }
}

const escapes = new Map<string, string>([
  ['0', '\0'],
  ['a', '\x07'],
  ['b', '\b'],
  ['t', '\t'],
  ['\t', '\t'],
  ['n', '\n'],
  ['v', '\v'],
  ['f', '\f'],
  ['r', '\r'],
  ['e', '\x1b'],
  [' ', ' '],
  ['"', '"'],
  ["'", "'"],
  ['/', '/'],
  ['\\', '\\'],
  ['N', '\u0085'],
  ['_', '\u00a0'],
  ['L', '\u2028'],
  ['P', '\u2029'],
]);
const digitsOfEscape = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);

/** The cursor stands behind the backslash. */
function readEscape(cursor: Cursor, opening: number): string {
  const code = cursor.at();
  if (code === char.end) throw cursor.invalid('found a quote that is not closed', opening);
  if (isBreak(code)) {
    cursor.skipBreak();
    const empty = skipEmptyLines(cursor, 0);
    refuseMarker(cursor);
    return '\n'.repeat(empty);
  }
  const letter = cursor.text.charAt(cursor.pos);
  const plain = escapes.get(letter);
  if (plain !== undefined) {
    cursor.pos += 1;
    return plain;
  }
  const digits = digitsOfEscape.get(letter);
  if (digits === undefined) throw cursor.invalid('found an unknown escape', cursor.pos - 1);
  const hex = cursor.text.slice(cursor.pos + 1, cursor.pos + 1 + digits);
  const point = /^[0-9a-fA-F]+$/.test(hex) && hex.length === digits ? parseInt(hex, 16) : Infinity;
  if (point > 0x10ffff) throw cursor.invalid('found an escape of no character', cursor.pos - 1);
  cursor.pos += 1 + digits;
  return String.fromCodePoint(point);
}
