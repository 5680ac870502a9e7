/**
 * Opening the LMDB environment: its tables, its settings and the marks of format and identity.
 *
 * Elsewhere: access to data; see lmdb-reads.ts and lmdb-writes.ts.
 *
 * Settings that carry promises:
 *  - overlappingSync off. With it on, lmdb-js makes a commit visible before it is on the disk, and
 *    its `flushed` promise covers only asynchronous writes (a synchronous transaction never moves
 *    it). With it off LMDB writes the data, syncs, writes the meta page through a synchronous
 *    descriptor, and only then lets readers see the transaction: visible means durable.
 *  - no batching by lmdb-js: the committer has done it, so a batch starts at once. With it on, each
 *    turn's batch has a promise of its own that nobody holds, and its rejection ends the process.
 *  - the map is large from the start: growing it replaces the mapping while readers may be in it.
 *    It reserves address space, neither memory nor disk.
 */
import { chmodSync, closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { open } from 'lmdb';
import type { Database, RootDatabase } from 'lmdb';
import { pooledMemory } from '../../stdx/blocks.ts';
import type { Allocate } from '../../stdx/blocks.ts';
import { StorageError, revisionZero } from '../storage.ts';
import type { StoreContent } from '../storage.ts';
import { importUnfinished } from '../transfer.ts';
import { FORMAT, IMPORTING, UNCHECKED_FORMAT } from './layout.ts';
import { encodeRevision, metaKeys } from './layout.ts';
import { checkFile, makeDataFile, refuseLostFile } from './file-checks.ts';
import { checkAddressSpace, translateLmdbError, translateOpenError } from './lmdb-errors.ts';
import { checkPages } from './page-checks.ts';
import type { TableSizes } from './page-checks.ts';

export type Table = Database<Buffer, Buffer>;

export interface Tables {
  readonly copies: ValueCopies;
  readonly root: RootDatabase<Buffer, Buffer>;
  readonly cur: Table;
  readonly old: Table;
  readonly log: Table;
  readonly meta: Table;
}

export interface OpenedTables extends Tables {
  /** Undefined: a new store. */
  readonly found: StoreContent | undefined;
}

export const lmdbDefaults = {
  /** Address space reserved for the map; the store may grow beyond. */
  mapBytes: 64 * 1024 ** 3,
} as const;

/** @throws StorageError `identity`, `incomplete`, `corrupt`, `full`, `io`. */
export async function openTables(
  directory: string,
  identity: string,
  mapBytes: number,
  access: { readonly readOnly: boolean },
): Promise<OpenedTables> {
  const sizes = await checkStore(directory, access.readOnly);
  const tables = openEnvironment(directory, mapBytes, access);
  for (const name of ['data.mdb', 'lock.mdb']) ownersAlone(path.join(directory, name));
  try {
    checkMarks(tables, directory, identity, access);
  } catch (error) {
    await tables.root.close();
    throw error instanceof StorageError ? error : translateLmdbError(error);
  }
  return { ...tables, found: sizes.get('cur') };
}

/** All that can be known of a file before LMDB is let at it.
 * @throws StorageError `corrupt`; `io`, also when it is gone from where it was. */
export async function checkStore(directory: string, readOnly: boolean): Promise<TableSizes> {
  const file = path.join(directory, 'data.mdb');
  if (!readOnly) refuseLostFile(directory);
  checkFile(file, readOnly);
  return checkPages(file);
}

/** LMDB makes its files for the group to write, and secrets are in them. */
function ownersAlone(file: string): void {
  try {
    chmodSync(file, 0o600);
  } catch {
    // Somebody else's: whose it is decides.
  }
}

/** Documented by lmdb-js, missing in its types: the number of writes that starts a transaction. */
const startAtOnce = { txnStartThreshold: 1 };

/** Where values that are read are copied to. */
export interface ValueCopies {
  /** From now on into memory that this gives; undefined: a pool. */
  into(allocate: Allocate | undefined): void;
}

/** lmdb-js would make a buffer of its own for each value, which takes as long as all the rest of a
 * scan, and more while the engine marks its heap (blocks.ts). Here they lie in a pool, for a page
 * of them goes as a whole, and soon; or where the reader says. */
function valueCopies(): ValueCopies & { readonly encoder: object } {
  let allocate = pooledMemory;
  return {
    into(memory) {
      allocate = memory ?? pooledMemory;
    },
    encoder: {
      encode: (value: Buffer) => value,
      /** `bytes` is lmdb-js' own memory, of which the value is the beginning. */
      decode(bytes: Uint8Array, length = bytes.length): Buffer {
        const copy = allocate(length);
        copy.set(bytes.subarray(0, length));
        return copy;
      },
    },
  };
}

/** Without a look at its marks, nor at its file, which is whoever calls it to check: LMDB believes
 * what it reads. `readOnly` needs a store that is there.
 * @throws StorageError `corrupt`, `full`, `io`. */
export function openEnvironment(
  directory: string,
  mapBytes: number,
  { readOnly = false }: { readonly readOnly?: boolean } = {},
): Tables {
  checkAddressSpace(directory, mapBytes);
  const allowed = readOnly ? ['ENOENT', 'EROFS'] : ['ENOENT'];
  checkWritable(directory, 'lock.mdb', allowed);
  if (!readOnly) checkWritable(directory, 'data.mdb', allowed);
  const binary = { keyEncoding: 'binary', encoding: 'binary' } as const;
  try {
    if (!readOnly) makeDataFile(directory);
    const root = open<Buffer, Buffer>({
      ...binary,
      path: directory,
      noSubdir: false,
      overlappingSync: false,
      eventTurnBatching: false,
      ...startAtOnce,
      ...(readOnly ? { readOnly } : {}),
      mapSize: mapBytes,
      maxDbs: 8,
    });
    const copies = valueCopies();
    // Documented by lmdb-js, missing in the types of a table.
    const decoding: object = { encoder: copies.encoder };
    return {
      root,
      copies,
      cur: root.openDB<Buffer, Buffer>('cur', { ...binary, ...decoding }),
      old: root.openDB<Buffer, Buffer>('old', { ...binary, ...decoding }),
      log: root.openDB<Buffer, Buffer>('log', { ...binary, ...decoding }),
      meta: root.openDB<Buffer, Buffer>('meta', binary),
    };
  } catch (error) {
    throw translateOpenError(error, directory);
  }
}

/** Nobody can write there, so that whoever only reads misses nothing. */
export function isOnReadOnlyMedium(directory: string): boolean {
  try {
    closeSync(openSync(path.join(directory, 'data.mdb'), 'r+'));
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS';
  }
}

/** lmdb-js 3.5.6 does not survive a file that it may not write, as one that another user has left.
 * A missing file is made; where nothing can be written, a reader does without the lock. */
function checkWritable(directory: string, name: string, allowed: readonly string[]): void {
  try {
    closeSync(openSync(path.join(directory, name), 'r+'));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!allowed.includes(code)) throw translateOpenError(error, directory);
  }
}

function checkMarks(
  { meta }: Tables,
  directory: string,
  identity: string,
  { readOnly }: { readonly readOnly: boolean },
): void {
  const format = meta.getBinary(metaKeys.format);
  if (format === undefined && !readOnly) {
    // One synchronous transaction: a new store has all of its marks or none.
    meta.transactionSync(() => {
      meta.putSync(metaKeys.format, Buffer.of(FORMAT));
      meta.putSync(metaKeys.identity, Buffer.from(identity));
      meta.putSync(metaKeys.revision, encodeRevision(revisionZero));
      meta.putSync(metaKeys.compactRevision, encodeRevision(revisionZero));
    });
    return;
  }
  const written = storedIdentity({ meta }, directory);
  if (written !== identity) {
    throw new StorageError(
      'identity',
      `the store in ${directory} was written under identity "${written}"` +
        ` and cannot be opened under "${identity}": start with --identity=${written},` +
        ' or give --data-dir another directory',
    );
  }
  if (!readOnly && format?.[0] !== FORMAT) meta.putSync(metaKeys.format, Buffer.of(FORMAT));
}

/** The identity of a store that is there.
 * @throws StorageError `incomplete`, `identity` for another format, `io` when there is none. */
export function storedIdentity({ meta }: Pick<Tables, 'meta'>, directory: string): string {
  const format = meta.getBinary(metaKeys.format);
  if (format === undefined) throw new StorageError('io', `there is no store in ${directory}`);
  if (format[0] === IMPORTING) throw importUnfinished(`the store in ${directory}`);
  if (format[0] !== FORMAT && format[0] !== UNCHECKED_FORMAT) {
    throw new StorageError(
      'identity',
      `the store in ${directory} has format ${String(format[0])};` +
        ` this build reads the formats ${UNCHECKED_FORMAT} and ${FORMAT}`,
    );
  }
  return String(meta.getBinary(metaKeys.identity)?.toString());
}
