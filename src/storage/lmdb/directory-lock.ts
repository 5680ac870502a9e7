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
 * one volume. For those, foreignReader() looks for another live process in LMDB's table of
 * readers, which is shared memory in the directory itself; it is a second look, not a lock.
 * Outside Linux there is no abstract name space and the second look is all there is.
 */
import { mkdirSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { StorageError } from '../storage.ts';

export interface DirectoryLock {
  release(): Promise<void>;
}

/** Makes the directory when it is missing.
 * @throws StorageError `in-use` when another opener holds it, `io` when it cannot be made. */
export async function lockDirectory(path: string): Promise<DirectoryLock> {
  const name = lockName(path);
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
    mkdirSync(path, { recursive: true });
    const { dev, ino } = statSync(path, { bigint: true });
    return `\0sluice-storage/${dev}/${ino}`;
  } catch (cause) {
    throw new StorageError('io', `cannot open ${path}: ${String(cause)}`, { cause });
  }
}

/** Whether LMDB's table of readers (pid, thread, transaction; one a line) names a process that is
 * not this one. Dead ones have been cleared when the environment was opened. */
export function foreignReader(readerList: string): boolean {
  const pids = readerList.split('\n').flatMap((line) => /^\s*(\d+)\s/.exec(line)?.[1] ?? []);
  return pids.some((pid) => Number(pid) !== process.pid);
}

export function inUse(path: string): StorageError {
  return new StorageError('in-use', `${path} is in use by another process`);
}
