/**
 * What the functions on texts do. Indexes and lengths are in code points.
 *
 * Bounds: linear in the texts that go in and the one that comes out; a result has at most
 * `resultMax` UTF-16 units, because `replace` and `format` can make a huge text of two small ones
 * and are charged for what goes in.
 */
import { evaluationError } from '../evaluation-error.ts';
import { spendSteps } from '../evaluate/step-allowance.ts';
import { firstOccurrence, lastOccurrence, occurrences, shortNeedle } from './text-search.ts';

/** Of a text that is taken apart. */
const workPerPiece = 16;

export const resultMax = 16 * 1024 * 1024;

export function checkResultSize(size: number, name: string): void {
  if (size > resultMax) throw evaluationError(`${name}: result is too long`);
}

const pairs = /[\ud800-\udbff]/;

/** What is priced by a position, or not at all, may still walk a long text. */
function hasPairs(text: string): boolean {
  if (text.length > longFrom) spendSteps(text.length >> 2);
  return pairs.test(text);
}

const longFrom = 256;

export function codePoints(text: string): number {
  if (!hasPairs(text)) return text.length;
  let count = 0;
  for (let i = 0; i < text.length; i += 1) {
    if (isPairAt(text, i)) i += 1;
    count += 1;
  }
  return count;
}

function isPairAt(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < 0xd800 || unit > 0xdbff) return false;
  const next = text.charCodeAt(at + 1);
  return next >= 0xdc00 && next <= 0xdfff;
}

/** The offset in UTF-16 units of a code point. */
function unitOffset(text: string, index: number): number {
  if (!hasPairs(text)) return index;
  let at = 0;
  for (let left = index; left > 0; left -= 1) at += isPairAt(text, at) ? 2 : 1;
  return at;
}

/** A large one is in no text, and is only told. */
type Index = number | bigint;

function outOfRange(index: number | bigint): Error {
  return evaluationError(`index out of range: ${index}`);
}

export function charAt(text: string, index: Index): string {
  const size = codePoints(text);
  if (index < 0 || index > size) throw outOfRange(index);
  if (index === size) return '';
  const at = unitOffset(text, Number(index));
  return text.slice(at, at + (isPairAt(text, at) ? 2 : 1));
}

export function indexOf(text: string, part: string, offset: Index = 0): number {
  if (offset < 0) throw outOfRange(offset);
  const size = codePoints(text);
  if (part === '') return Math.min(Number(offset), size);
  if (offset >= size) return -1;
  const at = firstOccurrence(text, part, unitOffset(text, Number(offset)));
  return at < 0 ? -1 : codePoints(text.slice(0, at));
}

export function lastIndexOf(text: string, part: string, offset?: Index): number {
  const size = codePoints(text);
  if (offset !== undefined && offset < 0) throw outOfRange(offset);
  if (part === '') return Math.min(Number(offset ?? size), size);
  const from = offset ?? size - 1;
  if (from < 0 || from >= size) return -1;
  const at = lastOccurrence(text, part, unitOffset(text, Number(from)));
  return at < 0 ? -1 : codePoints(text.slice(0, at));
}

export function substring(text: string, start: Index, end?: Index): string {
  const size = codePoints(text);
  const last = end ?? size;
  if (end !== undefined && start > end) {
    throw evaluationError(`invalid substring range. start: ${start}, end: ${end}`);
  }
  if (start < 0 || start > size) throw outOfRange(start);
  if (last < 0 || last > size) throw outOfRange(last);
  return text.slice(unitOffset(text, Number(start)), unitOffset(text, Number(last)));
}

export function lowerAscii(text: string): string {
  return beyondAscii.test(text) ? withOtherCase(text, letterA, letterZ) : text.toLowerCase();
}

export function upperAscii(text: string): string {
  const [first, last] = [letterA | caseBit, letterZ | caseBit];
  return beyondAscii.test(text) ? withOtherCase(text, first, last) : text.toUpperCase();
}

const beyondAscii = /[^\0-\x7f]/;
const letterA = 0x41;
const letterZ = 0x5a;
/** Between a letter and the same in the other case. */
const caseBit = 0x20;

/** Letters from `first` to `last` in the other case: a walk without a text for each run of them. */
function withOtherCase(text: string, first: number, last: number): string {
  const bytes = Buffer.from(text, 'utf16le');
  for (let at = 0; at < bytes.length; at += 2) {
    const low = bytes[at] as number;
    if (low >= first && low <= last && bytes[at + 1] === 0) bytes[at] = low ^ caseBit;
  }
  return bytes.toString('utf16le');
}

/** Without white space (as Unicode has it) at both ends. */
export function trim(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isSpace(text.charCodeAt(start))) start += 1;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isSpace(unit: number): boolean {
  if (unit <= 0x20) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
  return unit >= 0x85 && spacesBeyondAscii.has(unit);
}

const spacesBeyondAscii: ReadonlySet<number> = new Set([
  ...[0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000],
  ...Array.from({ length: 11 }, (_, i) => 0x2000 + i),
]);

/** At most `count` of them, all where it is negative. Nothing stands between any two characters. */
export function replace(text: string, old: string, put: string, count = -1): string {
  if (count === 0 || old === put) return text;
  const places = old === '' ? betweenCharacters(text) : occurrences(text, old);
  let [done, size, end] = [0, text.length, 0];
  for (const at of places) {
    if (done === count) break;
    spendSteps(workPerPiece);
    size += put.length - old.length;
    checkResultSize(size, 'replace');
    end = at + old.length;
    done += 1;
  }
  if (done === 0) return text;
  spendSteps(size >> 4);
  // What was found before `end` is all that is found there, and the engine puts it together.
  if (old !== '' && old.length <= shortNeedle) {
    return text.slice(0, end).split(old).join(put) + text.slice(end);
  }
  return pieced(text, old, put, done);
}

function pieced(text: string, old: string, put: string, count: number): string {
  const parts: string[] = [];
  let from = 0;
  for (const at of old === '' ? betweenCharacters(text) : occurrences(text, old)) {
    if (parts.length === count * 2) break;
    parts.push(text.slice(from, at), put);
    from = at + old.length;
  }
  parts.push(text.slice(from));
  return parts.join('');
}

function* betweenCharacters(text: string): Generator<number> {
  for (let at = 0; at < text.length; at += isPairAt(text, at) ? 2 : 1) yield at;
  yield text.length;
}

/** Into at most `count` pieces, the last of which has the rest. */
export function split(text: string, separator: string, count = -1): string[] {
  if (count === 0) return [];
  if (separator === '') return splitCharacters(text, count);
  const pieces: string[] = [];
  let from = 0;
  for (const at of occurrences(text, separator)) {
    if (pieces.length + 1 === count) break;
    spendSteps(workPerPiece);
    pieces.push(text.slice(from, at));
    from = at + separator.length;
  }
  pieces.push(text.slice(from));
  return pieces;
}

function splitCharacters(text: string, count: number): string[] {
  spendSteps(text.length * 4);
  const characters = Array.from(text);
  if (count < 0 || characters.length <= count) return characters;
  return [...characters.slice(0, count - 1), characters.slice(count - 1).join('')];
}

export function reverse(text: string): string {
  return Array.from(text).reverse().join('');
}

/** By their code: what stands behind the backslash. */
const quotedForms: ReadonlyMap<number, number> = new Map(
  ['\x07a', '\bb', '\ff', '\nn', '\rr', '\tt', '\vv', '\\\\', '""'].map((pair) => [
    pair.charCodeAt(0),
    pair.charCodeAt(1),
  ]),
);
const quoted = /[\x07-\r\\"]/;
const backslash = 0x5c;

/** In double quotes, as it would stand in an expression. */
export function quoteText(text: string): string {
  return `"${quoted.test(text) ? escaped(text) : text}"`;
}

/** A walk without a text for each character that is escaped: a long text may be all of them. */
function escaped(text: string): string {
  const units = new Uint16Array(text.length * 2);
  let size = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    const form = unit > backslash ? undefined : quotedForms.get(unit);
    if (form !== undefined) units[size++] = backslash;
    units[size++] = form ?? unit;
  }
  return Buffer.from(units.buffer, 0, size * 2).toString('utf16le');
}
