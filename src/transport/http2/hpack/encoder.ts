/**
 * Writes the heads of answers of HTTP/2 (RFC 7541, 6.1 and 6.2.2), by the static table alone.
 *
 * A dynamic table would be a few KiB for each of thousands of connections, and to look into it for
 * each header. What it would spare is less than the body of most answers; so its size is said to be
 * zero, nothing is remembered on either side, and any head can be written at any time. For the same
 * reason there is no Huffman code: it takes longer than the bytes that it spares.
 *
 * Invariant: what is returned is nobody else's.
 * Bounds: beginnings of fields are kept for names of `namesCharsMax` in all. Memory to write in is
 * there once for the process, as large as the largest head yet, up to `headKept`.
 */
import { createTextCache } from '../../../stdx/text-cache.ts';
import type { Header } from '../../http-exchange.ts';
import { staticFields } from './static-table.ts';

/** "Remember nothing", for the beginning of the first block, and of the first after a client has
 * said how much may be remembered (RFC 7541, 4.2). */
export const sizeUpdateToZero: Uint8Array = Uint8Array.of(0x20);

const indexed = 0x80;
const literalMask = 0x0f;
const lengthMask = 0x7f;
/** Of a number. */
const numberBytesMax = 6;
/** A status of its own: a literal whose name is that of the first status of the table. */
const statusName = 8;
/** A character of JavaScript takes so many bytes of UTF-8 at most. */
const bytesPerCharacter = 3;
/** Written character by character; for longer ones it takes less to ask the runtime. */
const shortText = 48;

const headFirst = 4 * 1024;
const headKept = 64 * 1024;
const namesCharsMax = 4 * 1024;
const nameCharsMax = 128;

interface Beginning {
  /** All of a field but its value: that it is a literal, and its name. */
  readonly bytes: Uint8Array;
  /** Of the field of the static table that has this name; 0: none has. */
  readonly index: number;
  /** The value of that field. */
  readonly known: string;
}

const statusIndexes: ReadonlyMap<number, number> = new Map(
  staticFields.flatMap(({ name, value }, i) =>
    name === ':status' ? [[Number(value), i + 1]] : [],
  ),
);

const beginnings = createTextCache<Beginning>(namesCharsMax);

let output = Buffer.allocUnsafeSlow(headFirst);
/** Where the next byte goes. */
let end = 0;

/** Names and values are ones that headers may have. Names may be in any case. */
export function encodeHead(status: number, headers: readonly Header[]): Uint8Array {
  end = 0;
  writeStatus(status);
  for (const [name, value] of headers) writeField(name, value);
  const head = Buffer.allocUnsafe(end);
  output.copy(head, 0, 0, end);
  if (output.length > headKept) output = Buffer.allocUnsafeSlow(headFirst);
  return head;
}

function writeStatus(status: number): void {
  const index = statusIndexes.get(status) ?? 0;
  if (index > 0) {
    writeByte(indexed | index);
    return;
  }
  writeByte(statusName);
  writeText(String(status));
}

function writeField(name: string, value: string): void {
  const { bytes, index, known } = beginningOf(name);
  // So many at most: nothing below has to look whether there is room.
  reserve(bytes.length + numberBytesMax + value.length * bytesPerCharacter);
  if (index > 0 && value === known) {
    writeByte(indexed | index);
    return;
  }
  for (let i = 0; i < bytes.length; i += 1) output[end + i] = bytes[i] as number;
  end += bytes.length;
  writeText(value);
}

function writeByte(byte: number): void {
  output[end] = byte;
  end += 1;
}

function writeText(text: string): void {
  if (text.length > shortText || !wroteAscii(text)) writeLongText(text);
}

/** Gives up at the first character that is more than a byte. */
function wroteAscii(text: string): boolean {
  const { length } = text;
  const from = end + 1;
  for (let i = 0; i < length; i += 1) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) return false;
    output[from + i] = code;
  }
  output[end] = length;
  end = from + length;
  return true;
}

function writeLongText(text: string): void {
  for (const byte of numberBytes(lengthMask, Buffer.byteLength(text))) writeByte(byte);
  end += output.write(text, end);
}

function reserve(bytes: number): void {
  if (end + bytes <= output.length) return;
  const larger = Buffer.allocUnsafeSlow(2 * (end + bytes));
  output.copy(larger, 0, 0, end);
  output = larger;
}

function beginningOf(name: string): Beginning {
  let beginning = beginnings.get(name);
  if (beginning === undefined) {
    beginning = makeBeginning(name.toLowerCase());
    if (name.length <= nameCharsMax) beginnings.keep(name, beginning);
  }
  return beginning;
}

function makeBeginning(name: string): Beginning {
  const index = staticFields.findIndex((field) => field.name === name) + 1;
  const text = Buffer.from(name);
  const bytes =
    index > 0
      ? numberBytes(literalMask, index)
      : [0, ...numberBytes(lengthMask, text.length), ...text];
  return { bytes: Uint8Array.from(bytes), index, known: staticFields[index - 1]?.value ?? '' };
}

/** A number that begins in the bits of `mask`, the bits above it 0 (RFC 7541, 5.1). */
function numberBytes(mask: number, number: number): readonly number[] {
  if (number < mask) return [number];
  const bytes = [mask];
  let rest = number - mask;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return bytes;
}
