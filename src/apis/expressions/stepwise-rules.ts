/**
 * Validation of all expressions in an object, in several turns of the event loop, before its actor
 * decides.
 *
 *   prepareValidation ─▶ validate, a step at a time ─▶ verdict, kept ─▶ the decision finds it
 *
 * Invariants: a verdict depends on nothing but `validatedPart` of the object and of the one before
 * it, so whoever decides again about the same finds the same. Where there is none, because the
 * object is small or nothing was prepared, the decision validates by itself, to the same verdict.
 * Bounds: `keptMax` verdicts are kept; a step is at most the work on one expression.
 */
import { createHash } from 'node:crypto';
import type { FieldError } from '../../apimachinery/field-error.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { finished } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { KindRules } from '../validation/kind-rules.ts';

const keptMax = 64;

/** Yields where others may have a turn, and gives what is wrong. */
export type ValidationSteps = Steps<readonly FieldError[]>;

export interface StepwiseValidator {
  /** The part of a large object that its verdict depends on, as JSON. */
  validatedPart(object: ApiObject): unknown;
  /** Whether it is validated in one step. */
  isSmall(object: ApiObject): boolean;
  validate(next: ApiObject, current: ApiObject | undefined): ValidationSteps;
  /** What is found out of a very large object before it is asked for its part, each time, because
   * it is known of these very objects only. Undefined, or absent: nothing. */
  prepare?(next: ApiObject, current: ApiObject | undefined): Steps<void> | undefined;
}

export function stepwiseRules({
  isSmall,
  prepare,
  validate,
  validatedPart,
}: StepwiseValidator): KindRules {
  const verdicts = new Map<string, readonly FieldError[]>();
  const keep = (key: string, verdict: readonly FieldError[]): void => {
    verdicts.delete(key);
    if (verdicts.size >= keptMax) verdicts.delete(verdicts.keys().next().value as string);
    verdicts.set(key, verdict);
  };
  const keyOf = (next: ApiObject, current: ApiObject | undefined): string =>
    keyOfJson([validatedPart(next), current && validatedPart(current)]);
  const verdictOn = (next: ApiObject, current: ApiObject | undefined): readonly FieldError[] => {
    if (isSmall(next)) return finished(validate(next, current));
    return verdicts.get(keyOf(next, current)) ?? finished(validate(next, current));
  };
  function* prepared(
    next: ApiObject,
    current: ApiObject | undefined,
    key: string,
  ): ValidationSteps {
    const verdict = yield* validate(next, current);
    keep(key, verdict);
    return verdict;
  }
  function* preparedFirst(
    preparing: Steps<void>,
    next: ApiObject,
    current: ApiObject | undefined,
  ): Steps<void> {
    yield* preparing;
    const key = keyOf(next, current);
    if (!verdicts.has(key)) yield* prepared(next, current, key);
  }
  return {
    validateCreate: (object) => verdictOn(object, undefined),
    validateUpdate: verdictOn,
    prepareValidation: (next, current) => {
      if (isSmall(next)) return undefined;
      const preparing = prepare?.(next, current);
      if (preparing !== undefined) return preparedFirst(preparing, next, current);
      const key = keyOf(next, current);
      return verdicts.has(key) ? undefined : prepared(next, current, key);
    },
  };
}

/** Integers beyond 2^53 are bigints, which JSON does not know. */
const withBigInts = (_name: string, value: unknown): unknown =>
  typeof value === 'bigint' ? { bigint: String(value) } : value;

function keyOfJson(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(value);
  } catch {
    text = JSON.stringify(value, withBigInts);
  }
  return createHash('sha256').update(text).digest('base64');
}
