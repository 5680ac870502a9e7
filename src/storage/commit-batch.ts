/**
 * What goes into the next commit: of the submissions that wait, as many as it holds, and none whose
 * turn has not come.
 *
 * Invariants
 *  - A submission that has to wait is not overtaken by another one that touches one of its keys.
 *  - What a batch takes is in the order in which it was submitted.
 * Bounds: `batchMutationsMax` and `batchBytesMax`; one submission always goes.
 */
import { createKeyClaims } from './key-claims.ts';
import type { KeyClaims } from './key-claims.ts';
import { writesOf } from './mutation-limits.ts';
import { followsOf, isOrphaned, mustWait, preconditionOf, settle } from './pending-commit.ts';
import type { DeferredCommit, Submission } from './pending-commit.ts';
import type { Mutation } from './storage.ts';

export interface BatchLimits {
  /** Most mutations in one commit, companions counted with them; the rest waits for the next. A
   * store may hold fewer (`commitWritesMax`). */
  readonly batchMutationsMax: number;
  /** Most value bytes in one commit, or bytes of what is replaced (at least one mutation always
   * goes). */
  readonly batchBytesMax: number;
}

export interface Waiting {
  readonly submission: Submission;
  readonly pending: DeferredCommit;
  readonly bytes: number;
}

export interface Batch {
  readonly mutations: readonly Mutation[];
  readonly riders: readonly Waiting[];
}

/** In a batch: a deletion brings nothing, but what it deletes is read and written to history. */
function weightOf({ bytes, submission }: Waiting): number {
  return Math.max(bytes, submission.replacedBytes ?? 0);
}

/** `number` is that of the commit it will be; `refused` has been settled without it. */
export function createBatch(
  limits: BatchLimits,
  number: number,
  refused: (pending: DeferredCommit) => void,
): Batch & { hasRoomFor(waiting: Waiting): boolean; add(waiting: Waiting): void } {
  const mutations: Mutation[] = [];
  const riders: Waiting[] = [];
  let bytes = 0;
  let writes = 0;
  return {
    mutations,
    riders,
    hasRoomFor(waiting) {
      if (mutations.length === 0) return true;
      const fits = bytes + weightOf(waiting) <= limits.batchBytesMax;
      return fits && writes + writesOf(waiting.submission) <= limits.batchMutationsMax;
    },
    add(waiting) {
      const { submission, pending } = waiting;
      if (isOrphaned(submission)) {
        settle(pending, { kind: 'predecessor-failed' });
        refused(pending);
        return;
      }
      bytes += weightOf(waiting);
      const { key, companions, conditions, operation } = submission;
      const expect = preconditionOf(submission, number);
      const follows = followsOf(submission, number);
      pending.state = { kind: 'sent', batch: number, index: mutations.length };
      mutations.push({ key, expect, conditions, operation, companions, follows });
      writes += writesOf(submission);
      riders.push(waiting);
    },
  };
}

/** Who has to let others go first: for a commit in flight, for who does so already, or because
 * `yieldingMax` of those that yield are taken. `inFlight` undefined: there is none. `number` is
 * that of the commit it is chosen for. */
export function createQueueJump(
  inFlight: KeyClaims | undefined,
  number: number,
  yieldingMax: number,
): {
  readonly passed: readonly Waiting[];
  /** Of those that were passed and do not yield. */
  waitingCount(): number;
  passes(waiting: Waiting): boolean;
} {
  const passed: Waiting[] = [];
  let yieldingCount = 0;
  let waitingCount = 0;
  const ahead = createKeyClaims();
  return {
    passed,
    waitingCount: () => waitingCount,
    passes(waiting) {
      const { submission } = waiting;
      const isYielding = submission.isYielding === true;
      const waits =
        (isYielding && yieldingCount >= yieldingMax) ||
        inFlight?.clashesWith(submission) === true ||
        ahead.clashesWith(submission) ||
        mustWait(submission, number);
      if (!waits) {
        if (isYielding) yieldingCount += 1;
        return false;
      }
      if (!isYielding) waitingCount += 1;
      ahead.claim(submission);
      passed.push(waiting);
      return true;
    },
  };
}
