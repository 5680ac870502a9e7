/**
 * The pace of writes that nobody waits for (`isYielding`), beside those that somebody waits for.
 *
 * Whoever submits a write waits for the commit under way, then for its own. So what both hold, and
 * how often one is under way, is what callers feel of a large family of objects that is collected:
 *
 *   nobody else has written for a while     as many in a commit as may be, one after the other
 *   others have                             fewer, and between two commits the store rests for as
 *                                           long as the last one took: others find it idle half of
 *                                           the time
 *   others wait for this very commit        fewest of all
 *
 * Invariant: they go on whatever others do: some are in each commit, and a rest ends by itself.
 */
import type { Clock } from '../stdx/clock.ts';

export interface YieldingLimits {
  /** Most submissions in one commit that let others go first, if nobody else writes. Policy: the
   * others ride later commits. They do not count for `overtakenMax`: whoever submits them bounds
   * them. */
  readonly yieldingMax: number;
  /** The same while others write, in commits that hold nothing of theirs. */
  readonly yieldingAmongOthersMax: number;
  /** The same in a commit that one of the others waits for. */
  readonly yieldingBesideOthersMax: number;
  /** Others write for so long after each of their submissions. */
  readonly othersForMs: number;
}

export interface YieldingPace {
  /** A submission that does not yield has come. */
  othersCame(): void;
  /** Most of them in the next commit. */
  max(doOthersWait: boolean): number;
  /** How long a commit of such writes alone has to wait; 0: it may begin. */
  restMs(): number;
  /** A commit has ended. */
  ended(begunMs: number): void;
}

export function createYieldingPace(
  limits: YieldingLimits,
  clock: Pick<Clock, 'monotonicMs'>,
): YieldingPace {
  const { othersForMs, yieldingAmongOthersMax, yieldingBesideOthersMax, yieldingMax } = limits;
  let othersUntilMs = -Infinity;
  let restEndsMs = -Infinity;
  return {
    othersCame() {
      othersUntilMs = clock.monotonicMs() + othersForMs;
    },
    max(doOthersWait) {
      if (doOthersWait) return Math.min(yieldingBesideOthersMax, yieldingMax);
      const areOthersThere = clock.monotonicMs() < othersUntilMs;
      return areOthersThere ? Math.min(yieldingAmongOthersMax, yieldingMax) : yieldingMax;
    },
    restMs: () => Math.max(0, Math.min(restEndsMs, othersUntilMs) - clock.monotonicMs()),
    ended(begunMs) {
      const nowMs = clock.monotonicMs();
      restEndsMs = nowMs + (nowMs - begunMs);
    },
  };
}
