/**
 * Patterns that stand in an expression as texts, for functions that read them when a program is
 * made: one that is none would fail each time the expression is evaluated.
 *
 * What it is not: the check of `matches`, which is a mistake of the text (literal-validation.ts).
 */
import type { CheckedAst, Expr } from '../ast.ts';
import { compilePattern } from '../library/regular-expression.ts';
import { childrenOf } from './children.ts';

const patternFunctions: ReadonlySet<string> = new Set(['find', 'findAll']);

/** What is wrong with the first wrong one; undefined: nothing. */
export function literalPatternProblem({ expr }: CheckedAst): string | undefined {
  const left: Expr[] = [expr];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (next.kind === 'call' && patternFunctions.has(next.function)) {
      const [first] = next.args;
      const problem = first?.kind === 'constant' ? problemOf(first.value) : undefined;
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
