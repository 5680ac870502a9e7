/**
 * What LMDB reports, as StorageError codes.
 *
 * A transaction that failed for lack of room is undone by LMDB before it returns: `full`, and the
 * store goes on. Any other failure of a commit may have come while the meta page was written:
 * `unknown`, and LMDB itself refuses to write until it is opened again.
 */
import { StorageError } from '../storage.ts';

const MDB_MAP_FULL = -30792;
const MDB_CORRUPTED = [-30796, -30795, -30794, -30793];
const ENOSPC = 28;
const EDQUOT = 122;

/** For everything but commits: nothing was applied. */
export function translateLmdbError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const code = numericCode(error);
  const message = error instanceof Error ? error.message : String(error);
  if (isFull(code, message)) {
    return new StorageError('full', `no room for the store: ${message}`, { cause: error });
  }
  if (code !== undefined && MDB_CORRUPTED.includes(code)) {
    return new StorageError('corrupt', `the store cannot be read: ${message}`, { cause: error });
  }
  return new StorageError('io', `the store failed: ${message}`, { cause: error });
}

/** For a commit: what is not certainly undone is `unknown`. lmdb-js rejects a write with a general
 * error that carries a promise of the real one. */
export async function translateCommitError(error: unknown): Promise<StorageError> {
  const translated = translateLmdbError(await innerError(error));
  if (translated.code === 'full') return translated;
  return new StorageError('unknown', `a commit failed: ${translated.message}`, { cause: error });
}

async function innerError(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  try {
    return (await error.commitError) ?? error;
  } catch (inner) {
    return inner;
  }
}

function isFull(code: number | undefined, message: string): boolean {
  if (code === MDB_MAP_FULL || code === ENOSPC || code === EDQUOT) return true;
  return code === undefined && message.includes('No space left');
}

function numericCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'number' ? error.code : undefined;
}
