/**
 * Evaluation in parts: an expression with a loop can also run as a generator, which yields so that
 * other requests can be served. Everything else is short and runs in one go.
 *
 * Invariant: in parts or whole, an expression has the same value, cost and errors.
 */
import { EvaluationError, noSuchOverload } from '../evaluation-error.ts';
import type { Value } from '../value.ts';
import type { Frame, Planned } from './frame.ts';
import { attempt, isFailure } from './failure.ts';
import type { Failure } from './failure.ts';

export const isLong = ({ runInParts }: Planned): boolean => runInParts !== undefined;

export function* valueInParts(
  { run, runInParts }: Planned,
  frame: Frame,
): Generator<undefined, Value> {
  return runInParts === undefined ? run(frame) : yield* runInParts(frame);
}

/** A bool, or why there is none. */
export function* attemptInParts(
  { run, runInParts }: Planned,
  frame: Frame,
): Generator<undefined, boolean | Failure> {
  if (runInParts === undefined) return attempt(run, frame);
  try {
    const value = yield* runInParts(frame);
    return typeof value === 'boolean' ? value : noSuchOverload();
  } catch (error) {
    if (isFailure(error)) return error;
    throw error;
  }
}

/** A value, or the error that it ends with; an unknown goes on. */
export function* keptInParts(
  planned: Planned,
  frame: Frame,
): Generator<undefined, Value | EvaluationError> {
  try {
    return yield* valueInParts(planned, frame);
  } catch (error) {
    if (error instanceof EvaluationError) return error;
    throw error;
  }
}

/**
 * A node that needs all of its operands, and is `make` of them. In parts its operands come first,
 * one after the other, and it finds their values in the frame, or why one of them has none: what it
 * charges for that is its own matter. `stops`: the operands after this one are not asked for.
 */
export function ofOperands(
  operands: readonly Planned[],
  make: (operands: readonly Planned[]) => Planned,
  newSlot: () => number,
  stops: (found: Value | Failure) => boolean = hasFailed,
): Planned {
  const planned = make(operands);
  if (!operands.some(isLong)) return planned;
  const slots = operands.map(newSlot);
  const { run } = make(
    operands.map((operand, at) => {
      const slot = slots[at] as number;
      if (operand.constant !== undefined) return operand;
      return { ...operand, run: (frame) => foundOperand(frame, slot) };
    }),
  );
  const runInParts = function* (frame: Frame): Generator<undefined, Value> {
    for (const [at, operand] of operands.entries()) {
      const found = yield* keptInParts(operand, frame);
      frame.operands[slots[at] as number] = found as Value;
      if (stops(found)) break;
    }
    return run(frame);
  };
  return { ...planned, runInParts };
}

export const hasFailed = (found: Value | Failure): boolean => found instanceof Error;

function foundOperand({ operands }: Frame, slot: number): Value {
  const found: unknown = operands[slot];
  if (found instanceof Error) throw found;
  return found as Value;
}
