/**
 * Rules that came with a version: they hold on create, and on an update of an object that had kept
 * to them; an older version may have written what does not.
 */
import type { FieldError } from '../../apimachinery/field-error.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import type { KindRules } from './kind-rules.ts';

type Check = (object: ApiObject) => readonly FieldError[];

/** On create, and on an update of an object that had kept to it. */
export function sinceCreate(...judges: readonly Check[]): KindRules {
  return {
    validateCreate: (object) => judges.flatMap((judge) => judge(object)),
    validateUpdate: (next, current) =>
      judges.flatMap((judge) => (judge(current).length > 0 ? [] : judge(next))),
  };
}
