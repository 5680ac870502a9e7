/**
 * Expressions and defaults in the schemas of custom resource definitions, as a kind's rules: what
 * the engine of custom types finds (src/apiextensions/acceptance).
 *
 * Bounds: the expressions of one definition together (expression-check.ts).
 */
import type { FieldError } from '../../apimachinery/field-error.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { expressionErrors } from '../../apiextensions/acceptance/accept-schemas.ts';
import { placedSchemas } from '../../apiextensions/acceptance/placed-schemas.ts';
import { expressionsOf } from '../../apiextensions/acceptance/rules.ts';
import type { Language } from '../../cel/language.ts';
import { textSizeProblems } from '../expressions/expression-check.ts';
import type { KindRules } from '../validation/kind-rules.ts';

export function definitionExpressions(language: Language): KindRules {
  const judge = (next: ApiObject, current: ApiObject | undefined): readonly FieldError[] => {
    const steps = definitionExpressionSteps(next, current, language);
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  };
  return {
    validateCreate: (object) => judge(object, undefined),
    validateUpdate: judge,
  };
}

/** The same in steps, none of which compiles more than the rules of one node of a schema. */
export function* definitionExpressionSteps(
  next: ApiObject,
  current: ApiObject | undefined,
  language: Language,
): Generator<undefined, readonly FieldError[]> {
  const written = placedSchemas(next).flatMap(({ schema }) => expressionsOf(schema));
  const long = textSizeProblems('spec.versions', written);
  if (long.length > 0) return long;
  return yield* expressionErrors(next, current, language);
}
