/**
 * The bytes of a stored record: a msgpack array whose first item is the number of its format.
 *
 *   [ 2, crc, uid, labels, fields, metadataAt, object ]
 *   [ 2, crc, uid, labels, fields, metadataAt, object, [ state, dueMs | null ] ]    with a timer
 *   [ 2, crc, uid, labels, fields, metadataAt, object, shape ]    of a kind that users define
 *   [ 1, uid, labels, fields, metadataAt, object ... ]    as written before there were checksums
 *
 *   byte   0      1   2    3 ... 6   7 ...
 *          array  02  ce   crc       uid ...
 *
 * `crc` is the CRC-32 of the record's key, a NUL, its state, and the bytes from the uid on: a
 * record that was altered, or put in another's place, is noticed. It is taken with zlib's own
 * function: 0.25 µs for 1 KB, where tables in TypeScript took five times as long; with the key and
 * the calls a record costs 0.8 µs more to write and to read. What stands before the uid has one
 * right value; the revision is the adapter's to guard.
 *
 * A record whose first number is 3 is encrypted: encrypted-records.ts has its form.
 *
 * `object` is the JSON of the object as record.ts describes it; nothing here looks inside. A
 * checksum is no defence: who can write the store can write one.
 *
 * Invariants: decodeRecord() of what encodeRecord(r) made, under the same key and state, equals r;
 * `object` of a decoded record is a view into the bytes it was decoded from, not a copy, so those
 * bytes must not be written to afterwards. A format this build does not know, a record that the
 * adapter found damaged, and anything that is not what was written, is `corrupt`.
 */
import { crc32 } from 'node:zlib';
import { Decoder, Encoder } from '@msgpack/msgpack';
import { readRecord } from './record-reader.ts';
import { writeRecord } from './record-writer.ts';
import type { WrittenRecord } from './record-writer.ts';
import type { ObjectRecord, RecordTimer } from './record.ts';
import { crcOfText } from './short-crc.ts';
import { StorageError } from './storage.ts';
import type { PutOperation, StoredRecord } from './storage.ts';

const RECORD_FORMAT = 2;
/** Has no checksum: read, and never written. */
const UNCHECKED_FORMAT = 1;
/** encrypted-records.ts reads and writes these. */
export const ENCRYPTED_FORMAT = 3;
/** From the uid to the object. */
const ITEM_COUNT = 5;
/** How msgpack begins a number of 32 bits. */
export const UINT32 = 0xce;
/** Holds the place of the checksum: any number that msgpack writes in 32 bits. */
const CRC_PLACEHOLDER = 0xffffffff;
/** How msgpack begins an array of format, checksum and the items. */
const PLAIN_RECORD = 0x90 + 2 + ITEM_COUNT;
/** One with a shape, or with a timer. */
const LONGER_RECORD = PLAIN_RECORD + 1;
const CRC_AT = 3;
/** What stands before it is the array's head, the format and the checksum. */
export const CHECKED_FROM = 7;
/** Grown by the encoder when a record is larger, and kept. */
const INITIAL_BUFFER_BYTES = 64 * 1024;

// Encoder and decoder keep buffers between calls; both calls are synchronous and not reentrant.
const encoder = new Encoder({ initialBufferSize: INITIAL_BUFFER_BYTES });
const decoder = new Decoder();

/** What the record is stored under: it is part of the checksum. */
export type RecordIdentity = Pick<StoredRecord, 'key' | 'state'>;

/** What stands before the items. */
const plainHead = Buffer.of(PLAIN_RECORD, RECORD_FORMAT, UINT32, 0xff, 0xff, 0xff, 0xff);
const longerHead = Buffer.of(LONGER_RECORD, RECORD_FORMAT, UINT32, 0xff, 0xff, 0xff, 0xff);

export function encodeRecord(record: ObjectRecord, place: RecordIdentity): Uint8Array {
  return sealed(writtenRecord(record, 0)?.bytes ?? encodedRecord(record), place);
}

/** A record on its way to the store: see PutOperation. */
export type RecordToPut = Pick<PutOperation, 'value' | 'withRoom' | 'decoded'> &
  Pick<ObjectRecord, 'encryptedBy'>;

/** Its object lies in the bytes of the record, as that of a decoded one does: whoever keeps both
 * keeps one piece of memory. */
export function recordToPut(record: ObjectRecord, place: RecordIdentity): RecordToPut {
  const written = writtenRecord(record, roomBytes);
  if (written === undefined) {
    const value = sealed(encodedRecord(record), place);
    return { value, withRoom: undefined, decoded: undefined, encryptedBy: undefined };
  }
  const { fields, labels, metadataAt, object, shape, uid } = record;
  const { bytes, memory, objectAt } = written;
  const own = bytes.subarray(objectAt, objectAt + object.length);
  const decoded = { uid, labels, fields, metadataAt, object: own, timer: undefined, shape };
  return { value: sealed(bytes, place), withRoom: memory, decoded, encryptedBy: undefined };
}

/** What a store may write before the value: LMDB's head of a record, with a word as its state. */
const roomBytes = 32;

/** With the checksum in its place. */
export function sealed(bytes: Buffer, place: RecordIdentity): Buffer {
  bytes.writeUInt32BE(checksum(bytes, place), CRC_AT);
  return bytes;
}

/** Both of these without the checksum. Undefined: it needs a general encoder. */
function writtenRecord(record: ObjectRecord, room: number): WrittenRecord | undefined {
  if (record.timer !== undefined) return undefined;
  return writeRecord(record.shape === undefined ? plainHead : longerHead, record, room);
}

function encodedRecord(record: ObjectRecord): Buffer {
  const { uid, labels, fields, metadataAt, object, shape, timer } = record;
  const items: unknown[] = [
    RECORD_FORMAT,
    CRC_PLACEHOLDER,
    uid,
    labels,
    fields,
    metadataAt,
    object,
  ];
  if (timer !== undefined) items.push([timer.state, timer.dueMs ?? null]);
  else if (shape !== undefined) items.push(shape);
  // A pooled copy: a memory block of its own for each record is what a collector is slow with.
  return Buffer.from(encoder.encodeSharedRef(items));
}

function checksum(bytes: Uint8Array, { key, state }: RecordIdentity): number {
  return crc32(bytes.subarray(CHECKED_FROM), crcOfText(state, crcOfText('\0', crcOfText(key))));
}

/** @throws StorageError `corrupt` when the record is not as it was written. */
export function decodeRecord(
  stored: RecordIdentity & Pick<StoredRecord, 'value' | 'damage' | 'decoded'>,
): ObjectRecord {
  const { value, damage, decoded } = stored;
  if (decoded !== undefined) return decoded;
  if (damage !== undefined) throw new StorageError('corrupt', damage);
  const hasChecksum = isChecked(value, RECORD_FORMAT);
  // Before anything else: what was altered may claim to be of any length.
  if (hasChecksum) {
    const bytes = viewOf(value);
    verifyChecksum(bytes, stored);
    const isLonger = bytes[0] === LONGER_RECORD;
    if (isLonger || bytes[0] === PLAIN_RECORD) {
      const read = readRecord(bytes, CHECKED_FROM, isLonger ? 'shape' : undefined);
      if (read !== undefined) return read;
    }
  }
  const items = decodeArray(value);
  if (items[0] === RECORD_FORMAT && hasChecksum) return recordOf(items.slice(2));
  if (items[0] === UNCHECKED_FORMAT) return recordOf(items.slice(1));
  if (items[0] === ENCRYPTED_FORMAT) throw new StorageError('corrupt', 'it is encrypted');
  throw new StorageError('corrupt', `record format ${String(items[0])} is not known`);
}

/** Whether it begins as a record of this format that has a checksum. */
export function isChecked(value: Uint8Array, format: number): boolean {
  return value.length >= CHECKED_FROM && value[1] === format && value[2] === UINT32;
}

/** @throws StorageError `corrupt`. */
export function verifyChecksum(bytes: Buffer, place: RecordIdentity): void {
  if (bytes.readUInt32BE(CRC_AT) === checksum(bytes, place)) return;
  throw new StorageError('corrupt', 'the checksum of the record is wrong');
}

export function viewOf(bytes: Uint8Array): Buffer {
  if (Buffer.isBuffer(bytes)) return bytes;
  const { buffer, byteOffset, byteLength } = bytes;
  return Buffer.from(buffer, byteOffset, byteLength);
}

function recordOf(items: readonly unknown[]): ObjectRecord {
  const [uid, labels, fields, metadataAt, object] = items;
  if (
    items.length < ITEM_COUNT ||
    items.length > ITEM_COUNT + 1 ||
    typeof uid !== 'string' ||
    !isStringRecord(labels) ||
    !isStringRecord(fields) ||
    typeof metadataAt !== 'number' ||
    !Number.isInteger(metadataAt) ||
    !(object instanceof Uint8Array) ||
    metadataAt < 0 ||
    metadataAt > object.byteLength
  ) {
    throw new StorageError('corrupt', 'record items have the wrong types');
  }
  const record = { uid, labels, fields, metadataAt, object };
  if (items.length === ITEM_COUNT) return record;
  const last = items[ITEM_COUNT];
  if (typeof last === 'string') {
    return { uid, labels, fields, metadataAt, object, timer: undefined, shape: last };
  }
  return { ...record, timer: decodeTimer(last) };
}

function decodeTimer(item: unknown): RecordTimer {
  const [state, dueMs] = Array.isArray(item) ? (item as unknown[]) : [];
  if (typeof state !== 'string' || (dueMs !== null && typeof dueMs !== 'number')) {
    throw new StorageError('corrupt', 'the timer of a record has the wrong types');
  }
  return { state, dueMs: dueMs ?? undefined };
}

function decodeArray(bytes: Uint8Array): readonly unknown[] {
  let decoded: unknown;
  try {
    decoded = decoder.decode(bytes);
  } catch (cause) {
    throw new StorageError('corrupt', 'record is not readable msgpack', { cause });
  }
  if (!Array.isArray(decoded)) throw new StorageError('corrupt', 'record is not an array');
  return decoded as readonly unknown[];
}

function isStringRecord(value: unknown): value is Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  if (value instanceof Uint8Array) return false;
  for (const key in value) {
    if (typeof (value as Record<string, unknown>)[key] !== 'string') return false;
  }
  return true;
}
