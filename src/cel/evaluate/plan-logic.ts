/**
 * `&&`, `||`, `?:` and `!`. If one side decides `&&` or `||`, the result does not depend on the
 * other side, even if that fails: `error || true` is true, in either order.
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
  const { run: second } = right;
  const slow = (frame: Frame, failure: Failure): boolean => {
    const other = attempt(second, frame);
    if (other === decisive) return decisive;
    throw typeof other === 'boolean' ? failure : mergeFailures(failure, other);
  };
  return {
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
      const other = second(frame);
      if (typeof other !== 'boolean') throw noSuchOverload();
      return other;
    },
    runInParts: isLong(left) || isLong(right) ? logicInParts(left, right, decisive) : undefined,
  };
}

function logicInParts(left: Planned, right: Planned, decisive: boolean): RunInParts {
  return function* (frame) {
    const one = yield* attemptInParts(left, frame);
    if (one === decisive) return decisive;
    const failure = typeof one === 'boolean' ? undefined : one;
    const other = yield* attemptInParts(right, frame);
    if (other === decisive) return decisive;
    if (typeof other !== 'boolean') throw mergeFailures(failure, other);
    if (failure !== undefined) throw failure;
    return other;
  };
}

/** The choice costs nothing, and a name that is one of its branches is free. */
export function planConditional(condition: Planned, yes: Planned, no: Planned): Planned {
  const { run: test } = condition;
  const { run: whenTrue } = yes;
  const { run: whenFalse } = no;
  const freeTrue = yes.nameCost ?? 0;
  const freeFalse = no.nameCost ?? 0;
  return {
    isAttribute: true,
    run: (frame) => {
      const value = test(frame);
      if (value === true) {
        frame.cost -= freeTrue;
        return whenTrue(frame);
      }
      if (value !== false) throw noSuchOverload();
      frame.cost -= freeFalse;
      return whenFalse(frame);
    },
    runInParts: [condition, yes, no].some(isLong)
      ? function* (frame) {
          const value = yield* valueInParts(condition, frame);
          if (typeof value !== 'boolean') throw noSuchOverload();
          frame.cost -= value ? freeTrue : freeFalse;
          return yield* valueInParts(value ? yes : no, frame);
        }
      : undefined,
  };
}

export function planNot({ run }: Planned): Planned {
  return {
    run: (frame) => {
      frame.cost += 1;
      const value = run(frame);
      if (typeof value !== 'boolean') throw noSuchOverload();
      return !value;
    },
  };
}
