/**
 * Expressions and defaults in the schemas of custom resource definitions, as a kind's rules: what
 * the engine of custom types finds (src/apiextensions/acceptance).
 *
 *     a write ─▶ judged before? ─ no ─▶ in steps, beside everybody else's work ─▶ decided again
 *                     └─ yes ─▶ what was found
 *
 * To compile the rules of one definition can take longer than many turns of the event loop, and a
 * decision is one step. So whoever is about to decide asks first whether that has been done.
 *
 * Invariants: what is found depends on the schemas before and after, and nothing else; a decision
 * that asks too early is as right as one that waits, only slower.
 * Bounds: the expressions of one definition together (expression-check.ts); `kept` findings.
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
import { textSizeProblems } from '../expressions/expression-check.ts';
import type { SteppedRules } from '../validation/kind-rules.ts';

const keptMax = 64;

export function definitionExpressions(language: Language): SteppedRules {
  const kept = new Map<string, readonly FieldError[]>();
  const keep = (id: string, found: readonly FieldError[]): readonly FieldError[] => {
    kept.delete(id);
    kept.set(id, found);
    for (const oldest of kept.keys()) {
      if (kept.size <= keptMax) break;
      kept.delete(oldest);
    }
    return found;
  };
  const judge = (next: ApiObject, current: ApiObject | undefined): readonly FieldError[] => {
    const id = judgementId(next, current);
    const known = kept.get(id);
    if (known !== undefined) return known;
    const steps = definitionExpressionSteps(next, current, language);
    for (;;) {
      const step = steps.next();
      if (step.done === true) return keep(id, step.value);
    }
  };
  return {
    validateCreate: (object) => judge(object, undefined),
    validateUpdate: judge,
    isJudged: (next, current) => kept.has(judgementId(next, current)),
    *judgeInSteps(next, current) {
      keep(judgementId(next, current), yield* definitionExpressionSteps(next, current, language));
    },
  };
}

/** By what it holds: a patch makes the same definition anew each time it is decided. */
function judgementId(next: ApiObject, current: ApiObject | undefined): string {
  return `${versionsId(next)} ${current === undefined ? '' : versionsId(current)}`;
}

const ids = new WeakMap<readonly JsonValue[], string>();

function versionsId(definition: ApiObject): string {
  const spec = part(definition, 'spec');
  const versions = items(spec, 'versions');
  const known = ids.get(versions);
  if (known !== undefined) return known;
  const text = stringifyJson([versions, spec['preserveUnknownFields'] ?? false]);
  const id = createHash('sha1').update(text).digest('base64');
  ids.set(versions, id);
  return id;
}

/** In steps, none of which compiles more than the rules of one node of a schema. */
function* definitionExpressionSteps(
  next: ApiObject,
  current: ApiObject | undefined,
  language: Language,
): Generator<undefined, readonly FieldError[]> {
  const written = placedSchemas(next).flatMap(({ schema }) => expressionsOf(schema));
  const long = textSizeProblems('spec.versions', written);
  if (long.length > 0) return long;
  return yield* expressionErrors(next, current, language);
}
