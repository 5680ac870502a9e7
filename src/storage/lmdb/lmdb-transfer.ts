/**
 * Moving an LMDB store: opening one to be exported, making one of an export.
 *
 * Both hold the directory as a server does: a running store is to be copied first (lmdb-backup.ts),
 * and the copy exported.
 *
 * While an import is under way the store's format is the number 0, which no build serves; finish()
 * writes the real one together with the revisions, in one transaction.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../stdx/clock.ts';
import { StorageError, revisionZero } from '../storage.ts';
import type { StoredRecord } from '../storage.ts';
import { exportOf, targetNotEmpty, importUnfinished } from '../transfer.ts';
import type { StoreExport, StoreImport, TransferHeader } from '../transfer.ts';
import { lockDirectory, refuseForeignReader } from './directory-lock.ts';
import { checkFile } from './file-checks.ts';
import { FORMAT, IMPORTING, encodeKey, encodeRevision, makeRecord, metaKeys } from './layout.ts';
import { translateCommitError, translateLmdbError } from './lmdb-errors.ts';
import { openLmdbStorage } from './lmdb-storage.ts';
import type { LmdbStorage } from './lmdb-storage.ts';
import {
  checkStore,
  isOnReadOnlyMedium,
  lmdbDefaults,
  openEnvironment,
  storedIdentity,
} from './tables.ts';
import type { Tables } from './tables.ts';

/** Opens a store that is there, under the identity it was written with. `onlyReads`: it may lie on
 * a medium that takes no writes.
 * @throws StorageError `in-use`, `incomplete`, `identity`, `corrupt`, `io` (also: no store). */
export async function openExistingLmdb(
  directory: string,
  clock: Clock,
  { onlyReads = false }: { readonly onlyReads?: boolean } = {},
): Promise<{ readonly storage: LmdbStorage; readonly identity: string }> {
  if (!existsSync(path.join(directory, 'data.mdb'))) {
    throw new StorageError('io', `there is no store in ${directory}`);
  }
  const identity = await readIdentity(directory);
  const readOnly = onlyReads && isOnReadOnlyMedium(directory);
  const storage = await openLmdbStorage({ path: directory, identity, clock, readOnly });
  return { storage, identity };
}

async function readIdentity(directory: string): Promise<string> {
  const lock = await lockDirectory(directory);
  try {
    await checkStore(directory, true);
    const tables = openEnvironment(directory, lmdbDefaults.mapBytes, { readOnly: true });
    try {
      return storedIdentity(tables, directory);
    } finally {
      await tables.root.close();
    }
  } catch (error) {
    throw translateLmdbError(error);
  } finally {
    await lock.release();
  }
}

/** @throws StorageError as openExistingLmdb(). */
export async function openLmdbExport(directory: string, clock: Clock): Promise<StoreExport> {
  const { storage, identity } = await openExistingLmdb(directory, clock, { onlyReads: true });
  try {
    return { ...(await exportOf(storage, identity)), close: () => storage.close() };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

/** The directory is made when missing.
 * @throws StorageError `in-use`, `corrupt`, `full`, `io`. */
export async function openLmdbImport(directory: string): Promise<StoreImport> {
  const lock = await lockDirectory(directory);
  try {
    checkFile(path.join(directory, 'data.mdb'), false);
    const tables = openEnvironment(directory, lmdbDefaults.mapBytes);
    await refuseForeignReader(tables.root, directory);
    return createImport(tables, directory, () => lock.release());
  } catch (error) {
    await lock.release();
    throw error;
  }
}

function createImport(
  tables: Tables,
  directory: string,
  release: () => Promise<void>,
): StoreImport {
  const { root, cur, meta } = tables;
  let header: TransferHeader | undefined;

  /** One transaction, durable when it returns. */
  async function transaction(write: () => void): Promise<void> {
    try {
      await root.batch(write);
    } catch (error) {
      throw await translateCommitError(error, directory, () => true);
    }
  }

  return {
    async begin(given, { force }) {
      const format = meta.getBinary(metaKeys.format)?.[0];
      if (format !== undefined && format !== IMPORTING) throw targetNotEmpty(directory);
      if (format === IMPORTING && !force) throw importUnfinished(directory);
      await cur.clearAsync();
      await transaction(() => {
        void meta.put(metaKeys.format, Buffer.of(IMPORTING));
        void meta.put(metaKeys.identity, Buffer.from(given.identity));
      });
      header = given;
    },
    put: (records) => transaction(() => putAll(tables, records)),
    async finish() {
      const revision = encodeRevision(header?.revision ?? revisionZero);
      await transaction(() => {
        void meta.put(metaKeys.revision, revision);
        void meta.put(metaKeys.compactRevision, revision);
        void meta.put(metaKeys.format, Buffer.of(FORMAT));
      });
    },
    async abort() {
      await cur.clearAsync();
      await meta.clearAsync();
    },
    async close() {
      await root.close();
      await release();
    },
  };
}

/** Inside a batch; the promises of its puts say nothing of their own. */
function putAll({ cur }: Tables, records: readonly StoredRecord[]): void {
  for (const { key, revision, state, value } of records) {
    void cur.put(encodeKey(key), makeRecord(key, revision, { state, value }).bytes);
  }
}
