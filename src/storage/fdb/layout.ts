/**
 * The bytes of the FoundationDB store: one subspace (the prefix and a NUL), one letter per table.
 *
 *   m                           format, identity, eras (JSON)
 *   c <key>                     the current record
 *   w <key>                     its state word: what conditions read, written only when it changes
 *   o <key> 00 <place>          a superseded record, under the place of the change that replaced it
 *   l <place>                   kind:1  timeMs:8  key
 *   b <blob id:17> <chunk:2>    a value above INLINE_BYTES_MAX, in pieces below 100 kB
 *   t                           era and versionstamp of the newest commit: what followers watch
 *   k                           compact revision      x   lease of the server that compacts
 *   q <key>                     a turn on a contended record (contention.ts)
 *   e                           the last commit that changed a tested state (state-changes.ts)
 *   s/h <slot>                  owner of a slot, its last renewal
 *   d <slot> <lane>             the last commit of that slot in that lane
 *
 *   place    era:1  versionstamp:10  slot:1  index:1      FoundationDB fills in the versionstamp
 *   record   began:1  place:13  stateLength:1  state  payload:1  bytes | blob id:17 length:4
 *
 * A slot belongs to one server. Each lane in which that server commits (lanes.ts) has a share of
 * `index` for its mutations, so two commits of one server at one version have different places.
 *
 * An era is a part of the store's life in which commit versions rise. A store that is restored into
 * a cluster with lower versions, or imported, begins a new one (open-store.ts): its places sort
 * after all earlier ones, and its revisions continue above theirs.
 *
 * A write can be stamped in its key or in its value, not in both. A superseded record is stamped in
 * its key. So a record that began and ended in one transaction has SAME_TRANSACTION in the place of
 * its own beginning, with only its index.
 *
 * Damage: a damaged head is noticed if it makes no sense, or if its state is not the one that the
 * checksum of the value was made with (record-codec.ts). No checksum of ours can cover a place,
 * because FoundationDB fills in the versionstamp after the record is made. If damage turns a place
 * into another possible one, only FoundationDB's own checksums of pages can tell.
 *
 * Invariants: places are ordered by (era, version, order in version, slot, index), revisions by
 * (era, version, slot, index). For one key both orders are the same, because two commits at one
 * version never share a key. In the log they may differ, so entries of one version are sorted
 * again. A commit that tested a state precedes the one that changed it in both orders: the latter
 * has LAST_SLOT (state-changes.ts).
 * Bounds: ERAS_MAX eras, SLOTS_MAX slots, COMMIT_LANES lanes, COMMIT_MUTATIONS_MAX mutations in a
 * commit.
 */
import { damagedState } from '../damage.ts';
import { StorageError, revisionZero } from '../storage.ts';
import type { Revision, StoredRecord, StoreKey } from '../storage.ts';
import { STAMP_BYTES } from './binding.ts';

export const FORMAT = 2;
/** What one byte numbers; each move or restore takes one. */
export const ERAS_MAX = 256;
export const SLOTS_MAX = 32;
/** Stands behind all others at its version. A server has it only where there are 32. */
export const LAST_SLOT = SLOTS_MAX - 1;
/** Commits of one server that may be under way at once. */
export const COMMIT_LANES = 2;
/** What seven bits of a revision can number. */
const INDEXES = 128;
/** Mutations of one commit: its lane's share of the numbers. */
export const COMMIT_MUTATIONS_MAX = INDEXES / COMMIT_LANES;
export const INLINE_BYTES_MAX = 16 * 1024;
/** FoundationDB refuses values above 100,000 bytes and likes them much smaller. */
export const CHUNK_BYTES = 80_000;

const ERA_BYTES = 1;
const PLACE_BYTES = ERA_BYTES + STAMP_BYTES + 2;
/** Where in a place the slot stands; the index follows. */
const SLOT_AT = ERA_BYTES + STAMP_BYTES;
const VERSION_BYTES = 8;
export const BLOB_ID_BYTES = 17;
const LOG_HEADER_BYTES = 9;
const OWN_PLACE = 0;
const SAME_TRANSACTION = 1;
const INLINE = 0;
const BLOB = 1;
const PUT = 1;
const DELETE = 2;
const RECORD_PLACE_AT = 1;

export interface Era {
  /** Every commit of this era has a higher version. */
  readonly version: bigint;
  /** What stands for that version in a revision: above every revision of the eras before. */
  readonly base: bigint;
}

export interface RevisionSpace {
  /** The era of commits made now. */
  readonly era: number;
  /** Of a commit in this era. */
  of(version: bigint, slot: number, index: number): Revision;
  ofPlace(place: Buffer): Revision;
  /** The newest revision that the version of this tip can hold. */
  endOfTip(tip: Buffer): Revision;
  /** Sorts before the place of this revision and of every later one, behind the version before. */
  placeFrom(revision: Revision): Buffer;
}

/** Revisions of a store: (version - era.version + era.base) << 12 | slot << 7 | index. */
export function revisionSpace(eras: readonly Era[]): RevisionSpace {
  const now = eras.length - 1;
  const of = (number: number, version: bigint, slot: number, index: number): Revision => {
    const era = eras[number];
    if (era === undefined) throw corrupt('an era');
    return (((version - era.version + era.base) << 12n) | BigInt((slot << 7) | index)) as Revision;
  };
  return {
    era: now,
    of: (version, slot, index) => of(now, version, slot, index),
    ofPlace: (place) =>
      of(
        place[0] as number,
        place.readBigUInt64BE(ERA_BYTES),
        place[SLOT_AT] as number,
        place[SLOT_AT + 1] as number,
      ),
    endOfTip: (tip) => of(tip[0] as number, versionOfTip(tip), LAST_SLOT, INDEXES - 1),
    placeFrom(revision) {
      const step = revision >> 12n;
      const number = Math.max(
        0,
        eras.findLastIndex(({ base }) => base <= step),
      );
      const era = eras[number] as Era;
      return Buffer.concat([Buffer.of(number), versionBytes(step - era.base + era.version)]);
    },
  };
}

/** The value of `t` for a commit with this versionstamp; without one, to be stamped at
 * TIP_STAMP_AT. */
export function tipOf(era: number, stamp: Buffer = Buffer.alloc(STAMP_BYTES)): Buffer {
  return Buffer.concat([Buffer.of(era), stamp]);
}

export const TIP_STAMP_AT = ERA_BYTES;

export function versionOfTip(tip: Buffer): bigint {
  return tip.readBigUInt64BE(ERA_BYTES);
}

/** Of a change that was committed with this versionstamp. */
export function placeOf(era: number, stamp: Buffer, slot: number, index: number): Buffer {
  return Buffer.concat([Buffer.of(era), stamp, Buffer.of(slot, index)]);
}

/** Whether two places were committed at one version. */
export function sameVersion(one: Buffer, other: Buffer): boolean {
  const length = ERA_BYTES + VERSION_BYTES;
  return one.subarray(0, length).equals(other.subarray(0, length));
}

/** The place of a record that was given its revision elsewhere, in an era whose base and version
 * are 0. */
export function placeOfImported(revision: Revision): Buffer {
  const place = Buffer.alloc(PLACE_BYTES);
  place.writeBigUInt64BE(revision >> 12n, ERA_BYTES);
  place[SLOT_AT] = Number((revision >> 7n) & 31n);
  place[SLOT_AT + 1] = Number(revision & 127n);
  return place;
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
  readonly lastStateChange: Buffer;
  /** Where everything of the store starts and ends. */
  readonly all: readonly [Buffer, Buffer];
  /** Where a table starts and ends. */
  table(letter: 'c' | 'w' | 'o' | 'l' | 's' | 'h' | 'q'): readonly [Buffer, Buffer];
  ofSlot(letter: 's' | 'h', slot: number): Buffer;
  lastCommit(slot: number, lane: number): Buffer;
  current(key: string): Buffer;
  state(key: string): Buffer;
  turn(key: string): Buffer;
  turnKeyOf(bytes: Buffer): StoreKey;
  blob(id: Buffer, chunk: number): Buffer;
  blobRange(id: Buffer): readonly [Buffer, Buffer];
  stampedLog(era: number, slot: number, index: number): StampedKey;
  stampedOld(key: string, era: number, slot: number, index: number): StampedKey;
  /** Before every log entry at this place (or start of one) or later. */
  logFrom(place: Buffer): Buffer;
  /** The entry of this place. */
  log(place: Buffer): Buffer;
  /** Behind every log entry of the commit with this tip. */
  logBehind(tip: Buffer): Buffer;
  old(key: string, place: Buffer): Buffer;
  /** Before every superseded record of this key that ended at this place or later. */
  oldFrom(key: string, place: Buffer): Buffer;
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
  const headBytes = root.length + 1;
  const currentHead = at('c');
  const stateHead = at('w');
  const turnHead = at('q');
  const oldHead = at('o');
  const logHead = at('l');
  const stamped = (head: Buffer, era: number, slot: number, index: number): StampedKey => {
    const key = Buffer.allocUnsafe(head.length + PLACE_BYTES);
    head.copy(key);
    key.fill(0, head.length);
    key[head.length] = era;
    key[head.length + SLOT_AT] = slot;
    key[head.length + SLOT_AT + 1] = index;
    return { key, stampAt: head.length + ERA_BYTES };
  };
  const chunk = (id: Buffer, number: number): Buffer =>
    at('b', id, Buffer.of(number >> 8, number & 0xff));
  return {
    meta: at('m'),
    tip: at('t'),
    compactRevision: at('k'),
    compactorLease: at('x'),
    lastStateChange: at('e'),
    all: [root, prefixEnd(root)],
    table: (letter) => [at(letter), at(String.fromCharCode(letter.charCodeAt(0) + 1))],
    ofSlot: (letter, slot) => at(letter, Buffer.of(slot)),
    lastCommit: (slot, lane) => at('d', Buffer.of(slot, lane)),
    current: (key) => withText(currentHead, key),
    state: (key) => withText(stateHead, key),
    turn: (key) => withText(turnHead, key),
    turnKeyOf: (bytes) => bytes.toString('utf8', headBytes) as StoreKey,
    blob: chunk,
    blobRange: (id) => [chunk(id, 0), chunk(id, 0xffff)],
    stampedLog: (era, slot, index) => stamped(logHead, era, slot, index),
    stampedOld: (key, era, slot, index) =>
      stamped(withText(oldHead, key, OLD_KEY_END), era, slot, index),
    logFrom: (place) => at('l', place),
    log: (place) => at('l', place),
    // No slot has this number.
    logBehind: (tip) => at('l', tip, Buffer.of(0xff)),
    old: (key, place) => Buffer.concat([withText(oldHead, key, OLD_KEY_END), place]),
    oldFrom: (key, place) => Buffer.concat([withText(oldHead, key, OLD_KEY_END), place]),
    oldEnd: (key) => withText(oldHead, key, OLD_KEY_AFTER),
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

/** Ends the key in that of a superseded record; no key holds it. */
const OLD_KEY_END = Buffer.of(0);
const OLD_KEY_AFTER = Buffer.of(1);
const nothing = Buffer.alloc(0);

/** One buffer: keys are made several times for each record written. */
function withText(head: Buffer, text: string, tail: Buffer = nothing): Buffer {
  const textBytes = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(head.length + textBytes + tail.length);
  head.copy(bytes);
  bytes.write(text, head.length);
  tail.copy(bytes, head.length + textBytes);
  return bytes;
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
  /** Both as in StoredRecord. */
  readonly damage?: string | undefined;
  readonly decoded?: StoredRecord['decoded'];
}

export function payloadBytes(payload: Payload): number {
  return payload.kind === 'inline' ? payload.bytes.length : payload.length;
}

/** Where a record to be written began: at a known place, or in the transaction that writes it. */
export type Began =
  | { readonly kind: 'place'; readonly place: Buffer }
  | { readonly kind: 'now'; readonly era: number; readonly slot: number; readonly index: number };

/** Where the versionstamp of an encoded record that begins now goes, in `c`. */
export const RECORD_STAMP_AT = RECORD_PLACE_AT + ERA_BYTES;

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
    head[RECORD_PLACE_AT] = began.era;
    head[RECORD_PLACE_AT + SLOT_AT] = began.slot;
    head[RECORD_PLACE_AT + SLOT_AT + 1] = began.index;
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
  const place = placeWhereBegan(bytes, ended);
  const revision = place && revisionAt(revisions, place);
  const payload = decodePayload(bytes, payloadAt);
  if (revision === undefined || payload === undefined) {
    const value = { kind: 'inline', bytes } as const;
    const damage = "the record's head is damaged";
    const certain = { key, revision: revision ?? revisionZero, state: damagedState };
    return { ...certain, payload: value, damage };
  }
  return { key, revision, state: bytes.toString('utf8', stateAt, payloadAt - 1), payload };
}

/** Undefined of a damaged head. `ended` as in decodeRecord. */
export function placeWhereBegan(bytes: Buffer, ended: Buffer | undefined): Buffer | undefined {
  const place = placeOfRecord(bytes);
  if (place.length < PLACE_BYTES) return undefined;
  if (bytes[0] === OWN_PLACE) return place;
  if (bytes[0] !== SAME_TRANSACTION || ended === undefined) return undefined;
  return Buffer.concat([ended.subarray(0, SLOT_AT), place.subarray(SLOT_AT)]);
}

/** Undefined of a place where no commit can have been. */
function revisionAt(revisions: RevisionSpace, place: Buffer): Revision | undefined {
  const [era, slot, index] = [place[0], place[SLOT_AT], place[SLOT_AT + 1]] as const;
  if ((era ?? ERAS_MAX) > revisions.era) return undefined;
  if ((slot ?? SLOTS_MAX) >= SLOTS_MAX || (index ?? INDEXES) >= INDEXES) return undefined;
  const revision = revisions.ofPlace(place);
  return revision > revisionZero ? revision : undefined;
}

function decodePayload(bytes: Buffer, at: number): Payload | undefined {
  const kind = bytes[at - 1];
  if (kind === INLINE) return { kind: 'inline', bytes: bytes.subarray(at) };
  if (kind !== BLOB || bytes.length !== at + BLOB_ID_BYTES + 4) return undefined;
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

/** An entry as it stands in the log. */
export interface LogEntryAt extends LogEntry {
  readonly revision: Revision;
  /** In the key of the entry, and of the superseded record. */
  readonly place: Buffer;
}

export function encodeLogEntry(kind: 'put' | 'delete', timeMs: number, key: string): Buffer {
  const bytes = Buffer.allocUnsafe(LOG_HEADER_BYTES + Buffer.byteLength(key));
  bytes[0] = kind === 'put' ? PUT : DELETE;
  bytes.writeDoubleBE(timeMs, 1);
  bytes.write(key, LOG_HEADER_BYTES);
  return bytes;
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
