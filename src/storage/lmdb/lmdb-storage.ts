/**
 * The storage contract on LMDB: the embedded store (`--store=lmdb`).
 *
 * One process has the directory; a second one is refused (`in-use`).
 *
 * Invariants: what a read sees is on the disk (tables.ts); every read is of one snapshot
 * (lmdb-reads.ts); every write is one transaction after another (lmdb-writes.ts). The ring of the
 * newest changes serves followers that keep up without reading back what was just written.
 * Revisions are 1, 2, 3 ... here; nobody may count on it.
 * Bounds: `storageLimits`, `changeRingLimits`; the medium itself (`full`).
 */
import { systemTimers } from '../../stdx/clock.ts';
import type { Clock, TimerHandle, Timers } from '../../stdx/clock.ts';
import type { RecordCheck } from '../damage.ts';
import { changeRingLimits, createChangeRing } from '../change-ring.ts';
import type { ChangeRing, ChangeRingLimits } from '../change-ring.ts';
import { checkMutations } from '../mutation-limits.ts';
import { StorageError, storageLimits } from '../storage.ts';
import type {
  AtRevision,
  ChangePage,
  CompanionRules,
  Revision,
  ScanPage,
  ScanRange,
  Storage,
  StoredRecord,
} from '../storage.ts';
import { createCommitSignal, followLog } from '../tail.ts';
import type { CommitSignal } from '../tail.ts';
import type { StoreReport } from '../verify.ts';
import { lockDirectory, refuseForeignReader } from './directory-lock.ts';
import type { DirectoryLock } from './directory-lock.ts';
import { tableSize } from './file-room.ts';
import { encodeKey } from './layout.ts';
import type { LmdbRecord } from './layout.ts';
import { translateLmdbError } from './lmdb-errors.ts';
import {
  changePage,
  currentCompactRevision,
  currentRevision,
  readAt,
  readNow,
  refuseRevision,
  scanPage,
} from './lmdb-reads.ts';
import type { LookedPage } from './lmdb-reads.ts';
import { createLmdbWriter } from './lmdb-writes.ts';
import type { LmdbWriter } from './lmdb-writes.ts';
import { reserveLimits } from './reserve.ts';
import { lmdbDefaults, openTables } from './tables.ts';
import type { OpenedTables, Tables } from './tables.ts';
import { verifyTables } from './verify.ts';

export interface LmdbStorageOptions {
  /** The data directory; made when missing. */
  readonly path: string;
  /** Written into a new store; an existing one must have the same. */
  readonly identity: string;
  /** Of the directory, if it is held by now; it is released with the store. */
  readonly lock?: DirectoryLock | undefined;
  readonly clock: Clock;
  readonly mapBytes?: number | undefined;
  /** Of a store on a medium that takes no writes; absent: false. */
  readonly readOnly?: boolean | undefined;
  readonly ringLimits?: ChangeRingLimits | undefined;
  /** Of mutations with companions; absent: none is given. */
  readonly rules?: CompanionRules | undefined;
  /** For a store that is served: how it handles a full disk. Absent: it keeps no reserve and fails
   * with `full` each time. */
  readonly room?: LmdbReserveOptions | undefined;
}

export interface LmdbReserveOptions {
  readonly timers: Timers;
  readonly reserveBytes: number;
  /** Whether a record in this state is being deleted: such are written on a full medium, too. */
  readonly isEnding: (state: string) => boolean;
  /** Called when the store has become full, and when it is no longer. */
  readonly onFull: (full: boolean) => void;
}

export interface LmdbStorage extends Storage {
  /** Walks the whole store and reports where its tables contradict each other, and what `check`
   * finds wrong with a record. Synchronous: for tests and for an operator's check, not for a store
   * under load. */
  verify(check?: RecordCheck): StoreReport;
  /** Of the newest records, without a look at them; `bytes` is at least half of what it can be. */
  size(): { readonly records: number; readonly bytes: number };
}

/** @throws StorageError `in-use`, `identity`, `incomplete`, `corrupt`, `full`, `io`. */
export async function openLmdbStorage(options: LmdbStorageOptions): Promise<LmdbStorage> {
  const { path, identity } = options;
  const lock = options.lock ?? (await lockDirectory(path));
  try {
    const { mapBytes = lmdbDefaults.mapBytes, readOnly = false } = options;
    const tables = await openTables(path, identity, mapBytes, { readOnly });
    await refuseForeignReader(tables.root, path);
    return await createLmdbStorage(tables, lock, options);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function createLmdbStorage(
  tables: OpenedTables,
  lock: DirectoryLock,
  options: LmdbStorageOptions,
): Promise<LmdbStorage> {
  const commits = createCommitSignal();
  const limits = options.ringLimits ?? changeRingLimits;
  const ring = createChangeRing<LmdbRecord>(currentRevision(tables), limits);
  const timers = options.room?.timers ?? systemTimers;
  const { retry, writer } = writerOf(tables, ring, commits, options);
  const closing = new AbortController();
  let closed: Promise<void> | undefined;

  /** Runs a read in this turn. */
  async function reading<T>(read: () => T): Promise<T> {
    await enter(closing.signal);
    writer.checkReadable();
    return translated(read);
  }

  function tail(after: Revision, signal: AbortSignal): AsyncGenerator<ChangePage, void> {
    const either = AbortSignal.any([signal, closing.signal]);
    const read = (at: Revision): AtRevision<ChangePage> =>
      translated(() => tailPage(tables, ring, at, writer));
    return followLog(read, commits, after, either, () => {
      if (!signal.aborted) throw new StorageError('closed', 'the store is closed');
    });
  }

  if (options.room !== undefined) await writer.keepReserve();
  return {
    name: 'lmdb',
    found: tables.found,
    read: (key, at) => reading(() => readRecord(tables, encodeKey(key), at)),
    scan: (range, at) =>
      scanInTurns(timers, at, range, (r, then) => reading(() => scanned(tables, r, then))),
    async commit(mutations) {
      await enter(closing.signal);
      checkMutations(mutations);
      return writer.commit(mutations);
    },
    changes: (after, { limit, previous }) =>
      reading(() => {
        const refused = refuseRevision(tables, after);
        return refused ?? { kind: 'ok', value: changePage(tables, after, limit, previous) };
      }),
    tail,
    revision: () => reading(() => writer.revision()),
    compactRevision: () => reading(() => currentCompactRevision(tables)),
    async compact(before) {
      await enter(closing.signal);
      await writer.compact(before);
    },
    failure: () => writer.failure(),
    close() {
      closing.abort();
      retry.stop();
      closed ??= closeAll(writer, tables, lock);
      return closed;
    },
    verify: (check = () => undefined) => verifyTables(tables, check),
    size: () => tableSize(tables.cur),
  };
}

function scanned(
  tables: Tables,
  range: ScanRange,
  at: Revision | undefined,
): AtRevision<LookedPage> {
  const now = currentRevision(tables);
  const refused = at === undefined ? undefined : refuseRevision(tables, at);
  return refused ?? { kind: 'ok', value: scanPage(tables, range, at ?? now, now) };
}

/** Much of what there is may be newer than the revision: it is passed over in turns. */
async function scanInTurns(
  timers: Pick<Timers, 'nextTurn'>,
  at: Revision | undefined,
  range: ScanRange,
  scan: (range: ScanRange, at: Revision | undefined) => Promise<AtRevision<LookedPage>>,
): Promise<AtRevision<ScanPage>> {
  let page = await scan(range, at);
  while (page.kind === 'ok' && page.value.records.length === 0) {
    const { passed: after, revision } = page.value;
    if (after === undefined) break;
    await new Promise<void>((resolve) => void timers.nextTurn(resolve));
    page = await scan({ ...range, after }, revision);
  }
  return page;
}

interface Writing {
  readonly writer: LmdbWriter;
  readonly retry: { stop(): void };
}

function writerOf(
  tables: Tables,
  ring: ChangeRing<LmdbRecord>,
  commits: CommitSignal,
  options: LmdbStorageOptions,
): Writing {
  const retry = retryOf(options.room, () => writer);
  const writer = createLmdbWriter({
    path: options.path,
    tables,
    clock: options.clock,
    ring,
    commits,
    reserveBytes: options.room?.reserveBytes ?? 0,
    isEnding: options.room?.isEnding ?? (() => false),
    rules: options.rules,
    onFull: (full) => {
      options.room?.onFull(full);
      if (full) retry.begin();
    },
  });
  return { writer, retry };
}

/** Restores the reserve of a full store by timer, because there may be no write for long. */
function retryOf(
  room: LmdbReserveOptions | undefined,
  writer: () => Pick<LmdbWriter, 'failure' | 'keepReserve'>,
): { begin(): void; stop(): void } {
  let timer: TimerHandle | undefined;
  let stopped = false;
  const begin = (): void => {
    if (stopped || timer !== undefined) return;
    timer = room?.timers.after(reserveLimits.retryMinMs, () => {
      timer = undefined;
      if (writer().failure()?.code === 'full') void writer().keepReserve().finally(begin);
    });
  };
  return {
    begin,
    stop() {
      stopped = true;
      timer?.cancel();
    },
  };
}

function readRecord(
  tables: Tables,
  key: Buffer,
  at: Revision | undefined,
): AtRevision<StoredRecord | undefined> {
  if (at === undefined) return { kind: 'ok', value: readNow(tables, key) };
  return refuseRevision(tables, at) ?? { kind: 'ok', value: readAt(tables, key, at) };
}

function tailPage(
  tables: Tables,
  ring: Pick<ChangeRing, 'after'>,
  after: Revision,
  file: Pick<LmdbWriter, 'checkReadable'>,
): AtRevision<ChangePage> {
  const { tailChangesMax, pageBytesMax } = storageLimits;
  // What the ring reaches back to has not been compacted, and nothing needs to be read.
  const recent = ring.after(after, tailChangesMax, pageBytesMax);
  if (recent !== undefined) return { kind: 'ok', value: recent };
  file.checkReadable();
  const refused = refuseRevision(tables, after);
  return refused ?? { kind: 'ok', value: changePage(tables, after, tailChangesMax, false) };
}

/** What LMDB throws is translated. */
function translated<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw translateLmdbError(error);
  }
}

async function enter(closing: AbortSignal): Promise<void> {
  if (closing.aborted) throw new StorageError('closed', 'the store is closed');
  return Promise.resolve();
}

async function closeAll(writer: LmdbWriter, tables: Tables, lock: DirectoryLock): Promise<void> {
  await writer.end();
  await tables.root.close();
  await lock.release();
}
