/**
 * Test vectors that other projects agree on. They lie beside the project (../shared, or where
 * SLUICE_SHARED says), are read in place and never copied into it.
 *
 * A clone with nothing beside it has none of them. Then what is read here holds no rows, each file of
 * tests that reads some has one skipped test which says so, and a test that is nothing without them
 * is skipped by `noVectors`. What each area does is then held by the rows in test/.
 */
import { existsSync, mkdtempSync, readFileSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';

/** The folder beside the project; it may not be there. */
export const sharedRoot = path.resolve(
  process.env['SLUICE_SHARED'] ?? path.join(process.cwd(), '..', 'shared'),
);
const present = existsSync(path.join(sharedRoot, 'corpora'));

/** Why a test without vectors is skipped; false where they are. */
export const noVectors: string | false = present
  ? false
  : 'the shared test vectors are not beside this clone (SLUICE_SHARED says where)';

/** What is asked of rows; every other name is a member of what was read. */
const ofRows: ReadonlySet<string> = new Set('map flatMap filter forEach entries length'.split(' '));

/** No rows, under whatever name they are asked for: iterates, maps and counts as nothing. */
const noRows: unknown = new Proxy([], {
  get(rows, key) {
    if (key === 'find') return () => noRows;
    return typeof key === 'symbol' || ofRows.has(key) ? Reflect.get(rows, key) : noRows;
  },
});

if (!present) test('the shared vectors', { skip: noVectors }, () => undefined);

let emptyFolder: string | undefined;

function missing(file: string): Error {
  return new Error(`test vectors are missing: ${file} (set SLUICE_SHARED to the shared folder)`);
}

/** A file or a folder of vectors; without any, an empty folder. */
export function corpusPath(relative: string): string {
  const file = path.join(sharedRoot, 'corpora', relative);
  if (existsSync(file)) return file;
  if (present) throw missing(file);
  if (emptyFolder === undefined) {
    const made = mkdtempSync(path.join(tmpdir(), 'sluice-no-vectors-'));
    process.on('exit', () => rmdirSync(made));
    emptyFolder = made;
  }
  // A folder may end in a number: fixtures-1.33.
  const isFile = /\.[a-z]+$/.test(relative);
  return isFile ? path.join(emptyFolder, path.basename(file)) : emptyFolder;
}

/** What a file of vectors holds, in JSON or YAML; without any, no rows. */
export function readCorpus<T>(relative: string): T {
  return read<T>(path.join(sharedRoot, 'corpora', relative));
}

/** The facts that the shipped catalogues are made of, see generate/README.md. */
export function readFacts<T>(): T {
  return read<T>(path.join(sharedRoot, 'facts', 'builtin-types.json'));
}

function read<T>(file: string): T {
  if (existsSync(file)) {
    const text = readFileSync(file, 'utf8');
    return (file.endsWith('.yaml') ? parse(text) : JSON.parse(text)) as T;
  }
  if (present) throw missing(file);
  return noRows as T;
}
