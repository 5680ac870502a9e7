/**
 * What LMDB reports, as StorageError codes.
 *
 * A transaction that failed before its meta page was written is undone: nothing of it was applied.
 * One that failed while the meta page was written may have been applied (`unknown`), and LMDB then
 * refuses every further transaction until it is opened again; that is how the two are told apart.
 *
 * A full disk has two faces: "no space", and a write that was cut short, which LMDB reports as a
 * plain I/O error. The second is taken for `full` when the file system, or what the process may
 * write to a file, has next to no room left.
 */
import { readFileSync, statfsSync, statSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '../../stdx/message-of.ts';
import { StorageError } from '../storage.ts';

const MDB_MAP_FULL = -30792;
const MDB_CORRUPTED: readonly number[] = [-30796, -30795, -30794, -30793];
const EIO = 5;
const EFBIG = 27;
const ENOSPC = 28;
const EDQUOT = 122;
const roomCodes: readonly number[] = [MDB_MAP_FULL, EFBIG, ENOSPC, EDQUOT];
const roomNames: readonly unknown[] = ['EFBIG', 'ENOSPC', 'EDQUOT'];

/** Less room than this cannot take the largest commit: its records, and the pages around them. */
const ROOM_BYTES_MIN = 16 * 1024 * 1024;

/** For everything but commits. */
export function translateLmdbError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const code = numericCode(error);
  const message = messageOf(error);
  if (roomCodes.includes(code ?? 0)) {
    return new StorageError('full', `no room for the store: ${message}`, { cause: error });
  }
  if (code !== undefined && MDB_CORRUPTED.includes(code)) {
    return new StorageError('corrupt', `the store cannot be read: ${message}`, { cause: error });
  }
  return new StorageError('io', `the store failed: ${message}`, { cause: error });
}

/** For a store that cannot be opened. It names the directory, which often is another user's. */
export function translateOpenError(error: unknown, directory: string): StorageError {
  const translated = translateLmdbError(error);
  if (error instanceof StorageError || translated.code !== 'io') return translated;
  const message = `cannot open the store in ${directory}: ${messageOf(error)}`;
  return new StorageError('io', message, { cause: error });
}

/** For a failed commit. `usable` asks whether LMDB still takes transactions. lmdb-js rejects a
 * write with a general error that carries a promise of the real one. */
export async function translateCommitError(
  error: unknown,
  directory: string,
  usable: () => boolean,
): Promise<StorageError> {
  const cause = await innerError(error);
  const translated = translateLmdbError(cause);
  if (!usable()) {
    return new StorageError('unknown', `a commit failed: ${translated.message}`, { cause });
  }
  if (numericCode(cause) === EIO && (isFull(directory) || isAtLimit(directory))) {
    return new StorageError('full', `no room for the store in ${directory}`, { cause });
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

/** Of a write of node's own. */
export function isRoomError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && roomNames.includes(error.code);
}

/** Of `ulimit -f`; Infinity where there is none, or (not on Linux) nobody says. */
export function fileBytesMax(): number {
  return numberIn('/proc/self/limits', /^Max file size +(\d+) /m) ?? Infinity;
}

/** LMDB's library does not survive a map that it cannot have (SIGSEGV).
 * @throws StorageError `io`. */
export function checkAddressSpace(directory: string, mapBytes: number): void {
  const limit = numberIn('/proc/self/limits', /^Max address space +(\d+) /m) ?? Infinity;
  const usedKib = numberIn('/proc/self/status', /^VmSize:\s+(\d+) kB/m) ?? 0;
  if (mapBytes <= limit - usedKib * 1024) return;
  const inGib = (bytes: number): string => `${Math.ceil(bytes / 1024 ** 3)} GiB`;
  throw new StorageError(
    'io',
    `cannot open the store in ${directory}: its map takes ${inGib(mapBytes)} of address space,` +
      ` and of the ${inGib(limit)} that this process may have ${inGib(usedKib * 1024)} are taken:` +
      ' raise the limit (ulimit -v, LimitAS=); it is not memory',
  );
}

function numberIn(file: string, pattern: RegExp): number | undefined {
  try {
    const [, number] = pattern.exec(readFileSync(file, 'utf8')) ?? [];
    return number === undefined ? undefined : Number(number);
  } catch {
    return undefined;
  }
}

function isAtLimit(directory: string): boolean {
  return statSync(path.join(directory, 'data.mdb')).size + ROOM_BYTES_MIN > fileBytesMax();
}

function isFull(directory: string): boolean {
  return freeBytes(directory) < ROOM_BYTES_MIN;
}

/** Of the file system, for who is not its administrator. */
export function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

function numericCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'number' ? error.code : undefined;
}
