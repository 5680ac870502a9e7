/** An expression over texts, with everything that stored expressions have. */
import type { Bindings, Outcome } from '../../src/cel/cel.ts';
import { budgets } from '../../src/cel/budgets.ts';
import { compileExpression } from '../../src/cel/expression.ts';
import { stringType } from '../../src/cel/type.ts';
import { testLanguage } from '../support/expression-language.ts';

const environment = testLanguage.forStored({
  variables: [
    { name: 'text', type: stringType },
    { name: 'part', type: stringType },
  ],
});

/** Throws what is wrong with an expression that does not compile. */
export function evaluationOf(expression: string, bindings: Bindings = {}): Outcome {
  const compiled = compileExpression(environment, expression);
  if (compiled.kind === 'invalid') throw new Error(compiled.problem);
  return compiled.expression.program.evaluate(bindings, { budget: budgets.perObject });
}
