/**
 * One evaluation: the variables, the local variables, and what it has cost so far.
 *
 * A program is a tree of closures; each takes the frame and gives a value, or throws. What has a
 * loop in it can also be run in parts (in-parts.ts).
 */
import type { Bindings } from '../cel.ts';
import { budgetExceeded, evaluationError, paused, unknownResult } from '../evaluation-error.ts';
import { isPartOver } from './step-allowance.ts';
import type { Value } from '../value.ts';

export type Run = (frame: Frame) => Value;

/** The same in parts: it yields where others may have a turn. */
export type RunInParts = (frame: Frame) => Generator<undefined, Value>;

const noUnknowns: ReadonlySet<string> = new Set();

export class Frame {
  cost = 0;
  readonly budget: number;
  /** No charge takes the cost above this: the budget, or less where what is long is put off. */
  limit: number;
  /** The cost at which a part of an evaluation in parts is over. */
  partEnd = Infinity;
  /** Of comprehensions, by slot. */
  readonly locals: Value[];
  /** Operands that were evaluated in parts, by slot. */
  operands: Value[] = noLocals;
  readonly #bindings: Bindings;
  readonly #unknown: ReadonlySet<string>;
  #made: Map<string, Value> | undefined;

  constructor(
    bindings: Bindings,
    budget: number,
    localsCount: number,
    unknown: ReadonlySet<string> | undefined,
  ) {
    this.#bindings = bindings;
    this.budget = budget;
    this.limit = budget;
    this.locals = localsCount === 0 ? noLocals : new Array<Value>(localsCount).fill(null);
    this.#unknown = unknown ?? noUnknowns;
  }

  charge(units: number): void {
    this.cost += units;
    if (this.cost > this.limit) throw this.cost > this.budget ? budgetExceeded() : paused();
  }

  /** What was charged without a look at the limit is seen here. */
  checkLimit(): void {
    this.charge(0);
  }

  /** Whether a part of an evaluation in parts has been long enough. */
  isPartOver(): boolean {
    return this.cost >= this.partEnd || isPartOver();
  }

  /** Undefined: there is no such variable. */
  find(name: string): Value | undefined {
    const bound = this.#bindings[name];
    if (bound === undefined) {
      if (this.#unknown.has(name)) throw unknownResult([name]);
      return undefined;
    }
    if (typeof bound !== 'function') return bound;
    return this.#make(name, bound);
  }

  variable(name: string): Value {
    const value = this.find(name);
    if (value === undefined) throw evaluationError(`no such attribute(s): ${name}`);
    return value;
  }

  #make(name: string, make: () => Value | undefined): Value | undefined {
    this.#made ??= new Map();
    const known = this.#made.get(name);
    if (known !== undefined) return known;
    const value = make();
    if (value !== undefined) this.#made.set(name, value);
    return value;
  }
}

const noLocals: Value[] = [];

/**
 * A planned node.
 *
 * It charges what the reference does, when that is sure: a name before it is looked up, a call
 * before its last operand, for both cost the same whether they succeed or fail. So what is not
 * reached costs nothing, wherever an error ends it.
 */
export interface Planned {
  readonly run: Run;
  /** There when it has a loop in it; it does, charges and throws what `run` does. */
  readonly runInParts?: RunInParts | undefined;
  /** Its value, when that does not depend on anything. */
  readonly constant?: Value | undefined;
  /**
   * It is a name, a choice between two values, or a selection from one of these: what is selected
   * from it costs no more than the selection, and as a key it costs nothing on top of itself.
   */
  readonly isAttribute?: boolean | undefined;
  /** What it has charged for the name it begins with, which is free in a branch of a choice. */
  readonly nameCost?: number | undefined;
}

export const constantPlan = (value: Value): Planned => ({
  run: () => value,
  constant: value,
});
