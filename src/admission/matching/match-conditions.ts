/**
 * Match conditions of webhooks and policies: a request that matches the rules is passed on only if
 * all conditions are true (spec 2, sections 8 and 9.2).
 *
 * Invariants: they are compiled once for a configuration. One false condition excludes the request,
 * whatever the others gave; an error counts only if none is false.
 * Bounds: 64 conditions, which the validation of the kinds enforces; one budget for all of them.
 */
import { objects, text } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { budgets } from '../../cel/budgets.ts';
import type { Bindings, Environment } from '../../cel/cel.ts';
import { boolType } from '../../cel/type.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { compileAll, evaluateAll } from '../expressions/filter.ts';
import type { EvaluationPorts, FilterResult } from '../expressions/filter.ts';

export type ConditionsVerdict =
  | { readonly kind: 'match' }
  /** By the condition of this name. `errors`: of those before it. */
  | { readonly kind: 'excluded'; readonly by: string; readonly errors: number }
  /** What the failure policy decides on. */
  | { readonly kind: 'failed'; readonly message: string; readonly errors: number };

export interface MatchConditions {
  readonly count: number;
  evaluate(
    bindings: Bindings,
    ports: EvaluationPorts,
  ): ConditionsVerdict | Promise<ConditionsVerdict>;
}

const holds: ConditionsVerdict = { kind: 'match' };

const noConditions: MatchConditions = { count: 0, evaluate: () => holds };

/** Of `holder.matchConditions`: a webhook, or the spec of a policy. */
export function* compileMatchConditions(
  environment: Environment,
  holder: JsonObject,
): Steps<MatchConditions> {
  const conditions = objects(holder, 'matchConditions');
  if (conditions.length === 0) return noConditions;
  const names = conditions.map((condition) => text(condition, 'name'));
  const texts = conditions.map((condition) => text(condition, 'expression'));
  const compiled = yield* compileAll(environment, texts, [boolType]);
  return {
    count: names.length,
    evaluate(bindings, ports) {
      const found = evaluateAll(compiled, bindings, budgets.matchConditions, ports);
      return found instanceof Promise
        ? found.then((late) => verdictOf(late, names))
        : verdictOf(found, names);
    },
  };
}

function verdictOf(found: FilterResult, names: readonly string[]): ConditionsVerdict {
  if (found.kind === 'out-of-budget') return { kind: 'failed', message: found.message, errors: 1 };
  const messages: string[] = [];
  for (const [at, result] of found.results.entries()) {
    if (result.kind === 'error') messages.push(result.message);
    else if (result.kind === 'value' && result.value === false) {
      return { kind: 'excluded', by: names[at] ?? '', errors: messages.length };
    }
  }
  const [only] = messages;
  if (only === undefined) return holds;
  const distinct = [...new Set(messages)];
  const message = distinct.length === 1 ? only : `[${distinct.join(', ')}]`;
  return { kind: 'failed', message, errors: messages.length };
}
