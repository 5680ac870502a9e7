/**
 * One attempt to commit: finds out whether an earlier attempt was applied; if not, decides the
 * mutations and commits them.
 *
 * commits.ts makes the attempts and says when to stop. commit-plan.ts says what one reads and
 * writes.
 *
 * FoundationDB may answer a commit with "may or may not have happened", or not at all. So every
 * attempt has an id. It reads the id of the last commit of its lane, and writes its own in its
 * place:
 *
 *   d <slot> <lane>   attempt id, versionstamp   read (in the conflict set) and written by every
 *                                                attempt
 *
 * So two attempts cannot both be applied, even if the first is still under way while the second
 * runs: the second one finds that the mark has changed, or gets a conflict. An attempt that finds
 * the id of an earlier one knows that it was applied, and at which version. Nothing is guessed.
 *
 * Invariant: an attempt is open from just before its commit until it is certain that the commit was
 * refused. Later attempts must take all open ones into account.
 */
import type { Clock } from '../../stdx/clock.ts';
import type { CompanionRules, Mutation, MutationOutcome } from '../storage.ts';
import { certainlyNotCommitted, isFdbError } from './binding.ts';
import type { FdbTransaction } from './binding.ts';
import {
  ATTEMPT_ID_BYTES,
  outcomesOf,
  ownCommitOf,
  readSlot,
  readTouched,
  writeCommit,
} from './commit-plan.ts';
import type { AttemptId, CommitPlan } from './commit-plan.ts';
import { noTurns } from './contention.ts';
import type { Contention } from './contention.ts';
import type { Subspace } from './fdb-reads.ts';
import type { OwnCommits } from './own-commits.ts';
import type { SlotHolder, Tenure } from './slots.ts';
import { planInOrder } from './state-changes.ts';
import type { TestedRecords } from './state-changes.ts';

export interface AttemptOptions {
  readonly space: Subspace;
  readonly slots: SlotHolder;
  readonly clock: Clock;
  readonly contention: Contention;
  readonly tested: TestedRecords;
  readonly rules?: CompanionRules | undefined;
  /** Given each commit. */
  readonly own: OwnCommits;
  /** Told the versionstamp of each commit. */
  readonly onCommitted: (stamp: Buffer) => void;
}

/** An attempt that may have been applied. */
export interface OpenAttempt {
  readonly attempt: AttemptId;
  readonly plan: CommitPlan;
  /** What it wrote into the log. */
  readonly timeMs: number;
}

interface AttemptDone {
  readonly kind: 'done';
  readonly outcomes: readonly MutationOutcome[];
}

export type AttemptEnd = AttemptDone | { readonly kind: 'slot-lost' };

/** Under whose mark a commit is tried. */
export interface CommitLane {
  readonly tenure: Tenure;
  readonly lane: number;
}

/** One attempt. `open` holds the earlier ones whose fate is not known, and gains this one while
 * its own is not.
 * @throws FdbError, whatever FoundationDB says. */
export type Attempt = (
  transaction: FdbTransaction,
  mutations: readonly Mutation[],
  at: CommitLane,
  open: OpenAttempt[],
) => Promise<AttemptEnd>;

export function createAttempt(options: AttemptOptions): Attempt {
  const { space, slots, clock, contention } = options;
  const nextId = attemptIds(slots.owner);

  function finish({ attempt, plan, timeMs }: OpenAttempt, stamp: Buffer): AttemptDone {
    options.own.add(ownCommitOf(space.revisions, plan, attempt, stamp, timeMs));
    options.onCommitted(stamp);
    return { kind: 'done', outcomes: outcomesOf(space.revisions, plan, attempt, stamp) };
  }

  return async (transaction, mutations, { tenure, lane }, open) => {
    const { slot } = tenure;
    const [found, touched, turns] = await Promise.all([
      readSlot(space, transaction, slot, lane),
      readTouched(space, transaction, mutations),
      // Somebody's turn changes nothing in the store: it must not decide what an earlier attempt
      // may yet apply.
      open.length === 0 ? contention.read(transaction) : noTurns,
    ]);
    const applied = open.find(({ attempt }) => isMarkOf(found.last, attempt));
    if (applied !== undefined && found.last !== undefined) {
      return finish(applied, found.last.subarray(ATTEMPT_ID_BYTES));
    }
    const isOwner = found.owner?.equals(slots.owner) === true;
    if (!isOwner || !slots.lasts(tenure)) return { kind: 'slot-lost' };
    const admitted = contention.admit(turns, mutations);
    const { rules, tested } = options;
    const undecided = { touched, mutations: admitted, attempt: nextId(slot, lane), rules };
    const { attempt, plan } = await planInOrder(space, transaction, undecided, tested);
    // Decided at this read version. An earlier attempt that had something to apply read what has
    // changed since, so it cannot be applied any more.
    let end: AttemptDone = { kind: 'done', outcomes: plan.outcomes };
    if (plan.writes.length > 0) {
      const self = { attempt, plan, timeMs: clock.nowMs() };
      writeCommit(space, transaction, plan, attempt, self.timeMs);
      contention.clearSpent(transaction, turns, plan.finally);
      end = finish(self, await commitOpen(transaction, self, open));
    }
    await contention.settled(turns, mutations, end.outcomes);
    return end;
  };
}

function attemptIds(owner: Buffer): (slot: number, lane: number) => AttemptId {
  let attemptsCount = 0n;
  return (slot, lane) => {
    const bytes = Buffer.alloc(ATTEMPT_ID_BYTES);
    owner.copy(bytes);
    bytes.writeBigUInt64BE((attemptsCount += 1n), owner.length);
    return { slot, lane, numberedSlot: slot, bytes };
  };
}

/** Commits an attempt, which stays among the open ones unless it is certain that it was refused.
 * Answers the versionstamp. */
async function commitOpen(
  transaction: FdbTransaction,
  self: OpenAttempt,
  open: OpenAttempt[],
): Promise<Buffer> {
  const stamp = transaction.versionstamp();
  stamp.catch(() => undefined);
  open.push(self);
  try {
    await transaction.commit();
  } catch (error) {
    if (isFdbError(error) && certainlyNotCommitted(error)) open.pop();
    throw error;
  }
  return stamp;
}

function isMarkOf(last: Buffer | undefined, attempt: AttemptId): boolean {
  return last?.subarray(0, ATTEMPT_ID_BYTES).equals(attempt.bytes) === true;
}
