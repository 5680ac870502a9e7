/**
 * Evaluates expressions one after the other under one budget: match conditions, validations,
 * messages or audit annotations (spec 2, section 8: expression cost).
 *
 * Invariants: an expression that fails does not stop the ones after it; an exhausted budget does.
 * Bounds: one evaluation costs at most `budgets.perEvaluation`; long ones let other requests run in
 * between.
 */
import { budgets } from '../../cel/budgets.ts';
import type { Bindings, Environment, Outcome } from '../../cel/cel.ts';
import { compileSteps, evaluateInTurns } from '../../cel/expression.ts';
import type { CompiledExpression, SpentUnits } from '../../cel/expression.ts';
import type { LateValues } from '../../cel/late-values.ts';
import type { Type } from '../../cel/type.ts';
import type { Value } from '../../cel/value.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { Turns } from '../../stdx/turns.ts';

/** Undefined: there is no expression, and nothing comes of it. */
export type Compiled = CompiledExpression | undefined;

/** Texts as they are stored; '' is no expression. */
export function* compileAll(
  environment: Environment,
  texts: readonly string[],
  results: readonly Type[],
): Steps<readonly NamedExpression[]> {
  const found: NamedExpression[] = [];
  for (const text of texts) {
    const compiled =
      text === '' ? undefined : yield* compileSteps(environment, text.trim(), results);
    found.push({ text: text.trim(), compiled });
    yield;
  }
  return found;
}

export interface NamedExpression {
  readonly text: string;
  readonly compiled: Compiled;
}

export type Result =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'none' };

export type FilterResult =
  | { readonly kind: 'results'; readonly results: readonly Result[]; readonly left: number }
  | { readonly kind: 'out-of-budget'; readonly message: string };

const outOfBudget: FilterResult = {
  kind: 'out-of-budget',
  message:
    'validation failed due to running out of cost budget, no further validation rules will be run',
};

export interface EvaluationPorts {
  readonly turns: Pick<Turns, 'run'>;
  readonly late: LateValues;
  /** By all expressions for one request. */
  readonly spent: SpentUnits;
}

/** `extraCost`: what other expressions cost that the last one made run; asked after each. */
export function evaluateAll(
  expressions: readonly NamedExpression[],
  bindings: Bindings,
  budget: number,
  ports: EvaluationPorts,
  extraCost: () => number = () => 0,
): FilterResult | Promise<FilterResult> {
  const run = { expressions, bindings, ports, extraCost, results: [], left: budget };
  return evaluateFrom(run, 0);
}

interface Run {
  readonly expressions: readonly NamedExpression[];
  readonly bindings: Bindings;
  readonly ports: EvaluationPorts;
  readonly extraCost: () => number;
  readonly results: Result[];
  left: number;
}

function evaluateFrom(run: Run, from: number): FilterResult | Promise<FilterResult> {
  for (let at = from; at < run.expressions.length; at += 1) {
    const expression = run.expressions[at] as NamedExpression;
    const { compiled } = expression;
    if (compiled?.kind !== 'ok') {
      run.results.push(notRun(expression));
      continue;
    }
    const outcome = evaluateOne(compiled.expression, run.bindings, run.ports);
    if (outcome instanceof Promise) {
      return outcome.then((late) =>
        charged(run, expression, late) ? evaluateFrom(run, at + 1) : outOfBudget,
      );
    }
    if (!charged(run, expression, outcome)) return outOfBudget;
  }
  return { kind: 'results', results: run.results, left: run.left };
}

function evaluateOne(
  expression: Extract<CompiledExpression, { kind: 'ok' }>['expression'],
  bindings: Bindings,
  { late, spent, turns }: EvaluationPorts,
): Outcome | Promise<Outcome> {
  const options = { budget: budgets.perEvaluation };
  return late.complete(() => evaluateInTurns(expression, bindings, options, turns, spent));
}

function notRun({ compiled }: NamedExpression): Result {
  if (compiled?.kind !== 'invalid') return { kind: 'none' };
  return { kind: 'error', message: `compilation error: ${compiled.problem}` };
}

/** False: there is no budget left. */
function charged(run: Run, { text }: NamedExpression, outcome: Outcome): boolean {
  const extra = run.extraCost();
  run.ports.spent.units += extra;
  run.ports.spent.total += extra;
  const cost = outcome.cost + extra;
  if (cost > run.left) return false;
  run.left -= cost;
  if (outcome.kind === 'value') run.results.push({ kind: 'value', value: outcome.value });
  else {
    const problem = outcome.kind === 'unknown' ? 'the result is not known' : outcome.message;
    const message = `expression '${text}' resulted in error: ${problem}`;
    run.results.push({ kind: 'error', message });
  }
  return true;
}
