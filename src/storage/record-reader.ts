/**
 * The items of a stored record, read from its msgpack where they are as they nearly always are:
 * short texts, small maps of texts, a number, bytes, and nothing behind them. A general decoder
 * takes three times as long.
 *
 * It knows no more of msgpack than that: whatever else it meets ends it (undefined), and the
 * general decoder reads the record. It is for bytes whose checksum is right.
 *
 * Invariant: what it gives is what the general decoder gives; `object` is a view into the bytes.
 */
import type { ObjectRecord } from './record.ts';

const empty: Readonly<Record<string, string>> = Object.freeze({});

/** What stands from `at` to the end of the bytes. `last`: what stands behind the object. */
export function readRecord(bytes: Buffer, at: number, last?: 'shape'): ObjectRecord | undefined {
  const cursor = { bytes, at };
  const uid = text(cursor);
  const labels = uid === undefined ? undefined : textMap(cursor);
  const fields = labels === undefined ? undefined : textMap(cursor);
  const metadataAt = fields === undefined ? undefined : shortNumber(cursor);
  const object = metadataAt === undefined ? undefined : binary(cursor);
  if (object === undefined) return undefined;
  const shape = last === undefined ? undefined : text(cursor);
  if (cursor.at !== bytes.length) return undefined;
  if (uid === undefined || labels === undefined || fields === undefined) return undefined;
  if (metadataAt === undefined || metadataAt > object.length) return undefined;
  if (last === undefined) return { uid, labels, fields, metadataAt, object };
  if (shape === undefined) return undefined;
  return { uid, labels, fields, metadataAt, object, timer: undefined, shape };
}

interface Cursor {
  readonly bytes: Buffer;
  at: number;
}

/** A text of at most 255 bytes. */
function text(cursor: Cursor): string | undefined {
  const { bytes } = cursor;
  const head = bytes[cursor.at] ?? 0;
  const isShort = head >= 0xa0 && head <= 0xbf;
  if (!isShort && head !== 0xd9) return undefined;
  const start = cursor.at + (isShort ? 1 : 2);
  const end = start + (isShort ? head & 0x1f : (bytes[cursor.at + 1] ?? 0));
  if (end > bytes.length) return undefined;
  cursor.at = end;
  return bytes.toString('utf8', start, end);
}

/** A map of at most 15 texts. */
function textMap(cursor: Cursor): Readonly<Record<string, string>> | undefined {
  const head = cursor.bytes[cursor.at] ?? 0;
  if (head < 0x80 || head > 0x8f) return undefined;
  cursor.at += 1;
  if (head === 0x80) return empty;
  const map: Record<string, string> = {};
  for (let left = head & 0xf; left > 0; left -= 1) {
    const key = text(cursor);
    const value = key === undefined || key === '__proto__' ? undefined : text(cursor);
    if (key === undefined || value === undefined) return undefined;
    map[key] = value;
  }
  return map;
}

/** Below 65,536. */
function shortNumber(cursor: Cursor): number | undefined {
  const { at, bytes } = cursor;
  const head = bytes[at] ?? 0xff;
  if (head < 0x80) {
    cursor.at = at + 1;
    return head;
  }
  const size = head === 0xcc ? 1 : head === 0xcd ? 2 : 0;
  if (size === 0 || at + size >= bytes.length) return undefined;
  cursor.at = at + 1 + size;
  return size === 1 ? bytes.readUInt8(at + 1) : bytes.readUInt16BE(at + 1);
}

function binary(cursor: Cursor): Buffer | undefined {
  const { at, bytes } = cursor;
  const head = bytes[at] ?? 0;
  if (head < 0xc4 || head > 0xc6) return undefined;
  const size = 1 << (head - 0xc4);
  const start = at + 1 + size;
  if (start > bytes.length) return undefined;
  const end = start + bytes.readUIntBE(at + 1, size);
  if (end > bytes.length) return undefined;
  cursor.at = end;
  return bytes.subarray(start, end);
}
