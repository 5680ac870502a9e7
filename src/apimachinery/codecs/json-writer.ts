/**
 * Writes the JSON of an object as bytes, without a text in between.
 *
 * JSON.stringify makes a text, which then has to be measured and turned into UTF-8; for objects of
 * some kilobytes that takes several times as long as writing the bytes at once.
 *
 *     begin() ─▶ writeBytes(), writeValue(), ... ─▶ written()
 *
 * A write that returns false could not write its value, and leaves the object unfinished: the
 * caller encodes it with stringifyJson() instead.
 *
 * Invariant: what it writes is, byte for byte, the UTF-8 of what stringifyJson() gives.
 * Bound: what does not fit `capacity` is not written. The depth is that of decoded bodies.
 */
import { stringifyJson } from './lossless.ts';
import type { JsonArray, JsonObject, JsonValue } from '../unstructured.ts';

const capacity = 64 * 1024;
/** Written over by each object: what is in it has been copied when written() returns. */
const target = Buffer.allocUnsafeSlow(capacity);
let used = 0;

const quote = 0x22;
const colon = 0x3a;
const backslash = 0x5c;
export const comma = 0x2c;
export const openingBracket = 0x5b;
export const closingBracket = 0x5d;
export const openingBrace = 0x7b;
export const closingBrace = 0x7d;
/** Up to this length a loop is quicker than a call into the engine. */
const shortTextMax = 40;
/** The most bytes that JSON takes for a UTF-16 code unit. */
const bytesPerUnitMax = 6;

/** How a string holds a character of ASCII: `plain` as it is, `long` as an escape of six
 * characters, else a backslash and the character that stands here. */
const [plain, long] = [0, 1] as const;
const forms = new Uint8Array(128).fill(long, 0, 0x20);
forms[quote] = quote;
forms[backslash] = backslash;
for (const pair of ['\bb', '\tt', '\nn', '\ff', '\rr']) {
  forms[pair.charCodeAt(0)] = pair.charCodeAt(1);
}

export function begin(): void {
  used = 0;
}

/** How many bytes have been written since begin(). */
export function position(): number {
  return used;
}

/** Takes back what has been written behind this position: a write that failed may have begun. */
export function shortenTo(at: number): void {
  used = at;
}

/** A copy of all that has been written since begin(). It may lie in a pool. */
export function written(): Buffer {
  const bytes = Buffer.allocUnsafe(used);
  bytes.set(target.subarray(0, used));
  return bytes;
}

export function writeBytes(bytes: Uint8Array): boolean {
  if (used + bytes.length > capacity) return false;
  target.set(bytes, used);
  used += bytes.length;
  return true;
}

/** Text that is JSON already. */
export function writeText(text: string): boolean {
  const { length } = text;
  if (used + 3 * length > capacity) return false;
  if (length > shortTextMax || !writeAscii(text)) used += target.write(text, used);
  return true;
}

/** False: the text is not ASCII, and nothing has been written. */
function writeAscii(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) {
    const char = text.charCodeAt(i);
    if (char >= 128) return false;
    target[used + i] = char;
  }
  used += text.length;
  return true;
}

/** A comma unless the member is the first of its object, the name, and a colon. */
export function writeName(name: string, isFirst: boolean): boolean {
  if (used + 2 > capacity) return false;
  if (!isFirst) target[used++] = comma;
  if (!writeString(name) || used >= capacity) return false;
  target[used++] = colon;
  return true;
}

export function writeValue(value: JsonValue): boolean {
  if (typeof value === 'string') return writeString(value);
  if (typeof value === 'number' && Number.isSafeInteger(value)) return writeText(String(value));
  if (typeof value === 'bigint') return writeText(String(value));
  if (typeof value !== 'object' || value === null) return writeText(stringifyJson(value));
  return Array.isArray(value) ? writeItems(value as JsonArray) : writeMembers(value as JsonObject);
}

function writeItems(items: JsonArray): boolean {
  if (used + 1 > capacity) return false;
  target[used++] = openingBracket;
  for (let i = 0; i < items.length; i += 1) {
    if (i > 0) {
      if (used >= capacity) return false;
      target[used++] = comma;
    }
    if (!writeValue(items[i] ?? null)) return false;
  }
  return writeByte(closingBracket);
}

function writeMembers(object: JsonObject): boolean {
  if (!writeByte(openingBrace)) return false;
  let isFirst = true;
  for (const name in object) {
    const value = object[name];
    if (value === undefined) continue;
    if (!writeName(name, isFirst) || !writeValue(value)) return false;
    isFirst = false;
  }
  return writeByte(closingBrace);
}

export function writeByte(byte: number): boolean {
  if (used >= capacity) return false;
  target[used++] = byte;
  return true;
}

function writeString(value: string): boolean {
  const { length } = value;
  if (length > shortTextMax) return writeLongString(value);
  // Each character takes two bytes at most here.
  if (used + 2 * length + 2 > capacity) return false;
  let at = used;
  target[at++] = quote;
  for (let i = 0; i < length; i += 1) {
    const char = value.charCodeAt(i);
    const form = char < 128 ? (forms[char] as number) : long;
    if (form === long) return writeEscaped(value);
    if (form !== plain) {
      target[at++] = backslash;
      target[at++] = form;
    } else target[at++] = char;
  }
  target[at++] = quote;
  used = at;
  return true;
}

/** Text that JSON does not escape: ASCII without quote, backslash and control characters. */
const plainText = /^[ !#-[\]-\x7f]*$/;

function writeLongString(value: string): boolean {
  if (!plainText.test(value)) return writeEscaped(value);
  if (used + value.length + 2 > capacity) return false;
  target[used] = quote;
  used += 1 + target.write(value, used + 1, 'latin1');
  target[used++] = quote;
  return true;
}

function writeEscaped(value: string): boolean {
  if (used + bytesPerUnitMax * value.length + 2 > capacity) return false;
  used += target.write(JSON.stringify(value), used);
  return true;
}
