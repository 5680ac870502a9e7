/**
 * A second limit beside the cost: steps of work that prices do not see, because the reference's
 * prices look at the size of a value and not at what is inside it. Comparing two lists of lists is
 * one of them.
 *
 * One evaluation runs at a time, from its start to its end; one that is started inside another (a
 * variable that is an expression) works on the same allowance.
 */
import { EvaluationCancelled } from '../evaluation-error.ts';

/** Between a tenth of a second and one. */
const stepsMax = 4_000_000;

let left = stepsMax;
let depth = 0;

export function beginWork(): void {
  if (depth === 0) left = stepsMax;
  depth += 1;
}

export function endWork(): void {
  depth -= 1;
}

export function work(steps: number): void {
  left -= steps;
  if (left < 0 && depth > 0) {
    throw new EvaluationCancelled('operation cancelled: too much work on nested values');
  }
}
