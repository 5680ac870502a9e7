/**
 * The text of YAML scalars that are plain or in quotes: folded lines, escapes.
 *
 * Elsewhere: what the text means (yaml-scalars.ts). Blocks are read in yaml-block-scalars.ts.
 *
 * Invariants: each reader begins at the first character of its scalar, ends behind the last one,
 * and looks at no character more than a fixed number of times. A short scalar of one line is read
 * at once; the reader of any other yields after each `partCharacters`.
 */
import { TextUnits } from '../../stdx/text-units.ts';
import {
  char,
  isBlank,
  isBreak,
  isBreakOrEnd,
  isFlowIndicator,
  isSpaceOrEnd,
  partCharacters,
} from './yaml-cursor.ts';
import type { Cursor, Place } from './yaml-cursor.ts';

export interface ScalarText {
  readonly text: string;
  /** Whether lines have ended behind it: then a key may follow. */
  readonly endsLine: boolean;
}

type Reading<T = ScalarText> = Generator<undefined, T>;

/** Characters of a scalar that is read at once. */
const shortLength = 256;

/** A plain scalar of one line; undefined, and nothing is passed: it is longer. */
export function readShortPlain(
  cursor: Cursor,
  indent: number,
  inFlow: boolean,
): ScalarText | undefined {
  const { line, lineStart, pos, text } = cursor;
  const scan: PlainLine = { at: pos, end: pos };
  if (!passPlain(text, scan, inFlow, pos + shortLength)) return undefined;
  if (scan.end === pos) throw cursor.invalid('found a character that starts nothing');
  cursor.pos = scan.at;
  if (!isBreak(cursor.at())) return { text: cursor.part(pos, scan.end), endsLine: false };
  cursor.skipBreak();
  const passed = passEmptyLines(cursor, indent, { lines: 0 }, cursor.pos + shortLength);
  if (passed && endsPlain(cursor, indent, inFlow)) {
    return { text: cursor.part(pos, scan.end), endsLine: true };
  }
  Object.assign(cursor, { line, lineStart, pos });
  return undefined;
}

/** `indent`: the least column of the lines that continue it, outside of flow collections. */
export function* readPlain(cursor: Cursor, indent: number, inFlow: boolean): Reading {
  const { text } = cursor;
  const done = new TextUnits();
  let partEnd = cursor.pos + partCharacters;
  for (;;) {
    const start = cursor.pos;
    const scan: PlainLine = { at: start, end: start };
    while (!passPlain(text, scan, inFlow, partEnd)) {
      cursor.pos = scan.at;
      partEnd = scan.at + partCharacters;
      yield;
    }
    cursor.pos = scan.at;
    yield* addLong(done, text, start, scan.end);
    if (!isBreak(cursor.at())) return { text: done.text, endsLine: false };
    cursor.skipBreak();
    const empty: EmptyLines = { lines: 0 };
    while (!passEmptyLines(cursor, indent, empty, partEnd)) {
      partEnd = cursor.pos + partCharacters;
      yield;
    }
    if (endsPlain(cursor, indent, inFlow)) return { text: done.text, endsLine: true };
    addFold(done, empty);
  }
}

interface PlainLine {
  /** The next character to look at; at last, the one behind the scalar and its blanks. */
  at: number;
  /** Where the scalar ends in this line, blanks behind it left out. */
  end: number;
}

/** To the end of the scalar in this line; false: not further than to `limit`. */
function passPlain(text: string, scan: PlainLine, inFlow: boolean, limit: number): boolean {
  let { at, end } = scan;
  for (; at < limit; at += 1) {
    const code = text.charCodeAt(at);
    if (code > char.colon && !inFlow) end = at + 1;
    else if (isBlank(code)) continue;
    else if (isBreakOrEnd(code)) break;
    else if (code === char.colon && isSpaceOrEnd(text.charCodeAt(at + 1))) break;
    else if (code === char.hash && at !== end) break;
    else if (inFlow && endsPlainInFlow(text, at, code)) break;
    else end = at + 1;
  }
  scan.at = at;
  scan.end = end;
  return at < limit;
}

function endsPlainInFlow(text: string, at: number, code: number): boolean {
  if (isFlowIndicator(code)) return true;
  return code === char.colon && isFlowIndicator(text.charCodeAt(at + 1));
}

/** Whether what stands at the start of a line is no part of the scalar before it. */
function endsPlain(cursor: Cursor, indent: number, inFlow: boolean): boolean {
  return (
    (!inFlow && cursor.column < indent) ||
    cursor.isAnyDocumentMarker() ||
    !continuesPlain(cursor, inFlow)
  );
}

/** A comment ends it, as does whatever ends it within a line. */
function continuesPlain(cursor: Cursor, inFlow: boolean): boolean {
  const code = cursor.at();
  if (code === char.hash || code === char.end) return false;
  if (code === char.colon && isSpaceOrEnd(cursor.at(1))) return false;
  return !inFlow || !endsPlainInFlow(cursor.text, cursor.pos, code);
}

interface EmptyLines {
  lines: number;
}

/** Passes empty lines and the blanks of the next one; false: not further than to `limit`. */
function passEmptyLines(cursor: Cursor, indent: number, empty: EmptyLines, limit: number): boolean {
  while (cursor.pos < limit) {
    const code = cursor.at();
    if (isBreak(code)) {
      cursor.skipBreak();
      empty.lines += 1;
    } else if (isBlank(code)) {
      if (code === char.tab && cursor.column < indent) {
        throw cursor.invalid('found a tab where indentation is expected');
      }
      cursor.pos += 1;
    } else return true;
  }
  return false;
}

/** What a line break and the empty lines behind it stand for. */
function addFold(done: TextUnits, { lines }: EmptyLines): void {
  if (lines === 0) done.add(char.space);
  else done.addRepeated(char.lineFeed, lines);
}

/** A part of a text that may be long. */
export function* addLong(
  done: TextUnits,
  text: string,
  start: number,
  end: number,
): Reading<undefined> {
  let from = start;
  for (; end - from > partCharacters; from += partCharacters) {
    done.addPart(text, from, from + partCharacters);
    yield;
  }
  done.addPart(text, from, end);
}

/** A quoted scalar that is short and has nothing to replace in it; undefined: another one. */
export function readShortQuoted(cursor: Cursor): string | undefined {
  const { text } = cursor;
  const quote = cursor.at();
  const start = cursor.pos + 1;
  for (let at = start; at < start + shortLength; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      if (quote === char.singleQuote && text.charCodeAt(at + 1) === quote) return undefined;
      cursor.pos = at + 1;
      return cursor.part(start, at);
    }
    if (code === char.backslash ? quote === char.doubleQuote : isBreakOrEnd(code)) return undefined;
  }
  return undefined;
}

export function* readSingleQuoted(cursor: Cursor): Reading {
  const { text } = cursor;
  const opening = cursor.placeOf();
  const done = new TextUnits();
  let start = cursor.pos + 1;
  let partEnd = start + partCharacters;
  for (let at = start; ;) {
    if (at >= partEnd) {
      cursor.pos = at;
      partEnd = at + partCharacters;
      yield;
    }
    const code = text.charCodeAt(at);
    if (code === char.singleQuote) {
      if (text.charCodeAt(at + 1) !== char.singleQuote) {
        yield* addLong(done, text, start, at);
        cursor.pos = at + 1;
        return { text: done.text, endsLine: false };
      }
      if (at - start < partCharacters) done.addPart(text, start, at + 1);
      else yield* addLong(done, text, start, at + 1);
      at += 2;
      start = at;
    } else if (isBreakOrEnd(code)) {
      cursor.pos = at;
      yield* addFolded(done, cursor, start, opening);
      at = start = cursor.pos;
    } else at += 1;
  }
}

export function* readDoubleQuoted(cursor: Cursor): Reading {
  const { text } = cursor;
  const opening = cursor.placeOf();
  const done = new TextUnits();
  /** Whether an escape may be half of a pair. */
  let halves = false;
  let start = cursor.pos + 1;
  let partEnd = start + partCharacters;
  for (let at = start; ;) {
    if (at >= partEnd) {
      cursor.pos = at;
      partEnd = at + partCharacters;
      yield;
    }
    const code = text.charCodeAt(at);
    if (code === char.doubleQuote) {
      yield* addLong(done, text, start, at);
      cursor.pos = at + 1;
      if (halves) done.replaceHalves();
      return { text: done.text, endsLine: false };
    }
    if (code === char.backslash) {
      if (at - start < partCharacters) done.addPart(text, start, at);
      else yield* addLong(done, text, start, at);
      const short = shortEscapes[text.charCodeAt(at + 1)];
      if (short !== undefined) {
        done.add(short);
        at += 2;
      } else {
        cursor.pos = at + 1;
        if (isBreak(cursor.at())) yield* passEscapedBreak(done, cursor);
        else halves = addEscaped(done, cursor, opening) || halves;
        at = cursor.pos;
      }
      start = at;
    } else if (isBreakOrEnd(code)) {
      cursor.pos = at;
      yield* addFolded(done, cursor, start, opening);
      at = start = cursor.pos;
    } else at += 1;
  }
}

/** The line that ends at the cursor, without blanks at its end, and what its break stands for. */
function* addFolded(
  done: TextUnits,
  cursor: Cursor,
  start: number,
  opening: Place,
): Reading<undefined> {
  let end = cursor.pos;
  while (end > start && isBlank(cursor.text.charCodeAt(end - 1))) end -= 1;
  yield* addLong(done, cursor.text, start, end);
  if (cursor.at() === char.end) throw cursor.invalid('found a quote that is not closed', opening);
  cursor.skipBreak();
  addFold(done, yield* emptyLines(cursor));
  refuseMarker(cursor);
}

/** A line break behind a backslash stands for nothing, empty lines behind it do. */
function* passEscapedBreak(done: TextUnits, cursor: Cursor): Reading<undefined> {
  cursor.skipBreak();
  const { lines } = yield* emptyLines(cursor);
  refuseMarker(cursor);
  done.addRepeated(char.lineFeed, lines);
}

function* emptyLines(cursor: Cursor): Reading<EmptyLines> {
  const empty: EmptyLines = { lines: 0 };
  while (!passEmptyLines(cursor, 0, empty, cursor.pos + partCharacters)) yield;
  return empty;
}

function refuseMarker(cursor: Cursor): void {
  if (cursor.isAnyDocumentMarker()) {
    throw cursor.invalid('found a document marker inside quotes');
  }
}

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
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
const hexValues = new Map(
  Array.from('0123456789abcdefABCDEF', (digit) => [digit.charCodeAt(0), parseInt(digit, 16)]),
);
const digitsOfEscape = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);

/** The cursor stands behind the backslash. Returns whether it may be half of a pair. */
function addEscaped(done: TextUnits, cursor: Cursor, opening: Place): boolean {
  const { pos, text } = cursor;
  if (cursor.at() === char.end) throw cursor.invalid('found a quote that is not closed', opening);
  const digits = digitsOfEscape.get(text.charAt(pos));
  const backslash = cursor.placeOf(pos - 1);
  if (digits === undefined) throw cursor.invalid('found an unknown escape', backslash);
  let point = 0;
  for (let at = pos + 1; at <= pos + digits; at += 1) {
    point = point * 16 + (hexValues.get(text.charCodeAt(at)) ?? Infinity);
  }
  if (point > 0x10ffff) throw cursor.invalid('found an escape of no character', backslash);
  cursor.pos += 1 + digits;
  if (point > 0xffff) done.addAll(String.fromCodePoint(point));
  else done.add(point);
  return isSurrogate(point);
}
