/**
 * Rules that a later release added (ratcheting): they hold on create, and on an update of an object
 * that kept to them before. Objects that break them may have been stored by an earlier release.
 */
import type { FieldError } from '../../apimachinery/field-error.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import type { KindRules } from './kind-rules.ts';

type Check = (object: ApiObject) => readonly FieldError[];

/** On create, and on an update of an object that had kept to it. */
export function ratchetingRules(...checks: readonly Check[]): KindRules {
  return {
    validateCreate: (object) => checks.flatMap((check) => check(object)),
    validateUpdate: (next, current) =>
      checks.flatMap((check) => (check(current).length > 0 ? [] : check(next))),
  };
}
