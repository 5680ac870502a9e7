/**
 * `&&`, `||`, `?:` and `!`. The first two know their answer from one side when it decides, even
 * when the other side fails: `error || true` is true, in either order.
 */
import {
  EvaluationError,
  noSuchOverload,
  unknownResult,
  UnknownResult,
} from '../evaluation-error.ts';
import type { Value } from '../value.ts';
import type { Frame, Planned, Run } from './frame.ts';

/** What one side came to when it was not a bool. */
export type Failure = EvaluationError | UnknownResult;

export const isFailure = (error: unknown): error is Failure =>
  error instanceof EvaluationError || error instanceof UnknownResult;

/** An unknown goes before an error: with more data it may still decide. */
export function mergeFailures(a: Failure | undefined, b: Failure): Failure {
  if (a === undefined) return b;
  if (a instanceof UnknownResult && b instanceof UnknownResult) {
    return unknownResult([...new Set([...a.variables, ...b.variables])]);
  }
  return b instanceof UnknownResult ? b : a;
}

/** A bool, or why there is none. */
export function attempt(run: Run, frame: Frame): boolean | Failure {
  try {
    const value = run(frame);
    return typeof value === 'boolean' ? value : noSuchOverload();
  } catch (error) {
    if (isFailure(error)) return error;
    throw error;
  }
}

/** `decisive` is what settles it: false for `&&`, true for `||`. */
export function planLogic(left: Planned, right: Planned, decisive: boolean): Planned {
  const { run: first } = left;
  const { run: second, cost } = right;
  const slow = (frame: Frame, failure: Failure): boolean => {
    if (cost !== 0) frame.charge(cost);
    const other = attempt(second, frame);
    if (other === decisive) return decisive;
    throw typeof other === 'boolean' ? failure : mergeFailures(failure, other);
  };
  return {
    cost: left.cost,
    run: (frame) => {
      let value: Value;
      try {
        value = first(frame);
      } catch (error) {
        if (!isFailure(error)) throw error;
        return slow(frame, error);
      }
      if (value === decisive) return decisive;
      if (value !== !decisive) return slow(frame, noSuchOverload());
      frame.cost += cost;
      const other = second(frame);
      if (typeof other !== 'boolean') throw noSuchOverload();
      return other;
    },
  };
}

const branchCost = ({ cost, isAttribute }: Planned): number =>
  isAttribute === true ? cost - 1 : cost;

export function planConditional(condition: Planned, yes: Planned, no: Planned): Planned {
  const { run: test } = condition;
  const { run: whenTrue } = yes;
  const { run: whenFalse } = no;
  const costTrue = branchCost(yes);
  const costFalse = branchCost(no);
  return {
    cost: condition.cost,
    run: (frame) => {
      const value = test(frame);
      if (value === true) {
        frame.cost += costTrue;
        return whenTrue(frame);
      }
      if (value !== false) throw noSuchOverload();
      frame.cost += costFalse;
      return whenFalse(frame);
    },
  };
}

export function planNot({ run, cost }: Planned): Planned {
  return {
    cost: cost + 1,
    run: (frame) => {
      const value = run(frame);
      if (typeof value !== 'boolean') throw noSuchOverload();
      return !value;
    },
  };
}
