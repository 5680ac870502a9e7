/**
 * The file of an export: a stream of bytes, written and read a page at a time.
 *
 *   line      sluice-export {"format":1,"identity":"svc","revision":"42","compactRevision":"7"} \n
 *   records   length:4 ( revision:8  keyLength:2  key  stateLength:1  state  value )   in key order
 *   trailer   00000000  count:8  SHA-256 of everything before:32
 *
 * Numbers are big-endian; `length` counts what stands in the parentheses and is never 0. The first
 * line can be read with `head -1`. Values are the stored envelopes (record-codec.ts) as they are.
 *
 * Invariant: an import is finished only when the trailer agrees with all that was read and nothing
 * follows it; a file that was cut, altered or extended leaves an empty place behind.
 * Bounds: one record more than `importPage` in memory; a header line of HEADER_BYTES_MAX.
 */
import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { compareKeys } from './key-order.ts';
import { StorageError, storageLimits } from './storage.ts';
import type { Revision, StoredRecord, StoreKey } from './storage.ts';
import { importPage } from './transfer.ts';
import type { StoreExport, StoreImport, TransferHeader } from './transfer.ts';

const MAGIC = 'sluice-export ';
const FORMAT = 1;
const HEADER_BYTES_MAX = 4096;
const LENGTH_BYTES = 4;
const FIXED_BYTES = 8 + 2 + 1;
const RECORD_BYTES_MAX =
  FIXED_BYTES +
  storageLimits.keyBytesMax +
  storageLimits.stateBytesMax +
  storageLimits.valueBytesMax;
const COUNT_BYTES = 8;
const HASH_BYTES = 32;
const REVISION_MAX = 2n ** 63n - 1n;

export interface TransferReport {
  readonly header: TransferHeader;
  readonly recordsCount: number;
}

/** The bytes of an export, in pieces. */
export async function* exportBytes(
  source: StoreExport,
): AsyncGenerator<Buffer, TransferReport, undefined> {
  const { header } = source;
  const hash = createHash('sha256');
  const hashed = (bytes: Buffer): Buffer => {
    hash.update(bytes);
    return bytes;
  };
  yield hashed(encodeHeader(header));
  let recordsCount = 0;
  let after: StoreKey | undefined;
  for (let more = true; more;) {
    const page = await source.page(after);
    for (const { key, damage } of page.records) {
      if (damage !== undefined) throw unexportable(key, damage);
    }
    if (page.records.length > 0) yield hashed(Buffer.concat(page.records.flatMap(encodeRecord)));
    recordsCount += page.records.length;
    after = page.records.at(-1)?.key ?? after;
    more = page.more;
  }
  const end = Buffer.alloc(LENGTH_BYTES + COUNT_BYTES);
  end.writeBigUInt64BE(BigInt(recordsCount), LENGTH_BYTES);
  yield hashed(end);
  yield hash.digest();
  return { header, recordsCount };
}

/** Reads an export into an empty place; `identity`, when given, must be that of the file.
 * @throws StorageError `corrupt` or `identity` for the file, and whatever the place throws. */
export async function importBytes(
  pieces: AsyncIterable<Uint8Array>,
  target: StoreImport,
  options: { readonly force: boolean; readonly identity?: string | undefined },
): Promise<TransferReport> {
  const reader = createReader(pieces);
  try {
    const header = decodeHeader(await reader.line());
    if (options.identity !== undefined && options.identity !== header.identity) {
      throw new StorageError(
        'identity',
        `the export was made under identity "${header.identity}", not "${options.identity}"`,
      );
    }
    await target.begin(header, { force: options.force });
    try {
      const recordsCount = await importRecords(reader, header, target);
      await target.finish();
      return { header, recordsCount };
    } catch (error) {
      // What cannot be taken back stays marked as unfinished; the first failure is reported.
      await target.abort().catch(() => undefined);
      throw error;
    }
  } finally {
    await reader.close();
  }
}

/** Everything up to the trailer, which it checks. */
async function importRecords(
  reader: Reader,
  header: TransferHeader,
  target: StoreImport,
): Promise<number> {
  let page: StoredRecord[] = [];
  let pageBytes = 0;
  let count = 0;
  let before: StoreKey | undefined;
  for (;;) {
    const length = (await reader.take(LENGTH_BYTES)).readUInt32BE();
    if (length === 0) break;
    if (length < FIXED_BYTES || length > RECORD_BYTES_MAX) throw damaged('the length of a record');
    const record = decodeRecord(await reader.take(length), header.revision);
    if (before !== undefined && compareKeys(before, record.key) >= 0) {
      throw damaged(`the order of the records at ${record.key}`);
    }
    before = record.key;
    if (page.length === importPage.recordsMax || pageBytes + length > importPage.bytesMax) {
      if (page.length > 0) await target.put(page);
      page = [];
      pageBytes = 0;
    }
    page.push(record);
    pageBytes += length;
    count += 1;
  }
  const statedCount = (await reader.take(COUNT_BYTES)).readBigUInt64BE();
  const sum = reader.sum();
  if (statedCount !== BigInt(count))
    throw damaged(`the number of records (${count}, not ${statedCount})`);
  if (!(await reader.take(HASH_BYTES)).equals(sum)) throw damaged('the checksum');
  if (!(await reader.ended())) throw unusable('something follows its end');
  if (page.length > 0) await target.put(page);
  return count;
}

function encodeHeader({ identity, revision, compactRevision }: TransferHeader): Buffer {
  const fields = {
    format: FORMAT,
    identity,
    revision: String(revision),
    compactRevision: String(compactRevision),
  };
  return Buffer.from(`${MAGIC}${JSON.stringify(fields)}\n`);
}

function decodeHeader(line: string): TransferHeader {
  if (!line.startsWith(MAGIC)) throw noExport();
  let fields: Readonly<Record<string, unknown>>;
  try {
    fields = JSON.parse(line.slice(MAGIC.length)) as typeof fields;
  } catch {
    throw damaged('its first line');
  }
  if (fields.format !== FORMAT) {
    const message = `the export has format ${String(fields.format)}; this build reads ${FORMAT}`;
    throw new StorageError('identity', message);
  }
  const { identity } = fields;
  if (typeof identity !== 'string' || identity === '') throw damaged('its first line');
  return {
    identity,
    revision: decodeRevision(fields.revision),
    compactRevision: decodeRevision(fields.compactRevision),
  };
}

function decodeRevision(text: unknown): Revision {
  if (typeof text !== 'string' || !/^\d{1,19}$/.test(text)) throw damaged('its first line');
  const revision = BigInt(text);
  if (revision > REVISION_MAX) throw damaged('its first line');
  return revision as Revision;
}

function encodeRecord({ key, revision, state, value }: StoredRecord): readonly Uint8Array[] {
  const keyBytes = Buffer.from(key);
  const stateBytes = Buffer.from(state);
  const head = Buffer.alloc(LENGTH_BYTES + 8 + 2);
  head.writeUInt32BE(FIXED_BYTES + keyBytes.length + stateBytes.length + value.byteLength);
  head.writeBigUInt64BE(revision, LENGTH_BYTES);
  head.writeUInt16BE(keyBytes.length, LENGTH_BYTES + 8);
  return [head, keyBytes, Buffer.of(stateBytes.length), stateBytes, value];
}

function decodeRecord(bytes: Buffer, newest: Revision): StoredRecord {
  const revision = bytes.readBigUInt64BE() as Revision;
  const keyEnd = 10 + bytes.readUInt16BE(8);
  const stateEnd = keyEnd + 1 + (bytes[keyEnd] ?? 0);
  const fits =
    keyEnd > 10 &&
    keyEnd - 10 <= storageLimits.keyBytesMax &&
    stateEnd - keyEnd - 1 <= storageLimits.stateBytesMax &&
    stateEnd <= bytes.length &&
    bytes.length - stateEnd <= storageLimits.valueBytesMax;
  if (!fits) throw damaged('the lengths in a record');
  const key = bytes.toString('utf8', 10, keyEnd) as StoreKey;
  if (revision <= 0n || revision > newest) throw damaged(`the revision of ${key}`);
  return {
    key,
    revision,
    state: bytes.toString('utf8', keyEnd + 1, stateEnd),
    value: bytes.subarray(stateEnd),
  };
}

interface Reader {
  line(): Promise<string>;
  /** Exactly so many bytes. @throws StorageError `corrupt` when the file ends before. */
  take(length: number): Promise<Buffer>;
  /** Of everything taken so far. */
  sum(): Buffer;
  ended(): Promise<boolean>;
  close(): Promise<void>;
}

function createReader(pieces: AsyncIterable<Uint8Array>): Reader {
  const source = pieces[Symbol.asyncIterator]();
  const hash: Hash = createHash('sha256');
  let waiting: Buffer[] = [];
  let waitingBytes = 0;

  async function fill(length: number): Promise<boolean> {
    while (waitingBytes < length) {
      const next = await source.next();
      if (next.done === true) return false;
      const piece = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
      waiting.push(piece);
      waitingBytes += piece.length;
    }
    return true;
  }

  function cut(length: number): Buffer {
    const whole = waiting.length === 1 ? (waiting[0] as Buffer) : Buffer.concat(waiting);
    const taken = whole.subarray(0, length);
    waiting = [whole.subarray(length)];
    waitingBytes = whole.length - length;
    hash.update(taken);
    return taken;
  }

  async function take(length: number): Promise<Buffer> {
    if (await fill(length)) return cut(length);
    throw unusable('the file was cut short');
  }

  return {
    async line() {
      for (let length = 1; length <= HEADER_BYTES_MAX; length += 1) {
        if (!(await fill(length))) break;
        const whole = Buffer.concat(waiting);
        const end = whole.indexOf('\n');
        if (end >= 0 && end < HEADER_BYTES_MAX) return cut(end + 1).toString();
        length = Math.max(length, whole.length);
      }
      throw noExport();
    },
    take,
    sum: () => hash.copy().digest(),
    ended: async () => !(await fill(1)),
    async close() {
      await source.return?.();
    },
  };
}

function unexportable(key: StoreKey, damage: string): StorageError {
  const message = `${key} cannot be exported: ${damage}; \`sluice verify\` names all such records`;
  return new StorageError('corrupt', message);
}

function noExport(): StorageError {
  return new StorageError('corrupt', 'this is no export of a store: its first line is missing');
}

function damaged(what: string): StorageError {
  return unusable(`${what} is wrong`);
}

function unusable(why: string): StorageError {
  return new StorageError('corrupt', `the export cannot be used: ${why}`);
}
