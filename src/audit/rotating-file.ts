/**
 * A file of lines that is put aside when it is full: `audit.log` becomes `audit-<time>.log`.
 *
 * Invariants: a line is never split over two files; it is its owner's alone (0600). Bounds: a file
 * above `sizeBytesMax` by no more than one append; `backupsMax` files put aside, none older than
 * `ageMsMax`; 0 sets no bound.
 */
import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import type { Clock } from '../stdx/clock.ts';
import type { LineFile } from './event-log.ts';

export interface RotationLimits {
  readonly sizeBytesMax: number;
  readonly backupsMax: number;
  readonly ageMsMax: number;
}

/** @throws when the file cannot be opened. */
export function openRotatingFile(file: string, limits: RotationLimits, clock: Clock): LineFile {
  let handle = openSync(file, 'a', 0o600);
  let size = fstatSync(handle).size;

  const rotate = (): void => {
    renameSync(file, freeName(file, clock.nowMs()));
    const next = openSync(file, 'a', 0o600);
    closeSync(handle);
    handle = next;
    size = fstatSync(handle).size;
    prune(file, limits, clock.nowMs());
  };
  return {
    append(lines) {
      const bytes = Buffer.from(lines);
      const { sizeBytesMax } = limits;
      if (sizeBytesMax > 0 && size > 0 && size + bytes.length > sizeBytesMax) rotate();
      for (let at = 0; at < bytes.length;) {
        const written = writeSync(handle, bytes, at);
        at += written;
        size += written;
      }
    },
    close: () => closeSync(handle),
  };
}

/** The standard output of the process. */
export function standardOutputLines(): LineFile {
  return {
    append: (lines) => void process.stdout.write(lines),
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

function prune(file: string, { ageMsMax, backupsMax }: RotationLimits, nowMs: number): void {
  const { dir, ext, name } = path.parse(file);
  const backups = readdirSync(dir === '' ? '.' : dir)
    .flatMap((each) => {
      const timeMs = backupTime(each, name, ext);
      return timeMs === undefined ? [] : [{ file: path.join(dir, each), timeMs }];
    })
    .sort((left, right) => right.timeMs - left.timeMs);
  for (const [at, backup] of backups.entries()) {
    const tooMany = backupsMax > 0 && at >= backupsMax;
    const tooOld = ageMsMax > 0 && backup.timeMs < nowMs - ageMsMax;
    if (tooMany || tooOld) rmSync(backup.file, { force: true });
  }
}

/** When a file was put aside; undefined when it is none of this log's. */
function backupTime(file: string, name: string, ext: string): number | undefined {
  if (!file.startsWith(`${name}-`) || !file.endsWith(ext)) return undefined;
  const text = file.slice(name.length + 1, file.length - ext.length);
  const match = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d\.\d{3}Z)$/.exec(text);
  return match === null ? undefined : Date.parse(`${match[1]}:${match[2]}:${match[3]}`);
}
