/**
 * The versions of a definition as they are written: how long they are, what tells them from others,
 * and their patterns.
 *
 * Invariants: found once for each object. Bounds: one call takes milliseconds for a large
 * definition, and compiles nothing.
 */
import { createHash } from 'node:crypto';
import { stringifyJson } from '../../apimachinery/codecs/lossless.ts';
import { items, part } from '../../apimachinery/members.ts';
import type { ApiObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { patternSize } from '../../cel/library/pattern-size.ts';

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
  const versions = items(part(definition, 'spec'), 'versions');
  let found = known.get(versions);
  if (found === undefined) {
    const json = stringifyJson([...versions]);
    const digest = createHash('sha256').update(json).digest('base64');
    const patterns = patternsIn(json);
    const patternsSize = patterns.reduce((sum, pattern) => sum + patternSize(pattern), 0);
    const hasTooManyPatterns = patternsSize > patternsMax;
    found = { size: json.length, digest, patterns, patternsSize, hasTooManyPatterns };
    known.set(versions, found);
  }
  return found;
}

/** In JSON. Of a text that holds such words the quotes are escaped. */
const patternMember = /"pattern":("(?:[^"\\]+|\\.)*")/g;

function patternsIn(json: string): readonly string[] {
  const found = new Set<string>();
  for (const [, text = '""'] of json.matchAll(patternMember)) found.add(JSON.parse(text) as string);
  return [...found];
}
