/**
 * `x.or(y)` and `x.orValue(y)`: y is evaluated, and paid for, only where x is none. To choose costs
 * nothing, as in the reference; an estimate counts it. An x that is no optional at all, which only
 * shows where its type is not known before, is what is chosen: so it is in the reference of 1.33.
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
