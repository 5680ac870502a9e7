/**
 * Expressions and defaults in the schemas of custom resource definitions, as a kind's rules: what
 * the engine of custom types finds (src/apiextensions/acceptance).
 *
 * Bounds: the expressions of one definition together (expression-check.ts).
 */
import type { FieldError } from '../../apimachinery/field-error.ts';
import type { ApiObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
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

interface Judged {
  /** The spec that it replaces. */
  readonly before: JsonValue | undefined;
  readonly language: Language;
  readonly errors: readonly FieldError[];
}

/** By the spec: whoever has judged it in steps need not wait when it is judged again. */
const judged = new WeakMap<object, Judged>();

/** The same in steps, none of which compiles more than one rule. */
export function* definitionExpressionSteps(
  next: ApiObject,
  current: ApiObject | undefined,
  language: Language,
): Generator<undefined, readonly FieldError[]> {
  const { spec } = next;
  const before = current?.['spec'];
  const known = isJsonObject(spec) ? judged.get(spec) : undefined;
  if (known !== undefined && known.before === before && known.language === language) {
    return known.errors;
  }
  const written = placedSchemas(next).flatMap(({ schema }) => expressionsOf(schema));
  const long = textSizeProblems('spec.versions', written);
  const errors = long.length > 0 ? long : yield* expressionErrors(next, current, language);
  if (isJsonObject(spec)) judged.set(spec, { before, language, errors });
  return errors;
}
