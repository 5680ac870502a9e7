/**
 * Records that are encrypted on the medium: which key writes and which keys read those of a
 * resource is asked of a RecordEncryption; everything else of the server sees plain records.
 *
 *   [ 3, crc, label, bytes ]
 *
 * `bytes` is what the key made of the record as record-codec.ts writes it, so labels and fields to
 * select by are encrypted with the object; key, state and revision of the record are not. `label`
 * names the key: `k8s:enc:aesgcm:v1:key1:`. `crc` is that of record-codec.ts: a byte that changed
 * on the medium is told from a key that does not fit.
 *
 * A key may have to be asked for first (`fetched`): fetching-storage.ts does so before it hands a
 * record on, because everything here is done at once.
 *
 * Invariants: what encodeRecord() made is read by decodeRecord() under the same key and state, for
 * as long as the key is among those that read. A record that no key reads is `corrupt`: it fails
 * the requests that need it, and nothing else; so does one whose key may yet come, which is `away`
 * until then. A record is written with the first key, or plain.
 */
import {
  CHECKED_FROM,
  ENCRYPTED_FORMAT,
  UINT32,
  decodeRecord,
  encodeRecord,
  isChecked,
  recordToPut,
  sealed,
  verifyChecksum,
  viewOf,
} from './record-codec.ts';
import type { RecordIdentity, RecordToPut } from './record-codec.ts';
import type { ObjectRecord } from './record.ts';
import { StorageError } from './storage.ts';
import type { StoredRecord, StoreKey } from './storage.ts';

/** One secret key, and how it is used. */
export interface RecordKey {
  /** Names kind and key, in less than 64 KiB: several keys may share it. */
  readonly label: string;
  /** `bound`: what the bytes belong to: nothing else's, where this kind of key can do that.
   * @throws Error where nothing can be encrypted. */
  encrypt(plain: Uint8Array, bound: string): Uint8Array;
  /** Undefined: this key did not make it of that. */
  decrypt(bytes: Uint8Array, bound: string): Uint8Array | undefined;
  /** Undefined: the key is at hand, and one. */
  readonly fetched?: FetchedKeys | undefined;
}

/** Keys that somebody else keeps: there are several under one label, and not all are here. */
export interface FetchedKeys {
  /** Which of them writes now, by name. */
  now(): string;
  /** Which of them made this. */
  nameOf(bytes: Buffer): string;
  /** Why nothing should be written now; undefined: it may. `canWait`: somebody asks for it; else
   * it goes with the writes of others, and is refused only where nothing can be encrypted. */
  refusal(canWait: boolean): string | undefined;
  /** Undefined: whatever can be known of its key is. Never rejects. */
  fetch(bytes: Buffer, patience: KeyPatience): Promise<void> | undefined;
  /** Whether its key is not here, and may yet come. */
  isAwaited(bytes: Buffer): boolean;
}

/** How long who needs a key waits for it: for as long as it may yet come; for one answer; or for
 * one answer, but for none where it is known that none would come. */
export type KeyPatience = 'patient' | 'once' | 'if-well';

/** Plain records among the keys of a resource. */
export const plain = 'plain';

export interface RecordEncryption {
  /** The first one writes, all read. Never empty. */
  keysOf(key: StoreKey): readonly (RecordKey | typeof plain)[];
}

type StoredValue = RecordIdentity & Pick<StoredRecord, 'value' | 'damage' | 'decoded'>;

/** How records become bytes, and bytes records. */
export interface RecordCodec {
  readonly encodeRecord: (record: ObjectRecord, place: RecordIdentity) => Uint8Array;
  readonly recordToPut: (record: ObjectRecord, place: RecordIdentity) => RecordToPut;
  /** @throws StorageError `corrupt`; `away` where its key is not here, and may yet come. */
  readonly decodeRecord: (stored: StoredValue) => ObjectRecord;
  /** Whether the record would be written with another key now than with that of this label.
   * Absent: never. */
  readonly isStale?: ((key: StoreKey, encryptedBy: string | undefined) => boolean) | undefined;
  /** As FetchedKeys.fetch() of the record's key. Absent: all keys are at hand. */
  readonly fetchKey?:
    ((stored: StoredValue, patience: KeyPatience) => Promise<void> | undefined) | undefined;
  /** Whether that may be asked of a record of this key. */
  readonly mayFetch?: ((key: StoreKey) => boolean) | undefined;
  /** Why encodeRecord() would throw for this key; undefined: it does not. Absent: never. */
  readonly whyUnwritable?: ((key: StoreKey) => string | undefined) | undefined;
}

/** Nothing is encrypted. */
export const plainRecords: RecordCodec = {
  encodeRecord,
  recordToPut,
  decodeRecord,
};

const ARRAY_OF_FOUR = 0x94;
const TEXT16 = 0xda;
const BYTES32 = 0xc6;

export function encryptedRecords(encryption: RecordEncryption): RecordCodec {
  const writerOf = (key: StoreKey): RecordKey | undefined => {
    const first = encryption.keysOf(key)[0];
    return first === plain ? undefined : first;
  };
  const encode = (record: ObjectRecord, place: RecordIdentity): Uint8Array => {
    const bytes = encodeRecord(record, place);
    const writer = writerOf(place.key);
    return writer === undefined ? bytes : encrypted(bytes, place, writer);
  };
  return {
    encodeRecord: encode,
    recordToPut(record, place) {
      const put = recordToPut(record, place);
      const writer = writerOf(place.key);
      if (writer === undefined) return put;
      const why = writer.fetched?.refusal(true);
      if (why !== undefined) throw new Error(why);
      const value = encrypted(put.value, place, writer);
      const { decoded } = put;
      return { value, withRoom: undefined, decoded, encryptedBy: nameOfWriter(writer) };
    },
    decodeRecord(stored) {
      const { damage, decoded, key, value } = stored;
      if (decoded !== undefined || damage !== undefined) return decodeRecord(stored);
      const keys = encryption.keysOf(key);
      if (isChecked(value, ENCRYPTED_FORMAT)) return decrypted(stored, keys);
      if (!keys.includes(plain)) throw unreadable('no key reads what is not encrypted');
      return decodeRecord(stored);
    },
    isStale(key, encryptedBy) {
      const writer = writerOf(key);
      return (writer && nameOfWriter(writer)) !== encryptedBy;
    },
    fetchKey(stored, patience) {
      if (stored.decoded !== undefined || stored.damage !== undefined) return undefined;
      if (!isChecked(stored.value, ENCRYPTED_FORMAT)) return undefined;
      const keys = encryption.keysOf(stored.key);
      if (!keys.some(isFetched)) return undefined;
      const parts = partsIfWhole(stored);
      const one = parts && keys.filter(isFetched).find(({ label }) => label === parts.label);
      return parts && one?.fetched?.fetch(parts.bytes, patience);
    },
    mayFetch: (key) => encryption.keysOf(key).some(isFetched),
    whyUnwritable: (key) => writerOf(key)?.fetched?.refusal(false),
  };
}

function nameOfWriter({ fetched, label }: RecordKey): string {
  return fetched?.now() ?? label;
}

function isFetched(key: RecordKey | typeof plain): key is RecordKey {
  return key !== plain && key.fetched !== undefined;
}

/** Undefined of a damaged record: who decodes it says so. */
function partsIfWhole(stored: StoredValue): ReturnType<typeof partsOf> | undefined {
  try {
    return partsOf(stored);
  } catch {
    return undefined;
  }
}

/** @throws StorageError `corrupt`: it was damaged. Only of an encrypted record. */
export function labelOfEncrypted(stored: StoredValue): string | undefined {
  const { value } = stored;
  return isChecked(value, ENCRYPTED_FORMAT) ? partsOf(stored).label : undefined;
}

function encrypted(plainBytes: Uint8Array, place: RecordIdentity, key: RecordKey): Buffer {
  const label = Buffer.from(key.label);
  const bytes = key.encrypt(plainBytes, boundTo(place));
  const labelAt = CHECKED_FROM + 3;
  const bytesAt = labelAt + label.length + 5;
  const record = Buffer.allocUnsafe(bytesAt + bytes.length);
  record[0] = ARRAY_OF_FOUR;
  record[1] = ENCRYPTED_FORMAT;
  record[2] = UINT32;
  record[CHECKED_FROM] = TEXT16;
  record.writeUInt16BE(label.length, CHECKED_FROM + 1);
  record.set(label, labelAt);
  record[bytesAt - 5] = BYTES32;
  record.writeUInt32BE(bytes.length, bytesAt - 4);
  record.set(bytes, bytesAt);
  return sealed(record, place);
}

function partsOf(stored: StoredValue): { readonly label: string; readonly bytes: Buffer } {
  const record = viewOf(stored.value);
  verifyChecksum(record, stored);
  const labelAt = CHECKED_FROM + 3;
  const labelEnd = record.length < labelAt ? 0 : labelAt + record.readUInt16BE(CHECKED_FROM + 1);
  const bytesAt = labelEnd + 5;
  const isWhole =
    record[0] === ARRAY_OF_FOUR &&
    record[CHECKED_FROM] === TEXT16 &&
    record.length >= bytesAt &&
    record[labelEnd] === BYTES32 &&
    record.readUInt32BE(labelEnd + 1) === record.length - bytesAt;
  if (!isWhole) throw new StorageError('corrupt', 'the encrypted record is not as it is written');
  return { label: record.toString('utf8', labelAt, labelEnd), bytes: record.subarray(bytesAt) };
}

function decrypted(stored: StoredValue, keys: readonly (RecordKey | typeof plain)[]): ObjectRecord {
  const { key, state } = stored;
  const { bytes, label } = partsOf(stored);
  let isKnown = false;
  for (const one of keys) {
    if (one === plain || one.label !== label) continue;
    isKnown = true;
    const value = one.decrypt(bytes, boundTo(stored));
    if (value === undefined) {
      if (one.fetched?.isAwaited(bytes) === true) throw awaited(label);
      continue;
    }
    const record = decodeRecord({ key, state, value });
    return { ...record, encryptedBy: one.fetched?.nameOf(bytes) ?? label };
  }
  throw unreadable(isKnown ? `not made by a key named ${label}` : `no key is named ${label}`);
}

function awaited(label: string): StorageError {
  const message = `the record cannot be decrypted yet: the key service of ${label} is away`;
  return new StorageError('away', message);
}

function unreadable(why: string): StorageError {
  return new StorageError('corrupt', `the record cannot be decrypted: ${why}`);
}

/** A record that was put in another's place is not that one's. */
function boundTo({ key, state }: RecordIdentity): string {
  return `${key}\0${state}`;
}
