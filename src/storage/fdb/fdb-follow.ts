/**
 * Reads the log after a revision: one page for changes(), page after page for tail().
 *
 * The loop that sleeps between pages is ../tail.ts, log-watch.ts wakes it, and fdb-log.ts makes the
 * pages. This file adds:
 *
 *   - a read that fails by a timeout is repeated, for as long as the cluster does not answer
 *   - no read at all while a page has reached the end and no commit was heard of since
 *
 * Invariants: a follower survives an outage, and stops at once when it is told to, even if the
 * cluster is silent. It reports the end that it has read to the watch in the same step, so it does
 * not sleep through a commit that another follower has already seen.
 * Bounds: `storageLimits.tailChangesMax` changes in a page of tail().
 */
import { StorageError, storageLimits } from '../storage.ts';
import type { AtRevision, ChangePage, Revision, Storage } from '../storage.ts';
import { followLog } from '../tail.ts';
import { fdbCodes, isFdbError } from './binding.ts';
import type { FdbTransaction } from './binding.ts';
import { readChanges } from './fdb-log.ts';
import type { ChangesOptions } from './fdb-log.ts';
import { refuseRevision, viewHistory } from './fdb-reads.ts';
import type { Subspace } from './fdb-reads.ts';
import type { LogWatch } from './log-watch.ts';
import type { OwnCommits } from './own-commits.ts';

export interface FollowerOptions {
  readonly space: Subspace;
  readonly logWatch: LogWatch;
  readonly own: OwnCommits;
  /** Runs a read, with its retries, for as long as a request may wait.
   * @throws StorageError */
  readonly reading: <T>(work: (transaction: FdbTransaction) => Promise<T>) => Promise<T>;
  /** Aborts when the store is closed. */
  readonly closing: AbortSignal;
}

/** Both as the contract of storage has them. */
export type Follower = Pick<Storage, 'changes' | 'tail'>;

export function createFollower(options: FollowerOptions): Follower {
  const { space, logWatch, own, reading, closing } = options;

  const readAfter: ReadAfter = (after, page) =>
    reading((transaction) => changesAfter(space, transaction, logWatch, after, { ...page, own }));

  return {
    changes: async (after, page) => (await readAfter(after, page)).page,
    async *tail(after, signal) {
      const either = AbortSignal.any([signal, closing]);
      const read = followerRead(readAfter, logWatch, either);
      try {
        yield* followLog(read, logWatch.commits, after, either);
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
      if (!signal.aborted) throw new StorageError('closed', 'the store is closed');
    },
  };
}

type ReadAfter = (after: Revision, options: Omit<ChangesOptions, 'own'>) => Promise<ReadPage>;

interface ReadPage {
  readonly page: AtRevision<ChangePage>;
  /** It goes through the newest revision of its transaction. */
  readonly isWhole: boolean;
}

async function changesAfter(
  space: Subspace,
  transaction: FdbTransaction,
  logWatch: LogWatch,
  after: Revision,
  options: ChangesOptions,
): Promise<ReadPage> {
  const seen = await viewHistory(space, transaction);
  const refused = refuseRevision(seen, after);
  if (refused !== undefined) return { page: refused, isWhole: false };
  const value = await readChanges(space, transaction, seen, after, options);
  // A page that was cut is followed by another one; nobody sleeps on it.
  const isWhole = value.through === seen.revision;
  if (isWhole) logWatch.observe(seen.tip);
  return { page: { kind: 'ok', value }, isWhole };
}

/** What a follower reads with: not again what it knows to be the end of the log. */
function followerRead(
  readAfter: ReadAfter,
  logWatch: LogWatch,
  signal: AbortSignal,
): (after: Revision) => Promise<AtRevision<ChangePage>> {
  const options = { limit: storageLimits.tailChangesMax, previous: false };
  let end: { readonly at: Revision; readonly count: number } | undefined;
  return async (after) => {
    const { count } = logWatch.commits;
    // The page before reached the end, and nobody has heard of a commit since it was asked for.
    if (end?.at === after && end.count === count) {
      return { kind: 'ok', value: { changes: [], through: after } };
    }
    const { page, isWhole } = await untilAnswered(() => readAfter(after, options), signal);
    end = page.kind === 'ok' && isWhole ? { at: page.value.through, count } : undefined;
    return page;
  };
}

/** A follower outlives an outage: it asks again, at the pace of the reads' own timeout, for as long
 * as the cluster does not answer. */
async function untilAnswered<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await unlessAborted(read(), signal);
    } catch (error) {
      if (signal.aborted || !isTimeout(error)) throw error;
    }
  }
}

/** Whoever stops does not wait for a cluster that is silent: the read is left to end by itself. */
function unlessAborted<T>(reading: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new StorageError('closed', 'the log is no longer followed'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    reading.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function isTimeout(error: unknown): boolean {
  const cause = error instanceof StorageError ? error.cause : undefined;
  return isFdbError(cause) && cause.code === fdbCodes.transactionTimedOut;
}
