/**
 * Expressions and defaults in the schemas of custom resource definitions, as a kind's rules: what
 * the engine of custom types finds (src/apiextensions/acceptance).
 *
 * Invariants: what is found depends on the schemas before and after, and nothing else.
 * Bounds: the expressions of one definition together (expression-check.ts), and its patterns.
 */
import { forbidden } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import { part } from '../../apimachinery/members.ts';
import type { ApiObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import {
  expressionErrors,
  prepareAcceptance,
} from '../../apiextensions/acceptance/accept-schemas.ts';
import { versionSchemas } from '../../apiextensions/acceptance/version-schemas.ts';
import {
  patternsMax,
  versionsOf,
  versionSteps,
} from '../../apiextensions/acceptance/written-versions.ts';
import { expressionsOf } from '../../apiextensions/acceptance/rules.ts';
import { patternProblem } from '../../apiextensions/schema/pattern.ts';
import type { Language } from '../../cel/language.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { textSizeProblems } from '../expressions/expression-check.ts';
import { stepwiseRules } from '../expressions/stepwise-rules.ts';
import type { KindRules } from '../validation/kind-rules.ts';

/** A definition with less is validated at once: characters of its expressions, and of its versions,
 * and the size of its patterns. */
const smallExpressionsMax = 512;
const smallVersionsMax = 16 * 1024;
const smallPatternsMax = 500;

export function definitionExpressions(language: Language): KindRules {
  return stepwiseRules({
    validatedPart: (definition) => {
      const spec = part(definition, 'spec');
      return [versionsOf(definition).digest, spec['preserveUnknownFields'] ?? false];
    },
    isSmall: (definition) =>
      !isLong(definition) &&
      versionsOf(definition).size <= smallVersionsMax &&
      versionsOf(definition).patternsSize <= smallPatternsMax &&
      writtenIn(definition).reduce((sum, { length }) => sum + length, 0) <= smallExpressionsMax,
    prepare: (next, current) => (isLong(next) ? lookThrough(next, current) : undefined),
    validate: (next, current) => validateExpressions(next, current, language),
  });
}

function writtenIn(definition: ApiObject): readonly string[] {
  return versionSchemas(definition).flatMap(({ schema }) => expressionsOf(schema));
}

/** Of a definition that is long by the size of its versions. */
function* lookThrough(next: ApiObject, current: ApiObject | undefined): Steps<void> {
  for (const each of [next, current]) {
    if (each !== undefined) yield* versionSteps(each);
    yield;
  }
  yield* prepareAcceptance(next, current);
}

/** Looks at no more of it than it has to. */
function isLong(definition: ApiObject): boolean {
  return charsLeft(part(definition, 'spec')['versions'], smallVersionsMax) < 0;
}

/** Below zero: it has more than `left` characters. */
function charsLeft(value: JsonValue | undefined, left: number): number {
  if (typeof value === 'string') return left - value.length;
  let rest = left - 1;
  if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) {
      rest = charsLeft(item, rest);
      if (rest < 0) return rest;
    }
  } else if (isJsonObject(value)) {
    for (const name in value) {
      rest = charsLeft(value[name], rest - name.length);
      if (rest < 0) return rest;
    }
  }
  return rest;
}

/** In steps, none of which compiles more than one expression, or one pattern. */
function* validateExpressions(
  next: ApiObject,
  current: ApiObject | undefined,
  language: Language,
): Steps<readonly FieldError[]> {
  const long = textSizeProblems('spec.versions', writtenIn(next));
  if (long.length > 0) return long;
  yield;
  const { hasTooManyPatterns, patterns } = versionsOf(next);
  if (hasTooManyPatterns) {
    const most = `at most ${patternsMax} characters with their repetitions written out`;
    return [forbidden('spec.versions', `patterns may have ${most}`)];
  }
  // What is found here is known when the definition is looked at as a whole.
  for (const pattern of patterns) {
    patternProblem(pattern);
    yield;
  }
  return yield* expressionErrors(next, current, language);
}
