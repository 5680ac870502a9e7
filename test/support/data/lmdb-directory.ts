/** Temporary stores for tests: made in the system's temporary directory, removed at the end. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface TemporaryDirectories {
  make(): string;
  removeAll(): void;
}

export function temporaryDirectories(prefix: string): TemporaryDirectories {
  const made: string[] = [];
  return {
    make() {
      const directory = mkdtempSync(path.join(tmpdir(), `${prefix}-`));
      made.push(directory);
      return directory;
    },
    removeAll() {
      for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
    },
  };
}
