/**
 * Whether the file that LMDB has open is still the one that its directory shows, and as long as it
 * was. A file that somebody removes, or puts another in place of, takes writes for as long as it is
 * open and is gone with the process; one that is cut short ends the process (SIGBUS) where LMDB
 * reads behind its end.
 *
 * Bounds: a look is one call to the system, some microseconds.
 */
import { statSync } from 'node:fs';
import path from 'node:path';

export interface OpenedFile {
  /** What is wrong with it, if anything is. */
  problem(): string | undefined;
}

/** The file must be there. */
export function openedFile(directory: string): OpenedFile {
  const file = path.join(directory, 'data.mdb');
  const { dev, ino, size } = statSync(file);
  let bytes = size;
  return {
    problem() {
      const now = statSync(file, { throwIfNoEntry: false });
      if (now === undefined) return `${file} is gone`;
      if (now.dev !== dev || now.ino !== ino) return `${file} was replaced by another file`;
      if (now.size < bytes) return `${file} was cut short`;
      bytes = now.size;
      return undefined;
    },
  };
}
