/**
 * Orders commits that change a state after commits at the same version that have tested it.
 *
 *   one batch of FoundationDB      0: creates p where n is live      1: marks n, which was live
 *   by the servers' own slots      mark of n (slot 0), p (slot 1)    wrong: n is not live before p
 *   with the last slot             p (slot 1), mark of n (slot 31)
 *
 * A commit that tests a state reads it. So if two commits have the same version, the one that
 * tested the state was first in the batch; otherwise it would have had a conflict. Revisions of one
 * version are ordered by slot, so a commit that changes such a state is numbered with the last
 * slot, whatever slot its server has.
 *
 * Invariants: commits with the last slot, which includes all of the 32nd server, exclude each other
 * at one version, because each reads and writes `e`. So (version, slot) stays unique, and none of
 * them has a lower revision than a commit that tested what it changed.
 *
 * The cost: nothing for commits that test a state. One more read for those that change one, and a
 * retry when two of them meet. The 32nd server has one commit under way instead of two.
 */
import { assert } from '../../stdx/assert.ts';
import type { CompanionRules, Mutation, StoreKey } from '../storage.ts';
import type { FdbTransaction } from './binding.ts';
import { planCommit } from './commit-plan.ts';
import type { AttemptId, CommitPlan, TouchedRecords } from './commit-plan.ts';
import type { Subspace } from './fdb-reads.ts';
import { LAST_SLOT } from './layout.ts';

/** Whether conditions may name this record. All servers of a store must say the same. */
export type MayBeTested = (key: StoreKey) => boolean;

export interface TestedRecords {
  readonly mayBeTested: MayBeTested;
  /** Whether conditions may say that there is no such record. */
  readonly mayBeMissed: MayBeTested;
}

/** Where nobody tests that a record is missing, a new one was nobody's to test: whoever relies on
 * it has seen it at a later version. */
function changesTestedState(
  plan: CommitPlan,
  { mayBeMissed, mayBeTested }: TestedRecords,
): boolean {
  return plan.writes.some(
    ({ key, record, previous }) =>
      previous?.state !== record?.state &&
      (previous === undefined ? mayBeMissed(key) : mayBeTested(key)),
  );
}

export interface Undecided {
  readonly touched: TouchedRecords;
  readonly mutations: readonly Mutation[];
  readonly attempt: AttemptId;
  readonly rules: CompanionRules | undefined;
}

/** The plan, numbered so that nothing of its version stands on the wrong side of it. */
export async function planInOrder(
  space: Subspace,
  transaction: FdbTransaction,
  undecided: Undecided,
  tested: TestedRecords,
): Promise<{ readonly attempt: AttemptId; readonly plan: CommitPlan }> {
  const { attempt } = undecided;
  const plan = planCommit(space, undecided);
  const isLast = attempt.slot === LAST_SLOT || changesTestedState(plan, tested);
  if (!isLast || plan.writes.length === 0) return { attempt, plan };
  const { lastStateChange } = space.keys;
  await transaction.get(lastStateChange, 'serializable');
  transaction.set(lastStateChange, attempt.bytes);
  const last = { ...attempt, numberedSlot: LAST_SLOT };
  return { attempt: last, plan: planCommit(space, { ...undecided, attempt: last }) };
}

export function checkConditions(
  mutations: readonly Mutation[],
  { mayBeMissed, mayBeTested }: TestedRecords,
): void {
  for (const { conditions } of mutations) {
    for (const { key, state } of conditions) {
      assert(mayBeTested(key), `${key} is not to be tested`);
      assert(state !== undefined || mayBeMissed(key), `that ${key} is missing is not to be tested`);
    }
  }
}
