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
 * same name. Where nothing can be watched the interval is enough. Nothing is read of files that are
 * still being written: all must have kept their size and times for `settleMs`, and while they are
 * read. Only a writer that pauses for longer shows a part of a file; one that renames never does.
 *
 * Bounds: files that change for `settleMaxMs` without such a pause are reported, and looked at
 * again after their next change, or within a minute.
 */
import { statSync, watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import path from 'node:path';
import type { Awaitable } from './awaitable.ts';
import type { TimerHandle, Timers } from './clock.ts';
import { messageOf } from './message-of.ts';
import { readRegularFile } from './regular-file.ts';

/** Also without a change that was noticed: some file systems report none. */
const reloadMs = 60_000;

/** A larger file is not read again: to look whether it is text at all is one turn. */
const bytesMax = 3 * 1024 * 1024;

/** Several changes of one save are seen as one: how long nothing must have changed. */
const settleMs = 50;
const settleMaxMs = 5_000;

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
  const reader = createReader({ ...options, files }, () => settled.begin(false));
  const settled = settling({ ...options, files }, reader);
  let next: TimerHandle | undefined;

  const again = (): void => {
    next = timers.after(reloadMs, () => {
      settled.begin(true);
      again();
    });
  };
  const folders = new Set(files.map(({ file }) => path.dirname(file)));
  const watchers = [...folders].map((folder) => watchFolder(folder, () => settled.begin(false)));
  if (files.length > 0) again();
  return {
    stop() {
      reader.stop();
      next?.cancel();
      settled.stop();
      for (const watcher of watchers) watcher?.close();
    },
  };
}

/** Looks at the files until they have stayed the same for a while; then they are read. */
function settling({ files, timers }: FollowedFiles, reader: Reader) {
  let timer: TimerHandle | undefined;
  let isDue = false;
  let looksLeft = 0;
  const look = (before: string): void => {
    timer = timers.after(settleMs, () => {
      timer = undefined;
      const stamp = stampOf(files);
      if (stamp === before && reader.read(isDue, stamp)) return;
      looksLeft -= 1;
      if (looksLeft > 0) return look(stamp);
      const names = files.map(({ file }) => file).join(', ');
      reader.report(new Error(`${names}: written to for ${settleMaxMs / 1000} s without a pause`));
    });
  };
  return {
    /** `due`: what was not taken is tried again, though it has not changed. */
    begin(due: boolean): void {
      if (timer === undefined) isDue = false;
      isDue ||= due;
      if (timer !== undefined) return;
      looksLeft = settleMaxMs / settleMs;
      look(stampOf(files));
    },
    stop: () => timer?.cancel(),
  };
}

/** Another text when one of the files is another, or is written to. */
function stampOf(files: readonly FollowedFile[]): string {
  const stamps = files.map(({ file }) => {
    try {
      const { ctimeNs, ino, mtimeNs, size } = statSync(file, { bigint: true });
      return [ino, size, mtimeNs, ctimeNs].join();
    } catch (error) {
      return messageOf(error);
    }
  });
  return stamps.join(';');
}

interface Reader {
  /** `isDue`: what was not taken is tried again, though it has not changed. False: the files were
   * no longer those of the stamp when they had been read, and nothing was done with them. */
  read(isDue: boolean, stamp: string): boolean;
  /** Nothing is said twice in a row. */
  report(error: unknown): void;
  stop(): void;
}

function createReader(
  { files, onChange, onError }: Omit<FollowedFiles, 'timers'>,
  onLookAgain: () => void,
): Reader {
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
    onLookAgain();
  };
  const decide = (contents: readonly Buffer[], isDue: boolean): void => {
    if (areEqual(contents, last)) return taken(contents);
    if (areEqual(contents, tried) && !isDue) return;
    tried = contents;
    const change = onChange(contents);
    if (change instanceof Promise) void takeIn(contents, change);
    else taken(contents);
  };
  const read = (isDue: boolean, stamp: string): boolean => {
    if (isBusy) {
      lookAgain = true;
      return true;
    }
    try {
      const contents = files.map(({ file }) => readRegularFile(file, bytesMax));
      if (stampOf(files) !== stamp) return false;
      decide(contents, isDue);
    } catch (error) {
      report(error);
    }
    return true;
  };
  return { read, report, stop: () => (isStopped = true) };
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
