/**
 * Rules that take longer than a turn of the event loop (KindStrategy.judging), worked out in turn
 * with everybody else's work, before anything is decided on what they find.
 */
import type { KindInfo } from '../apimachinery/scheme.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import { runStepwise } from '../stdx/stepwise.ts';
import type { Turns } from '../stdx/turns.ts';
import type { StrategyOf } from './strategy.ts';

export interface JudgementDeps {
  readonly strategyOf: StrategyOf;
  readonly turns: Turns;
}

/** Undefined: there is nothing to wait for. */
export function judged(
  { strategyOf, turns }: JudgementDeps,
  kind: KindInfo,
  next: ApiObject,
  current: ApiObject | undefined,
): Promise<void> | undefined {
  const { judging } = strategyOf(kind);
  if (judging === undefined || judging.isJudged(next, current)) return undefined;
  return runStepwise(turns, judging.judgeInSteps(next, current), () => false);
}
