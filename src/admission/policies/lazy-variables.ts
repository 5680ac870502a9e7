/**
 * The variables of a policy, read as `variables.x`: evaluated on first use, once for a group of
 * expressions (the validations, the messages, the annotations, a mutation).
 *
 * Invariants: the cost of a variable is charged to the expression that uses it first. A long one is
 * evaluated asynchronously, and then the expression starts again (cel/late-values.ts).
 * Bounds: `budgets.perEvaluation` for each; `unitsAtOnce` for all that are evaluated in one step.
 */
import { budgets } from '../../cel/budgets.ts';
import { nothingSpent } from '../../cel/expression.ts';
import { lateValues } from '../../cel/late-values.ts';
import type { Bindings, Outcome } from '../../cel/cel.ts';
import { evaluationError, unknownResult } from '../../cel/evaluation-error.ts';
import type { Type } from '../../cel/type.ts';
import { ObjectValue } from '../../cel/value.ts';
import type { Value } from '../../cel/value.ts';
import { untilDone } from '../../stdx/turns.ts';
import { variablesType } from '../expressions/admission-context.ts';
import type { Compiled, EvaluationPorts } from '../expressions/filter.ts';

/** What expressions of a policy see: its variables beside the rest. Those of a policy without any
 * have nothing to keep, and are the same for all. */
export function bindingsWith(
  variables: ReadonlyMap<string, Compiled>,
  bindings: Bindings,
  ports: EvaluationPorts,
): { readonly bindings: Bindings; readonly takeCost: () => number } {
  if (variables.size === 0) return { bindings, takeCost: free };
  const own = new LazyVariables(variables, bindings, ports);
  return { bindings: own.bindings, takeCost: () => own.takeCost() };
}

const free = (): number => 0;

/** Some milliseconds. */
const unitsAtOnce = 50_000;
/** Variables that are evaluated inside one another: how many fit on the stack changes from one
 * moment to the next. Policy: a deeper one is waited for, and begins with an empty stack. */
const depthMax = 16;

export class LazyVariables extends ObjectValue {
  readonly #variables: ReadonlyMap<string, Compiled>;
  readonly #bindings: Bindings;
  readonly #ports: EvaluationPorts;
  readonly #found = new Map<string, Outcome>();
  #cost = 0;
  #unitsInStep = 0;
  #depth = 0;

  constructor(
    variables: ReadonlyMap<string, Compiled>,
    bindings: Bindings,
    ports: EvaluationPorts,
  ) {
    super();
    this.#variables = variables;
    this.#bindings = { ...bindings, variables: this };
    this.#ports = ports;
  }

  /** What all of them see: with themselves in it. */
  get bindings(): Bindings {
    return this.#bindings;
  }

  override get type(): Type {
    return variablesType;
  }

  /** Of those that ran since this was last asked. */
  takeCost(): number {
    const cost = this.#cost;
    this.#cost = 0;
    this.#unitsInStep = 0;
    return cost;
  }

  override isSet(name: string): boolean {
    return this.#variables.has(name);
  }

  override equalTo(other: Value): boolean {
    return this === other;
  }

  override field(name: string): Value | undefined {
    const outcome = this.#found.get(name);
    if (outcome !== undefined) return valueOf(name, outcome);
    const compiled = this.#variables.get(name);
    if (compiled === undefined) return undefined;
    if (compiled.kind === 'invalid') {
      throw evaluationError(`composited variable "${name}" fails to compile: ${compiled.problem}`);
    }
    const options = { budget: budgets.perEvaluation };
    const { program } = compiled.expression;
    let evaluation = program.begin(this.#bindings, options);
    const { late, turns } = this.#ports;
    const next = (): Outcome | undefined => {
      this.#depth += 1;
      try {
        return evaluation.next();
      } finally {
        this.#depth -= 1;
      }
    };
    // The step has been long enough, or the stack is.
    const waits = this.#unitsInStep > unitsAtOnce || this.#depth >= depthMax;
    const first = waits ? undefined : next();
    if (first === undefined) {
      return late.missing(name, async () => {
        this.#unitsInStep = 0;
        const outcome = await untilDone(turns, next);
        if (outcome.kind === 'unknown') evaluation = program.begin(this.#bindings, options);
        this.#keep(name, outcome);
      });
    }
    this.#keep(name, first);
    return valueOf(name, first);
  }

  /** One that misses something itself is evaluated again when that has come. */
  #keep(name: string, outcome: Outcome): void {
    this.#unitsInStep += outcome.cost;
    if (outcome.kind === 'unknown') return;
    this.#cost += outcome.cost;
    this.#found.set(name, outcome);
  }
}

function valueOf(name: string, outcome: Outcome): Value {
  switch (outcome.kind) {
    case 'value':
      return outcome.value;
    case 'unknown':
      throw unknownResult(outcome.variables);
    case 'error':
    case 'budget-exceeded':
      throw evaluationError(`composited variable "${name}" fails to evaluate: ${outcome.message}`);
  }
}

/** The variables of a policy that has none. */
export const noVariables: Value = new LazyVariables(
  new Map(),
  {},
  { late: lateValues(), turns: { run: () => undefined }, spent: nothingSpent() },
);
