/**
 * The bytes of the FoundationDB store: one subspace (the prefix and a NUL), one letter per table.
 *
 *   m                           format, identity, epoch (JSON)
 *   c <key>                     the record now
 *   w <key>                     its state word: what conditions read, written only when it changes
 *   o <key> 00 <place>          a superseded record; the place is that of what superseded it
 *   l <place>                   kind:1  timeMs:8  key
 *   b <blob id:17> <chunk:2>    a value above INLINE_BYTES_MAX, in pieces below 100 kB
 *   t                           versionstamp of the newest commit: what followers watch
 *   k                           compact revision      x   lease of whoever compacts
 *   s/h/d <slot>                owner of a slot, its last sign of life, its last commit
 *
 *   place    versionstamp:10  slot:1  index:1      FoundationDB fills in the versionstamp
 *   record   began:1  place:12  stateLength:1  state  payload:1  bytes | blob id:17 length:4
 *
 * One write can be stamped in its key or in its value, not in both. A superseded record is stamped
 * in its key, so the record of a chain within one transaction says "began in the transaction that
 * ended it" (SAME_TRANSACTION) and gives only its index.
 *
 * A place orders by (version, order in version, slot, index), a revision by (version, slot, index).
 * They agree for one key, because two commits at one version never touch the same key; where they
 * may differ, in the log, entries of one version are sorted again.
 */
import { StorageError } from '../storage.ts';
import type { Revision, StoreKey } from '../storage.ts';
import { STAMP_BYTES } from './binding.ts';

export const FORMAT = 1;
export const SLOTS_MAX = 32;
/** Mutations of one commit: what seven bits of a revision can number. */
export const COMMIT_MUTATIONS_MAX = 128;
export const INLINE_BYTES_MAX = 16 * 1024;
/** FoundationDB refuses values above 100,000 bytes and likes them much smaller. */
export const CHUNK_BYTES = 80_000;

const PLACE_BYTES = STAMP_BYTES + 2;
const VERSION_BYTES = 8;
const BLOB_ID_BYTES = 17;
const LOG_HEADER_BYTES = 9;
const OWN_PLACE = 0;
const SAME_TRANSACTION = 1;
const INLINE = 0;
const BLOB = 1;
const PUT = 1;
const DELETE = 2;
const RECORD_PLACE_AT = 1;

export interface RevisionSpace {
  of(version: bigint, slot: number, index: number): Revision;
  /** Of the 12 bytes at `at`. */
  ofPlace(bytes: Buffer, at: number): Revision;
  /** The newest revision that this version can hold. */
  endOf(version: bigint): Revision;
  versionOf(revision: Revision): bigint;
}

/** Revisions of a store made at version `epoch`: (version - epoch) << 12 | slot << 7 | index. */
export function revisionSpace(epoch: bigint): RevisionSpace {
  const of = (version: bigint, slot: number, index: number): Revision =>
    (((version - epoch) << 12n) | BigInt((slot << 7) | index)) as Revision;
  return {
    of,
    ofPlace: (bytes, at) =>
      of(
        bytes.readBigUInt64BE(at),
        bytes[at + STAMP_BYTES] as number,
        bytes[at + STAMP_BYTES + 1] as number,
      ),
    endOf: (version) => of(version, SLOTS_MAX - 1, COMMIT_MUTATIONS_MAX - 1),
    versionOf: (revision) => epoch + (revision >> 12n),
  };
}

/** A key with room for a versionstamp, and where that is. */
export interface StampedKey {
  readonly key: Buffer;
  readonly stampAt: number;
}

export interface Keys {
  readonly meta: Buffer;
  readonly tip: Buffer;
  readonly compactRevision: Buffer;
  readonly compactorLease: Buffer;
  /** Where a table starts and ends. */
  table(letter: 'c' | 'o' | 'l' | 's' | 'h'): readonly [Buffer, Buffer];
  ofSlot(letter: 's' | 'h' | 'd', slot: number): Buffer;
  current(key: string): Buffer;
  state(key: string): Buffer;
  blob(id: Buffer, chunk: number): Buffer;
  blobRange(id: Buffer): readonly [Buffer, Buffer];
  stampedLog(slot: number, index: number): StampedKey;
  stampedOld(key: string, slot: number, index: number): StampedKey;
  /** Before every log entry of this version. */
  logFrom(version: bigint): Buffer;
  old(key: string, place: Buffer): Buffer;
  /** Before every superseded record of this key that ended at this version or later. */
  oldFrom(key: string, version: bigint): Buffer;
  /** Behind every superseded record of this key, before those of the next one. */
  oldEnd(key: string): Buffer;
  currentKeyOf(bytes: Buffer): StoreKey;
  splitOld(bytes: Buffer): { readonly key: StoreKey; readonly place: Buffer };
  placeOfLog(bytes: Buffer): Buffer;
}

export function createKeys(prefix: string): Keys {
  const root = Buffer.concat([Buffer.from(prefix), Buffer.of(0)]);
  const at = (letter: string, ...rest: Buffer[]): Buffer =>
    Buffer.concat([root, Buffer.from(letter), ...rest]);
  const text = (key: string, ...rest: number[]): Buffer =>
    Buffer.concat([Buffer.from(key), Buffer.from(rest)]);
  const headBytes = root.length + 1;
  const stamped = (head: Buffer, slot: number, index: number): StampedKey => ({
    key: Buffer.concat([head, Buffer.alloc(STAMP_BYTES), Buffer.of(slot, index)]),
    stampAt: head.length,
  });
  const chunk = (id: Buffer, number: number): Buffer =>
    at('b', id, Buffer.of(number >> 8, number & 0xff));
  return {
    meta: at('m'),
    tip: at('t'),
    compactRevision: at('k'),
    compactorLease: at('x'),
    table: (letter) => [at(letter), at(String.fromCharCode(letter.charCodeAt(0) + 1))],
    ofSlot: (letter, slot) => at(letter, Buffer.of(slot)),
    current: (key) => at('c', text(key)),
    state: (key) => at('w', text(key)),
    blob: chunk,
    blobRange: (id) => [chunk(id, 0), chunk(id, 0xffff)],
    stampedLog: (slot, index) => stamped(at('l'), slot, index),
    stampedOld: (key, slot, index) => stamped(at('o', text(key, 0)), slot, index),
    logFrom: (version) => at('l', versionBytes(version)),
    old: (key, place) => at('o', text(key, 0), place),
    oldFrom: (key, version) => at('o', text(key, 0), versionBytes(version)),
    oldEnd: (key) => at('o', text(key, 1)),
    currentKeyOf: (bytes) => bytes.toString('utf8', headBytes) as StoreKey,
    splitOld(bytes) {
      const keyEnd = bytes.length - PLACE_BYTES - 1;
      if (keyEnd <= headBytes || bytes[keyEnd] !== 0) throw corrupt('a superseded key');
      return {
        key: bytes.toString('utf8', headBytes, keyEnd) as StoreKey,
        place: bytes.subarray(keyEnd + 1),
      };
    },
    placeOfLog(bytes) {
      if (bytes.length !== headBytes + PLACE_BYTES) throw corrupt('the key of a log entry');
      return bytes.subarray(headBytes);
    },
  };
}

/** The first key behind this one. */
export function keyAfter(key: Buffer): Buffer {
  return Buffer.concat([key, Buffer.of(0)]);
}

/** Where a prefix ends. UTF-8 has no byte 0xff, so the last one can be raised. */
export function prefixEnd(prefix: Buffer): Buffer {
  const end = Buffer.from(prefix);
  end[end.length - 1] = (end.at(-1) as number) + 1;
  return end;
}

export function versionBytes(version: bigint): Buffer {
  const bytes = Buffer.alloc(VERSION_BYTES);
  bytes.writeBigUInt64BE(version);
  return bytes;
}

export type Payload =
  | { readonly kind: 'inline'; readonly bytes: Buffer }
  | { readonly kind: 'blob'; readonly id: Buffer; readonly length: number };

/** A record as stored: its value may lie elsewhere. */
export interface FdbRecord {
  readonly key: StoreKey;
  readonly revision: Revision;
  readonly state: string;
  readonly payload: Payload;
}

export function payloadBytes(payload: Payload): number {
  return payload.kind === 'inline' ? payload.bytes.length : payload.length;
}

/** Where a record to be written began: at a known place, or in the transaction that writes it. */
export type Began =
  | { readonly kind: 'place'; readonly place: Buffer }
  | { readonly kind: 'now'; readonly slot: number; readonly index: number };

/** Where the versionstamp of an encoded record that begins now goes, in `c`. */
export const RECORD_STAMP_AT = RECORD_PLACE_AT;

/** A record that begins now is to be stamped at RECORD_STAMP_AT when written to `c`, and read with
 * the versionstamp of its own key when written to `o`. */
export function encodeRecord(
  record: Pick<FdbRecord, 'state' | 'payload'>,
  began: Began,
  table: 'c' | 'o',
): Buffer {
  const head = Buffer.alloc(1 + PLACE_BYTES);
  if (began.kind === 'place') {
    began.place.copy(head, RECORD_PLACE_AT);
  } else {
    head[0] = table === 'o' ? SAME_TRANSACTION : OWN_PLACE;
    head[RECORD_PLACE_AT + STAMP_BYTES] = began.slot;
    head[RECORD_PLACE_AT + STAMP_BYTES + 1] = began.index;
  }
  const state = Buffer.from(record.state);
  return Buffer.concat([head, Buffer.of(state.length), state, ...encodePayload(record.payload)]);
}

function encodePayload(payload: Payload): readonly Buffer[] {
  if (payload.kind === 'inline') return [Buffer.of(INLINE), payload.bytes];
  const length = Buffer.alloc(4);
  length.writeUInt32BE(payload.length);
  return [Buffer.of(BLOB), payload.id, length];
}

/** The place at which a stored record (of `c`) began. */
export function placeOfRecord(bytes: Buffer): Buffer {
  return bytes.subarray(RECORD_PLACE_AT, RECORD_PLACE_AT + PLACE_BYTES);
}

/** `ended` is the place in the key of a superseded record, undefined for one of `c`. */
export function decodeRecord(
  revisions: RevisionSpace,
  key: StoreKey,
  bytes: Buffer,
  ended: Buffer | undefined,
): FdbRecord {
  const stateAt = 1 + PLACE_BYTES + 1;
  const stateLength = bytes[stateAt - 1] ?? 0;
  const payloadAt = stateAt + stateLength + 1;
  if (bytes.length < payloadAt) throw corrupt('a record');
  return {
    key,
    revision: revisions.ofPlace(beganAt(bytes, ended), 0),
    state: bytes.toString('utf8', stateAt, payloadAt - 1),
    payload: decodePayload(bytes, payloadAt),
  };
}

function beganAt(bytes: Buffer, ended: Buffer | undefined): Buffer {
  const place = placeOfRecord(bytes);
  if (bytes[0] === OWN_PLACE) return place;
  if (bytes[0] !== SAME_TRANSACTION || ended === undefined) throw corrupt('where a record began');
  return Buffer.concat([ended.subarray(0, STAMP_BYTES), place.subarray(STAMP_BYTES)]);
}

function decodePayload(bytes: Buffer, at: number): Payload {
  const kind = bytes[at - 1];
  if (kind === INLINE) return { kind: 'inline', bytes: bytes.subarray(at) };
  if (kind !== BLOB || bytes.length !== at + BLOB_ID_BYTES + 4) throw corrupt('a payload');
  return {
    kind: 'blob',
    id: bytes.subarray(at, at + BLOB_ID_BYTES),
    length: bytes.readUInt32BE(at + BLOB_ID_BYTES),
  };
}

export interface LogEntry {
  readonly kind: 'put' | 'delete';
  readonly timeMs: number;
  readonly key: StoreKey;
}

export function encodeLogEntry(kind: 'put' | 'delete', timeMs: number, key: string): Buffer {
  const head = Buffer.alloc(LOG_HEADER_BYTES);
  head[0] = kind === 'put' ? PUT : DELETE;
  head.writeDoubleBE(timeMs, 1);
  return Buffer.concat([head, Buffer.from(key)]);
}

export function decodeLogEntry(bytes: Buffer): LogEntry {
  const kind = bytes[0];
  if (bytes.length <= LOG_HEADER_BYTES || (kind !== PUT && kind !== DELETE)) {
    throw corrupt('a log entry');
  }
  return {
    kind: kind === PUT ? 'put' : 'delete',
    timeMs: bytes.readDoubleBE(1),
    key: bytes.toString('utf8', LOG_HEADER_BYTES) as StoreKey,
  };
}

export function corrupt(what: string): StorageError {
  return new StorageError('corrupt', `the store cannot be read: ${what} is malformed`);
}
