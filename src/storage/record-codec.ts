/**
 * The bytes of a stored record: a msgpack array whose first item is the number of its format.
 *
 *   [ 1, uid, labels, fields, metadataAt, object ]
 *   [ 1, uid, labels, fields, metadataAt, object, [ state, dueMs | null ] ]    with a timer
 *
 * What it is not: the wire format. `object` is the JSON of the object as record.ts describes it;
 * nothing here looks inside.
 *
 * Invariants: decodeRecord(encodeRecord(r)) equals r; `object` of a decoded record is a view into
 * the bytes it was decoded from, not a copy, so those bytes must not be written to afterwards.
 * A format this build does not know, and anything that is not a record, is `corrupt`.
 */
import { Decoder, Encoder } from '@msgpack/msgpack';
import type { ObjectRecord, RecordTimer } from './record.ts';
import { StorageError } from './storage.ts';

const RECORD_FORMAT = 1;
const ITEM_COUNT = 6;
/** Grown by the encoder when a record is larger, and kept. */
const INITIAL_BUFFER_BYTES = 64 * 1024;

// Encoder and decoder keep buffers between calls; both calls are synchronous and not reentrant.
const encoder = new Encoder({ initialBufferSize: INITIAL_BUFFER_BYTES });
const decoder = new Decoder();

export function encodeRecord(record: ObjectRecord): Uint8Array {
  const { uid, labels, fields, metadataAt, object, timer } = record;
  const items: unknown[] = [RECORD_FORMAT, uid, labels, fields, metadataAt, object];
  if (timer !== undefined) items.push([timer.state, timer.dueMs ?? null]);
  // A pooled copy: a memory block of its own for each record is what a collector is slow with.
  return Buffer.from(encoder.encodeSharedRef(items));
}

/** @throws StorageError `corrupt` when the bytes are not a record of a known format. */
export function decodeRecord(bytes: Uint8Array): ObjectRecord {
  const items = decodeArray(bytes);
  const [format, uid, labels, fields, metadataAt, object] = items;
  if (format !== RECORD_FORMAT) {
    throw new StorageError('corrupt', `record format ${String(format)} is not known`);
  }
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
  return items.length === ITEM_COUNT
    ? record
    : { ...record, timer: decodeTimer(items[ITEM_COUNT]) };
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
