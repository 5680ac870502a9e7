/**
 * Patterns that stand in a rule as texts: one that is none would fail each time the rule is asked.
 *
 * What it is not: the check of `matches`, which the language makes itself.
 */
import type { CheckedAst, Expr } from '../../cel/ast.ts';
import { childrenOf } from '../../cel/check/children.ts';
import { patternProblem } from '../schema/pattern.ts';

const patternFunctions: ReadonlySet<string> = new Set(['find', 'findAll']);

/** What is wrong with the first wrong one; undefined: nothing. */
export function literalPatternProblem({ expr }: CheckedAst): string | undefined {
  const left: Expr[] = [expr];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (next.kind === 'call' && patternFunctions.has(next.function)) {
      const [first] = next.args;
      const source = first?.kind === 'constant' ? first.value : undefined;
      const problem = typeof source === 'string' ? patternProblem(source) : undefined;
      if (problem !== undefined) return `program instantiation failed: ${problem}`;
    }
    left.push(...childrenOf(next));
  }
  return undefined;
}
