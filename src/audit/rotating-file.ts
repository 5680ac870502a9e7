/**
 * A file of lines that is rotated when it is full: `audit.log` becomes `audit-<time>.log`.
 *
 * Invariants: a line is never split over two files, and what follows half a line (of a full disk,
 * or of a process that was killed) begins a line of its own. The file is its owner's alone (0600)
 * when it is made here; the next one has the mode of the one before it. Where a full file cannot be
 * put aside it grows on: events come before the bound. A clock that was set back makes no new file
 * go before an older one. Bounds: a file above `sizeBytesMax` by no
 * more than one append; `backupsMax` files put aside, none older than `ageMsMax`; 0 sets no bound.
 */
import {
  closeSync,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import type { Clock } from '../stdx/clock.ts';
import type { LineFile } from './log-backend.ts';

export interface RotationLimits {
  readonly sizeBytesMax: number;
  readonly backupsMax: number;
  readonly ageMsMax: number;
}

const lineFeed = 0x0a;

/** `onProblem`: a full file could not be put aside. @throws when the file cannot be opened. */
export function openRotatingFile(
  file: string,
  limits: RotationLimits,
  clock: Clock,
  onProblem: (error: unknown) => void,
): LineFile {
  // A pipe or a device takes lines and is never put aside.
  const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() ?? true;
  // Read and write: how it ends has to be seen.
  let handle = openSync(file, isFile ? 'a+' : 'a', 0o600);
  let size = isFile ? fstatSync(handle).size : 0;
  let torn = endsTorn(handle, size);
  let stuck = false;

  const rotate = (): void => {
    const aside = freeName(file, clock.nowMs());
    renameSync(file, aside);
    let next: number;
    try {
      next = openSync(file, 'a+', 0o600);
    } catch (error) {
      renameSync(aside, file);
      throw error;
    }
    fchmodSync(next, fstatSync(handle).mode & 0o777);
    closeSync(handle);
    handle = next;
    size = fstatSync(handle).size;
    torn = false;
    prune(file, limits, clock.nowMs());
  };
  const tryRotate = (): void => {
    try {
      rotate();
      stuck = false;
    } catch (error) {
      if (!stuck) onProblem(error);
      stuck = true;
    }
  };
  /** All of it, or none of it is to be seen. */
  const write = (bytes: Uint8Array): void => {
    let at = 0;
    try {
      while (at < bytes.length) at += writeSync(handle, bytes, at);
      size += at;
    } catch (error) {
      try {
        if (at > 0 && isFile) ftruncateSync(handle, size);
      } catch {
        size += at;
        torn = true;
      }
      throw error;
    }
  };
  return {
    append(lines) {
      const bytes = typeof lines === 'string' ? Buffer.from(lines) : lines;
      const { sizeBytesMax } = limits;
      const full = sizeBytesMax > 0 && size > 0 && size + bytes.length > sizeBytesMax;
      if (full && isFile) tryRotate();
      write(torn ? Buffer.concat([Buffer.of(lineFeed), bytes]) : bytes);
      torn = false;
    },
    close: () => closeSync(handle),
  };
}

function endsTorn(handle: number, size: number): boolean {
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  return readSync(handle, last, 0, 1, size - 1) === 1 && last[0] !== lineFeed;
}

/** The standard output of the process, which says late that it could not take a line. */
export function standardOutputLines(): LineFile {
  let failed: Error | undefined;
  const onError = (error: Error): void => void (failed = error);
  process.stdout.on('error', onError);
  return {
    append(lines) {
      const before = failed;
      failed = undefined;
      process.stdout.write(lines);
      if (before !== undefined) throw before;
    },
    close: () => undefined,
  };
}

/** Two in one millisecond get different names. */
function freeName(file: string, nowMs: number): string {
  const { dir, ext, name } = path.parse(file);
  const taken = new Set(readdirSync(dir === '' ? '.' : dir));
  for (let at = nowMs; ; at += 1) {
    const aside = `${name}-${new Date(at).toISOString().replaceAll(':', '-')}${ext}`;
    if (!taken.has(aside)) return path.join(dir, aside);
  }
}

/** By more than two in one millisecond are moved on. */
const futureMs = 60_000;

/** The newest stay. What bears a time to come was put aside before the clock was set back. */
function prune(file: string, { ageMsMax, backupsMax }: RotationLimits, nowMs: number): void {
  const { dir, ext, name } = path.parse(file);
  const orderOf = (timeMs: number): number => (timeMs > nowMs + futureMs ? -1 / timeMs : timeMs);
  const backups = readdirSync(dir === '' ? '.' : dir)
    .flatMap((each) => {
      const timeMs = backupTime(each, name, ext);
      return timeMs === undefined ? [] : [{ file: path.join(dir, each), timeMs }];
    })
    .sort((left, right) => orderOf(right.timeMs) - orderOf(left.timeMs));
  for (const [at, backup] of backups.entries()) {
    const tooMany = backupsMax > 0 && at >= backupsMax;
    const tooOld = ageMsMax > 0 && backup.timeMs < nowMs - ageMsMax;
    if (tooMany || tooOld) rmSync(backup.file, { force: true });
  }
}

/** When a file was put aside; undefined when it is none of this log's. */
export function backupTime(file: string, name: string, ext: string): number | undefined {
  if (!file.startsWith(`${name}-`) || !file.endsWith(ext)) return undefined;
  const text = file.slice(name.length + 1, file.length - ext.length);
  const match = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d\.\d{3}Z)$/.exec(text);
  return match === null ? undefined : Date.parse(`${match[1]}:${match[2]}:${match[3]}`);
}
