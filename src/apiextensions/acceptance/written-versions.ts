/**
 * The versions of a definition as they are written: how long they are, what tells them from others,
 * and their patterns.
 *
 * Invariants: found once for each object. Bounds: a step takes a millisecond, or as long as one
 * version does, and compiles nothing.
 */
import { createHash } from 'node:crypto';
import { stringifyJson } from '../../apimachinery/codecs/lossless.ts';
import { items, part } from '../../apimachinery/members.ts';
import type { ApiObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { patternSize } from '../../cel/library/pattern-size.ts';
import { finished } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';

/** Of all different patterns together, with their repetitions written out: a hundred times what the
 * largest definition in use has. To compile so much takes 0.1 s, a pattern at a time. */
export const patternsMax = 40_000;

export interface WrittenVersions {
  /** Characters of JSON. */
  readonly size: number;
  readonly digest: string;
  /** Different ones. */
  readonly patterns: readonly string[];
  readonly patternsSize: number;
  /** The definition is refused for them, so none need be compiled. */
  readonly hasTooManyPatterns: boolean;
}

const known = new WeakMap<readonly JsonValue[], WrittenVersions>();

export function versionsOf(definition: ApiObject): WrittenVersions {
  return finished(versionSteps(definition));
}

/** versionsOf() in parts: so many versions as take a millisecond, or one. */
export function* versionSteps(definition: ApiObject): Steps<WrittenVersions> {
  const versions = items(part(definition, 'spec'), 'versions');
  const before = known.get(versions);
  if (before !== undefined) return before;
  const hash = createHash('sha256');
  const different = new Set<string>();
  let size = 0;
  let stepEndsAt = stepChars;
  for (const version of versions) {
    const json = stringifyJson(version);
    hash.update(json).update(',');
    addPatterns(json, different);
    size += json.length + 1;
    if (size < stepEndsAt) continue;
    stepEndsAt = size + stepChars;
    yield;
  }
  const patterns = [...different];
  const patternsSize = patterns.reduce((sum, pattern) => sum + patternSize(pattern), 0);
  const hasTooManyPatterns = patternsSize > patternsMax;
  const digest = hash.digest('base64');
  const found = { size, digest, patterns, patternsSize, hasTooManyPatterns };
  known.set(versions, found);
  return found;
}

const stepChars = 128 * 1024;

/** In JSON. Of a text that holds such words the quotes are escaped. */
const patternMember = /"pattern":("[^"\\]*(?:\\.[^"\\]*)*")/g;

function addPatterns(json: string, found: Set<string>): void {
  for (const [, text = '""'] of json.matchAll(patternMember)) found.add(JSON.parse(text) as string);
}
