/**
 * Expressions and defaults in the schemas of custom resource definitions, as a kind's rules: what
 * the engine of custom types finds (src/apiextensions/acceptance).
 *
 * Invariants: what is found depends on the schemas before and after, and nothing else.
 * Bounds: the expressions of one definition together (expression-check.ts).
 */
import { createHash } from 'node:crypto';
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
      return [versionsOf(definition).digest, spec['preserveUnknownFields'] ?? false];
    },
    isSmall: (definition) =>
      versionsOf(definition).size <= smallVersionsMax &&
      writtenIn(definition).reduce((sum, { length }) => sum + length, 0) <= smallExpressionsMax,
    judge: (next, current) => judge(next, current, language),
  });
}

function writtenIn(definition: ApiObject): readonly string[] {
  return placedSchemas(definition).flatMap(({ schema }) => expressionsOf(schema));
}

interface Versions {
  readonly size: number;
  readonly digest: string;
}

const known = new WeakMap<readonly JsonValue[], Versions>();

/** Told once: of a large definition this takes milliseconds. */
function versionsOf(definition: ApiObject): Versions {
  const versions = items(part(definition, 'spec'), 'versions');
  let told = known.get(versions);
  if (told === undefined) {
    const json = stringifyJson([...versions]);
    const digest = createHash('sha256').update(json).digest('base64');
    told = { size: json.length, digest };
    known.set(versions, told);
  }
  return told;
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
