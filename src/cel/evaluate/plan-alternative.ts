/**
 * `x.or(y)` and `x.orValue(y)`: y is evaluated, and charged, only if x is none. The choice itself
 * costs nothing, as in the reference, although the estimate counts it. If x is not an optional
 * (possible only when its type was unknown at the check), x is the result, as in the reference of
 * 1.33.
 */
import { OptionalValue } from '../value.ts';
import type { Value } from '../value.ts';
import type { Planned } from './frame.ts';
import { isLong, valueInParts } from './in-parts.ts';

/** Of the declared overloads: whether one gives what is in the optional, or the optional itself. */
const choices: ReadonlyMap<string, boolean> = new Map([
  ['optional_or_optional', false],
  ['optional_orValue_value', true],
]);

export const isAlternative = (overloadId: string): boolean => choices.has(overloadId);

export function planAlternative(overloadId: string, one: Planned, other: Planned): Planned {
  const unwraps = choices.get(overloadId) === true;
  const { run } = one;
  const { run: runOther } = other;
  /** Undefined where it is none. */
  const chosen = (optional: Value): Value | undefined => {
    if (!(optional instanceof OptionalValue)) return optional;
    if (optional.value === undefined) return undefined;
    return unwraps ? optional.value : optional;
  };
  return {
    run: (frame) => {
      const value = chosen(run(frame));
      return value === undefined ? runOther(frame) : value;
    },
    runInParts: [one, other].some(isLong)
      ? function* (frame) {
          const value = chosen(yield* valueInParts(one, frame));
          if (value !== undefined) return value;
          return yield* valueInParts(other, frame);
        }
      : undefined,
  };
}
