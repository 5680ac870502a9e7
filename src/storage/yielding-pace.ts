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
 * Where commits take long, as on a slow disk, those that nobody waits for have as many more in
 * proportion: what a write adds to a commit does not grow with the disk's part of it.
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
  /** A commit that takes no longer has as many as said above; one of twice the length, that none
   * of the others waits for, twice as many. */
  readonly usualCommitMs: number;
  /** So many times as many, at most. */
  readonly slowCommitFactorMax: number;
}

/** How much the last commit counts in how long they take: one that is late among them is little. */
const lastShare = 1 / 8;

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
  const { slowCommitFactorMax, usualCommitMs } = limits;
  let commitMs = 0;
  const timesAsMany = (count: number): number =>
    Math.round(count * Math.min(slowCommitFactorMax, Math.max(1, commitMs / usualCommitMs)));
  let othersUntilMs = -Infinity;
  let restEndsMs = -Infinity;
  return {
    othersCame() {
      othersUntilMs = clock.monotonicMs() + othersForMs;
    },
    max(doOthersWait) {
      if (doOthersWait) return Math.min(yieldingBesideOthersMax, yieldingMax);
      const areOthersThere = clock.monotonicMs() < othersUntilMs;
      const count = areOthersThere ? Math.min(yieldingAmongOthersMax, yieldingMax) : yieldingMax;
      return timesAsMany(count);
    },
    restMs: () => Math.max(0, Math.min(restEndsMs, othersUntilMs) - clock.monotonicMs()),
    ended(begunMs) {
      const nowMs = clock.monotonicMs();
      restEndsMs = nowMs + (nowMs - begunMs);
      commitMs += (nowMs - begunMs - commitMs) * lastShare;
    },
  };
}
