/**
 * Commits mutations, each commit in a lane and exactly once.
 *
 * lanes.ts decides which commits may run at the same time. This file takes one commit through all
 * its attempts (commit-attempt.ts). An attempt whose commit was not answered may have been applied:
 * it stays open, and the next attempt finds out. A server that keeps losing races for a record gets
 * a turn (contention.ts).
 *
 * The mark of a commit can be trusted only while the slot belongs to the same server. So a commit
 * with an open attempt stays with the tenure of the slot (slots.ts) in which that attempt was made,
 * even if its server has taken another slot since. It finds its own mark there, or the outcome is
 * unknown.
 *
 * Invariants
 *  - One commit is in flight for each opener and lane, so (version, slot, lane) belongs to one
 *    commit, and so does (version, LAST_SLOT) (state-changes.ts).
 *  - Commits of two lanes share no key and no mark. Neither can be mistaken for the other, and they
 *    conflict only if both have LAST_SLOT.
 *  - A commit that was acknowledged before another one began has the lower version.
 *  - An outcome is given only for a plan that was certainly applied or had nothing to apply.
 *    `unknown` is thrown only if an attempt is still open when there is no time left, no way to try
 *    again, or the slot belongs to somebody else.
 * Bounds: COMMIT_MUTATIONS_MAX mutations, companions included, and `commitBytesMax` of values in a
 * commit (`too-large`); `deadlineMs`, the timeout of a request, for all attempts together.
 */
import { valueBytesOf, writesOf } from '../mutation-limits.ts';
import { StorageError } from '../storage.ts';
import type { Mutation, MutationOutcome } from '../storage.ts';
import { fdbCodes, isFdbError } from './binding.ts';
import type { FdbDatabase, FdbTransaction } from './binding.ts';
import { createAttempt } from './commit-attempt.ts';
import type { AttemptOptions, OpenAttempt } from './commit-attempt.ts';
import { createLanes } from './lanes.ts';
import { COMMIT_MUTATIONS_MAX } from './layout.ts';
import type { Tenure } from './slots.ts';
import { fdbLimits, translateFdbError } from './transactions.ts';

export interface CommitsOptions extends AttemptOptions {
  readonly db: FdbDatabase;
  /** How long a commit may take, with every transaction it takes to learn its outcome. */
  readonly deadlineMs: number;
}

export interface Commits {
  /** @throws StorageError `too-large`, `unknown`, `timeout`, `io`, `in-use`. */
  commit(mutations: readonly Mutation[]): Promise<readonly MutationOutcome[]>;
  /** Resolves when the commits that were asked for have ended. */
  settled(): Promise<void>;
}

export function createCommits(options: CommitsOptions): Commits {
  const { db, slots, clock } = options;
  const lanes = createLanes();
  const attempt = createAttempt(options);

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
        const end = await attempt(transaction, mutations, { tenure, lane }, open);
        if (end.kind === 'done') return end.outcomes;
        // Whoever took the slot may have overwritten the mark that would tell.
        if (open.length > 0) throw unknownOutcome();
        slots.lost(tenure);
        transaction = begin();
      } catch (error) {
        transaction = await afterFailure(begin, transaction, error, open);
        if (leftMs() <= 0) throw outOfTime(error, open);
      }
    }
  }

  return {
    commit: (mutations) => lanes.run(mutations, (lane) => commitIn(lane, mutations)),
    settled: () => lanes.settled(),
  };
}

/** @throws StorageError `too-large` when one transaction cannot hold them. */
export function checkCommitSize(mutations: readonly Mutation[]): void {
  let bytes = 0;
  let writes = 0;
  for (const mutation of mutations) {
    bytes += valueBytesOf(mutation);
    writes += writesOf(mutation);
  }
  if (writes > COMMIT_MUTATIONS_MAX) {
    throw new StorageError('too-large', `over ${COMMIT_MUTATIONS_MAX} mutations in one commit`);
  }
  if (bytes > fdbLimits.commitBytesMax) {
    throw new StorageError('too-large', `over ${fdbLimits.commitBytesMax} bytes in one commit`);
  }
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

/** Of a failure that another attempt might mend. */
function outOfTime(cause: unknown, open: readonly OpenAttempt[]): StorageError {
  if (open.length > 0) return unknownOutcome(cause);
  return new StorageError('timeout', 'FoundationDB has not applied a commit in time', { cause });
}

function unknownOutcome(cause?: unknown): StorageError {
  return new StorageError('unknown', 'the outcome of a commit could not be learned', { cause });
}
