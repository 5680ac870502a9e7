/**
 * Export and import of a FoundationDB store. An export reads one snapshot while servers are
 * running; an import fills a prefix without a store.
 *
 * Neither takes a slot, and neither commits anything that a follower would see.
 *
 * An export renews the compaction lease with every page, so its revision stays readable however
 * long it takes. History grows meanwhile.
 *
 * An imported record keeps its revision: its place is that revision, taken apart, in an era whose
 * base and version are 0 (layout.ts). Later commits go into the era after it.
 *
 * Invariants: every transaction of an import has the marks in its conflict set, so an import that
 * was given up, or replaced by another one, can no longer write. Its writes can be repeated, so
 * retries do no harm.
 */
import type { Prng } from '../../stdx/prng.ts';
import { StorageError, revisionZero } from '../storage.ts';
import type { Revision, StoredRecord } from '../storage.ts';
import {
  exportPageRecordsMax,
  targetNotEmpty,
  exportOvertaken,
  importUnfinished,
} from '../transfer.ts';
import type { StoreExport, StoreImport, TransferHeader } from '../transfer.ts';
import type { FdbDatabase, FdbTransaction } from './binding.ts';
import { scanRecords, viewHistory } from './fdb-reads.ts';
import type { Subspace } from './fdb-reads.ts';
import {
  BLOB_ID_BYTES,
  CHUNK_BYTES,
  FORMAT,
  INLINE_BYTES_MAX,
  createKeys,
  encodeRecord,
  placeOfImported,
  revisionSpace,
  versionBytes,
} from './layout.ts';
import type { Keys, Payload } from './layout.ts';
import { decodeMarks, describeStore, encodeMarks } from './marks.ts';
import type { Marks } from './marks.ts';
import { firstWrite, readStore, writeMarks } from './open-store.ts';
import { COMPACTION_LEASE_MS, OWNER_BYTES, VERSIONS_PER_MS } from './slots.ts';
import { fdbLimits, runRead, runWrite } from './transactions.ts';

export interface FdbTransferOptions {
  /** Closed with the export or import. */
  readonly db: FdbDatabase;
  readonly prefix: string;
  readonly prng: Prng;
}

/** Live servers come first. */
const how = { timeoutMs: fdbLimits.workTimeoutMs, priority: 'batch' } as const;

/** @throws StorageError `incomplete`, `identity`, `corrupt`, `io` (also: no store). */
export async function openFdbExport(options: FdbTransferOptions): Promise<StoreExport> {
  const { db, prefix, prng } = options;
  try {
    const keys = createKeys(prefix);
    const owner = Buffer.alloc(OWNER_BYTES);
    owner.writeUInt32BE(prng.uint32());
    owner.writeUInt32BE(prng.uint32(), 4);
    const opened = await firstWrite(db, async (transaction) => {
      const { marks } = await readStore(transaction, keys, prefix);
      const space = { keys, revisions: revisionSpace(marks.eras) };
      await holdCompaction(keys, owner, transaction);
      return { space, marks, view: await viewHistory(space, transaction) };
    });
    const { revision, compactRevision } = opened.view;
    const header = { identity: opened.marks.identity, revision, compactRevision };
    return createExport(db, opened.space, owner, header);
  } catch (error) {
    db.close();
    throw error;
  }
}

function createExport(
  db: FdbDatabase,
  space: Subspace,
  owner: Buffer,
  header: TransferHeader,
): StoreExport {
  const { keys } = space;
  return {
    header,
    async page(after) {
      await runWrite(db, (transaction) => holdCompaction(keys, owner, transaction), how);
      const range = { prefix: '', after, limit: exportPageRecordsMax };
      const page = await runRead(
        db,
        (transaction) => scanRecords(space, transaction, range, header.revision),
        how,
      );
      if (page.kind !== 'ok') throw exportOvertaken(header.revision);
      return page.value;
    },
    async close() {
      const release = async (transaction: FdbTransaction): Promise<void> => {
        if (isOf(await leaseOf(keys, transaction), owner)) transaction.clear(keys.compactorLease);
      };
      // It runs out by itself.
      await runWrite(db, release, how).catch(() => undefined);
      db.close();
    },
  };
}

/** Takes the lease, unless somebody is compacting just now: what is old enough for that run is
 * older than the revision being read. */
async function holdCompaction(
  keys: Keys,
  owner: Buffer,
  transaction: FdbTransaction,
): Promise<void> {
  const [lease, version] = await Promise.all([
    leaseOf(keys, transaction),
    transaction.readVersion(),
  ]);
  const held = lease !== undefined && lease.readBigUInt64BE(OWNER_BYTES) > version;
  if (held && !isOf(lease, owner)) return;
  const ends = version + BigInt(COMPACTION_LEASE_MS) * VERSIONS_PER_MS;
  transaction.set(keys.compactorLease, Buffer.concat([owner, versionBytes(ends)]));
}

function leaseOf(keys: Keys, transaction: FdbTransaction): Promise<Buffer | undefined> {
  return transaction.get(keys.compactorLease, 'serializable');
}

function isOf(lease: Buffer | undefined, owner: Buffer): boolean {
  return lease?.subarray(0, OWNER_BYTES).equals(owner) === true;
}

export function openFdbImport({ db, prefix, prng }: FdbTransferOptions): StoreImport {
  const keys = createKeys(prefix);
  const importId = prng.uuid();
  let begun: { readonly marks: Marks; readonly revision: Revision } | undefined;

  /** A transaction that is applied only while this import is under way. */
  function write(work: (transaction: FdbTransaction) => void): Promise<void> {
    const guarded = async (transaction: FdbTransaction): Promise<void> => {
      const found = await transaction.get(keys.meta, 'serializable');
      const mine = begun !== undefined && found?.equals(encodeMarks(begun.marks)) === true;
      if (!mine) throw new StorageError('in-use', 'another import has taken this one over');
      work(transaction);
    };
    return runWrite(db, guarded, how);
  }

  return {
    async begin({ identity, revision }, { force }) {
      const marks = await firstWrite(db, async (transaction) => {
        await refuseStore(transaction, keys, prefix, importId, force);
        const version = await transaction.readVersion();
        const eras = [
          { version: 0n, base: 0n },
          { version, base: (revision >> 12n) + 1n },
        ];
        const made = { format: FORMAT, identity, eras, importId, importing: true };
        transaction.clearRange(...keys.all);
        transaction.set(keys.meta, encodeMarks(made));
        return made;
      });
      begun = { marks, revision };
    },
    put: (records) =>
      write((transaction) => {
        for (const record of records) putRecord(keys, transaction, record);
      }),
    async finish() {
      const marks = begun?.marks;
      if (marks === undefined) throw new StorageError('closed', 'the import has not begun');
      const final = encodeMarks({ ...marks, importing: false });
      await runWrite(
        db,
        async (transaction) => {
          const found = await transaction.get(keys.meta, 'serializable');
          // An attempt whose outcome was not known has done it.
          if (found?.equals(final) === true) return;
          if (found?.equals(encodeMarks(marks)) !== true) {
            throw new StorageError('in-use', 'another import has taken this one over');
          }
          writeMarks(transaction, keys, { ...marks, importing: false });
          const exported = begun?.revision ?? revisionZero;
          transaction.set(keys.compactRevision, versionBytes(exported));
        },
        how,
      );
    },
    abort: () => write((transaction) => transaction.clearRange(...keys.all)),
    close() {
      db.close();
      return Promise.resolve();
    },
  };
}

async function refuseStore(
  transaction: FdbTransaction,
  keys: Keys,
  prefix: string,
  importId: string,
  force: boolean,
): Promise<void> {
  const where = describeStore(prefix);
  const bytes = await transaction.get(keys.meta, 'serializable');
  if (bytes === undefined) {
    const limits = { limit: 1, bytesTarget: 0 };
    const { entries } = await transaction.getRange(...keys.all, limits, 'serializable');
    if (entries.length > 0) throw targetNotEmpty(where);
    return;
  }
  const marks = decodeMarks(bytes);
  if (marks.importing !== true) throw targetNotEmpty(where);
  if (marks.importId !== importId && !force) throw importUnfinished(where);
}

function putRecord(keys: Keys, transaction: FdbTransaction, record: StoredRecord): void {
  const { key, revision, state, value } = record;
  const payload = payloadOf(record);
  if (payload.kind === 'blob') {
    for (let at = 0, chunk = 0; at < value.byteLength; at += CHUNK_BYTES, chunk += 1) {
      const piece = Buffer.from(value.subarray(at, at + CHUNK_BYTES));
      transaction.set(keys.blob(payload.id, chunk), piece);
    }
  }
  const began = { kind: 'place', place: placeOfImported(revision) } as const;
  transaction.set(keys.current(key), encodeRecord({ state, payload }, began, 'c'));
  transaction.set(keys.state(key), Buffer.from(state));
}

/** The id of a blob made by a commit has a number above 0 where this one has zeros. */
function payloadOf({ revision, value }: StoredRecord): Payload {
  if (value.byteLength <= INLINE_BYTES_MAX) return { kind: 'inline', bytes: Buffer.from(value) };
  const id = Buffer.alloc(BLOB_ID_BYTES);
  id.writeBigUInt64BE(revision);
  return { kind: 'blob', id, length: value.byteLength };
}
