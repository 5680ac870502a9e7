/**
 * Committing mutations: each commit in a lane, exactly once.
 *
 * What it is not: the order of commits. Which may be under way together is lanes.ts; here is what
 * becomes of one, through all its attempts, as if it were alone.
 *
 * FoundationDB may answer a commit with "may or may not have happened", or not at all. So every
 * attempt has an id, reads the id of the last commit of its lane, and writes its own in its place:
 *
 *   d <slot> <lane>   attempt id, versionstamp   read (in the conflict set) and written by every
 *                                                attempt
 *
 * Two attempts can then not both apply, even when the first is still under way while the second
 * runs: whichever comes second finds the mark changed, or conflicts. An attempt that finds the id
 * of an earlier one knows that that one was applied, and at which version. Nothing is guessed.
 *
 * A server that keeps losing races for a record gets a turn (contention.ts).
 *
 * The mark tells as long as the slot is the same server's. So a commit keeps to the tenure of the
 * slot (slots.ts) in which an attempt of it is open, whatever slot its server has taken since: it
 * finds its own mark there, or the outcome is unknown.
 *
 * Invariants: one commit is in flight per opener and lane, so (version, slot, lane) belongs to one
 * commit, and (version, LAST_SLOT) to one too (state-changes.ts); the commits of two lanes share no
 * key and no mark, so neither can be the answer of the other, nor its conflict unless both have
 * LAST_SLOT; one that was acknowledged before another began has the lower version; an outcome is
 * given only for a plan known to be applied, or one that had nothing to apply; `unknown` is thrown
 * only when an attempt whose fate is open was the last thing heard before the deadline.
 * Bounds: COMMIT_MUTATIONS_MAX mutations and `commitBytesMax` of values a commit (`too-large`);
 * `deadlineMs`, the timeout of a request, from the first attempt to the end of the last.
 */
import type { Clock } from '../../stdx/clock.ts';
import { StorageError } from '../storage.ts';
import type { Mutation, MutationOutcome } from '../storage.ts';
import { certainlyNotCommitted, fdbCodes, isFdbError } from './binding.ts';
import type { FdbDatabase, FdbTransaction } from './binding.ts';
import {
  ATTEMPT_ID_BYTES,
  outcomesOf,
  ownCommitOf,
  readSlot,
  readTouched,
  writeCommit,
} from './commit-plan.ts';
import type { AttemptId, CommitPlan } from './commit-plan.ts';
import type { Subspace } from './fdb-reads.ts';
import { noTurns } from './contention.ts';
import type { Contention } from './contention.ts';
import { createLanes } from './lanes.ts';
import { COMMIT_MUTATIONS_MAX } from './layout.ts';
import type { OwnCommits } from './own-commits.ts';
import type { SlotHolder, Tenure } from './slots.ts';
import { planInOrder } from './state-changes.ts';
import type { MayBeTested } from './state-changes.ts';
import { fdbLimits, translateFdbError } from './transactions.ts';

export interface CommitterOptions {
  readonly db: FdbDatabase;
  readonly space: Subspace;
  readonly slots: SlotHolder;
  readonly clock: Clock;
  readonly contention: Contention;
  readonly mayBeTested: MayBeTested;
  /** How long a commit may take, with every transaction it takes to learn its outcome. */
  readonly deadlineMs: number;
  /** Given each commit. */
  readonly own: OwnCommits;
  /** Told the versionstamp of each commit. */
  readonly onCommitted: (stamp: Buffer) => void;
}

export interface Commits {
  commit(mutations: readonly Mutation[]): Promise<readonly MutationOutcome[]>;
  /** Resolves when the commits that were asked for have ended. */
  settled(): Promise<void>;
}

/** An attempt that may have been applied. */
interface OpenAttempt {
  readonly attempt: AttemptId;
  readonly plan: CommitPlan;
  /** What it wrote into the log. */
  readonly timeMs: number;
}

interface AttemptDone {
  readonly kind: 'done';
  readonly outcomes: readonly MutationOutcome[];
}

type AttemptEnd = AttemptDone | { readonly kind: 'slot-lost' };

export function createCommits(options: CommitterOptions): Commits {
  const { db, space, slots, clock, contention } = options;
  const lanes = createLanes();
  const nextAttempt = attemptIds(slots.owner);

  function finish({ attempt, plan, timeMs }: OpenAttempt, stamp: Buffer): AttemptDone {
    options.own.add(ownCommitOf(space.revisions, plan, attempt, stamp, timeMs));
    options.onCommitted(stamp);
    return { kind: 'done', outcomes: outcomesOf(space.revisions, plan, attempt, stamp) };
  }

  /** One attempt. `open` holds the earlier ones whose fate is not known, and gains this one while
   * its own is not. Throws what FoundationDB says. */
  async function attemptOnce(
    transaction: FdbTransaction,
    mutations: readonly Mutation[],
    { tenure, lane }: { readonly tenure: Tenure; readonly lane: number },
    open: OpenAttempt[],
  ): Promise<AttemptEnd> {
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
    const undecided = { touched, mutations: admitted, attempt: nextAttempt(slot, lane) };
    const { attempt, plan } = await planInOrder(space, transaction, undecided, options.mayBeTested);
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
  }

  async function commitIn(
    lane: number,
    mutations: readonly Mutation[],
  ): Promise<readonly MutationOutcome[]> {
    const endsMs = clock.monotonicMs() + options.deadlineMs;
    const leftMs = (): number => Math.ceil(endsMs - clock.monotonicMs());
    const begin = (): FdbTransaction =>
      db.begin({ timeoutMs: Math.max(1, Math.min(fdbLimits.commitTimeoutMs, leftMs())) });
    const open: OpenAttempt[] = [];
    let tenure: Tenure | undefined;
    let transaction = begin();
    for (;;) {
      try {
        if (tenure === undefined || open.length === 0) tenure = await slots.held();
        const end = await attemptOnce(transaction, mutations, { tenure, lane }, open);
        if (end.kind === 'done') return end.outcomes;
        // Whoever took the slot may have overwritten the mark that would tell.
        if (open.length > 0) throw unknownOutcome();
        slots.lost(tenure);
        transaction = begin();
      } catch (error) {
        if (isFdbError(error) && leftMs() <= 0) throw giveUp(error, open);
        transaction = await afterFailure(begin, transaction, error, open);
      }
    }
  }

  return {
    commit: (mutations) => lanes.run(mutations, (lane) => commitIn(lane, mutations)),
    settled: () => lanes.settled(),
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

/** @throws StorageError `too-large` when one transaction cannot hold them. */
export function checkCommitSize(mutations: readonly Mutation[]): void {
  if (mutations.length > COMMIT_MUTATIONS_MAX) {
    throw new StorageError('too-large', `over ${COMMIT_MUTATIONS_MAX} mutations in one commit`);
  }
  let bytes = 0;
  for (const { operation } of mutations) {
    if (operation.kind === 'put') bytes += operation.value.byteLength;
  }
  if (bytes > fdbLimits.commitBytesMax) {
    throw new StorageError('too-large', `over ${fdbLimits.commitBytesMax} bytes in one commit`);
  }
}

function isMarkOf(last: Buffer | undefined, attempt: AttemptId): boolean {
  return last?.subarray(0, ATTEMPT_ID_BYTES).equals(attempt.bytes) === true;
}

/** The transaction for the next attempt.
 * @throws StorageError when there is to be none. */
async function afterFailure(
  begin: () => FdbTransaction,
  transaction: FdbTransaction,
  error: unknown,
  open: readonly OpenAttempt[],
): Promise<FdbTransaction> {
  if (!isFdbError(error)) throw error;
  try {
    await transaction.onError(error);
    return transaction;
  } catch (final) {
    // A transaction that timed out is spent, the commit is not.
    if (isFdbError(final) && final.code === fdbCodes.transactionTimedOut) {
      transaction.cancel();
      return begin();
    }
    throw isFdbError(final) ? giveUp(final, open) : final;
  }
}

function giveUp(
  error: Parameters<typeof translateFdbError>[0],
  open: readonly OpenAttempt[],
): Error {
  return open.length > 0 ? unknownOutcome(error) : translateFdbError(error);
}

function unknownOutcome(cause?: Error): StorageError {
  return new StorageError('unknown', 'the outcome of a commit could not be learned', { cause });
}
