/**
 * Reads a set of files again when one of them changes, and every minute.
 *
 * Invariants: onChange is called only with other bytes than the last time, of all the files, in
 * their order. A file that cannot be read is reported once, until it can be read again or fails in
 * another way: the server's own log may lie in the same folder, and each line of it wakes the
 * watcher. While one change is taken in, which may need many turns, no file is looked at; then all
 * are, once more. Only a regular file is read: opening a pipe would stop the server until somebody
 * writes into it; one that was a pipe at the start has said all it has to say, and is not followed.
 * The folder is watched, not the file: editors and mounted volumes replace files by others of the
 * same name. Where nothing can be watched the interval is enough.
 */
import { statSync, watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import path from 'node:path';
import type { Awaitable } from './awaitable.ts';
import type { TimerHandle, Timers } from './clock.ts';
import { messageOf } from './message-of.ts';
import { readRegularFile } from './regular-file.ts';

const reloadMs = 60_000;

/** A larger file is not read again: to look whether it is text at all is one turn. */
const bytesMax = 3 * 1024 * 1024;

/** Several changes of one save are seen as one. */
const settleMs = 50;

export interface FollowedFile {
  readonly file: string;
  /** As it was read at first. */
  readonly bytes: Uint8Array;
}

export interface FollowedFiles {
  readonly files: readonly FollowedFile[];
  readonly timers: Timers;
  /** An error is reported, and the function is called again within a minute. */
  readonly onChange: (contents: readonly Buffer[]) => Awaitable<void>;
  readonly onError: (error: unknown) => void;
}

export function followFiles(options: FollowedFiles): { stop(): void } {
  const { timers } = options;
  const files = options.files.every(({ file }) => isRegular(file)) ? options.files : [];
  const reader = createReader({ ...options, files });
  let next: TimerHandle | undefined;
  let settling: TimerHandle | undefined;

  const again = (): void => {
    next = timers.after(reloadMs, () => {
      reader.read(true);
      again();
    });
  };
  const settled = (): void => {
    settling = undefined;
    reader.read();
  };
  const folders = new Set(files.map(({ file }) => path.dirname(file)));
  const watchers = [...folders].map((folder) =>
    watchFolder(folder, () => (settling ??= timers.after(settleMs, settled))),
  );
  if (files.length > 0) again();
  return {
    stop() {
      reader.stop();
      next?.cancel();
      settling?.cancel();
      for (const watcher of watchers) watcher?.close();
    },
  };
}

interface Reader {
  /** `isDue`: what was not taken is tried again, though it has not changed. */
  read(isDue?: boolean): void;
  stop(): void;
}

function createReader({ files, onChange, onError }: Omit<FollowedFiles, 'timers'>): Reader {
  let last: readonly Uint8Array[] = files.map(({ bytes }) => bytes);
  /** The content that onChange was called with last, whether it accepted it or not. */
  let tried = last;
  let reported: string | undefined;
  let isBusy = false;
  let isStopped = false;
  let lookAgain = false;

  const report = (error: unknown): void => {
    const message = messageOf(error);
    if (message === reported) return;
    reported = message;
    onError(error);
  };
  const taken = (contents: readonly Buffer[]): void => {
    last = tried = contents;
    reported = undefined;
  };
  const takeIn = async (contents: readonly Buffer[], change: Promise<void>): Promise<void> => {
    isBusy = true;
    try {
      await change;
      taken(contents);
    } catch (error) {
      report(error);
    }
    isBusy = false;
    if (!lookAgain || isStopped) return;
    lookAgain = false;
    read();
  };
  const read = (isDue = false): void => {
    if (isBusy) {
      lookAgain = true;
      return;
    }
    try {
      const contents = files.map(({ file }) => readRegularFile(file, bytesMax));
      if (areEqual(contents, last)) return taken(contents);
      if (areEqual(contents, tried) && !isDue) return;
      tried = contents;
      const change = onChange(contents);
      if (change instanceof Promise) void takeIn(contents, change);
      else taken(contents);
    } catch (error) {
      report(error);
    }
  };
  return { read, stop: () => (isStopped = true) };
}

function areEqual(some: readonly Buffer[], others: readonly Uint8Array[]): boolean {
  return some.every((bytes, at) => bytes.equals(others[at] as Uint8Array));
}

/** A file that is missing now may come back. */
function isRegular(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ?? true;
}

function watchFolder(folder: string, onEvent: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, onEvent);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
