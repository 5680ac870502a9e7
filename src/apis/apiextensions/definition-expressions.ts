/**
 * Expressions and defaults in the schemas of custom resource definitions, as a kind's rules: what
 * the engine of custom types finds (src/apiextensions/acceptance).
 *
 * Invariants: what is found depends on the schemas before and after, and nothing else.
 * Bounds: the expressions of one definition together (expression-check.ts).
 */
import { stringifyJson } from '../../apimachinery/codecs/lossless.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import { items, part } from '../../apimachinery/members.ts';
import type { ApiObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { expressionErrors } from '../../apiextensions/acceptance/accept-schemas.ts';
import { placedSchemas } from '../../apiextensions/acceptance/placed-schemas.ts';
import { expressionsOf } from '../../apiextensions/acceptance/rules.ts';
import type { Language } from '../../cel/language.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { textSizeProblems } from '../expressions/expression-check.ts';
import { judgedInTurns } from '../expressions/judged-in-turns.ts';
import type { KindRules } from '../validation/kind-rules.ts';

/** A definition with less is judged at once: characters of its expressions, and of its versions. */
const smallExpressionsMax = 512;
const smallVersionsMax = 16 * 1024;

export function definitionExpressions(language: Language): KindRules {
  return judgedInTurns({
    seen: (definition) => {
      const spec = part(definition, 'spec');
      return [items(spec, 'versions'), spec['preserveUnknownFields'] ?? false];
    },
    isSmall: (definition) =>
      versionsSize(definition) <= smallVersionsMax &&
      writtenIn(definition).reduce((sum, { length }) => sum + length, 0) <= smallExpressionsMax,
    judge: (next, current) => judge(next, current, language),
  });
}

function writtenIn(definition: ApiObject): readonly string[] {
  return placedSchemas(definition).flatMap(({ schema }) => expressionsOf(schema));
}

const sizes = new WeakMap<readonly JsonValue[], number>();

function versionsSize(definition: ApiObject): number {
  const versions = items(part(definition, 'spec'), 'versions');
  const known = sizes.get(versions) ?? stringifyJson([...versions]).length;
  sizes.set(versions, known);
  return known;
}

/** In steps, none of which compiles more than one expression. */
function* judge(
  next: ApiObject,
  current: ApiObject | undefined,
  language: Language,
): Steps<readonly FieldError[]> {
  const long = textSizeProblems('spec.versions', writtenIn(next));
  if (long.length > 0) return long;
  return yield* expressionErrors(next, current, language);
}
