/** What a side of `&&` or `||`, or a test of a loop, came to when it was no bool. */
import {
  EvaluationError,
  noSuchOverload,
  unknownResult,
  UnknownResult,
} from '../evaluation-error.ts';
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
