/**
 * A second limit beside the cost: work that the reference's costs do not count, because they are
 * computed from the size of a value and not from its content. An example is comparing two lists of
 * lists.
 *
 * A step is about ten nanoseconds of work, so a single call is a short turn of the event loop even
 * if it uses the whole allowance.
 *
 * Only one evaluation runs at a time. An evaluation inside another (a variable that is an
 * expression) shares its allowance, and so do all parts of one evaluation.
 */
import { EvaluationCancelled, paused } from '../evaluation-error.ts';

/** Of one evaluation. Policy: beyond, it is cancelled. */
const stepsMax = 2_000_000;
/** Of a part, before others may have a turn. */
const partSteps = 200_000;

export interface StepAllowance {
  left: number;
  /** A part of the evaluation is over when no more is left than this. */
  partEnd: number;
  /** What uses up a part ends with `paused`. */
  readonly pauses: boolean;
}

export function newStepAllowance({ pauses }: { readonly pauses: boolean }): StepAllowance {
  return { left: stepsMax, partEnd: -Infinity, pauses };
}

/** Shared by the evaluations that run in one turn: they come one after the other. */
const ofWhole = newStepAllowance({ pauses: false });

let current: StepAllowance | undefined;
let done = 0;

/** Of all evaluations so far. */
export function stepsDone(): number {
  return done;
}

/** Whose steps are counted from now on; undefined: nobody's. Returns whose were counted before. */
export function chargeTo(next: StepAllowance | undefined): StepAllowance | undefined {
  const before = current;
  current = next;
  return before;
}

/** An evaluation begins that runs whole: inside another it works on the allowance of that. Returns
 * whose steps are counted after it. */
export function beginWhole(): StepAllowance | undefined {
  if (current !== undefined) return current;
  ofWhole.left = stepsMax;
  current = ofWhole;
  return undefined;
}

/** A new part begins. */
export function beginPart(one: StepAllowance): void {
  one.partEnd = one.left - partSteps;
}

export function isPartOver(): boolean {
  return current !== undefined && current.left <= current.partEnd;
}

export function spendSteps(steps: number): void {
  if (current === undefined) return;
  done += steps;
  current.left -= steps;
  if (current.left < 0) {
    throw new EvaluationCancelled('operation cancelled: too much work on nested values');
  }
  if (current.pauses && current.left <= current.partEnd) throw paused();
}
