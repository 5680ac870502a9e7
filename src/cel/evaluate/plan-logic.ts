/**
 * `&&`, `||`, `?:` and `!`. The first two know their answer from one side when it decides, even
 * when the other side fails: `error || true` is true, in either order.
 */
import { noSuchOverload } from '../evaluation-error.ts';
import type { Value } from '../value.ts';
import { attempt, isFailure, mergeFailures } from './failure.ts';
import type { Failure } from './failure.ts';
import type { Frame, Planned, RunInParts } from './frame.ts';
import { attemptInParts, isLong, valueInParts } from './in-parts.ts';

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
    runInParts: isLong(left) || isLong(right) ? logicInParts(left, right, decisive) : undefined,
  };
}

function logicInParts(left: Planned, right: Planned, decisive: boolean): RunInParts {
  const { cost } = right;
  return function* (frame) {
    const one = yield* attemptInParts(left, frame);
    if (one === decisive) return decisive;
    const failure = typeof one === 'boolean' ? undefined : one;
    if (failure === undefined) frame.cost += cost;
    else if (cost !== 0) frame.charge(cost);
    const other = yield* attemptInParts(right, frame);
    if (other === decisive) return decisive;
    if (typeof other !== 'boolean') throw mergeFailures(failure, other);
    if (failure !== undefined) throw failure;
    return other;
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
    runInParts: [condition, yes, no].some(isLong)
      ? function* (frame) {
          const value = yield* valueInParts(condition, frame);
          if (typeof value !== 'boolean') throw noSuchOverload();
          frame.cost += value ? costTrue : costFalse;
          return yield* valueInParts(value ? yes : no, frame);
        }
      : undefined,
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
