/**
 * Runs a program: whole, or in parts.
 *
 *   whole      one call of closures, from the start to the end or to the budget
 *   in parts   the first part is the same with a small limit, which is the end of nearly every
 *              expression; a longer one begins again as a generator, which pauses so that other
 *              requests can be served
 *
 * Invariants: both give the same result. Expressions have no effects, so beginning again changes
 * nothing but the time that it takes, by one part. Bounds: a part ends with the turn of a loop that
 * takes it above `partUnits`, so it is as long as these and one turn of the innermost loop.
 */
import type { Bindings, EvaluateOptions, Evaluation, Outcome, Program } from '../cel.ts';
import {
  budgetExceeded,
  EvaluationCancelled,
  EvaluationError,
  Paused,
  UnknownResult,
} from '../evaluation-error.ts';
import type { Value } from '../value.ts';
import { Frame } from './frame.ts';
import type { Planned, Run } from './frame.ts';
import { valueInParts } from './in-parts.ts';
import { beginPart, beginWhole, chargeTo, newStepAllowance } from './step-allowance.ts';
import type { StepAllowance } from './step-allowance.ts';

/** What an evaluation may cost when nobody says otherwise. */
const defaultBudget = 10_000_000;

/** Units of a part: some two milliseconds. */
const partUnits = 20_000;

export interface Slots {
  readonly localsCount: number;
  readonly operandsCount: number;
}

export function programOf(planned: Planned, slots: Slots): Program {
  const frameOf = (bindings: Bindings, options: EvaluateOptions): Frame => {
    const { budget = defaultBudget, unknown } = options;
    const frame = new Frame(bindings, budget, slots.localsCount, unknown);
    return frame;
  };
  return {
    isShort: planned.runInParts === undefined,
    evaluate(bindings, options) {
      const budget = options?.budget ?? defaultBudget;
      const frame = new Frame(bindings, budget, slots.localsCount, options?.unknown);
      // One that is started inside another works on the allowance of that.
      const before = beginWhole();
      try {
        return attempted(frame, planned.run);
      } finally {
        chargeTo(before);
      }
    },
    begin: (bindings, options = {}) =>
      new PartedEvaluation(planned, slots, () => frameOf(bindings, options)),
  };
}

class PartedEvaluation implements Evaluation {
  readonly #planned: Planned;
  readonly #slots: Slots;
  readonly #newFrame: () => Frame;
  #outcome: Outcome | undefined;
  #rest: { frame: Frame; parts: Generator<undefined, Value>; allowance: StepAllowance } | undefined;
  #begun = false;

  constructor(planned: Planned, slots: Slots, newFrame: () => Frame) {
    this.#planned = planned;
    this.#slots = slots;
    this.#newFrame = newFrame;
  }

  next(): Outcome | undefined {
    if (this.#outcome !== undefined) return this.#outcome;
    this.#outcome = this.#begun ? this.#nextPart() : this.#atOnce();
    return this.#outcome;
  }

  #atOnce(): Outcome | undefined {
    this.#begun = true;
    const planned = this.#planned;
    const frame = this.#newFrame();
    const isLong = planned.runInParts !== undefined;
    if (isLong) frame.limit = Math.min(frame.budget, partUnits);
    return working(newStepAllowance({ pauses: isLong }), () => {
      try {
        return attempted(frame, planned.run);
      } catch (error) {
        if (error instanceof Paused) return undefined;
        throw error;
      }
    });
  }

  #nextPart(): Outcome | undefined {
    this.#rest ??= this.#begunAgain();
    const { allowance: allowed, frame, parts } = this.#rest;
    frame.partEnd = frame.cost + partUnits;
    const outcome = working(allowed, () => {
      let isOver = false;
      const found = attempted(frame, () => {
        const { done, value } = parts.next();
        isOver = done === true;
        return value ?? null;
      });
      return isOver || found.kind !== 'value' ? found : undefined;
    });
    if (outcome !== undefined) this.#rest = undefined;
    return outcome;
  }

  #begunAgain() {
    const frame = this.#newFrame();
    frame.operands = new Array<Value>(this.#slots.operandsCount).fill(null);
    const parts = valueInParts(this.#planned, frame);
    return { frame, parts, allowance: newStepAllowance({ pauses: false }) };
  }
}

/** Its work is counted on this allowance, as one part. */
function working<T>(allowed: StepAllowance, run: () => T): T {
  beginPart(allowed);
  const before = chargeTo(allowed);
  try {
    return run();
  } finally {
    chargeTo(before);
  }
}

function attempted(frame: Frame, run: Run): Outcome {
  try {
    const value = run(frame);
    if (frame.cost <= frame.budget) return { kind: 'value', value, cost: frame.cost };
  } catch (error) {
    const { cost } = frame;
    if (error instanceof EvaluationCancelled) {
      return { kind: 'budget-exceeded', message: error.message, cost };
    }
    if (error instanceof Paused) throw error;
    if (cost <= frame.budget) {
      if (error instanceof EvaluationError) return { kind: 'error', message: error.message, cost };
      if (error instanceof UnknownResult) {
        return { kind: 'unknown', variables: error.variables, cost };
      }
      // Data that nests without end is the one thing that gets here: no budget counts it.
      if (error instanceof RangeError) return { kind: 'error', message: error.message, cost };
      throw error;
    }
  }
  return { kind: 'budget-exceeded', message: budgetExceeded().message, cost: frame.cost };
}
