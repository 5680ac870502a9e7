/**
 * Checks an expression when the object that holds it is written: syntax, types and the type of its
 * value. Problems are reported at the field of the expression, in the compiler's words.
 *
 * An expression that was stored before may use everything the language has; a new one only what the
 * previous release has (spec 2, section 9.2, rule 3).
 *
 * Invariant: pure; the same text in the same context has the same problems. Bounds: `textLimits`;
 * of a context that all objects share, `keptMax` results are kept, for texts up to `keptTextMax`
 * characters and of `keptCharsMax` in all.
 */
import { forbidden, invalid } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import { textLimits } from '../../cel/budgets.ts';
import { compileSteps } from '../../cel/expression.ts';
import type { CompiledExpression } from '../../cel/expression.ts';
import type { ExpressionContext, Language } from '../../cel/language.ts';
import type { Environment } from '../../cel/cel.ts';
import type { Type } from '../../cel/type.ts';

const keptMax = 2000;
const keptTextMax = 4096;
/** Of all together: what is compiled takes some fifty times its text. */
const keptCharsMax = 256 * 1024;

/** Checks the expressions of one context, which has an environment for new ones and one for stored
 * ones. */
export interface ExpressionChecker {
  /** Yields between its steps where others may have a turn. */
  check(text: string, stored: boolean): Compiling;
}

type Compiling = Generator<undefined, CompiledExpression, undefined>;

/** For the expressions of one object: no result is kept. */
export function expressionChecker(
  language: Language,
  context: ExpressionContext,
): (results: readonly Type[]) => ExpressionChecker {
  let forNew: Environment | undefined;
  let forStored: Environment | undefined;
  return (results) => ({
    check(text, stored) {
      const environment = stored
        ? (forStored ??= language.forStored(context))
        : (forNew ??= language.forNew(context));
      return compileSteps(environment, text, results);
    },
  });
}

/** For a context that all objects share. */
export function cachedExpressionChecker(
  language: Language,
  context: ExpressionContext,
  results: readonly Type[] = [],
): ExpressionChecker {
  const { check } = expressionChecker(language, context)(results);
  const kept = new Map<string, CompiledExpression>();
  let chars = 0;
  return {
    *check(text, stored) {
      if (text.length > keptTextMax) return yield* check(text, stored);
      const key = `${stored ? 's' : 'n'}${text}`;
      const known = kept.get(key);
      if (known !== undefined) return known;
      const compiled = yield* check(text, stored);
      const size = text.length + (compiled.kind === 'ok' ? 0 : compiled.problem.length);
      if (chars + size > keptCharsMax || kept.size >= keptMax) {
        kept.clear();
        chars = 0;
      }
      kept.set(key, compiled);
      chars += size;
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
  checker: ExpressionChecker,
  field: string,
  text: string,
  before: ReadonlySet<string>,
): Generator<undefined, readonly FieldError[], undefined> {
  if (text.trim() === '') return [];
  const compiled = yield* checker.check(text, before.has(text));
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
