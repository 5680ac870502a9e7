/**
 * Reads a configuration file again: when it is seen to change, and every minute (spec 2, 5.5).
 *
 * Invariants: onChange is called only with other bytes than the last time. A file that cannot be
 * read is reported once, until it can be read again or fails in another way: the server's own log
 * may lie in the same folder, and each line of it wakes the watcher. Only a regular file is read:
 * opening a pipe would stop the server until somebody writes into it. The folder is watched,
 * not the file: editors and mounted volumes replace files by others of the same name. Where
 * nothing can be watched the interval is enough.
 */
import { watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import path from 'node:path';
import type { TimerHandle, Timers } from '../stdx/clock.ts';
import { messageOf } from '../stdx/message-of.ts';
import { readRegularFile } from '../stdx/regular-file.ts';

const configurationReloadMs = 60_000;

/** A larger file is not read again. */
const bytesMax = 16 * 1024 * 1024;

/** Several changes of one save are seen as one. */
const settleMs = 50;

export interface ConfigurationFile {
  readonly file: string;
  /** As it was read at first. */
  readonly bytes: Uint8Array;
  readonly timers: Timers;
  readonly onChange: (bytes: Uint8Array) => void;
  readonly onError: (error: unknown) => void;
}

export function followConfiguration(options: ConfigurationFile): { stop(): void } {
  const { file, timers, onChange, onError } = options;
  let last: Uint8Array = options.bytes;
  let next: TimerHandle | undefined;
  let settling: TimerHandle | undefined;
  let reported: string | undefined;

  const report = (error: unknown): void => {
    const message = messageOf(error);
    if (message === reported) return;
    reported = message;
    onError(error);
  };
  const read = (): void => {
    settling = undefined;
    try {
      const bytes = readRegularFile(file, bytesMax);
      if (bytes.equals(last)) {
        reported = undefined;
        return;
      }
      last = bytes;
      onChange(bytes);
      reported = undefined;
    } catch (error) {
      report(error);
    }
  };
  const again = (): void => {
    next = timers.after(configurationReloadMs, () => {
      read();
      again();
    });
  };
  const watcher = watchFolder(path.dirname(file), () => {
    settling ??= timers.after(settleMs, read);
  });
  again();
  return {
    stop() {
      next?.cancel();
      settling?.cancel();
      watcher?.close();
    },
  };
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
