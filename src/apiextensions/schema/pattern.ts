/**
 * Patterns of schemas: the syntax of RE2, matched in linear time whatever they are.
 *
 * Bounds: a pattern has at most as many characters as the expression language takes; what is
 * compiled is kept with the schema that has it. For a pattern that was checked the verdict is kept,
 * for compiling a large one takes milliseconds: `verdictCharsMax` characters of them.
 */
import { compilePattern } from '../../cel/library/regular-expression.ts';
import { createTextCache } from '../../stdx/text-cache.ts';

const verdictCharsMax = 4 * 1024 * 1024;

export interface Pattern {
  /** Whether some part of the text matches. */
  test(text: string): boolean;
}

export type CompiledPattern =
  | { readonly kind: 'ok'; readonly pattern: Pattern }
  | { readonly kind: 'invalid'; readonly problem: string };

export function compiledPattern(source: string): CompiledPattern {
  try {
    const { regex } = compilePattern(source);
    return { kind: 'ok', pattern: { test: (text) => regex.test(text) } };
  } catch (error) {
    return { kind: 'invalid', problem: error instanceof Error ? error.message : String(error) };
  }
}

/** '': nothing is wrong. */
const verdicts = createTextCache<string>(verdictCharsMax);

/** What is wrong with a pattern; undefined: nothing. */
export function patternProblem(source: string): string | undefined {
  const known = verdicts.get(source);
  if (known !== undefined) return known === '' ? undefined : known;
  const compiled = compiledPattern(source);
  const problem = compiled.kind === 'ok' ? undefined : compiled.problem;
  verdicts.keep(source, problem ?? '');
  return problem;
}
