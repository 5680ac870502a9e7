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
 * Invariants: what encodeRecord() made is read by decodeRecord() under the same key and state, for
 * as long as the key is among those that read. A record that no key reads is `corrupt`: it fails
 * the requests that need it, and nothing else. A record is written with the first key, or plain.
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
  /** `bound`: what the bytes belong to: nothing else's, where this kind of key can do that. */
  encrypt(plain: Uint8Array, bound: string): Uint8Array;
  /** Undefined: this key did not make it of that. */
  decrypt(bytes: Uint8Array, bound: string): Uint8Array | undefined;
}

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
  /** @throws StorageError `corrupt`. */
  readonly decodeRecord: (stored: StoredValue) => ObjectRecord;
  /** Whether the record would be written with another key now than with that of this label.
   * Absent: never. */
  readonly isStale?: ((key: StoreKey, encryptedBy: string | undefined) => boolean) | undefined;
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
      const value = encrypted(put.value, place, writer);
      const { decoded } = put;
      return { value, withRoom: undefined, decoded, encryptedBy: writer.label };
    },
    decodeRecord(stored) {
      const { damage, decoded, key, value } = stored;
      if (decoded !== undefined || damage !== undefined) return decodeRecord(stored);
      const keys = encryption.keysOf(key);
      if (isChecked(value, ENCRYPTED_FORMAT)) return decrypted(stored, keys);
      if (!keys.includes(plain)) throw unreadable('no key reads what is not encrypted');
      return decodeRecord(stored);
    },
    isStale: (key, encryptedBy) => writerOf(key)?.label !== encryptedBy,
  };
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
    if (value === undefined) continue;
    const record = decodeRecord({ key, state, value });
    return { ...record, encryptedBy: label };
  }
  throw unreadable(isKnown ? `not made by a key named ${label}` : `no key is named ${label}`);
}

function unreadable(why: string): StorageError {
  return new StorageError('corrupt', `the record cannot be decrypted: ${why}`);
}

/** A record that was put in another's place is not that one's. */
function boundTo({ key, state }: RecordIdentity): string {
  return `${key}\0${state}`;
}
