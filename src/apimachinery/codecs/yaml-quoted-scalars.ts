/**
 * The text of YAML scalars that are plain or in quotes: folded lines, escapes.
 *
 * Elsewhere: what the text means (yaml-scalars.ts). Blocks are read in yaml-block-scalars.ts.
 *
 * Invariant: each reader begins at the first character of its scalar, ends behind the last one,
 * and looks at no character more than a fixed number of times.
 */
import {
  YamlRefusal,
  char,
  isBlank,
  isBreak,
  isBreakOrEnd,
  isFlowIndicator,
  isSpaceOrEnd,
} from './yaml-cursor.ts';
import { wellFormed } from './surrogates.ts';
import { TextUnits } from './text-units.ts';
import type { Cursor } from './yaml-cursor.ts';

export interface PlainScalar {
  readonly text: string;
  /** Whether lines have ended behind it: then a key may follow. */
  readonly endsLine: boolean;
}

/** `indent`: the least column of the lines that continue it, outside of flow collections. */
export function readPlain(cursor: Cursor, indent: number, inFlow: boolean): PlainScalar {
  const { text } = cursor;
  let done: TextUnits | undefined;
  let start = cursor.pos;
  const lastLine = cursor.line + foldedLinesMax;
  const upTo = (end: number): string => {
    if (done === undefined) return text.slice(start, end);
    done.addPart(text, start, end);
    return done.text;
  };
  for (;;) {
    const end = plainEndInLine(cursor, inFlow);
    cursor.pos = end;
    if (end === start && done === undefined)
      throw cursor.invalid('found a character that starts nothing');
    cursor.skipBlanks();
    if (!isBreak(cursor.at())) return { text: upTo(end), endsLine: false };
    const folded = skipFold(cursor, indent);
    if (cursor.line > lastLine) throw tooManyLines();
    const over =
      (!inFlow && cursor.column < indent) ||
      cursor.isAnyDocumentMarker() ||
      !continuesPlain(cursor, inFlow);
    if (over) return { text: upTo(end), endsLine: true };
    done ??= new TextUnits();
    done.addPart(text, start, end);
    done.addAll(folded);
    start = cursor.pos;
  }
}

/** The rest of a long word is passed by the pattern: each time so many have been seen. */
const longMask = 0xff;
const wordCharacters = /[^\s\0:#,[\]{}]+/y;

function endOfWord(text: string, at: number): number {
  wordCharacters.lastIndex = at;
  return wordCharacters.test(text) ? wordCharacters.lastIndex : at;
}

/** Where the scalar ends in this line, blanks behind it left out. */
function plainEndInLine(cursor: Cursor, inFlow: boolean): number {
  const { text } = cursor;
  let end = cursor.pos;
  for (let at = end; ; at += 1) {
    if ((at & longMask) === longMask) end = at = endOfWord(text, at);
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

/** Lines of one scalar that are folded. Policy: a longer one is refused; a text of many lines is
 * written as a block. */
const foldedLinesMax = 25_000;

/** Passes line breaks and the blanks of the next line; returns what they stand for. */
function skipFold(cursor: Cursor, indent: number): string {
  cursor.skipBreak();
  const empty = skipEmptyLines(cursor, indent);
  return empty === 0 ? ' ' : '\n'.repeat(empty);
}

function tooManyLines(): YamlRefusal {
  return new YamlRefusal(`the body is not valid YAML: more than ${foldedLinesMax} folded lines`);
}

function skipEmptyLines(cursor: Cursor, indent: number): number {
  let empty = 0;
  for (;;) {
    const code = cursor.at();
    if (isBreak(code)) {
      cursor.skipBreak();
      empty += 1;
      if (empty > foldedLinesMax) throw tooManyLines();
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
  const lastLine = cursor.line + foldedLinesMax;
  let done: TextUnits | undefined;
  let start = opening + 1;
  for (let at = start; ;) {
    const code = text.charCodeAt(at);
    if (code === char.singleQuote) {
      if (text.charCodeAt(at + 1) !== char.singleQuote) {
        cursor.pos = at + 1;
        return textOf(done, text, start, at);
      }
      done ??= new TextUnits();
      done.addPart(text, start, at + 1);
      at += 2;
      start = at;
    } else if (isBreakOrEnd(code)) {
      cursor.pos = at;
      done ??= new TextUnits();
      addFolded(done, cursor, start, opening, lastLine);
      at = start = cursor.pos;
    } else at += 1;
  }
}

export function readDoubleQuoted(cursor: Cursor): string {
  const { text } = cursor;
  const opening = cursor.pos;
  const lastLine = cursor.line + foldedLinesMax;
  let done: TextUnits | undefined;
  /** Whether an escape may be half of a pair. */
  let halves = false;
  let start = opening + 1;
  for (let at = start; ;) {
    const code = text.charCodeAt(at);
    if (code === char.doubleQuote) {
      const value = textOf(done, text, start, at);
      cursor.pos = at + 1;
      return halves ? wellFormed(value) : value;
    }
    if (code === char.backslash) {
      done ??= new TextUnits();
      done.addPart(text, start, at);
      const short = shortEscapes[text.charCodeAt(at + 1)];
      if (short !== undefined) {
        done.add(short);
        at += 2;
      } else {
        cursor.pos = at + 1;
        const unit = readUnit(cursor);
        if (unit === undefined) done.addAll(readEscape(cursor, opening));
        else {
          halves ||= isSurrogate(unit);
          done.add(unit);
        }
        at = cursor.pos;
      }
      start = at;
    } else if (isBreakOrEnd(code)) {
      cursor.pos = at;
      done ??= new TextUnits();
      addFolded(done, cursor, start, opening, lastLine);
      at = start = cursor.pos;
    } else at += 1;
  }
}

function textOf(done: TextUnits | undefined, text: string, start: number, end: number): string {
  if (done === undefined) return text.slice(start, end);
  done.addPart(text, start, end);
  return done.text;
}

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}

/** The line that ends at the cursor, without blanks at its end, and what its break stands for. */
function addFolded(
  done: TextUnits,
  cursor: Cursor,
  start: number,
  opening: number,
  lastLine: number,
): void {
  if (cursor.line > lastLine) throw tooManyLines();
  let end = cursor.pos;
  while (end > start && isBlank(cursor.text.charCodeAt(end - 1))) end -= 1;
  done.addPart(cursor.text, start, end);
  if (cursor.at() === char.end) throw cursor.invalid('found a quote that is not closed', opening);
  done.addAll(skipFold(cursor, 0));
  refuseMarker(cursor);
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
/** By the code of the letter; undefined: none of these. */
const shortEscapes: readonly (number | undefined)[] = Array.from({ length: 0x80 }, (_none, code) =>
  escapes.get(String.fromCharCode(code))?.charCodeAt(0),
);
const digitsOfEscape = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);

/** `x41` and `u0041`, of which a text may have a million: the cursor stands behind the backslash.
 * Undefined: it is something else, and the cursor stays. */
function readUnit(cursor: Cursor): number | undefined {
  const code = cursor.at();
  const digits = code === 0x78 ? 2 : code === 0x75 ? 4 : 0;
  let unit = 0;
  for (let at = 1; at <= digits; at += 1) {
    const digit = hexDigit(cursor.at(at));
    if (digit < 0) return undefined;
    unit = unit * 16 + digit;
  }
  if (digits === 0) return undefined;
  cursor.pos += 1 + digits;
  return unit;
}

/** -1: it is none. */
function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

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
  const digits = digitsOfEscape.get(letter);
  if (digits === undefined) throw cursor.invalid('found an unknown escape', cursor.pos - 1);
  const hex = cursor.text.slice(cursor.pos + 1, cursor.pos + 1 + digits);
  const point = /^[0-9a-fA-F]+$/.test(hex) && hex.length === digits ? parseInt(hex, 16) : Infinity;
  if (point > 0x10ffff) throw cursor.invalid('found an escape of no character', cursor.pos - 1);
  cursor.pos += 1 + digits;
  return String.fromCodePoint(point);
}
