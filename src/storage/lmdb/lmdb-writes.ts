/**
 * Writes of the LMDB store: commits, one transaction at a time, and the order of all that writes.
 *
 * A commit is decided on this thread and written by lmdb-js' writer thread, in one transaction:
 *
 *   exclusive ─▶ plan (reads the snapshot) ─▶ batch of puts ─▶ [thread: write, sync] ─▶ durable
 *
 * What was written not long ago the plan finds in the ring. A read of LMDB begins a transaction,
 * and lmdb-js sets a timer to end it, for which this thread would wake in the middle of the commit.
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
 * in log and old at or below the compact revision afterwards means nothing, until the next
 * compaction removes it (lmdb-compaction.ts).
 *
 * A failure other than `full` ends all writing until restart: after a failed sync nobody knows what
 * the disk holds, and asking again does not tell.
 * Bounds: the queue of writers is as long as there are callers; the committer makes one at a time,
 * a compaction one.
 */
import type { Clock } from '../../stdx/clock.ts';
import type { ChangeRing } from '../change-ring.ts';
import { isDeletion } from '../deletions.ts';
import type { IsBeingDeleted } from '../deletions.ts';
import { changesOf, planMutations } from '../mutation-plan.ts';
import type { MutationPlan, PlannedWrite } from '../mutation-plan.ts';
import { StorageError } from '../storage.ts';
import type { StorageErrorCode } from '../storage.ts';
import type { CompanionRules, Mutation, MutationOutcome, Revision, StoreKey } from '../storage.ts';
import type { CommitSignal } from '../tail.ts';
import {
  encodeKey,
  encodeLogEntry,
  encodeRevision,
  makeRecord,
  metaKeys,
  oldKey,
} from './layout.ts';
import type { LmdbRecord } from './layout.ts';
import { createLmdbCompaction } from './lmdb-compaction.ts';
import { translateCommitError } from './lmdb-errors.ts';
import { createFileRoom, pagesFor } from './file-room.ts';
import type { FileRoom } from './file-room.ts';
import { openedFile } from './opened-file.ts';
import { createReserve, openReserveTable } from './reserve.ts';
import type { Reserve, ReservedWrite, Transaction } from './reserve.ts';
import { currentRevision, readForCommit, readNow } from './lmdb-reads.ts';
import type { Tables } from './tables.ts';

export interface LmdbWriter {
  commit(mutations: readonly Mutation[]): Promise<readonly MutationOutcome[]>;
  compact(before: Revision): Promise<void>;
  /** Refuses what is asked for from now on, the next step of a compaction under way too. Resolves
   * when what was asked for before has ended: nobody reads or writes any more. */
  end(): Promise<void>;
  /** The newest durable one. Where the file was lost under a write, that write is in it, and nobody
   * will find it: followers are not told, and must not wait for it. */
  revision(): Revision;
  /** Before what is read: LMDB would end the process behind the end of its file.
   * @throws StorageError `io`: it was cut short. */
  checkReadable(): void;
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
  readonly ring: ChangeRing<LmdbRecord>;
  readonly commits: CommitSignal;
  /** Room kept for deletions; 0: none. */
  readonly reserveBytes: number;
  /** Whether a record in this state is being deleted. */
  readonly isEnding: IsBeingDeleted;
  readonly onFull: (full: boolean) => void;
  readonly rules?: CompanionRules | undefined;
}

export function createLmdbWriter(options: LmdbWriterOptions): LmdbWriter {
  const { tables, clock, isEnding, ring, commits } = options;
  const { reserve, room } = roomOf(options);
  const transactions = createTransactions(options, () => {
    known = undefined;
    states.forgetAll();
  });
  const { broken, checkOpened, checkReadable, transaction } = transactions;
  const inReserve = withReserve(reserve, room, transaction);
  const compaction = createLmdbCompaction({ tables, ring, exclusive, write: inReserve });
  let last: Promise<unknown> = Promise.resolve();
  let ended = false;
  const states = createConditionStates(tables);
  /** The revision of the newest change; undefined when it has to be read. */
  let known: Revision | undefined;
  let published = currentRevision(tables);

  function exclusive<T>(work: () => Promise<T>): Promise<T> {
    if (ended) return Promise.reject(new StorageError('closed', 'the store is closed'));
    const result = last.then(() => {
      // Behind others, one of which may have found that it was cut short: what plans a write reads.
      checkOpened('io');
      return work();
    });
    last = result.catch(() => undefined);
    return result;
  }

  async function commitNow(mutations: readonly Mutation[]): Promise<readonly MutationOutcome[]> {
    known ??= currentRevision(tables);
    const planned = planCommit(options, mutations, known, states);
    const newest = planned.writes.at(-1);
    if (newest === undefined) return planned.outcomes;
    states.forget(planned.finally.keys());
    const timeMs = clock.nowMs();
    const ends = mutations.every((mutation) => isDeletion(mutation, isEnding));
    await inReserve({
      write: () => writeCommit(tables, planned, timeMs),
      count: pagesFor(recordBytes(planned)),
      whenFull: ends ? () => writeSparingly(tables, planned) : undefined,
    });
    known = published = newest.revision;
    const { outcomes, writes } = planned;
    ring.push(changesOf(writes, timeMs), newest.revision, (i) => writes[i]?.previous === undefined);
    commits.notify();
    return outcomes;
  }

  return {
    commit: (mutations) => exclusive(() => commitNow(mutations)),
    compact: (before) => compaction.through(before),
    async end() {
      ended = true;
      await last;
    },
    revision: () => (transactions.haveStopped() ? published : currentRevision(tables)),
    checkReadable,
    failure: () => broken() ?? (reserve.isFull ? fullError() : undefined),
    async keepReserve() {
      if (broken() !== undefined || (reserve.isFull && !reserve.isDue())) return;
      const restore = (): Promise<boolean> => exclusive(() => reserve.restore(transaction));
      try {
        if (await restore()) return;
        if (await compaction.ofEverything()) await restore();
      } catch {
        // No room for the smallest step, closed, or broken, which every writer is told.
      }
    },
  };
}

function roomOf(options: LmdbWriterOptions): {
  readonly reserve: Reserve;
  readonly room: FileRoom;
} {
  const table = openReserveTable(options.tables);
  const room = createFileRoom({ ...options, reserve: table });
  return { room, reserve: createReserve({ ...options, table, room, bytes: options.reserveBytes }) };
}

interface Transactions {
  readonly transaction: Transaction;
  /** `code`: of what is thrown where the file is not what was opened. @throws StorageError; `io`
   * where writing has stopped by now. */
  readonly checkOpened: (code: StorageErrorCode) => void;
  /** @throws StorageError `io`: the file was cut short. */
  readonly checkReadable: () => void;
  readonly haveStopped: () => boolean;
  /** Why there are no more, if so. It looks at the file. */
  readonly broken: () => StorageError | undefined;
}

function createTransactions(
  { clock, path, tables }: Pick<LmdbWriterOptions, 'clock' | 'path' | 'tables'>,
  onFailed: () => void,
): Transactions {
  let broken: StorageError | undefined;
  const opened = openedFile(path, clock);

  function look(code: StorageErrorCode): StorageError | undefined {
    const problem = broken === undefined ? opened.problem() : undefined;
    if (problem !== undefined) broken = lostFile(code, problem);
    return broken;
  }

  function refuseBroken(): void {
    if (broken === undefined) return;
    throw new StorageError('io', `writing has stopped: ${broken.message}`, { cause: broken });
  }

  function checkOpened(code: StorageErrorCode): void {
    refuseBroken();
    const found = look(code);
    if (found !== undefined) throw found;
  }

  function checkReadable(): void {
    const problem = opened.unreadable();
    if (problem !== undefined) throw lostFile('io', problem);
  }

  async function transaction(write: () => void): Promise<void> {
    refuseBroken();
    try {
      await begun(tables, write);
    } catch (error) {
      onFailed();
      const translated = await translateCommitError(error, path, usable);
      if (translated.code !== 'full') broken = translated;
      throw translated;
    }
    // Durable in a file that nobody will find is not durable.
    checkOpened('unknown');
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

  return {
    transaction,
    checkOpened,
    checkReadable,
    haveStopped: () => broken !== undefined,
    broken: () => look('io'),
  };
}

function lostFile(code: StorageErrorCode, problem: string): StorageError {
  return new StorageError(code, `${problem}: put back a backup and start again`);
}

/** A batch is one write to lmdb-js, which begins with the second, or else in the next turn of the
 * event loop: there a broadcast may come first. So an empty batch stands behind. It is in the same
 * transaction, or in one of its own, which writes nothing: how that ends does not matter. */
function begun({ root }: Pick<Tables, 'root'>, write: () => void): Promise<boolean> {
  const committed = root.batch(write);
  root.batch(nothing).catch(nothing);
  return committed;
}

function nothing(): void {}

function withReserve(reserve: Reserve, room: FileRoom, transaction: Transaction) {
  return async ({ count, write, whenFull }: ReservedWrite): Promise<void> => {
    if (whenFull === undefined && reserve.isDue()) await reserve.restore(transaction);
    if (!reserve.isFull) {
      try {
        await room.make(count);
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

interface ConditionStates {
  of(key: StoreKey): string | undefined;
  /** They are being written. */
  forget(keys: Iterable<StoreKey>): void;
  forgetAll(): void;
}

/** States of the records that conditions name, between commits: most commits ask for the same few
 * namespaces and definitions, and LMDB copies all of a record (a definition of 400 KB) to show its
 * head. Nobody else writes them. Bound: `conditionStatesMax`, all forgotten when it is reached. */
function createConditionStates(tables: Tables): ConditionStates {
  const known = new Map<StoreKey, string | undefined>();
  return {
    of(key) {
      const there = known.get(key);
      if (there !== undefined || known.has(key)) return there;
      if (known.size >= conditionStatesMax) known.clear();
      const state = readNow(tables, encodeKey(key))?.state;
      known.set(key, state);
      return state;
    },
    forget(keys) {
      for (const key of keys) known.delete(key);
    },
    forgetAll: () => known.clear(),
  };
}

const conditionStatesMax = 4096;

function planCommit(
  { ring, rules, tables }: Pick<LmdbWriterOptions, 'ring' | 'rules' | 'tables'>,
  mutations: readonly Mutation[],
  after: Revision,
  states: ConditionStates,
): MutationPlan<LmdbRecord> {
  let revision = after;
  return planMutations<LmdbRecord>(mutations, {
    read(key) {
      const newest = ring.newestOf(key);
      return newest === undefined ? readForCommit(tables, encodeKey(key)) : newest.record;
    },
    make: makeRecord,
    nextRevision: () => (revision = (revision + 1n) as Revision),
    rules,
    stored: (_key, record) => record,
    stateOf: (key) => states.of(key),
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

/** Of each record that writeCommit() writes, bytes; those of its log entry are few. */
function* recordBytes({ writes }: MutationPlan<LmdbRecord>): Generator<number> {
  for (const { previous, record } of writes) {
    yield 0;
    yield record?.bytes.length ?? 0;
    if (previous !== undefined) yield previous.bytes.length;
  }
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
