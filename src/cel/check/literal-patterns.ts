/**
 * Finds constant patterns and constant conversions (`int('x')`) in an expression. Both are
 * evaluated when the program is made, so an invalid one would fail at every evaluation and is
 * refused early.
 *
 * Elsewhere: the check of literals that later releases make first, which reports a mistake at its
 * place in the text (literal-validation.ts).
 */
import type { CheckedAst, Expr } from '../ast.ts';
import { compilePattern } from '../library/regular-expression.ts';
import { childrenOf } from './children.ts';

const patternFunctions: ReadonlySet<string> = new Set(['find', 'findAll', 'matches']);

/** What is wrong with the first wrong one; undefined: nothing. */
export function literalPatternProblem({ expr }: CheckedAst): string | undefined {
  const left: Expr[] = [expr];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (next.kind === 'call' && patternFunctions.has(next.function)) {
      const pattern = next.args[next.target === undefined ? 1 : 0];
      const problem = pattern?.kind === 'constant' ? problemOf(pattern.value) : undefined;
      if (problem !== undefined) return problem;
    }
    left.push(...childrenOf(next));
  }
  return undefined;
}

function problemOf(pattern: unknown): string | undefined {
  if (typeof pattern !== 'string') return undefined;
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Conversions of constants are made once, when a program is made. */
export const conversions: ReadonlySet<string> = new Set(
  'bool bytes double duration dyn int string timestamp type uint'.split(' '),
);

/** Whether there is one, of what may be a constant. */
export function hasConstantConversion({ expr }: CheckedAst): boolean {
  const left: Expr[] = [expr];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (next.kind === 'call' && conversions.has(next.function)) {
      const [only, ...others] = next.args;
      if (only !== undefined && only.kind !== 'ident' && others.length === 0) return true;
    }
    left.push(...childrenOf(next));
  }
  return false;
}
