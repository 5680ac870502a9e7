/**
 * The frames between a store server and its clients.
 *
 *   [ operation, 1 byte ][ id, 4 bytes ][ payload: the value in CBOR, by cbor-x ]
 *
 * Both ends are the same build, so nothing has a version.
 *
 * Records and changes travel as rows, without the names of their fields: pages are what is sent
 * most. The bytes of a received record are a view into its frame.
 */
import { Encoder } from 'cbor-x';
import { messageOf } from '../../stdx/message-of.ts';
import { StorageError } from '../storage.ts';
import type {
  AtRevision,
  Change,
  ChangePage,
  Mutation,
  Revision,
  ScanPage,
  StorageErrorCode,
  StoredRecord,
  StoreKey,
} from '../storage.ts';

/** What a frame is about. Requests carry an id of the client's; what answers them repeats it. */
export const operations = {
  read: 1,
  scan: 2,
  changes: 3,
  revision: 4,
  compactRevision: 5,
  compact: 6,
  commit: 7,
  tail: 8,
  credit: 9,
  endTail: 10,
  answer: 11,
  error: 12,
  page: 13,
  /** The store takes no more writes; id 0. */
  failure: 14,
} as const;

export type Operation = (typeof operations)[keyof typeof operations];

export interface ReadRequest {
  readonly key: StoreKey;
  readonly at: Revision | undefined;
}

export interface ScanRequest {
  readonly prefix: string;
  readonly after: StoreKey | undefined;
  readonly limit: number;
  readonly at: Revision | undefined;
}

export interface ChangesRequest {
  readonly after: Revision;
  readonly limit: number;
  readonly previous: boolean;
}

/** Pages that the client has taken since it said so last. */
export interface Credit {
  readonly pages: number;
  readonly bytes: number;
}

export interface Frame {
  readonly operation: Operation;
  readonly id: number;
  /** A view into the frame. */
  readonly payload: Uint8Array;
}

const headBytes = 5;

/** Standard CBOR: bytes are byte strings and stay views into the frame, objects are maps, and a
 * revision, a bigint, comes back as one. */
const cbor = new Encoder({ useRecords: false, tagUint8Array: false, copyBuffers: false });
const serialize = (value: unknown): Uint8Array => cbor.encode(value);
const deserialize = (payload: Uint8Array): unknown => cbor.decode(payload);

export function frameHead(operation: Operation, id: number): Uint8Array {
  const head = Buffer.allocUnsafe(headBytes);
  head.writeUInt8(operation, 0);
  head.writeUInt32LE(id, 1);
  return head;
}

export function parseFrame(bytes: Uint8Array): Frame {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    operation: view.readUInt8(0) as Operation,
    id: view.readUInt32LE(1),
    payload: view.subarray(headBytes),
  };
}

export function encode(value: unknown): Uint8Array {
  return serialize(value);
}

/** The caller says what it is: the frame's operation told it. */
export function decode(payload: Uint8Array): unknown {
  return deserialize(payload);
}

export function encodeError(error: unknown): Uint8Array {
  const code: StorageErrorCode = error instanceof StorageError ? error.code : 'io';
  return serialize([code, messageOf(error)]);
}

export function decodeError(payload: Uint8Array): StorageError {
  const [code, message] = deserialize(payload) as [StorageErrorCode, string];
  return new StorageError(code, message);
}

type RecordRow = readonly [StoreKey, Revision, string, Uint8Array, damage?: string | undefined];
type ChangeRow = readonly [
  revision: Revision,
  key: StoreKey,
  timeMs: number,
  state: string | undefined,
  value: Uint8Array | undefined,
  previous: RecordRow | undefined,
  damage?: string | undefined,
];

function recordRow({ key, revision, state, value, damage }: StoredRecord): RecordRow {
  return damage === undefined
    ? [key, revision, state, value]
    : [key, revision, state, value, damage];
}

function recordOf([key, revision, state, value, damage]: RecordRow): StoredRecord {
  const record = { key, revision, state, value };
  return damage === undefined ? record : { ...record, damage };
}

function changeRow({ revision, key, timeMs, record, previous }: Change): ChangeRow {
  const old = previous === undefined ? undefined : recordRow(previous);
  const row = [revision, key, timeMs, record?.state, record?.value, old] as const;
  return record?.damage === undefined ? row : [...row, record.damage];
}

function changeOf([revision, key, timeMs, state, value, old, damage]: ChangeRow): Change {
  const record =
    state === undefined || value === undefined
      ? undefined
      : recordOf([key, revision, state, value, damage]);
  const previous = old === undefined ? undefined : recordOf(old);
  return { revision, key, kind: record === undefined ? 'delete' : 'put', timeMs, record, previous };
}

export function encodePage({ changes, through }: ChangePage): Uint8Array {
  return serialize([through, changes.map(changeRow)]);
}

export function decodePage(payload: Uint8Array): ChangePage {
  const [through, rows] = deserialize(payload) as [Revision, ChangeRow[]];
  return { changes: rows.map(changeOf), through };
}

/** A refusal travels as it is; what was read, as `toRow` makes it. */
type AtRow = readonly ['ok', unknown] | readonly ['not', Exclude<AtRevision<never>, 'ok'>];

export function encodeAt<T>(result: AtRevision<T>, toRow: (value: T) => unknown): Uint8Array {
  const row: AtRow = result.kind === 'ok' ? ['ok', toRow(result.value)] : ['not', result];
  return serialize(row);
}

export function decodeAt<T>(payload: Uint8Array, fromRow: (row: never) => T): AtRevision<T> {
  const [kind, value] = deserialize(payload) as AtRow;
  return kind === 'ok' ? { kind, value: fromRow(value as never) } : value;
}

export const recordCodec = {
  toRow: (record: StoredRecord | undefined): unknown =>
    record === undefined ? undefined : recordRow(record),
  /** Actors keep what they read for a while: a copy, so that they do not keep the frame. */
  fromRow: (row: RecordRow | undefined): StoredRecord | undefined =>
    row === undefined ? undefined : { ...recordOf(row), value: Buffer.from(row[3]) },
};

export const scanCodec = {
  toRow: (page: ScanPage): unknown => [page.records.map(recordRow), page.revision, page.more],
  fromRow: ([rows, revision, more]: [RecordRow[], Revision, boolean]): ScanPage => ({
    records: rows.map(recordOf),
    revision,
    more,
  }),
};

export const changesCodec = {
  toRow: (page: ChangePage): unknown => [page.through, page.changes.map(changeRow)],
  fromRow: ([through, rows]: [Revision, ChangeRow[]]): ChangePage => ({
    changes: rows.map(changeOf),
    through,
  }),
};

/** Only what the contract names: adapters' mutations may carry more. */
export function encodeMutations(mutations: readonly Mutation[]): Uint8Array {
  return serialize(
    mutations.map(({ key, companions = [], expect, conditions, follows, operation }) => {
      const own = [key, expect, conditions, operation];
      if (follows !== undefined) return [...own, companions, follows];
      return companions.length === 0 ? own : [...own, companions];
    }),
  );
}

type MutationRow = [
  Mutation['key'],
  Mutation['expect'],
  Mutation['conditions'],
  Mutation['operation'],
  companions?: Mutation['companions'],
  follows?: Mutation['follows'],
];

export function decodeMutations(payload: Uint8Array): readonly Mutation[] {
  const rows = deserialize(payload) as MutationRow[];
  return rows.map(([key, expect, conditions, operation, companions, follows]) => ({
    key,
    expect,
    conditions,
    operation,
    companions,
    follows,
  }));
}
