/**
 * A copy of an LMDB store, also of one that a server is writing to: `sluice backup`.
 *
 * LMDB lets other processes read beside the one that writes; the copy is made of one read
 * transaction, so it is the store as it was at one commit, and everything acknowledged before the
 * backup began is in it. No lock is taken; directory-lock.ts says how a server that starts
 * meanwhile tells a backup from another server. Pages that the copy still reads cannot be reused:
 * the original grows by what is written meanwhile.
 *
 * The copy holds the records and no history, and its revisions begin RESTORE_GAP above the newest
 * one. What the original gives out after the backup must not be given out again for something else,
 * and a client that has seen it must not resume: it is told 410 and lists again.
 *
 * A damaged record is copied as one that cannot be read: better a copy without it than none.
 *
 * Rejected: lmdb-js' own backup() with compaction, which now and then ends the process with a
 * segmentation fault (3.5.6, from a read-only environment); without compaction it stops the writer.
 *
 * Invariant: the target directory appears, whole, verified and on the disk, or not at all.
 * Bounds: a page of records in memory.
 */
import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs';
import { readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { makeDirectory } from '../../stdx/make-directory.ts';
import type { Clock } from '../../stdx/clock.ts';
import { StorageError } from '../storage.ts';
import type { Revision, StoredRecord, StoreKey } from '../storage.ts';
import { importPage } from '../transfer.ts';
import { announceReader, lockDirectory, refuseForeignReader } from './directory-lock.ts';
import { decodeKey, decodeRecord, decodeRevision } from './layout.ts';
import { encodeKey, encodeRevision, metaKeys } from './layout.ts';
import { checkReach } from './file-checks.ts';
import { translateLmdbError } from './lmdb-errors.ts';
import { currentRevision } from './lmdb-reads.ts';
import { openExistingLmdb, openLmdbImport } from './lmdb-transfer.ts';
import { checkStore, lmdbDefaults, openEnvironment, storedIdentity } from './tables.ts';
import type { Tables } from './tables.ts';

/** Revisions that a restored store leaves out: at 10,000 writes a second, three years' worth. */
const RESTORE_GAP = 10n ** 12n;

export interface BackupReport {
  /** The newest revision of the original that is in the copy. */
  readonly revision: Revision;
  /** Above it the copy's own revisions begin. */
  readonly continuesAfter: Revision;
  readonly recordsCount: number;
}

/** `to` must not exist, or be an empty directory.
 * @throws StorageError `not-empty`, `incomplete`, `identity`, `corrupt`, `full`, `io`. */
export async function backupLmdb(from: string, to: string, clock: Clock): Promise<BackupReport> {
  if (existsSync(to) && readdirSync(to).length > 0) {
    throw new StorageError('not-empty', `${to} is not empty: a backup needs a new directory`);
  }
  if (!existsSync(path.join(from, 'data.mdb'))) {
    throw new StorageError('io', `there is no store in ${from}`);
  }
  const partial = `${path.resolve(to)}.partial`;
  try {
    rmSync(partial, { recursive: true, force: true });
    makeDirectory(partial);
    const report = await copy(from, partial);
    await check(partial, clock, report.recordsCount);
    rmSync(path.join(partial, 'lock.mdb'), { force: true });
    synchronize(path.join(partial, 'data.mdb'));
    synchronize(partial);
    renameSync(partial, to);
    synchronize(path.dirname(path.resolve(to)));
    return report;
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw translateLmdbError(error);
  }
}

async function copy(from: string, to: string): Promise<BackupReport> {
  const announced = await announceReader(from);
  try {
    await checkStore(from, true);
    const tables = openEnvironment(from, lmdbDefaults.mapBytes, { readOnly: true });
    try {
      checkReach(tables, from);
      return await copyTables(tables, from, to);
    } finally {
      await tables.root.close();
    }
  } finally {
    await announced.release();
  }
}

/** What one read transaction shows goes into a new store. */
async function copyTables(tables: Tables, from: string, to: string): Promise<BackupReport> {
  const identity = storedIdentity(tables, from);
  const target = await openLmdbImport(to);
  const transaction = tables.root.useReadTransaction();
  try {
    const revision = decodeRevision(tables.meta.get(metaKeys.revision, { transaction }));
    const continuesAfter = (revision + RESTORE_GAP) as Revision;
    const header = { identity, revision: continuesAfter, compactRevision: continuesAfter };
    await target.begin(header, { force: false });
    let recordsCount = 0;
    let damagedCount = 0n;
    // Of a damaged record nobody knows the revision: it gets one that no record has.
    const certain = (record: StoredRecord): StoredRecord => {
      if (record.damage === undefined) return record;
      return { ...record, revision: (continuesAfter - (damagedCount += 1n)) as Revision };
    };
    for (let after: StoreKey | undefined; ;) {
      const page = readPage(tables, transaction, after);
      if (page.length === 0) break;
      await target.put(page.map((record) => certain(record)));
      recordsCount += page.length;
      after = page.at(-1)?.key;
    }
    await target.finish();
    return { revision, continuesAfter, recordsCount };
  } finally {
    transaction.done();
    await target.close();
  }
}

function readPage(
  { cur }: Tables,
  transaction: ReturnType<Tables['root']['useReadTransaction']>,
  after: StoreKey | undefined,
): readonly StoredRecord[] {
  const start =
    after === undefined ? {} : { start: Buffer.concat([encodeKey(after), Buffer.of(0)]) };
  const page: StoredRecord[] = [];
  let bytes = 0;
  for (const { key, value } of cur.getRange({ ...start, transaction })) {
    bytes += value.length;
    const isFull = page.length === importPage.recordsMax || bytes > importPage.bytesMax;
    if (isFull && page.length > 0) break;
    page.push(decodeRecord(decodeKey(key), value));
  }
  return page;
}

/** Opens the copy as a server would and walks it.
 * @throws StorageError `corrupt` when it is not what was copied. */
async function check(directory: string, clock: Clock, recordsCount: number): Promise<void> {
  const { storage } = await openExistingLmdb(directory, clock);
  try {
    const report = storage.verify();
    const [problem] = report.problems;
    if (problem !== undefined || report.recordsCount !== recordsCount) {
      const what = problem ?? `it has ${report.recordsCount} records instead of ${recordsCount}`;
      throw new StorageError('corrupt', `the copy is damaged: ${what}`);
    }
  } finally {
    await storage.close();
  }
}

/** Tells a store that it was put back from a copy: history is forgotten, revisions jump ahead.
 * Answers the revision above which they go on.
 * @throws StorageError `in-use`, `incomplete`, `identity`, `corrupt`, `full`, `io`. */
export async function markRestored(directory: string, clock: Clock): Promise<Revision> {
  const { storage } = await openExistingLmdb(directory, clock);
  try {
    await storage.compact(await storage.revision());
  } finally {
    await storage.close();
  }
  const lock = await lockDirectory(directory);
  try {
    const tables = openEnvironment(directory, lmdbDefaults.mapBytes);
    await refuseForeignReader(tables.root, directory);
    try {
      const ahead = (currentRevision(tables) + RESTORE_GAP) as Revision;
      await tables.root.batch(() => {
        void tables.meta.put(metaKeys.revision, encodeRevision(ahead));
        void tables.meta.put(metaKeys.compactRevision, encodeRevision(ahead));
      });
      return ahead;
    } finally {
      await tables.root.close();
    }
  } catch (error) {
    throw translateLmdbError(error);
  } finally {
    await lock.release();
  }
}

function synchronize(file: string): void {
  const descriptor = openSync(file, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
