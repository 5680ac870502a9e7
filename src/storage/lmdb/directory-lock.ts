/**
 * One process per data directory.
 *
 * The lock is a listening socket in Linux' abstract name space, named after the device and inode
 * of the directory: binding is atomic, two paths to one directory collide as they should, and the
 * kernel drops the name with the process, kill -9 included, so there is no stale lock to judge.
 *
 * Rejected: a pid file (stale after a kill, and pids are reused); LMDB's own lock file (it is made
 * for several processes and only counts them); flock (Node has no call for it).
 *
 * Not covered by the name: processes in another network name space, such as two containers with
 * one volume. For those, refuseForeignReader() looks for another live process in LMDB's table of
 * readers, which is shared memory in the directory itself; it is a second look, not a lock.
 * Outside Linux there is no abstract name space and the second look is all there is.
 *
 * A backup reads beside the one process that has the lock, and stands in the same table. So that
 * the second look of a server that starts meanwhile does not take it for another server, it
 * listens on a name of its own, which says "this process only reads".
 */
import { existsSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { makeDirectory } from '../../stdx/make-directory.ts';
import { messageOf } from '../../stdx/message-of.ts';
import { StorageError } from '../storage.ts';

export interface DirectoryLock {
  release(): Promise<void>;
}

/** Makes the directory when it is missing.
 * @throws StorageError `in-use` when another opener holds it, `io` when it cannot be made. */
export function lockDirectory(path: string): Promise<DirectoryLock> {
  return hold(path, lockName(path));
}

/** Announces that this process reads the store in this directory and writes nothing.
 * @throws StorageError `io`; `in-use` when it has done so already. */
export function announceReader(path: string): Promise<DirectoryLock> {
  return hold(path, readerName(path, process.pid));
}

async function hold(path: string, name: string): Promise<DirectoryLock> {
  if (process.platform !== 'linux') return { release: () => Promise.resolve() };
  const server = createServer((socket) => socket.destroy());
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(
        cause.code === 'EADDRINUSE'
          ? inUse(path)
          : new StorageError('io', `cannot lock ${path}: ${cause.message}`, { cause }),
      );
    });
    server.listen({ path: name }, resolve);
  });
  return { release: () => new Promise((resolve) => server.close(() => resolve())) };
}

function lockName(path: string): string {
  try {
    if (!existsSync(path)) makeDirectory(path);
    const status = statSync(path, { bigint: true });
    if (!status.isDirectory()) throw new Error('it is not a directory');
    const { dev, ino } = status;
    return `\0sluice-storage/${dev}/${ino}`;
  } catch (cause) {
    throw new StorageError('io', `cannot open the directory ${path}: ${messageOf(cause)}`, {
      cause,
    });
  }
}

function readerName(path: string, pid: number): string {
  return `${lockName(path)}/reader/${pid}`;
}

/** The processes in LMDB's table of readers (pid, thread, transaction; one a line) that are not
 * this one. Dead ones have been cleared when the environment was opened. */
function foreignReaders(readerList: string): readonly number[] {
  const pids = readerList.split('\n').flatMap((line) => /^\s*(\d+)\s/.exec(line)?.[1] ?? []);
  return [...new Set(pids.map(Number))].filter((pid) => pid !== process.pid);
}

/** Closes an environment that another process has open, other than to read it. Who does not answer
 * is looked for once more: a backup that has just ended was in the table when it was read.
 * @throws StorageError `in-use`. */
export async function refuseForeignReader(
  environment: { readerList(): string; readerCheck(): number; close(): Promise<void> },
  path: string,
): Promise<void> {
  for (const pid of foreignReaders(environment.readerList())) {
    if (await answers(readerName(path, pid))) continue;
    environment.readerCheck();
    if (!foreignReaders(environment.readerList()).includes(pid)) continue;
    await environment.close();
    throw inUse(path);
  }
}

function answers(name: string): Promise<boolean> {
  if (process.platform !== 'linux') return Promise.resolve(false);
  return new Promise((resolve) => {
    const socket = connect({ path: name });
    const answer = (yes: boolean): void => {
      socket.destroy();
      resolve(yes);
    };
    socket.once('connect', () => answer(true));
    socket.once('error', () => answer(false));
  });
}

function inUse(path: string): StorageError {
  return new StorageError(
    'in-use',
    `${path} is in use by another process: stop it, or use another directory`,
  );
}
