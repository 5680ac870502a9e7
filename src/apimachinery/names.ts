/**
 * Names that the server chooses for `generateName` (spec 1, section 2.2).
 *
 * The name may be taken; the caller tries again then.
 *
 * Bounds: 5 characters of an alphabet of 27 are appended to at most 58 characters, so the result
 * has at most 63: it fits where a DNS label is asked for. The alphabet has no vowels and no 0, 1
 * and 3, so that no words come out and no two characters look alike.
 */
import { randomBelow } from '../stdx/prng.ts';
import type { Prng } from '../stdx/prng.ts';

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const GENERATED_NAME_LENGTH_MAX = 63;
const GENERATE_NAME_BASE_LENGTH_MAX = GENERATED_NAME_LENGTH_MAX - SUFFIX_LENGTH;

export function generateName(base: string, prng: Prng): string {
  let name = base.slice(0, GENERATE_NAME_BASE_LENGTH_MAX);
  for (let i = 0; i < SUFFIX_LENGTH; i += 1) {
    name += ALPHABET.charAt(randomBelow(prng, ALPHABET.length));
  }
  return name;
}
