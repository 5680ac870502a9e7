/**
 * A copy of an LMDB store, also of one that a server is writing to: `sluice backup`.
 *
 * What it is not: a second opener of the store. LMDB lets other processes read beside the one that
 * writes; the copy is one read transaction, so it is the store as it was at one commit, and
 * everything acknowledged before the backup began is in it. No lock is taken; directory-lock.ts
 * says how a server that starts meanwhile tells a backup from another server. Pages that the copy
 * still reads cannot be reused: the original grows by what is written meanwhile.
 *
 * The copy is made ready to be started on: its history is forgotten and its revisions begin
 * RESTORE_GAP above the newest one. What the original gave out after the backup must not be given
 * out again for something else, and a client that has seen it must not resume: it is told 410 and
 * lists again.
 *
 * Invariant: the target directory appears, whole, verified and on the disk, or not at all.
 */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../stdx/clock.ts';
import { StorageError } from '../storage.ts';
import type { Revision } from '../storage.ts';
import { announceReader, lockDirectory, refuseForeignReader } from './directory-lock.ts';
import { encodeRevision, metaKeys } from './layout.ts';
import { translateLmdbError } from './lmdb-errors.ts';
import { currentRevision } from './lmdb-reads.ts';
import { openExistingLmdb } from './lmdb-transfer.ts';
import { lmdbDefaults, openEnvironment, storedIdentity } from './tables.ts';

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
  const partial = `${path.resolve(to)}.partial`;
  try {
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial, { recursive: true });
    await copy(from, partial);
    const { revision, recordsCount } = await check(partial, clock);
    const continuesAfter = await markRestored(partial, clock);
    await check(partial, clock);
    rmSync(path.join(partial, 'lock.mdb'), { force: true });
    synchronize(path.join(partial, 'data.mdb'));
    synchronize(partial);
    renameSync(partial, to);
    synchronize(path.dirname(path.resolve(to)));
    return { revision, continuesAfter, recordsCount };
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw translateLmdbError(error);
  }
}

async function copy(from: string, to: string): Promise<void> {
  if (!existsSync(path.join(from, 'data.mdb'))) {
    throw new StorageError('io', `there is no store in ${from}`);
  }
  const announced = await announceReader(from);
  try {
    const tables = openEnvironment(from, lmdbDefaults.mapBytes, { readOnly: true });
    try {
      storedIdentity(tables, from);
      await tables.root.backup(to, true);
    } finally {
      await tables.root.close();
    }
  } finally {
    await announced.release();
  }
}

/** Walks the whole copy. @throws StorageError `corrupt` when its tables contradict each other. */
async function check(
  directory: string,
  clock: Clock,
): Promise<{ readonly revision: Revision; readonly recordsCount: number }> {
  const { storage } = await openExistingLmdb(directory, clock);
  try {
    const report = storage.verify();
    const [problem] = report.problems;
    if (problem !== undefined) throw new StorageError('corrupt', `the copy is damaged: ${problem}`);
    return report;
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
