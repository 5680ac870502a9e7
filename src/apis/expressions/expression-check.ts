/**
 * Checking of an expression when the object that holds it is written: syntax, types and the type
 * of its value. What is wrong is said at its place, in the words of the compiler.
 *
 * An expression that was there before is judged by everything the language has, a new one by what
 * the release before this one has (spec 2, section 9.2, rule 3).
 *
 * Invariants: pure: the same text at the same place has the same problems. Bounds: `textMax`,
 * `objectTextMax`;
 * of places that all objects share `keptMax` results are kept, of texts up to `keptTextMax`
 * characters.
 */
import { forbidden, invalid } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import { textLimits } from '../../cel/budgets.ts';
import { compileInParts } from '../../cel/expression.ts';
import type { CompiledExpression } from '../../cel/expression.ts';
import type { ExpressionPlace, Language } from '../../cel/language.ts';
import type { Environment } from '../../cel/cel.ts';
import type { Type } from '../../cel/type.ts';

const keptMax = 2000;
const keptTextMax = 4096;

/** A place of the language with its two environments, and what its expressions give. */
export interface CheckedPlace {
  /** Yields between its steps where others may have a turn. */
  check(text: string, stored: boolean): Compiling;
}

type Compiling = Generator<undefined, CompiledExpression, undefined>;

/** For the expressions of one object: nothing is kept when it has been judged. */
export function placeOnce(
  language: Language,
  place: ExpressionPlace,
): (results: readonly Type[]) => CheckedPlace {
  let forNew: Environment | undefined;
  let forStored: Environment | undefined;
  return (results) => ({
    check(text, stored) {
      const environment = stored
        ? (forStored ??= language.forStored(place))
        : (forNew ??= language.forNew(place));
      return compileInParts(environment, text, results);
    },
  });
}

/** For a place that is the same in all objects. */
export function checkedPlace(
  language: Language,
  place: ExpressionPlace,
  results: readonly Type[] = [],
): CheckedPlace {
  const { check } = placeOnce(language, place)(results);
  const kept = new Map<string, CompiledExpression>();
  return {
    *check(text, stored) {
      if (text.length > keptTextMax) return yield* check(text, stored);
      const key = `${stored ? 's' : 'n'}${text}`;
      const known = kept.get(key);
      if (known !== undefined) return known;
      if (kept.size >= keptMax) kept.clear();
      const compiled = yield* check(text, stored);
      kept.set(key, compiled);
      return compiled;
    },
  };
}

/** What is wrong with the number of characters of these expressions; none: they may be compiled. */
export function textSizeProblems(field: string, texts: Iterable<string>): readonly FieldError[] {
  let size = 0;
  for (const text of texts) {
    size += text.length;
    if (text.length > textLimits.perExpression) {
      const most = `at most ${textLimits.perExpression} characters`;
      return [forbidden(field, `an expression may have ${most}`)];
    }
  }
  if (size <= textLimits.perObject) return [];
  const most = `at most ${textLimits.perObject} characters`;
  return [forbidden(field, `expressions may have ${most} together`)];
}

/** Blank expressions are the business of other rules. */
export function* expressionProblems(
  place: CheckedPlace,
  field: string,
  text: string,
  before: ReadonlySet<string>,
): Generator<undefined, readonly FieldError[], undefined> {
  if (text.trim() === '') return [];
  const compiled = yield* place.check(text, before.has(text));
  yield;
  return problemsOf(compiled, field, text);
}

export function problemsOf(
  compiled: CompiledExpression,
  field: string,
  text: string,
): readonly FieldError[] {
  return compiled.kind === 'ok' ? [] : [invalid(field, text, compiled.problem)];
}
