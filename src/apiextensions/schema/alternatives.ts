/**
 * Whether a schema has so many alternatives (allOf, anyOf, oneOf and not) at one place that also a
 * small value is looked at for long: each of its parts meets them all.
 *
 * Bound: the walk over alternatives ends as soon as the answer is known.
 */
import { belowOf, spineMemo } from './structural-schema.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** So few are looked at in one step, with what is below them. */
const fewAlternatives = 16;

/** Of this schema, not of those below it. */
export function hasManyAlternatives(schema: StructuralSchema): boolean {
  return leftOf(fewAlternatives, schema) < 0;
}

/** Whether this schema, or one below it, has many alternatives. */
export const hasManyAlternativesBelow = spineMemo(hasManyAlternatives);

/** `few` less the alternatives of a schema, and all that is in them. Below 0: there are more. */
function leftOf(few: number, schema: StructuralSchema): number {
  let left = few;
  for (const list of alternativesOf(schema)) {
    for (const each of list) {
      left = leftWith(left - 1, each);
      if (left < 0) return left;
    }
  }
  return left;
}

function leftWith(few: number, alternative: StructuralSchema): number {
  let left = leftOf(few, alternative);
  for (const below of belowOf(alternative)) {
    if (left < 0) return left;
    left = leftWith(left - 1, below);
  }
  return left;
}

function alternativesOf({
  allOf = [],
  anyOf = [],
  not,
  oneOf = [],
}: StructuralSchema): readonly (readonly StructuralSchema[])[] {
  return [allOf, anyOf, oneOf, not === undefined ? [] : [not]];
}
