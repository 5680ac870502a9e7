/**
 * The bytes of the LMDB store: four tables, and what stands in them.
 *
 *   cur    <key>                        revision:8  stateLength:1  state  check:4  value
 *   old    <key> 00 <end revision:8>    the same bytes; end = the revision that superseded them
 *   log    <revision:8>                 kind:1  timeMs:8  key
 *   meta   format, identity, revision, compactRevision
 *
 * Revisions are 8 bytes big-endian, so that byte order is numeric order. A key holds no NUL, so
 * the superseded records of one key are one contiguous range, in the order they were superseded:
 *
 *   read at N     cur if cur.revision <= N; else the first old entry with end > N, if it began <= N
 *   change r      cur if cur.revision = r;  else the first old entry with end > r
 *   before r      old/<key>/<r>
 *
 * Each is one lookup, and compaction of change r deletes log/<r> and old/<key>/<r> and no more.
 *
 * `check` is the CRC-32 of what stands before it; the highest bit of stateLength says that there is
 * one. Format 1 had none: such records are read, and a store of format 1 becomes one of format 2
 * when it is opened to be written to, because builds that know format 1 only would misread it.
 *
 * Elsewhere: the reading and writing of it (lmdb-reads.ts, lmdb-writes.ts).
 */
import { blockMemory } from '../../stdx/blocks.ts';
import { damagedState } from '../damage.ts';
import { crcOfHead } from '../short-crc.ts';
import { StorageError, revisionZero } from '../storage.ts';
import type { PutOperation, Revision, StoredRecord, StoreKey } from '../storage.ts';

export const FORMAT = 2;
/** Without checks of heads. */
export const UNCHECKED_FORMAT = 1;
/** Stands in the place of the format while an import is under way. */
export const IMPORTING = 0;
const REVISION_BYTES = 8;

const RECORD_HEADER_BYTES = REVISION_BYTES + 1;
const CHECK_BYTES = 4;
/** In the byte of the state's length, which is at most 64. */
const CHECKED = 0x80;
const LOG_HEADER_BYTES = 9;
const PUT = 1;
const DELETE = 2;

export const metaKeys = {
  format: Buffer.from('format'),
  identity: Buffer.from('identity'),
  revision: Buffer.from('revision'),
  compactRevision: Buffer.from('compactRevision'),
} as const;

export function encodeRevision(revision: Revision): Buffer {
  const bytes = Buffer.allocUnsafe(REVISION_BYTES);
  writeRevision(bytes, revision, 0);
  return bytes;
}

/** In halves: node's own function makes a bigint for each byte of it. */
function writeRevision(bytes: Buffer, revision: Revision, at: number): void {
  const value = Number(revision);
  if (value > Number.MAX_SAFE_INTEGER) bytes.writeBigUInt64BE(revision, at);
  else {
    bytes.writeUInt32BE(Math.floor(value / 2 ** 32), at);
    bytes.writeUInt32BE(value % 2 ** 32, at + 4);
  }
}

export function decodeRevision(bytes: Buffer | undefined): Revision {
  if (bytes?.length !== REVISION_BYTES) throw corrupt('a revision has the wrong length');
  return bytes.readBigUInt64BE() as Revision;
}

export function encodeKey(key: string): Buffer {
  return Buffer.from(key);
}

export function decodeKey(bytes: Buffer): StoreKey {
  return bytes.toString() as StoreKey;
}

/** Key of the superseded record whose successor was written at `end`. */
export function oldKey(key: Buffer, end: Revision): Buffer {
  const bytes = Buffer.allocUnsafe(key.length + 1 + REVISION_BYTES);
  key.copy(bytes);
  bytes[key.length] = 0;
  writeRevision(bytes, end, key.length + 1);
  return bytes;
}

/** Behind every superseded record of this key, and not behind anything of another key. */
export function oldKeysEnd(key: Buffer): Buffer {
  return Buffer.concat([key, Buffer.of(1)]);
}

export function splitOldKey(bytes: Buffer): { readonly key: Buffer; readonly end: Revision } {
  const keyLength = bytes.length - REVISION_BYTES - 1;
  if (keyLength <= 0 || bytes[keyLength] !== 0) throw corrupt('a superseded key is malformed');
  return {
    key: bytes.subarray(0, keyLength),
    end: bytes.readBigUInt64BE(keyLength + 1) as Revision,
  };
}

/** Where the keys that start with this end; undefined for the empty prefix. */
export function prefixEnd(prefix: Buffer): Buffer | undefined {
  if (prefix.length === 0) return undefined;
  const end = Buffer.from(prefix);
  // UTF-8 has no byte 0xff, so the last one can be raised.
  end[end.length - 1] = (end.at(-1) as number) + 1;
  return end;
}

/** A record with the bytes it is stored as. `value` is a view into them. */
export interface LmdbRecord extends StoredRecord {
  readonly bytes: Buffer;
}

/** Followers have the records of a commit for as long as those before and behind them. */
const allocate = blockMemory();

/** Where there is room before the value, the record is made there, and the value is not copied. */
export function makeRecord(
  key: StoreKey,
  revision: Revision,
  { decoded, state, value, withRoom }: Omit<PutOperation, 'kind'>,
): LmdbRecord {
  const stateLength = Buffer.byteLength(state);
  const stateEnd = RECORD_HEADER_BYTES + stateLength;
  const valueAt = stateEnd + CHECK_BYTES;
  const placed = withRoom && inPlace(withRoom, valueAt + value.byteLength);
  const bytes = placed ?? allocate(valueAt + value.byteLength);
  writeRevision(bytes, revision, 0);
  bytes[REVISION_BYTES] = CHECKED | stateLength;
  writeState(bytes, state, stateLength);
  bytes.writeUInt32BE(crcOfHead(bytes, stateEnd), stateEnd);
  if (placed !== undefined) return { key, revision, state, value, bytes, decoded };
  bytes.set(value, valueAt);
  return { key, revision, state, value: bytes.subarray(valueAt), bytes, decoded };
}

/** Mostly a short word of ASCII, for which a loop is quicker than a call. */
function writeState(bytes: Buffer, state: string, length: number): void {
  if (length !== state.length) bytes.write(state, RECORD_HEADER_BYTES);
  else for (let i = 0; i < length; i += 1) bytes[RECORD_HEADER_BYTES + i] = state.charCodeAt(i);
}

/** The last bytes of it, if it has as many. */
function inPlace(memory: Buffer, length: number): Buffer | undefined {
  return memory.length < length ? undefined : memory.subarray(memory.length - length);
}

/** `bytes` must not change afterwards: the value is a view into them. */
export function decodeRecord(key: StoreKey, bytes: Buffer): LmdbRecord {
  const lengthByte = bytes[REVISION_BYTES] ?? 0;
  const isChecked = (lengthByte & CHECKED) !== 0;
  const stateEnd = RECORD_HEADER_BYTES + (lengthByte & ~CHECKED);
  const valueAt = isChecked ? stateEnd + CHECK_BYTES : stateEnd;
  if (bytes.length < valueAt) return damagedRecord(key, bytes, bytes, 'the record is cut short');
  if (isChecked && crcOfHead(bytes, stateEnd) !== bytes.readUInt32BE(stateEnd)) {
    const value = bytes.subarray(valueAt);
    return damagedRecord(key, bytes, value, "the checksum of the record's head is wrong");
  }
  return {
    key,
    revision: bytes.readBigUInt64BE() as Revision,
    state: bytes.toString('utf8', RECORD_HEADER_BYTES, stateEnd),
    value: bytes.subarray(valueAt),
    bytes,
  };
}

/** It has no state that a condition could ask for. */
function damagedRecord(key: StoreKey, bytes: Buffer, value: Buffer, damage: string): LmdbRecord {
  const revision = bytes.length < REVISION_BYTES ? revisionZero : bytes.readBigUInt64BE();
  return { key, revision: revision as Revision, state: damagedState, value, bytes, damage };
}

export interface LogEntry {
  readonly kind: 'put' | 'delete';
  readonly timeMs: number;
  readonly key: Buffer;
}

export function encodeLogEntry(kind: 'put' | 'delete', timeMs: number, key: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(LOG_HEADER_BYTES + key.length);
  bytes[0] = kind === 'put' ? PUT : DELETE;
  bytes.writeDoubleBE(timeMs, 1);
  key.copy(bytes, LOG_HEADER_BYTES);
  return bytes;
}

export function decodeLogEntry(bytes: Buffer): LogEntry {
  const kind = bytes[0];
  if (bytes.length <= LOG_HEADER_BYTES || (kind !== PUT && kind !== DELETE)) {
    throw corrupt('a log entry is malformed');
  }
  return {
    kind: kind === PUT ? 'put' : 'delete',
    timeMs: bytes.readDoubleBE(1),
    key: bytes.subarray(LOG_HEADER_BYTES),
  };
}

export function corrupt(message: string): StorageError {
  return new StorageError('corrupt', `the store cannot be read: ${message}`);
}
