/**
 * The messages of a key service (`v2.KeyManagementService`) in Protobuf: a few texts and bytes.
 *
 *     Status   {}                                          ▶ { 1 version, 2 healthz, 3 key id }
 *     Encrypt  { 1 plain, 2 uid }                          ▶ { 1 sealed, 2 key id, 3 annotations }
 *     Decrypt  { 1 sealed, 2 uid, 3 key id, 4 annotations } ▶ { 1 plain }
 *
 * Invariants: fields that are not known are passed over; of one that comes twice the last counts.
 * What is no such message throws, and nothing is read behind the end of the bytes.
 */
import { isUtf8 } from 'node:buffer';

export interface ServiceStatus {
  readonly version: string;
  readonly healthz: string;
  readonly keyId: string;
}

/** What a key service has made of a seed, and what it wants to see with it again. */
export interface SealedSeed {
  readonly ciphertext: Buffer;
  readonly keyId: string;
  /** In the order of their names. */
  readonly annotations: readonly (readonly [name: string, value: Buffer])[];
}

export const statusRequest = Buffer.alloc(0);

export function encryptRequest(plain: Buffer, uid: string): Buffer {
  return Buffer.concat([field(1, plain), field(2, Buffer.from(uid))]);
}

/** `sealed`: as sealedSeedBytes() makes it; the order of fields is the writer's to choose. */
export function decryptRequest(sealed: Buffer, uid: string): Buffer {
  return Buffer.concat([sealed, field(2, Buffer.from(uid))]);
}

/** All of a Decrypt but its uid: what has to be kept to have the seed again. */
export function sealedSeedBytes({ annotations, ciphertext, keyId }: SealedSeed): Buffer {
  const entries = annotations.map(([name, value]) =>
    field(4, Buffer.concat([field(1, Buffer.from(name)), field(2, value)])),
  );
  return Buffer.concat([field(1, ciphertext), field(3, Buffer.from(keyId)), ...entries]);
}

/** @throws Error when they are none. */
export function readSealedSeed(bytes: Buffer): SealedSeed {
  return readSeed(bytes, { ciphertext: 1, keyId: 3, annotations: 4 });
}

/** @throws Error. */
export function readEncryptResponse(bytes: Buffer): SealedSeed {
  return readSeed(bytes, { ciphertext: 1, keyId: 2, annotations: 3 });
}

/** @throws Error. */
export function readDecryptResponse(bytes: Buffer): Buffer {
  return lastOf(fieldsOf(bytes), 1);
}

/** @throws Error. */
export function readStatusResponse(bytes: Buffer): ServiceStatus {
  const fields = fieldsOf(bytes);
  const [version, healthz, keyId] = [1, 2, 3].map((number) => textOf(lastOf(fields, number)));
  return { version: version ?? '', healthz: healthz ?? '', keyId: keyId ?? '' };
}

function readSeed(bytes: Buffer, numbers: Readonly<Record<keyof SealedSeed, number>>): SealedSeed {
  const fields = fieldsOf(bytes);
  const annotations = new Map<string, Buffer>();
  for (const { number, value } of fields) {
    if (number !== numbers.annotations) continue;
    const entry = fieldsOf(value);
    annotations.set(textOf(lastOf(entry, 1)), lastOf(entry, 2));
  }
  return {
    ciphertext: lastOf(fields, numbers.ciphertext),
    keyId: textOf(lastOf(fields, numbers.keyId)),
    annotations: [...annotations].sort(([a], [b]) => (a < b ? -1 : 1)),
  };
}

interface Field {
  readonly number: number;
  readonly value: Buffer;
}

const nothing = Buffer.alloc(0);

function lastOf(fields: readonly Field[], number: number): Buffer {
  return fields.findLast((each) => each.number === number)?.value ?? nothing;
}

function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Error('a text is not UTF-8');
  return bytes.toString();
}

const wire = { varint: 0, bits64: 1, bytes: 2, bits32: 5 } as const;

/** Those that have bytes. */
function fieldsOf(bytes: Buffer): readonly Field[] {
  const fields: Field[] = [];
  const cursor = { bytes, at: 0 };
  while (cursor.at < bytes.length) {
    const tag = varint(cursor);
    const number = Math.floor(tag / 8);
    switch (tag % 8) {
      case wire.varint:
        varint(cursor);
        break;
      case wire.bits64:
        taken(cursor, 8);
        break;
      case wire.bits32:
        taken(cursor, 4);
        break;
      case wire.bytes:
        fields.push({ number, value: taken(cursor, varint(cursor)) });
        break;
      default:
        throw new Error('a field is of no known form');
    }
  }
  return fields;
}

interface Cursor {
  readonly bytes: Buffer;
  at: number;
}

function taken(cursor: Cursor, length: number): Buffer {
  const end = cursor.at + length;
  if (end > cursor.bytes.length) throw new Error('a field is cut short');
  const value = cursor.bytes.subarray(cursor.at, end);
  cursor.at = end;
  return value;
}

const varintBytesMax = 10;

function varint(cursor: Cursor): number {
  let value = 0;
  for (let index = 0; index < varintBytesMax; index += 1) {
    const byte = cursor.bytes[cursor.at];
    if (byte === undefined) throw new Error('a number is cut short');
    cursor.at += 1;
    value += (byte & 0x7f) * 0x80 ** index;
    if (byte < 0x80) return value;
  }
  throw new Error('a number has no end');
}

function field(number: number, value: Buffer): Buffer {
  return Buffer.concat([Buffer.of(number * 8 + wire.bytes), lengthBytes(value.length), value]);
}

function lengthBytes(length: number): Buffer {
  const bytes: number[] = [];
  let rest = length;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.of(...bytes, rest);
}
