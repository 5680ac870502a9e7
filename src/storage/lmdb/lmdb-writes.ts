/**
 * Writes of the LMDB store: commits and compaction, one transaction at a time.
 *
 * A commit is decided on this thread and written by lmdb-js' writer thread, in one transaction:
 *
 *   exclusive ─▶ plan (reads the snapshot) ─▶ batch of puts ─▶ [thread: write, sync] ─▶ durable
 *
 * The snapshot the plan reads is the state the transaction starts from: this process alone has the
 * directory open (directory-lock.ts), and `exclusive` lets the next writer begin only when the
 * transaction before has ended. So a precondition read here is a precondition read inside the
 * transaction, and neither the tree nor the disk is ever waited for on this thread.
 *
 * Rejected: transactionSync, which syncs the disk on the calling thread and so stops every watcher
 * for the length of each commit; an asynchronous transaction with a callback, which does not undo
 * the writes made before a callback throws, unless made a child, which costs a copy.
 *
 * While the store is full (reserve.ts) only deletions are written, out of the reserve, and
 * compaction; whatever else comes is refused unwritten, so a full store costs nobody a flush.
 * A full store keeps no history: a deletion that kept the record it ends would need as much room as
 * it makes, and in one piece. So it is written `sparingly`, without a copy and a log entry, and the
 * store is compacted through it in the same transaction; followers have it from the ring. What lies
 * in log and old at or below the compact revision afterwards means nothing, and is swept away by
 * the steps of the next compaction.
 *
 * A failure other than `full` ends all writing until restart: after a failed sync nobody knows what
 * the disk holds, and asking again does not tell.
 * Bounds: the queue of writers is as long as there are callers; the committer makes one at a time,
 * a compaction one. A compaction step is `COMPACT_STEP` changes.
 */
import type { Clock } from '../../stdx/clock.ts';
import type { ChangeRing } from '../change-ring.ts';
import { endsRecord } from '../deletions.ts';
import type { IsEnding } from '../deletions.ts';
import { changesOf, planMutations } from '../mutation-plan.ts';
import type { MutationPlan, PlannedWrite } from '../mutation-plan.ts';
import { StorageError } from '../storage.ts';
import type { Mutation, MutationOutcome, Revision } from '../storage.ts';
import type { CommitSignal } from '../tail.ts';
import {
  decodeLogEntry,
  decodeRevision,
  encodeKey,
  encodeLogEntry,
  encodeRevision,
  makeRecord,
  metaKeys,
  oldKey,
} from './layout.ts';
import type { LmdbRecord } from './layout.ts';
import { translateCommitError } from './lmdb-errors.ts';
import { createReserve } from './reserve.ts';
import type { Reserve, Transaction } from './reserve.ts';
import { currentCompactRevision, currentRevision, readNow } from './lmdb-reads.ts';
import type { Tables } from './tables.ts';

/** A step holds up commits by about as long as one commit of as many mutations takes. */
const COMPACT_STEP = 256;

export interface LmdbWriter {
  commit(mutations: readonly Mutation[]): Promise<readonly MutationOutcome[]>;
  compact(before: Revision): Promise<void>;
  /** Resolves when the writes that were asked for have ended. */
  settled(): Promise<void>;
  /** Why every further commit is refused, if so; `full`: but for deletions. */
  failure(): StorageError | undefined;
  /** Makes the reserve of a new store, and tries again to where it is gone. */
  keepReserve(): Promise<void>;
}

export interface LmdbWriterOptions {
  /** The data directory: its file system is asked for room when a write fails. */
  readonly path: string;
  readonly tables: Tables;
  readonly clock: Clock;
  readonly ring: ChangeRing;
  readonly commits: CommitSignal;
  /** Room kept for deletions; 0: none. */
  readonly reserveBytes: number;
  /** Whether a record in this state is being deleted. */
  readonly isEnding: IsEnding;
  readonly onFull: (full: boolean) => void;
}

export function createLmdbWriter(options: LmdbWriterOptions): LmdbWriter {
  const { tables, clock, isEnding, ring, commits } = options;
  const reserve = createReserve({ ...options, bytes: options.reserveBytes });
  const { broken, transaction } = createTransactions(options, () => (known = undefined));
  const inReserve = withReserve(reserve, transaction);
  let last: Promise<unknown> = Promise.resolve();
  /** The revision of the newest change; undefined when it has to be read. */
  let known: Revision | undefined;

  function exclusive<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  }

  async function commitNow(mutations: readonly Mutation[]): Promise<readonly MutationOutcome[]> {
    const planned = planCommit(tables, mutations, (known ??= currentRevision(tables)));
    const newest = planned.writes.at(-1);
    if (newest === undefined) return planned.outcomes;
    const timeMs = clock.nowMs();
    const ends = mutations.every((mutation) => endsRecord(mutation, isEnding));
    await inReserve({
      write: () => writeCommit(tables, planned, timeMs),
      whenFull: ends ? () => writeSparingly(tables, planned) : undefined,
    });
    known = newest.revision;
    ring.push(changesOf(planned.writes, timeMs), newest.revision);
    commits.notify();
    return planned.outcomes;
  }

  /** Forgets up to COMPACT_STEP changes, fewer where there is no room; answers what it did. */
  async function compactStep(before: Revision): Promise<CompactionStep | undefined> {
    for (let changes = COMPACT_STEP; ; changes = Math.ceil(changes / 8)) {
      const step = planCompaction(tables, before, changes);
      if (step === undefined) return undefined;
      try {
        const write = (): void => writeCompaction(tables, step);
        await inReserve({ write, whenFull: write });
      } catch (error) {
        // A smaller one needs less room before it gives some.
        if (changes > 1 && error instanceof StorageError && error.code === 'full') continue;
        throw error;
      }
      return step;
    }
  }

  /** All of the history goes; the ring keeps what live followers still have to read. Answers
   * whether there was any. */
  async function sweep(): Promise<boolean> {
    for (let steps = 0; ; steps += 1) {
      const step = await exclusive(() => compactStep(currentRevision(tables)));
      if (step?.more !== true) return step !== undefined || steps > 0;
    }
  }

  function restore(): Promise<boolean> {
    return exclusive(() => reserve.restore(transaction));
  }

  return {
    commit: (mutations) => exclusive(() => commitNow(mutations)),
    async compact(before) {
      // Each step queues behind the commits that came meanwhile.
      for (let more = true; more; ) {
        const step = await exclusive(() => compactStep(before));
        if (step !== undefined) ring.forget(step.through);
        more = step?.more === true;
      }
    },
    settled: () => exclusive(() => Promise.resolve()),
    failure: () => broken() ?? (reserve.isFull ? fullError() : undefined),
    async keepReserve() {
      if (broken() !== undefined || (reserve.isFull && !reserve.isDue())) return;
      if (await restore()) return;
      try {
        if (await sweep()) await restore();
      } catch {
        // No room for the smallest step, or broken, which every writer is told.
      }
    },
  };
}

interface Transactions {
  readonly transaction: Transaction;
  /** Why there are no more, if so. */
  readonly broken: () => StorageError | undefined;
}

function createTransactions(
  { path, tables }: Pick<LmdbWriterOptions, 'path' | 'tables'>,
  onFailed: () => void,
): Transactions {
  let broken: StorageError | undefined;

  async function transaction(write: () => void): Promise<void> {
    if (broken !== undefined) {
      throw new StorageError('io', `writing has stopped: ${broken.message}`, { cause: broken });
    }
    try {
      await tables.root.batch(write);
    } catch (error) {
      onFailed();
      const translated = await translateCommitError(error, path, usable);
      if (translated.code !== 'full') broken = translated;
      throw translated;
    }
  }

  /** LMDB refuses every transaction once a write of its meta page has failed. */
  function usable(): boolean {
    try {
      tables.root.resetReadTxn();
      currentRevision(tables);
      return true;
    } catch {
      return false;
    }
  }

  return { transaction, broken: () => broken };
}

interface ReservedWrite {
  readonly write: () => void;
  /** What a full store takes instead, out of the reserve; undefined: nothing, it makes no room. */
  readonly whenFull: (() => void) | undefined;
}

function withReserve(reserve: Reserve, transaction: Transaction) {
  return async ({ write, whenFull }: ReservedWrite): Promise<void> => {
    if (whenFull === undefined && reserve.isDue()) await reserve.restore(transaction);
    if (!reserve.isFull) {
      try {
        return await transaction(write);
      } catch (error) {
        if (!isFullError(error)) throw error;
        await reserve.release(transaction);
        if (whenFull === undefined) throw error;
      }
    }
    if (whenFull === undefined) throw fullError();
    try {
      await transaction(whenFull);
    } catch (error) {
      if (!isFullError(error)) throw error;
      // Some of it may be there still: there was no room to free it, or the store was full when it
      // was opened.
      await reserve.release(transaction);
      await transaction(whenFull);
    }
  };
}

function isFullError(error: unknown): boolean {
  return error instanceof StorageError && error.code === 'full';
}

function fullError(): StorageError {
  return new StorageError('full', 'no room for the store: only deletions are written');
}

function planCommit(
  tables: Tables,
  mutations: readonly Mutation[],
  after: Revision,
): MutationPlan<LmdbRecord> {
  let revision = after;
  return planMutations<LmdbRecord>(mutations, {
    read: (key) => readNow(tables, encodeKey(key)),
    make: makeRecord,
    nextRevision: () => (revision = (revision + 1n) as Revision),
  });
}

/** Inside a batch; the promises of its puts say nothing of their own. */
function writeCommit(
  { cur, old, log, meta }: Tables,
  { writes, finally: left }: MutationPlan<LmdbRecord>,
  timeMs: number,
): void {
  for (const { key, revision, record, previous } of writes) {
    const keyBytes = encodeKey(key);
    const kind = record === undefined ? 'delete' : 'put';
    void log.put(encodeRevision(revision), encodeLogEntry(kind, timeMs, keyBytes));
    if (previous !== undefined) void old.put(oldKey(keyBytes, revision), previous.bytes);
    // A key written several times in one commit is stored as it ends.
    if (left.get(key) !== record) continue;
    if (record === undefined) void cur.remove(keyBytes);
    else void cur.put(keyBytes, record.bytes);
  }
  const newest = writes.at(-1);
  if (newest !== undefined) void meta.put(metaKeys.revision, encodeRevision(newest.revision));
}

/** As writeCommit(), of deletions in a full store: no history is left, theirs nor another. */
function writeSparingly(
  { cur, meta }: Tables,
  { writes, finally: left }: MutationPlan<LmdbRecord>,
): void {
  for (const [key, record] of left) {
    if (record === undefined) void cur.remove(encodeKey(key));
    else void cur.put(encodeKey(key), record.bytes);
  }
  const newest = encodeRevision((writes.at(-1) as PlannedWrite<LmdbRecord>).revision);
  void meta.put(metaKeys.revision, newest);
  void meta.put(metaKeys.compactRevision, newest);
}

interface CompactionStep {
  readonly forgotten: readonly { readonly logKey: Buffer; readonly oldKey: Buffer }[];
  /** The newest change that is gone afterwards. */
  readonly through: Revision;
  readonly compactRevision: Revision;
  /** Whether changes up to `before` remain. */
  readonly more: boolean;
}

function planCompaction(
  tables: Tables,
  before: Revision,
  changesMax: number,
): CompactionStep | undefined {
  const revision = currentRevision(tables);
  const compacted = currentCompactRevision(tables);
  const bound = before < revision ? before : revision;
  const forgotten: { readonly logKey: Buffer; readonly oldKey: Buffer }[] = [];
  let through = bound;
  let more = false;
  const end = encodeRevision((bound + 1n) as Revision);
  for (const { key, value } of tables.log.getRange({ end, limit: changesMax + 1 })) {
    more = forgotten.length === changesMax;
    if (more) break;
    through = decodeRevision(key);
    forgotten.push({ logKey: key, oldKey: oldKey(decodeLogEntry(value).key, through) });
  }
  if (forgotten.length === 0 && bound <= compacted) return undefined;
  if (!more) through = bound;
  return { forgotten, through, compactRevision: through > compacted ? through : compacted, more };
}

function writeCompaction({ log, old, meta }: Tables, step: CompactionStep): void {
  for (const each of step.forgotten) {
    void log.remove(each.logKey);
    void old.remove(each.oldKey);
  }
  void meta.put(metaKeys.compactRevision, encodeRevision(step.compactRevision));
}
