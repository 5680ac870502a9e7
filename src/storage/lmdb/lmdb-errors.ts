/**
 * What LMDB reports, as StorageError codes.
 *
 * A transaction that failed before its meta page was written is undone: nothing of it was applied.
 * One that failed while the meta page was written may have been applied (`unknown`), and LMDB then
 * refuses every further transaction until it is opened again; that is how the two are told apart.
 *
 * A full disk has two faces: "no space", and a write that was cut short, which LMDB reports as a
 * plain I/O error. The second is taken for `full` when the file system has next to no room left.
 */
import { statfsSync } from 'node:fs';
import { messageOf } from '../../stdx/message-of.ts';
import { StorageError } from '../storage.ts';

const MDB_MAP_FULL = -30792;
const MDB_CORRUPTED: readonly number[] = [-30796, -30795, -30794, -30793];
const EIO = 5;
const ENOSPC = 28;
const EDQUOT = 122;

/** Less room than this cannot take the largest commit: its records, and the pages around them. */
const ROOM_BYTES_MIN = 16 * 1024 * 1024;

/** For everything but commits. */
export function translateLmdbError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const code = numericCode(error);
  const message = messageOf(error);
  if (code === MDB_MAP_FULL || code === ENOSPC || code === EDQUOT) {
    return new StorageError('full', `no room for the store: ${message}`, { cause: error });
  }
  if (code !== undefined && MDB_CORRUPTED.includes(code)) {
    return new StorageError('corrupt', `the store cannot be read: ${message}`, { cause: error });
  }
  return new StorageError('io', `the store failed: ${message}`, { cause: error });
}

/** For a failed commit. `usable` asks whether LMDB still takes transactions. lmdb-js rejects a
 * write with a general error that carries a promise of the real one. */
export async function translateCommitError(
  error: unknown,
  path: string,
  usable: () => boolean,
): Promise<StorageError> {
  const cause = await innerError(error);
  const translated = translateLmdbError(cause);
  if (!usable()) {
    return new StorageError('unknown', `a commit failed: ${translated.message}`, { cause });
  }
  if (numericCode(cause) === EIO && isFull(path)) {
    return new StorageError('full', `no room for the store in ${path}`, { cause });
  }
  return translated;
}

async function innerError(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  try {
    return (await error.commitError) ?? error;
  } catch (inner) {
    return inner;
  }
}

function isFull(path: string): boolean {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize < ROOM_BYTES_MIN;
}

function numericCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'number' ? error.code : undefined;
}
