/**
 * Whether the file that LMDB has open is still the one that its directory shows, and as long as it
 * was. A file that somebody removes, or puts another in place of, takes writes for as long as it is
 * open and is gone with the process; one that is cut short ends the process (SIGBUS) where LMDB
 * reads behind its end.
 *
 * Bounds: a look is one call to the system, some microseconds; for reads at most one in `lookMs`.
 */
import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../stdx/clock.ts';

/** A page that is read so soon after the file was cut may still end the process. */
const lookMs = 100;

export interface OpenedFile {
  /** What is wrong with it, if anything is. */
  problem(): string | undefined;
  /** Why none of it may be read, if so: it was cut short. One that is gone or was replaced is whole
   * for whoever has it open. */
  unreadable(): string | undefined;
}

function fileIn(directory: string): string {
  return path.join(directory, 'data.mdb');
}

/** How large it is on the disk; NaN: that cannot be said. */
export async function storeFileBytes(directory: string): Promise<number> {
  try {
    return (await stat(fileIn(directory))).size;
  } catch {
    return NaN;
  }
}

/** The file must be there. */
export function openedFile(directory: string, clock: Pick<Clock, 'monotonicMs'>): OpenedFile {
  const file = fileIn(directory);
  const { dev, ino, size } = statSync(file);
  let bytes = size;
  let isCut = false;
  let lookedMs = clock.monotonicMs();

  function problem(): string | undefined {
    lookedMs = clock.monotonicMs();
    const now = statSync(file, { throwIfNoEntry: false });
    if (now === undefined) return `${file} is gone`;
    if (now.dev !== dev || now.ino !== ino) return `${file} was replaced by another file`;
    isCut ||= now.size < bytes;
    if (isCut) return `${file} was cut short`;
    bytes = now.size;
    return undefined;
  }

  return {
    problem,
    unreadable() {
      if (!isCut && clock.monotonicMs() < lookedMs + lookMs) return undefined;
      const found = problem();
      return isCut ? found : undefined;
    },
  };
}
