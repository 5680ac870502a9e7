/** An expression over texts, with everything that stored expressions have. */
import type { Bindings, Environment, Outcome } from '../../src/cel/cel.ts';
import { budgets } from '../../src/cel/budgets.ts';
import { compileSteps } from '../../src/cel/expression.ts';
import type { CompiledExpression } from '../../src/cel/expression.ts';
import { stringType } from '../../src/cel/type.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import { testLanguage } from '../support/data/expression-language.ts';

const environment = testLanguage.forStored({
  variables: [
    { name: 'text', type: stringType },
    { name: 'part', type: stringType },
  ],
});

/** Of any type. */
export function compileExpression(environment: Environment, text: string): CompiledExpression {
  return finished(compileSteps(environment, text));
}

/** Throws what is wrong with an expression that does not compile. */
export function evaluationOf(expression: string, bindings: Bindings = {}): Outcome {
  const compiled = compileExpression(environment, expression);
  if (compiled.kind === 'invalid') throw new Error(compiled.problem);
  return compiled.expression.program.evaluate(bindings, { budget: budgets.perObject });
}
