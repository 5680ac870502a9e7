/**
 * A second limit beside the cost: steps of work that prices do not see, because the reference's
 * prices look at the size of a value and not at what is inside it. Comparing two lists of lists is
 * one of them.
 *
 * A step is some ten nanoseconds of work, so that what is one call is a short turn even where it
 * uses all of them.
 *
 * One evaluation works at a time; one that is started inside another (a variable that is an
 * expression) works on the same allowance. An evaluation in parts has its allowance for all of its
 * parts together.
 */
import { EvaluationCancelled, paused } from '../evaluation-error.ts';

const stepsMax = 2_000_000;
/** Of a part, before others may have a turn. */
const partSteps = 200_000;

export interface Allowance {
  left: number;
  /** A part of the evaluation is over when no more is left than this. */
  partEnd: number;
  /** What uses up a part ends with `paused`. */
  readonly pauses: boolean;
}

export function allowance({ pauses }: { readonly pauses: boolean }): Allowance {
  return { left: stepsMax, partEnd: -Infinity, pauses };
}

let current: Allowance | undefined;

/** Whose steps are counted from now on; undefined: nobody's. Returns whose were counted before. */
export function workOn(next: Allowance | undefined): Allowance | undefined {
  const before = current;
  current = next;
  return before;
}

export function isAtWork(): boolean {
  return current !== undefined;
}

/** A new part begins. */
export function beginPart(one: Allowance): void {
  one.partEnd = one.left - partSteps;
}

export function isWorkDue(): boolean {
  return current !== undefined && current.left <= current.partEnd;
}

export function work(steps: number): void {
  if (current === undefined) return;
  current.left -= steps;
  if (current.left < 0) {
    throw new EvaluationCancelled('operation cancelled: too much work on nested values');
  }
  if (current.pauses && current.left <= current.partEnd) throw paused();
}
