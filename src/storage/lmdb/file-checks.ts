/**
 * What is looked at before a store is trusted: LMDB reads its file as memory and believes it. One
 * that was cut short ends the process (SIGBUS). A copy of a store that is written meanwhile counts
 * what it can reach, for the pages of such a file may not be at rest long enough to be judged.
 *
 *     the heads of the file ─▶ its tables begin within it
 *     each table ─▶ as many entries are reached as LMDB has counted
 *
 * Elsewhere: every page (page-checks.ts); whether a record is as it was written (record-codec.ts,
 * verify.ts).
 *
 * Bounds: two reads of a few bytes; a walk over the keys, 0.4 s of processor time for a million.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import type { Database } from 'lmdb';
import { StorageError } from '../storage.ts';
import { corrupt } from './layout.ts';

/** LMDB's mark at the start of a data file, in the byte order of the machine that made it. */
const magic = 0xbeefc0de;

/** Where things lie in each of the two heads, each on a page of its own. */
const headAt = { magic: 24, pageBytes: 48, freeRoot: 88, mainRoot: 136, transaction: 152 } as const;
const headBytes = 160;
const noPage = 2n ** 64n - 1n;

/** lmdb-js 3.5.6 does not survive being pointed at a file that LMDB refuses: it is looked at first.
 * A missing file is a new store, and so is an empty one, if it may be written.
 * @throws StorageError `corrupt`, `io`. */
export function checkFile(file: string, readOnly: boolean): void {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw unreadable(file, cause);
  }
  try {
    const problem = fileProblem(descriptor, readOnly);
    if (problem !== undefined) throw corrupt(`${file} ${problem}`);
  } catch (cause) {
    throw cause instanceof StorageError ? cause : unreadable(file, cause);
  } finally {
    closeSync(descriptor);
  }
}

function fileProblem(descriptor: number, readOnly: boolean): string | undefined {
  if (fstatSync(descriptor).size === 0) return readOnly ? 'is empty' : undefined;
  const first = headOf(descriptor, 0);
  const marks = [first.readUInt32LE(headAt.magic), first.readUInt32BE(headAt.magic)];
  if (!marks.includes(magic)) return 'is not an LMDB file';
  // Of a machine of the other kind: LMDB says so itself.
  if (marks[0] !== magic) return undefined;
  const pageBytes = first.readUInt32LE(headAt.pageBytes);
  const second = headOf(descriptor, pageBytes);
  const timeOf = (head: Buffer): bigint => head.readBigUInt64LE(headAt.transaction);
  const newer = timeOf(second) > timeOf(first) ? second : first;
  const roots = [headAt.freeRoot, headAt.mainRoot].map((at) => newer.readBigUInt64LE(at));
  // Asked behind the heads: a server may be writing to it, and then it grows.
  const pages = Math.floor(fstatSync(descriptor).size / pageBytes);
  const isCut = pages < 2 || roots.some((root) => root !== noPage && root >= BigInt(pages));
  return isCut ? 'is cut short: put back a backup' : undefined;
}

function headOf(descriptor: number, position: number): Buffer {
  const head = Buffer.alloc(headBytes);
  readSync(descriptor, head, 0, headBytes, position);
  return head;
}

function unreadable(file: string, cause: unknown): StorageError {
  return new StorageError('io', `cannot read ${file}: ${String(cause)}`, { cause });
}

/** LMDB makes its lock file with the first store and never removes it. In a directory that has one,
 * and no data file beside it, there was a store: a new, empty one in its place would look to
 * everybody as if all had been deleted. Copies and backups that are put into a new directory have a
 * data file; who means it removes the lock file, too.
 * @throws StorageError `io`. */
export function refuseLostFile(directory: string): void {
  const [lock, data] = ['lock.mdb', 'data.mdb'].map((name) => path.join(directory, name));
  if (lock === undefined || data === undefined || existsSync(data) || !existsSync(lock)) return;
  throw new StorageError(
    'io',
    `${data} is gone, though ${lock} says that there was a store: put back a backup,` +
      ` or remove ${lock} as well to begin with a new, empty one`,
  );
}

/** Before LMDB makes its lock file: so that is never there alone, wherever the process ends.
 * @throws what the system says. */
export function makeDataFile(directory: string): void {
  closeSync(openSync(path.join(directory, 'data.mdb'), 'a', 0o600));
}

type Counted = Pick<Database<Buffer, Buffer>, 'getKeysCount' | 'getStats'>;

/** @throws StorageError `corrupt`: not all that the tables have can be reached. */
export function checkReach(
  tables: Readonly<Record<'cur' | 'old' | 'log', Counted>>,
  directory: string,
): void {
  for (const name of ['cur', 'old', 'log'] as const) {
    // A second look, for a server may be writing to it.
    if (missingIn(tables[name]) === undefined) continue;
    const missing = missingIn(tables[name]);
    if (missing === undefined) continue;
    throw corrupt(
      `${path.join(directory, 'data.mdb')} is damaged: of the ${missing.of} entries of its table ` +
        `"${name}" ${missing.found} are found: put back a backup`,
    );
  }
}

function missingIn(table: Counted): { readonly found: number; readonly of: number } | undefined {
  const { entryCount } = table.getStats() as { readonly entryCount: number };
  const found = table.getKeysCount({});
  return found === entryCount ? undefined : { found, of: entryCount };
}
