/** The outcome of a side of `&&` or `||`, or of the condition of a loop, that was not a bool. */
import {
  EvaluationError,
  noSuchOverload,
  unknownResult,
  UnknownResult,
} from '../evaluation-error.ts';
import type { Value } from '../value.ts';
import type { Frame, Run } from './frame.ts';

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

/** A value, or the error that it ends with; an unknown goes on. */
export function kept(run: Run, frame: Frame): Value | EvaluationError {
  try {
    return run(frame);
  } catch (error) {
    if (error instanceof EvaluationError) return error;
    throw error;
  }
}

/**
 * A binary operator evaluates both of its operands, whatever the first comes to, and is paid for:
 * an operand that fails has the size of a scalar. Charges what is not charged yet, and throws the
 * first error. `a`: undefined when it is the first operand that failed.
 */
export function failedOperand(
  error: unknown,
  a: Value | undefined,
  second: Run,
  frame: Frame,
  price?: (a: Value, b: Value) => number,
): never {
  if (!(error instanceof EvaluationError)) throw error;
  const b = a === undefined ? kept(second, frame) : null;
  if (price !== undefined) frame.charge(price(a ?? null, b instanceof Error ? null : b));
  throw error;
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
