/**
 * Patterns of schemas: the syntax of RE2, matched in linear time whatever they are.
 *
 * Bounds: a pattern has at most as many characters as the expression language takes; what is
 * compiled is kept with the schema that has it.
 */
import { compilePattern } from '../../cel/library/regular-expression.ts';

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

/** What is wrong with a pattern; undefined: nothing. */
export function patternProblem(source: string): string | undefined {
  const compiled = compiledPattern(source);
  return compiled.kind === 'ok' ? undefined : compiled.problem;
}
