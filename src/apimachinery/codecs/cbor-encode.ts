/**
 * A JSON value as one CBOR data item (RFC 8949; spec 1, section 4.3).
 *
 *     text       a byte string, keys too, as the reference writes it
 *     bytes      (base64 text of a typed field) the byte string itself under tag 22
 *     integers   in the fewest bytes; beyond 64 bits with sign they become floats
 *     floats     in the fewest bytes that hold the value
 *     maps       in bytewise order of the encoded keys; all lengths definite
 *
 * Invariants: total and deterministic. Properties that are undefined are left out, numbers that
 * are not finite are null, as in JSON. What is said to be bytes but is not canonical base64 stays
 * text, so no character is lost. Bound: in parts, `bytesAtOnce` are written between two steps, more
 * only of one text.
 */
import type { Steps } from '../../stdx/stepwise.ts';
import type { TypeSchema } from '../typed/type-schema.ts';
import type { JsonObject, JsonValue } from '../unstructured.ts';
import { isJsonObject } from '../unstructured.ts';

const byteString = 0x40;
const array = 0x80;
const map = 0xa0;
const base64Later = 0xd6;
const minSigned = -0x8000_0000_0000_0000n;
const maxSigned = 0x7fff_ffff_ffff_ffffn;

/** Texts up to this length are written as if they were ASCII, and again when they were not. */
const shortText = 23;
/** Memory that is kept between calls; larger documents have their own. */
const scratchBytes = 64 * 1024;
const scratch = Buffer.allocUnsafeSlow(scratchBytes);

/** Written between two steps. */
const bytesAtOnce = 64 * 1024;

/** Sorting more of them takes a part for itself. */
const keysAtOnce = 1_024;

interface Writer {
  buffer: Buffer;
  at: number;
}

/** One that pauses when it has written so much. */
interface PausingWriter extends Writer {
  pauseAt: number;
}

/** `prefix` and the item behind it, in memory of their own. `bytesAbout`: of the item, where that
 * is known, as of a value that was read of JSON: what is large is then not moved as it grows. */
export function encodeItem(
  prefix: Uint8Array,
  value: JsonValue,
  type?: TypeSchema,
  bytesAbout = 0,
): Uint8Array {
  const bytesMin = prefix.length + bytesAbout;
  const isSmall = bytesMin <= scratchBytes;
  const buffer = isSmall ? scratch : Buffer.allocUnsafeSlow(bytesMin);
  const writer: Writer = { buffer, at: 0 };
  writePrefix(writer, prefix);
  writeValue(writer, value, type);
  const written = writer.buffer.subarray(0, writer.at);
  return writer.buffer !== scratch && isTight(writer) ? written : Buffer.from(written);
}

/** encodeItem() in parts, for a large value. */
export function* encodeItemSteps(
  prefix: Uint8Array,
  value: JsonValue,
  type?: TypeSchema,
  bytesAbout = 0,
): Steps<Uint8Array> {
  // Others write in between, so the memory is its own.
  const buffer = Buffer.allocUnsafeSlow(prefix.length + Math.max(bytesAbout, bytesAtOnce));
  const writer: PausingWriter = { buffer, at: 0, pauseAt: bytesAtOnce };
  writePrefix(writer, prefix);
  yield* valueSteps(writer, value, type);
  const written = writer.buffer.subarray(0, writer.at);
  if (isTight(writer)) return written;
  yield;
  return Buffer.from(written);
}

function writePrefix(writer: Writer, prefix: Uint8Array): void {
  room(writer, prefix.length).set(prefix, 0);
  writer.at = prefix.length;
}

/** Its memory holds little more than what was written. */
function isTight({ at, buffer }: Writer): boolean {
  return buffer.length - at <= at / 8;
}

/** A map whose `member` is an array of `count` items that come from elsewhere: what stands before
 * the first of them, `prefix` included, and behind the last. */
export function encodeAround(
  prefix: Uint8Array,
  object: JsonObject,
  member: string,
  count: number,
): { readonly head: Uint8Array; readonly tail: Uint8Array } {
  const writer: Writer = { buffer: scratch, at: 0 };
  writePrefix(writer, prefix);
  const keys = sortedKeys(object);
  writeHead(writer, map, keys.length);
  let headBytes = 0;
  for (const key of keys) {
    writeText(writer, key);
    if (key === member) {
      writeHead(writer, array, count);
      headBytes = writer.at;
    } else writeValue(writer, object[key] as JsonValue, undefined);
  }
  const bytes = Buffer.from(writer.buffer.subarray(0, writer.at));
  return { head: bytes.subarray(0, headBytes), tail: bytes.subarray(headBytes) };
}

function room(writer: Writer, count: number): Buffer {
  const { buffer, at } = writer;
  if (buffer.length - at >= count) return buffer;
  const grown = Buffer.allocUnsafeSlow(Math.max(buffer.length * 2, at + count));
  grown.set(buffer.subarray(0, at));
  writer.buffer = grown;
  return grown;
}

type Type = TypeSchema | undefined;

function writeValue(writer: Writer, value: JsonValue, type: Type): void {
  switch (typeof value) {
    case 'string':
      if (type?.kind === 'scalar' && type.scalar === 'bytes') return writeBytes(writer, value);
      return writeText(writer, value);
    case 'number':
      return Number.isSafeInteger(value) ? writeInteger(writer, value) : writeFloat(writer, value);
    case 'bigint':
      return writeBigint(writer, value);
    case 'boolean':
      return writeByte(writer, value ? 0xf5 : 0xf4);
    default:
      if (value === null) return writeByte(writer, 0xf6);
      return isJsonObject(value) ? writeMap(writer, value, type) : writeArray(writer, value, type);
  }
}

function writeArray(writer: Writer, items: readonly JsonValue[], type: Type): void {
  const form = formOf(type, 'list');
  const itemType = form?.kind === 'list' ? form.items : undefined;
  writeHead(writer, array, items.length);
  for (const item of items) writeValue(writer, item, itemType);
}

function writeMap(writer: Writer, object: JsonObject, type: Type): void {
  const form = formOf(type, 'object');
  const keys = sortedKeys(object);
  writeHead(writer, map, keys.length);
  for (const key of keys) {
    writeText(writer, key);
    writeValue(writer, object[key] as JsonValue, memberType(form, key));
  }
}

function* valueSteps(writer: PausingWriter, value: JsonValue, type: Type): Steps<void> {
  if (typeof value !== 'object' || value === null) writeValue(writer, value, type);
  else if (isJsonObject(value)) yield* mapSteps(writer, value, type);
  else yield* arraySteps(writer, value, type);
  if (writer.at < writer.pauseAt) return;
  writer.pauseAt = writer.at + bytesAtOnce;
  yield;
}

function* arraySteps(writer: PausingWriter, items: readonly JsonValue[], type: Type): Steps<void> {
  const form = formOf(type, 'list');
  const itemType = form?.kind === 'list' ? form.items : undefined;
  writeHead(writer, array, items.length);
  for (const item of items) yield* valueSteps(writer, item, itemType);
}

function* mapSteps(writer: PausingWriter, object: JsonObject, type: Type): Steps<void> {
  const form = formOf(type, 'object');
  const keys = sortedKeys(object);
  if (keys.length > keysAtOnce) yield;
  writeHead(writer, map, keys.length);
  for (const key of keys) {
    writeText(writer, key);
    yield* valueSteps(writer, object[key] as JsonValue, memberType(form, key));
  }
}

function memberType(type: Type, key: string): Type {
  if (type?.kind === 'object') return type.members.get(key)?.type;
  return type?.kind === 'map' ? type.values : undefined;
}

/** The alternative of a union that a value of this form has. */
function formOf(type: Type, form: 'list' | 'object'): Type {
  if (type?.kind !== 'union') return type;
  return type.alternatives.find((each) => each.type.kind === form)?.type;
}

/** The order of the encoded keys: shorter ones first, for the head of a string is its length. */
function sortedKeys(object: JsonObject): readonly string[] {
  const keys = Object.keys(object).filter((key) => object[key] !== undefined);
  if (keys.length < 2) return keys;
  if (keys.every((key) => isAscii.test(key))) return keys.sort(byLengthThenText);
  return keys
    .map((key) => ({ key, bytes: Buffer.from(key, 'utf8') }))
    .sort((a, b) => a.bytes.length - b.bytes.length || Buffer.compare(a.bytes, b.bytes))
    .map(({ key }) => key);
}

const isAscii = /^[\u0000-\u007f]*$/;

function byLengthThenText(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1);
}

function writeByte(writer: Writer, byte: number): void {
  room(writer, 1)[writer.at++] = byte;
}

/** `major`: the upper three bits of the first byte. `argument` is a safe integer. */
function writeHead(writer: Writer, major: number, argument: number): void {
  const buffer = room(writer, 9);
  if (argument < 24) buffer[writer.at++] = major | argument;
  else if (argument < 0x100) {
    buffer[writer.at++] = major | 24;
    buffer[writer.at++] = argument;
  } else if (argument < 0x1_0000) {
    buffer[writer.at++] = major | 25;
    writer.at = buffer.writeUInt16BE(argument, writer.at);
  } else if (argument < 0x1_0000_0000) {
    buffer[writer.at++] = major | 26;
    writer.at = buffer.writeUInt32BE(argument, writer.at);
  } else {
    buffer[writer.at++] = major | 27;
    writer.at = buffer.writeBigUInt64BE(BigInt(argument), writer.at);
  }
}

function writeText(writer: Writer, text: string): void {
  const { length } = text;
  if (length <= shortText && writeShortAscii(writer, text)) return;
  const bytes = Buffer.byteLength(text, 'utf8');
  writeHead(writer, byteString, bytes);
  writer.at += room(writer, bytes).write(text, writer.at, 'utf8');
}

/** False, and nothing written, when there is a character beyond ASCII. */
function writeShortAscii(writer: Writer, text: string): boolean {
  const buffer = room(writer, 1 + text.length);
  const start = writer.at + 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 0x80) return false;
    buffer[start + at] = code;
  }
  buffer[writer.at] = byteString | text.length;
  writer.at = start + text.length;
  return true;
}

function writeBytes(writer: Writer, text: string): void {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) return writeText(writer, text);
  writeByte(writer, base64Later);
  writeHead(writer, byteString, bytes.length);
  room(writer, bytes.length).set(bytes, writer.at);
  writer.at += bytes.length;
}

function writeInteger(writer: Writer, value: number): void {
  if (value >= 0) writeHead(writer, 0, value);
  else writeHead(writer, 0x20, -1 - value);
}

function writeBigint(writer: Writer, value: bigint): void {
  if (value < minSigned || value > maxSigned) return writeFloat(writer, Number(value));
  const number = Number(value);
  if (Number.isSafeInteger(number)) return writeInteger(writer, number);
  const buffer = room(writer, 9);
  buffer[writer.at++] = value >= 0n ? 0x1b : 0x3b;
  writer.at = buffer.writeBigUInt64BE(value >= 0n ? value : -1n - value, writer.at);
}

const view = new DataView(new ArrayBuffer(4));

function writeFloat(writer: Writer, value: number): void {
  if (!Number.isFinite(value)) return writeByte(writer, 0xf6);
  const buffer = room(writer, 9);
  if (Math.fround(value) !== value) {
    buffer[writer.at++] = 0xfb;
    writer.at = buffer.writeDoubleBE(value, writer.at);
    return;
  }
  view.setFloat32(0, value);
  const bits = view.getUint32(0);
  const short = halfBits(bits);
  if (short === undefined) {
    buffer[writer.at++] = 0xfa;
    writer.at = buffer.writeUInt32BE(bits, writer.at);
  } else {
    buffer[writer.at++] = 0xf9;
    writer.at = buffer.writeUInt16BE(short, writer.at);
  }
}

/** The bits of the half that equals this single; undefined when there is none. */
function halfBits(single: number): number | undefined {
  const sign = (single >>> 16) & 0x8000;
  const exponent = ((single >>> 23) & 0xff) - 127;
  const fraction = single & 0x7f_ffff;
  if (exponent === -127) return fraction === 0 ? sign : undefined;
  if (exponent > 15 || exponent < -24) return undefined;
  if (exponent >= -14) {
    if ((fraction & 0x1fff) !== 0) return undefined;
    return sign | ((exponent + 15) << 10) | (fraction >>> 13);
  }
  // Below the normal halves: the leading one is written out, shifted down.
  const shift = -exponent - 1;
  const whole = fraction | 0x80_0000;
  return (whole & ((1 << shift) - 1)) === 0 ? sign | (whole >>> shift) : undefined;
}
