/**
 * Opening the LMDB environment: its tables, its settings and the marks of format and identity.
 *
 * What it is not: access to data; see lmdb-reads.ts and lmdb-writes.ts.
 *
 * Settings that carry promises:
 *  - overlappingSync off. With it on, lmdb-js makes a commit visible before it is on the disk, and
 *    its `flushed` promise covers only asynchronous writes (a synchronous transaction never moves
 *    it). With it off LMDB writes the data, syncs, writes the meta page through a synchronous
 *    descriptor, and only then lets readers see the transaction: visible means durable.
 *  - the map is large from the start: growing it replaces the mapping while readers may be in it.
 *    It reserves address space, neither memory nor disk.
 */
import { open } from 'lmdb';
import type { Database, RootDatabase } from 'lmdb';
import { StorageError, revisionZero } from '../storage.ts';
import { FORMAT, encodeRevision, metaKeys } from './layout.ts';
import { translateLmdbError } from './lmdb-errors.ts';

export type Table = Database<Buffer, Buffer>;

export interface Tables {
  readonly root: RootDatabase<Buffer, Buffer>;
  readonly cur: Table;
  readonly old: Table;
  readonly log: Table;
  readonly meta: Table;
}

export const lmdbDefaults = {
  /** Address space reserved for the map; the store may grow beyond. */
  mapBytes: 64 * 1024 ** 3,
} as const;

/** @throws StorageError `identity`, `corrupt`, `full`, `io`. */
export async function openTables(
  path: string,
  identity: string,
  mapBytes: number,
): Promise<Tables> {
  const tables = openEnvironment(path, mapBytes);
  try {
    checkMarks(tables, path, identity);
  } catch (error) {
    await tables.root.close();
    throw error instanceof StorageError ? error : translateLmdbError(error);
  }
  return tables;
}

function openEnvironment(path: string, mapBytes: number): Tables {
  const binary = { keyEncoding: 'binary', encoding: 'binary' } as const;
  try {
    const root = open<Buffer, Buffer>({
      ...binary,
      path,
      noSubdir: false,
      overlappingSync: false,
      mapSize: mapBytes,
      maxDbs: 8,
    });
    return {
      root,
      cur: root.openDB<Buffer, Buffer>('cur', binary),
      old: root.openDB<Buffer, Buffer>('old', binary),
      log: root.openDB<Buffer, Buffer>('log', binary),
      meta: root.openDB<Buffer, Buffer>('meta', binary),
    };
  } catch (error) {
    throw translateLmdbError(error);
  }
}

function checkMarks({ meta }: Tables, path: string, identity: string): void {
  const format = meta.getBinary(metaKeys.format);
  if (format === undefined) {
    // One synchronous transaction: a new store has all of its marks or none.
    meta.transactionSync(() => {
      meta.putSync(metaKeys.format, Buffer.of(FORMAT));
      meta.putSync(metaKeys.identity, Buffer.from(identity));
      meta.putSync(metaKeys.revision, encodeRevision(revisionZero));
      meta.putSync(metaKeys.compactRevision, encodeRevision(revisionZero));
    });
    return;
  }
  if (format[0] !== FORMAT) {
    throw new StorageError(
      'identity',
      `the store in ${path} has format ${String(format[0])}; this build reads format ${FORMAT}`,
    );
  }
  const written = meta.getBinary(metaKeys.identity)?.toString();
  if (written !== identity) {
    throw new StorageError(
      'identity',
      `the store in ${path} was written under identity "${String(written)}"` +
        ` and cannot be opened under "${identity}"`,
    );
  }
}
