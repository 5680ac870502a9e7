/** Rules of the lifetime of tokens that are mounted into pods. */
import { invalid } from '../../apimachinery/field-error.ts';
import type { JsonValue } from '../../apimachinery/unstructured.ts';
import { noProblems, numberOf } from './checks.ts';
import type { Problems } from './checks.ts';

const secondsMin = 600;
const secondsMax = 2 ** 32;

export function tokenSecondsRules(field: string, value: JsonValue | undefined): Problems {
  const seconds = numberOf(value);
  if (seconds === undefined) return noProblems;
  if (seconds < secondsMin) {
    return [invalid(field, value, 'may not specify a duration less than 10 minutes')];
  }
  if (seconds <= secondsMax) return noProblems;
  return [invalid(field, value, 'may not specify a duration larger than 2^32 seconds')];
}
