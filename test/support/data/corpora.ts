/**
 * Where the shared test vectors lie. They are read in place, never copied into the project.
 * A missing folder is loud: the test that needs it fails with the path it looked at.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(process.env['SLUICE_SHARED'] ?? path.join(process.cwd(), '..', 'shared'));

export function corpusPath(relative: string): string {
  const file = path.join(root, 'corpora', relative);
  if (!existsSync(file)) {
    throw new Error(`test vectors are missing: ${file} (set SLUICE_SHARED to the shared folder)`);
  }
  return file;
}

export function readCorpus<T>(relative: string): T {
  return JSON.parse(readFileSync(corpusPath(relative), 'utf8')) as T;
}

export function readFacts<T>(): T {
  const file = path.join(root, 'facts', 'builtin-types.json');
  if (!existsSync(file)) throw new Error(`facts are missing: ${file}`);
  return JSON.parse(readFileSync(file, 'utf8')) as T;
}
