/** Test vectors of other projects for one file of tests, which skips what they would have held. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { decodeJson } from '../../src/apimachinery/codecs/json.ts';
import { noVectors, sharedRoot } from '../support/data/corpora.ts';

/** Undefined where the file is missing. Integers beyond 2^53 are bigints. */
export function sharedVectors<T>(relative: string): T | undefined {
  const file = path.join(sharedRoot, 'corpora', relative);
  if (!existsSync(file)) {
    test(relative, { skip: noVectors || `${file} is missing` }, () => undefined);
    return undefined;
  }
  const decoded = decodeJson(readFileSync(file));
  if (decoded.kind === 'refused') throw new Error(decoded.error.message);
  return decoded.value as T;
}
