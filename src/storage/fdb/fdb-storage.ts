/**
 * The storage contract on FoundationDB: the store for several servers (`--store=fdb`).
 *
 * Three things are stricter than the contract: a commit holds at most 64 mutations, companions
 * included, and 5 MiB of values; times in the log come from several clocks, so they are only
 * roughly ordered; compact() returns without compacting while another server is doing it.
 *
 * Invariants
 *  - A revision is (commit version of its era) << 12 | slot << 7 | index (layout.ts).
 *  - Two servers cannot commit with the same slot (slots.ts). The last slot belongs to one commit
 *    in each version (state-changes.ts).
 *  - Two commits of one server that are under way together share no key (lanes.ts).
 *  - A commit is applied once (commits.ts).
 *  - A read without a revision gets its own read version, so it never returns an older state.
 */
import type { Clock, Timers } from '../../stdx/clock.ts';
import type { Prng } from '../../stdx/prng.ts';
import { checkMutations } from '../mutation-limits.ts';
import { StorageError } from '../storage.ts';
import type { CompanionRules, Storage } from '../storage.ts';
import type { FdbDatabase, FdbTransaction } from './binding.ts';
import { createContention } from './contention.ts';
import { checkCommitSize, createCommits } from './commits.ts';
import { compactTo } from './fdb-compaction.ts';
import { createFollower } from './fdb-follow.ts';
import { readRecord, scanRecords, viewHistory } from './fdb-reads.ts';
import type { HistoryView, Subspace } from './fdb-reads.ts';
import { COMMIT_LANES, COMMIT_MUTATIONS_MAX, createKeys, revisionSpace, tipOf } from './layout.ts';
import { createLogWatch } from './log-watch.ts';
import { openStore } from './open-store.ts';
import { createOwnCommits } from './own-commits.ts';
import { createSlotHolder } from './slots.ts';
import type { SlotHolder } from './slots.ts';
import { checkConditions } from './state-changes.ts';
import type { MayBeTested } from './state-changes.ts';
import { runRead } from './transactions.ts';

export interface FdbStorageOptions {
  /** Closed with the storage. */
  readonly db: FdbDatabase;
  /** Everything is kept under this and a NUL; it holds none itself. */
  readonly prefix: string;
  /** Written into a new store; an existing one must have the same. */
  readonly identity: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly prng: Prng;
  /** How long a request may wait for one read or one commit, with all their retries. */
  readonly requestTimeoutMs: number;
  /** Undefined: any record may be. A change of such a state costs more (state-changes.ts). */
  readonly mayBeTested?: MayBeTested | undefined;
  /** Of which record conditions may say that it is missing; undefined: of none. To make such a
   * one costs more. */
  readonly mayBeMissed?: MayBeTested | undefined;
  /** Of mutations with companions; absent: none is given. */
  readonly rules?: CompanionRules | undefined;
}

/** @throws StorageError `identity`, `incomplete`, `corrupt`, `in-use`, `io`. */
export async function openFdbStorage(options: FdbStorageOptions): Promise<Storage> {
  const { db, prefix, identity } = options;
  try {
    const keys = createKeys(prefix);
    const { marks, bytes } = await openStore(db, keys, identity, prefix);
    const space = { keys, revisions: revisionSpace(marks.eras) };
    const slots = createSlotHolder({ ...options, keys, marks: bytes });
    await slots.held();
    return createFdbStorage(options, space, slots);
  } catch (error) {
    db.close();
    throw error;
  }
}

function createFdbStorage(
  {
    db,
    clock,
    requestTimeoutMs,
    mayBeMissed = () => false,
    mayBeTested = () => true,
    rules,
  }: FdbStorageOptions,
  space: Subspace,
  slots: SlotHolder,
): Storage {
  const logWatch = createLogWatch(db, space.keys.tip);
  const onCommitted = (stamp: Buffer): void => logWatch.observe(tipOf(space.revisions.era, stamp));
  const own = createOwnCommits();
  const contention = createContention(db, space.keys, slots.owner);
  const tested = { mayBeTested, mayBeMissed };
  const stores = { db, space, slots, clock, contention, own, tested, rules };
  const commits = createCommits({ ...stores, deadlineMs: requestTimeoutMs, onCommitted });
  const closing = new AbortController();
  let closed: Promise<void> | undefined;

  async function reading<T>(work: (transaction: FdbTransaction) => Promise<T>): Promise<T> {
    if (closing.signal.aborted) throw new StorageError('closed', 'the store is closed');
    return runRead(db, work, { timeoutMs: requestTimeoutMs });
  }

  const view = (): Promise<HistoryView> =>
    reading((transaction) => viewHistory(space, transaction));
  const follower = createFollower({ space, logWatch, own, reading, closing: closing.signal });

  return {
    name: 'fdb',
    commitLanes: COMMIT_LANES,
    commitWritesMax: COMMIT_MUTATIONS_MAX,
    read: (key, at) => reading((transaction) => readRecord(space, transaction, key, at)),
    scan: (range, at) => reading((transaction) => scanRecords(space, transaction, range, at)),
    async commit(mutations) {
      if (closing.signal.aborted) throw new StorageError('closed', 'the store is closed');
      checkMutations(mutations);
      checkCommitSize(mutations);
      checkConditions(mutations, tested);
      return mutations.length === 0 ? [] : commits.commit(mutations);
    },
    ...follower,
    revision: async () => (await view()).revision,
    compactRevision: async () => (await view()).compactRevision,
    compact: (before) =>
      compactTo({ db, space, owner: slots.owner, closing: closing.signal }, before),
    // A cluster that cannot be reached may come back: each commit says for itself.
    failure: () => undefined,
    close() {
      closing.abort();
      closed ??= closeAll();
      return closed;
    },
  };

  async function closeAll(): Promise<void> {
    await commits.settled();
    logWatch.close();
    await slots.release();
    db.close();
  }
}
