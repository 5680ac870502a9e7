/**
 * Reads a long JSON text in pieces, each by the engine's own reader, and puts together what it
 * gives: others have their turns in between.
 *
 *     {"a":1,"b":[2,3,4,...],"c":5}         the text
 *      ~~~~~     ~~~ ~~~      ~~~~~         pieces: members or items of one value, at most
 *      1         2   3        4             `pieceChars` long where they are not one of their own
 *
 * It is cut behind a comma only, and in front of what holds a long text. The values around such a
 * place are made at once, empty, and are given their members piece by piece.
 *
 * Invariants: it gives what the engine gives for the whole text, the order of members, the last of
 * several values of one key and an own `__proto__` included; what the engine refuses is refused,
 * with its words. Bounds: a piece is longer only where one text or number is. What is kept beside
 * the value is one entry a level.
 */
import { AssertionError } from '../../stdx/assert.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { JsonValue, ObjectDraft } from '../unstructured.ts';
import { closingQuote } from './long-integers.ts';

/** Reading so many takes a millisecond. */
const pieceChars = 128 * 1024;

const quote = 0x22;
const comma = 0x2c;
const openBrace = 0x7b;
const openBracket = 0x5b;
const closeBrace = 0x7d;
const closeBracket = 0x5d;

/** Reads the whole text of a value; throws what JSON.parse throws. */
export type ParseText = (text: string) => JsonValue;

/** A list or an object around the place that has been reached. */
interface Level {
  readonly isList: boolean;
  /** Of its opening bracket. */
  readonly openAt: number;
  /** Where the member or item begins that has been reached. */
  memberAt: number;
  /** What is behind it has not been read yet. Once there is a value. */
  from: number;
  /** Undefined: no cut is in it, and it will be read with what is around it. */
  value: JsonValue[] | ObjectDraft | undefined;
  /** What stands directly before `from`. */
  before: 'bracket' | 'comma' | 'value';
}

/** parse(text) in parts. Throws SyntaxError for what is not JSON, and whatever `parse` throws.
 * `piece`: in characters. */
export function* parsePieces(
  text: string,
  parse: ParseText,
  piece: number = pieceChars,
): Steps<JsonValue> {
  if (text.length <= piece) return parse(text);
  const reading: Reading = { text, parse, levels: [], root: undefined };
  let unreadFrom = 0;
  let pauseAt = scannedAtOnce;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === quote) {
      const end = closingQuote(text, at);
      if (end - at >= piece && reading.levels.length > 0) {
        unreadFrom = cutBefore(reading);
        yield;
      }
      at = end;
    } else if (char === openBrace || char === openBracket) open(reading, char === openBracket, at);
    else if (char === closeBrace || char === closeBracket) {
      if (close(reading, char === closeBracket, at)) unreadFrom = at + 1;
      if (reading.levels.length === 0) return ended(reading, at + 1);
    } else if (char === comma) {
      const level = reading.levels.at(-1);
      if (level === undefined) break;
      const isLong = at - unreadFrom >= piece;
      if (isLong) cut(reading, level, at);
      if (isLong || level.before === 'value') unreadFrom = passed(reading, level, at);
      level.memberAt = at + 1;
      if (isLong) yield;
    }
    if (at < pauseAt) continue;
    yield;
    pauseAt = at + scannedAtOnce;
  }
  // A text, or what is no JSON.
  return reading.root === undefined ? parse(text) : refused(reading);
}

/** Characters that are looked at between two steps: a millisecond. */
const scannedAtOnce = 256 * 1024;

interface Reading {
  readonly text: string;
  readonly parse: ParseText;
  /** From the outermost to the innermost; those with a value come first. */
  readonly levels: Level[];
  /** Undefined: nothing has been cut. */
  root: JsonValue | undefined;
}

function open(reading: Reading, isList: boolean, at: number): void {
  const { levels } = reading;
  if (levels.at(-1)?.before === 'value') refused(reading);
  const from = at + 1;
  levels.push({ isList, openAt: at, memberAt: from, from, value: undefined, before: 'bracket' });
}

/** Whether it has a value, and all of it has been read. */
function close(reading: Reading, isList: boolean, at: number): boolean {
  const { levels } = reading;
  const level = levels.at(-1);
  if (level === undefined || level.isList !== isList) return refused(reading);
  if (level.value === undefined) {
    levels.pop();
    return false;
  }
  if (level.before === 'value') assertBlank(reading, level, at);
  else readMembers(reading, level, at);
  levels.pop();
  const outer = levels.at(-1);
  if (outer !== undefined) startBehind(outer, at, 'value');
  return true;
}

/** Behind the comma at `at`, all before it having been read. */
function passed(reading: Reading, level: Level, at: number): number {
  if (level.before === 'value') assertBlank(reading, level, at);
  startBehind(level, at, 'comma');
  return at + 1;
}

function startBehind(level: Level, at: number, before: Level['before']): void {
  level.from = at + 1;
  level.before = before;
}

/** Gives every level a value, and reads what is before the comma at `at`. */
function cut(reading: Reading, innermost: Level, at: number): void {
  giveValues(reading);
  if (innermost.before !== 'value') readMembers(reading, innermost, at);
}

/** Reads all that is before the member or item that has been reached. Returns where that begins. */
function cutBefore(reading: Reading): number {
  giveValues(reading);
  const innermost = reading.levels.at(-1) as Level;
  const { from, memberAt } = innermost;
  if (memberAt > from) {
    readMembers(reading, innermost, memberAt - 1);
    startBehind(innermost, memberAt - 1, 'comma');
  }
  return memberAt;
}

function giveValues(reading: Reading): void {
  const { levels, text } = reading;
  for (let i = 0; i < levels.length; i += 1) {
    const level = levels[i] as Level;
    if (level.value !== undefined) continue;
    const value = level.isList ? [] : {};
    const outer = levels[i - 1];
    if (outer === undefined) {
      if (!isBlank(text, 0, level.openAt)) refused(reading);
      reading.root = value;
    } else {
      if (outer.memberAt > outer.from) readMembers(reading, outer, outer.memberAt - 1);
      put(outer, keyBefore(reading, outer, level.openAt), value);
    }
    level.value = value;
  }
}

/** What is unread of a level, up to `end`, where a comma or its bracket is. */
function readMembers(reading: Reading, level: Level, end: number): void {
  const { parse, text } = reading;
  const { before, from, isList } = level;
  const piece = text.slice(from, end);
  const read = parsed(reading, level, () => parse(isList ? `[${piece}]` : `{${piece}}`));
  let count = 0;
  if (isList) {
    for (const item of read as JsonValue[]) (level.value as JsonValue[]).push(item);
    count = (read as JsonValue[]).length;
  } else {
    for (const name in read as ObjectDraft) {
      put(level, name, (read as ObjectDraft)[name] as JsonValue);
      count += 1;
    }
  }
  // Behind a comma, and before one, there has to be something.
  const mayBeEmpty = before === 'bracket' && text.charCodeAt(end) !== comma;
  if (count === 0 && !mayBeEmpty) refused(reading, level);
}

/** Of the value that opens at `openAt`; '' in a list. Something else than a key may stand there. */
function keyBefore(reading: Reading, level: Level, openAt: number): string {
  const { memberAt } = level;
  if (level.isList) {
    if (!isBlank(reading.text, memberAt, openAt)) refused(reading, level);
    return '';
  }
  const piece = reading.text.slice(memberAt, openAt);
  const read = parsed(reading, level, () => JSON.parse(`{${piece}[]}`) as ObjectDraft);
  return Object.keys(read)[0] as string;
}

function put(level: Level, name: string, value: JsonValue): void {
  if (level.isList) (level.value as JsonValue[]).push(value);
  else if (name !== '__proto__') (level.value as ObjectDraft)[name] = value;
  else {
    const own = { value, configurable: true, enumerable: true, writable: true };
    Object.defineProperty(level.value, name, own);
  }
}

function ended(reading: Reading, at: number): JsonValue {
  const { parse, root, text } = reading;
  if (root === undefined) return parse(text);
  if (!isBlank(text, at, text.length)) throw errorOf('{}', text.slice(at), at);
  return root;
}

const blank = /^[ \t\n\r]*$/;

function isBlank(text: string, from: number, to: number): boolean {
  return from === to || blank.test(text.slice(from, to));
}

function assertBlank(reading: Reading, level: Level, to: number): void {
  if (!isBlank(reading.text, level.from, to)) refused(reading, level);
}

function parsed<T>(reading: Reading, level: Level, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return refused(reading, level);
  }
}

/** Throws what the engine says of the text, of which everything before the unread part of `level`
 * is right. Absent: the innermost level that has a value. */
function refused({ levels, root, text }: Reading, level = innermostWithValue(levels)): never {
  if (root === undefined || level === undefined) throw errorOf('', text, 0);
  const outer = levels.slice(0, levels.indexOf(level));
  const around = outer.map(({ isList }) => (isList ? '[' : '{"":')).join('');
  const opening = (level.isList ? openings.list : openings.object)[level.before];
  throw errorOf(around + opening, text.slice(level.from), level.from);
}

const openings = {
  list: { bracket: '[', comma: '[0,', value: '[[]' },
  object: { bracket: '{', comma: '{"":0,', value: '{"":[]' },
} as const;

function innermostWithValue(levels: readonly Level[]): Level | undefined {
  return levels.findLast(({ value }) => value !== undefined);
}

/** What the engine says of the rest, behind `opening` in place of the `from` characters that are
 * right. */
function errorOf(opening: string, rest: string, from: number): SyntaxError {
  try {
    JSON.parse(opening + rest);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const shift = from - opening.length;
    const place = (_: string, position: string): string => `position ${Number(position) + shift}`;
    return new SyntaxError(error.message.replace(/position (\d+)/, place), { cause: error });
  }
  throw new AssertionError('what cannot be read in pieces is no JSON');
}
