/**
 * One CBOR data item as a JSON value (RFC 8949; spec 1, section 4.3).
 *
 *     integers              numbers; beyond 2^53 bigints, beyond 64 bits with sign refused
 *     floats                numbers; NaN and the infinities are refused
 *     byte strings          text, as text strings: both must be UTF-8
 *     tag 21, 22, 23        the byte string in them as base64url, base64, base16 text
 *     tag 0, 1              a time as RFC 3339 text
 *     tag 2, 3              big numbers: refused
 *     other tags            what is in them
 *
 * Refused besides, with the offset: keys that are no strings or come twice, simple values other
 * than false, true and null, lengths beyond the body, anything behind the item. Indefinite lengths
 * and numbers in more bytes than they need are accepted, as by the reference.
 *
 * Bounds: `cborDepthMax`, and so many values, with the pieces of strings of indefinite length;
 * nothing is made that the bytes do not hold, so memory is proportional to them. Their size is
 * bounded by whoever read the body.
 */
import { setMember } from '../../stdx/lookup.ts';
import { isUtf8 } from 'node:buffer';
import { formatRfc3339, parseRfc3339 } from '../time.ts';
import type { JsonValue } from '../unstructured.ts';
import { TooManyValues, bodyValuesMax } from './body-bounds.ts';
import { shortText } from './short-text.ts';

/** Deepest nesting of arrays, maps and tags. */
export const cborDepthMax = 64;

/** What is wrong with the bytes, and where. */
export class MalformedCbor extends Error {}

interface Cursor {
  readonly bytes: Buffer;
  at: number;
  depth: number;
  /** Values read so far. */
  values: number;
  /** Pieces of strings of indefinite length; each counts as a value. */
  pieces: number;
  readonly valuesMax: number;
}

const indefinite = 31;
const breakByte = 0xff;
const maxSigned = 0x7fff_ffff_ffff_ffffn;

/** Throws MalformedCbor. */
export function readItem(bytes: Uint8Array, valuesMax = bodyValuesMax): JsonValue {
  const cursor = cursorOver(bytes, valuesMax);
  const value = readValue(cursor);
  checkEnd(cursor);
  return value;
}

/** readItem() in parts. */
export function* itemSteps(bytes: Uint8Array, valuesMax: number): Generator<undefined, JsonValue> {
  const cursor = cursorOver(bytes, valuesMax);
  const value = yield* valueSteps(cursor);
  checkEnd(cursor);
  return value;
}

function cursorOver(bytes: Uint8Array, valuesMax: number): Cursor {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { bytes: buffer, at: 0, depth: 0, values: 0, pieces: 0, valuesMax };
}

function checkEnd({ bytes, at }: Cursor): void {
  if (at < bytes.length) throw malformed(at, 'something follows the data item');
}

function malformed(at: number, problem: string): MalformedCbor {
  return new MalformedCbor(`at byte ${at}: ${problem}`);
}

function spendValue(cursor: Cursor): void {
  cursor.values += 1;
  checkCount(cursor);
}

function checkCount({ pieces, values, valuesMax }: Cursor): void {
  if (values + pieces > valuesMax + 1) throw new TooManyValues();
}

function readValue(cursor: Cursor): JsonValue {
  const start = cursor.at;
  spendValue(cursor);
  const first = firstByte(cursor);
  const major = first >> 5;
  const info = first & 0x1f;
  switch (major) {
    case 0:
      return readUnsigned(cursor, info, start);
    case 1:
      return negative(readUnsigned(cursor, info, start));
    case 2:
    case 3:
      return textOf(stringBytes(cursor, major, info, start), start);
    case 4:
      return readArray(cursor, info, start);
    case 5:
      return readMap(cursor, info, start);
    case 6:
      return readTagged(cursor, info, start);
    default:
      return readSimple(cursor, info, start);
  }
}

function firstByte(cursor: Cursor): number {
  const byte = cursor.bytes[cursor.at];
  if (byte === undefined) throw malformed(cursor.at, 'the body ends inside a data item');
  cursor.at += 1;
  return byte;
}

/** Where the next `count` bytes begin; the cursor is behind them then. */
function take(cursor: Cursor, count: number): number {
  const start = cursor.at;
  if (count > cursor.bytes.length - start) {
    throw malformed(start, 'the body ends inside a data item');
  }
  cursor.at = start + count;
  return start;
}

/** The argument of a head: 64 bits come as a bigint when a double cannot hold them. */
function readUnsigned(cursor: Cursor, info: number, start: number): number | bigint {
  if (info < 24) return info;
  const { bytes } = cursor;
  switch (info) {
    case 24:
      return bytes[take(cursor, 1)] as number;
    case 25:
      return bytes.readUInt16BE(take(cursor, 2));
    case 26:
      return bytes.readUInt32BE(take(cursor, 4));
    case 27: {
      const value = bytes.readBigUInt64BE(take(cursor, 8));
      if (value > maxSigned) throw malformed(start, 'a number is beyond 64 bits with a sign');
      return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
    }
    default:
      throw malformed(start, `additional information ${info} has no meaning here`);
  }
}

function negative(argument: number | bigint): number | bigint {
  if (argument === Number.MAX_SAFE_INTEGER) return -1n - BigInt(argument);
  return typeof argument === 'bigint' ? -1n - argument : -1 - argument;
}

/** Of strings and collections; a length that no body has is beyond this one. */
function lengthOf(cursor: Cursor, info: number, start: number): number {
  return Number(readUnsigned(cursor, info, start));
}

function stringBytes(cursor: Cursor, major: number, info: number, start: number): Buffer {
  if (info !== indefinite) {
    const length = lengthOf(cursor, info, start);
    const from = take(cursor, length);
    return cursor.bytes.subarray(from, from + length);
  }
  const chunks: Buffer[] = [];
  for (;;) {
    const at = cursor.at;
    const first = firstByte(cursor);
    if (first === breakByte) return Buffer.concat(chunks);
    if (first >> 5 !== major || (first & 0x1f) === indefinite) {
      throw malformed(at, 'a string of indefinite length holds strings of its own kind only');
    }
    cursor.pieces += 1;
    checkCount(cursor);
    const chunk = stringBytes(cursor, major, first & 0x1f, at);
    if (major === 3) textOf(chunk, at);
    chunks.push(chunk);
  }
}

function textOf(bytes: Buffer, start: number): string {
  const short = shortText(bytes, 0, bytes.length);
  if (short !== undefined) return short;
  let ascii = true;
  for (let at = 0; ascii && at < bytes.length; at += 1) ascii = (bytes[at] as number) < 0x80;
  if (ascii) return bytes.toString('latin1');
  if (!isUtf8(bytes)) throw malformed(start, 'a string is not valid UTF-8');
  return bytes.toString('utf8');
}

function enter(cursor: Cursor, start: number): void {
  cursor.depth += 1;
  if (cursor.depth > cborDepthMax) {
    throw malformed(start, `the body nests deeper than ${cborDepthMax} levels`);
  }
}

/** Whether one more item follows; steps over the end of an indefinite length. */
function hasMore(cursor: Cursor, done: number, length: number): boolean {
  if (length !== Infinity) return done < length;
  if (cursor.bytes[cursor.at] !== breakByte) return true;
  cursor.at += 1;
  return false;
}

/** Values of one part. */
const partValues = 256;

/** readValue() in parts. */
function* valueSteps(cursor: Cursor): Generator<undefined, JsonValue> {
  const start = cursor.at;
  const major = (cursor.bytes[start] ?? 0) >> 5;
  if (cursor.values % partValues === partValues - 1) yield;
  if (major < 4 || major === 7) return readValue(cursor);
  spendValue(cursor);
  const info = firstByte(cursor) & 0x1f;
  if (major === 6) {
    const tag = openTag(cursor, info, start);
    const text = encodedText(cursor, tag, start);
    return text ?? closeTag(cursor, tag, yield* valueSteps(cursor), start);
  }
  enter(cursor, start);
  const length = info === indefinite ? Infinity : lengthOf(cursor, info, start);
  const read: JsonValue[] | Record<string, JsonValue> = major === 4 ? [] : {};
  for (let done = 0; hasMore(cursor, done, length); done += 1) {
    if (Array.isArray(read)) read.push(yield* valueSteps(cursor));
    else {
      const key = readNewKey(cursor, read);
      setMember(read, key, yield* valueSteps(cursor));
    }
  }
  cursor.depth -= 1;
  return read;
}

function readArray(cursor: Cursor, info: number, start: number): JsonValue {
  enter(cursor, start);
  const length = info === indefinite ? Infinity : lengthOf(cursor, info, start);
  const items: JsonValue[] = [];
  while (hasMore(cursor, items.length, length)) items.push(readValue(cursor));
  cursor.depth -= 1;
  return items;
}

function readMap(cursor: Cursor, info: number, start: number): JsonValue {
  enter(cursor, start);
  const length = info === indefinite ? Infinity : lengthOf(cursor, info, start);
  const into: Record<string, JsonValue> = {};
  for (let done = 0; hasMore(cursor, done, length); done += 1) {
    const key = readNewKey(cursor, into);
    setMember(into, key, readValue(cursor));
  }
  cursor.depth -= 1;
  return into;
}

function readNewKey(cursor: Cursor, into: Record<string, JsonValue>): string {
  const at = cursor.at;
  const key = readKey(cursor);
  if (Object.hasOwn(into, key)) throw malformed(at, `the key ${quoted(key)} comes twice`);
  return key;
}

/** Characters of a key in a message. */
const quotedMax = 64;

function quoted(key: string): string {
  return JSON.stringify(key.length <= quotedMax ? key : `${key.slice(0, quotedMax)}...`);
}

function readKey(cursor: Cursor): string {
  const start = cursor.at;
  const first = firstByte(cursor);
  const major = first >> 5;
  if (major !== 2 && major !== 3) throw malformed(start, 'a key is not a string');
  return textOf(stringBytes(cursor, major, first & 0x1f, start), start);
}

/** How the byte string in the tag is written as text. */
const laterEncodings = new Map<number | bigint, BufferEncoding>([
  [21, 'base64url'],
  [22, 'base64'],
  [23, 'hex'],
]);

function readTagged(cursor: Cursor, info: number, start: number): JsonValue {
  const tag = openTag(cursor, info, start);
  const text = encodedText(cursor, tag, start);
  return text ?? closeTag(cursor, tag, readValue(cursor), start);
}

function openTag(cursor: Cursor, info: number, start: number): number | bigint {
  enter(cursor, start);
  const tag = readUnsigned(cursor, info, start);
  if (tag === 2 || tag === 3) throw malformed(start, 'big numbers (tags 2 and 3) are not accepted');
  return tag;
}

/** Of a byte string whose tag says how it is written; undefined for anything else. */
function encodedText(cursor: Cursor, tag: number | bigint, start: number): string | undefined {
  const encoding = laterEncodings.get(tag);
  const first = cursor.bytes[cursor.at];
  if (encoding === undefined || first === undefined || first >> 5 !== 2) return undefined;
  cursor.at += 1;
  cursor.depth -= 1;
  return stringBytes(cursor, 2, first & 0x1f, start).toString(encoding);
}

function closeTag(
  cursor: Cursor,
  tag: number | bigint,
  value: JsonValue,
  start: number,
): JsonValue {
  cursor.depth -= 1;
  if (tag === 0) checkTime(value, start);
  return tag === 1 ? timeOfEpoch(value, start) : value;
}

function checkTime(value: JsonValue, start: number): void {
  if (typeof value === 'string' && parseRfc3339(value) !== undefined) return;
  throw malformed(start, 'a time (tag 0) is not RFC 3339 text');
}

/** Seconds of 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z. */
const earliest = -62_167_219_200;
const latest = 253_402_300_799;

/** A double holds microseconds of today's times, not nanoseconds. */
function timeOfEpoch(value: JsonValue, start: number): string {
  const seconds = typeof value === 'number' ? Math.floor(value) : NaN;
  if (!(seconds >= earliest && seconds <= latest)) {
    throw malformed(start, 'a time (tag 1) is not a number of seconds in the years 0 to 9999');
  }
  const whole = formatRfc3339(seconds * 1000);
  const micros = Math.floor(((value as number) - seconds) * 1e6);
  if (micros === 0) return whole;
  const digits = String(micros)
    .padStart(6, '0')
    .replace(/(?<!0)0+$/, '');
  return `${whole.slice(0, -1)}.${digits}Z`;
}

function readSimple(cursor: Cursor, info: number, start: number): JsonValue {
  switch (info) {
    case 20:
      return false;
    case 21:
      return true;
    case 22:
      return null;
    case 25:
      return finite(half(cursor.bytes.readUInt16BE(take(cursor, 2))), start);
    case 26:
      return finite(cursor.bytes.readFloatBE(take(cursor, 4)), start);
    case 27:
      return finite(cursor.bytes.readDoubleBE(take(cursor, 8)), start);
    case indefinite:
      throw malformed(start, 'the end of an indefinite length stands where none began');
    default:
      throw malformed(start, 'of the simple values only false, true and null are accepted');
  }
}

function finite(value: number, start: number): number {
  if (Number.isFinite(value)) return value;
  throw malformed(start, 'a number is not finite');
}

/** Sign, 5 bits of exponent, 10 of fraction. */
function half(bits: number): number {
  const sign = (bits & 0x8000) === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}
