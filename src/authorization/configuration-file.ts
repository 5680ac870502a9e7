/**
 * Reads a configuration file again: when it is seen to change, and every minute (spec 2, 5.5).
 *
 * What it is not: a judgement of what is in it.
 *
 * Invariants: onChange is called only with other bytes than the last time. The folder is watched,
 * not the file: editors and mounted volumes replace files by others of the same name. Where
 * nothing can be watched the interval is enough.
 */
import { readFileSync, watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import path from 'node:path';
import type { TimerHandle, Timers } from '../stdx/clock.ts';

const configurationReloadMs = 60_000;

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
  let last = Buffer.from(options.bytes);
  let next: TimerHandle | undefined;
  let settling: TimerHandle | undefined;

  const read = (): void => {
    settling = undefined;
    try {
      const bytes = readFileSync(file);
      if (bytes.equals(last)) return;
      last = bytes;
      onChange(bytes);
    } catch (error) {
      onError(error);
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
