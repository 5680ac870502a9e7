/**
 * Making a directory with those above it.
 *
 * Invariant: it ends. Node's own way tries again for ever where a system refuses a directory as if
 * the one above it were missing, as /proc does.
 */
import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** `mode`: of those that are made. @throws Error of the file system. */
export function makeDirectory(directory: string, mode?: number): void {
  const wanted = path.resolve(directory);
  const parent = path.dirname(wanted);
  try {
    mkdirSync(wanted, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (isDirectory(wanted)) return;
    if (code !== 'ENOENT' || parent === wanted || isDirectory(parent)) throw error;
    makeDirectory(parent, mode);
    mkdirSync(wanted, { mode });
  }
}

function isDirectory(file: string): boolean {
  try {
    return statSync(file).isDirectory();
  } catch {
    return false;
  }
}
