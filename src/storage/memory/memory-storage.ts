/**
 * The storage contract in memory: for tests, simulation and `--store=memory`.
 *
 * "Durable" here means applied; a commit is applied in a later microtask than the call, so that
 * nobody comes to rely on seeing it at once.
 *
 * A medium is what several servers would share: every Storage made over one medium is a writer and
 * reader of the same store, and a commit of one wakes the followers of all.
 *
 *   versions   key ─▶ [ {revision, until, record} ... ]   until: the revision that superseded it
 *   log        changes with revision > compactRevision, in order
 *
 * Bounds: none but memory; history goes with compact(). Key insertion costs a move of the sorted
 * key array, which is fine up to some hundred thousand keys.
 */
import type { Clock } from '../../stdx/clock.ts';
import { compareKeys } from '../key-order.ts';
import { checkMutations } from '../mutation-limits.ts';
import { changesOf, planMutations } from '../mutation-plan.ts';
import { StorageError, revisionZero, storageLimits } from '../storage.ts';
import type {
  AtRevision,
  Change,
  ChangePage,
  CompanionRules,
  Mutation,
  MutationOutcome,
  Revision,
  ScanPage,
  ScanRange,
  Storage,
  StoredRecord,
  StoreKey,
} from '../storage.ts';
import { createCommitSignal, followLog } from '../tail.ts';
import type { CommitSignal } from '../tail.ts';
import { importUnfinished } from '../transfer.ts';

interface Version {
  readonly record: StoredRecord;
  /** Revision of the mutation that replaced or deleted it; undefined while it is the record now. */
  until: Revision | undefined;
}

export interface MemoryMedium {
  readonly versions: Map<StoreKey, Version[]>;
  /** Keys that have a version, in key order. */
  readonly keys: StoreKey[];
  log: Change[];
  revision: Revision;
  compactRevision: Revision;
  readonly commits: CommitSignal;
  /** An import into it has begun and not finished: it cannot be opened. */
  importing: boolean;
}

export interface MemoryStorageOptions {
  readonly clock: Clock;
  /** Shared by several storages; a new, empty one by default. */
  readonly medium?: MemoryMedium | undefined;
  /** Distance between revisions. Above 1 it shows who computes revisions that should be read. */
  readonly revisionStep?: bigint | undefined;
  /** Of mutations with companions; absent: none is given. */
  readonly rules?: CompanionRules | undefined;
}

export function createMemoryMedium(): MemoryMedium {
  return {
    versions: new Map(),
    keys: [],
    log: [],
    revision: revisionZero,
    compactRevision: revisionZero,
    commits: createCommitSignal(),
    importing: false,
  };
}

/** @throws StorageError `incomplete`. */
export function createMemoryStorage(options: MemoryStorageOptions): Storage {
  const medium = options.medium ?? createMemoryMedium();
  if (medium.importing) throw importUnfinished('the medium');
  const closing = new AbortController();

  async function enter(): Promise<void> {
    if (closing.signal.aborted) throw new StorageError('closed', 'the store is closed');
    // Never in the caller's turn: see the header.
    await Promise.resolve();
  }

  async function changes(
    after: Revision,
    { limit, previous }: { readonly limit: number; readonly previous: boolean },
  ): Promise<AtRevision<ChangePage>> {
    await enter();
    const refused = refuseRevision(medium, after);
    if (refused !== undefined) return refused;
    return { kind: 'ok', value: changePage(medium, after, limit, previous) };
  }

  async function* tail(after: Revision, signal: AbortSignal): AsyncGenerator<ChangePage> {
    const either = AbortSignal.any([signal, closing.signal]);
    const read = (at: Revision): Promise<AtRevision<ChangePage>> =>
      changes(at, { limit: storageLimits.tailChangesMax, previous: false });
    yield* followLog(read, medium.commits, after, either);
    if (!signal.aborted) throw new StorageError('closed', 'the store is closed');
  }

  return {
    name: 'memory',
    async read(key, at) {
      await enter();
      const refused = refuseRevision(medium, at);
      return refused ?? { kind: 'ok', value: visibleAt(medium.versions.get(key), at) };
    },
    async scan(range, at) {
      await enter();
      const refused = refuseRevision(medium, at);
      return refused ?? { kind: 'ok', value: scanPage(medium, range, at) };
    },
    async commit(mutations) {
      checkMutations(mutations);
      await enter();
      return commitTo(medium, options, mutations);
    },
    changes,
    tail,
    async revision() {
      await enter();
      return medium.revision;
    },
    async compactRevision() {
      await enter();
      return medium.compactRevision;
    },
    async compact(before) {
      await enter();
      forget(medium, before);
    },
    failure: () => undefined,
    close() {
      closing.abort();
      return Promise.resolve();
    },
  };
}

function refuseRevision(
  medium: MemoryMedium,
  at: Revision | undefined,
): Exclude<AtRevision<never>, { kind: 'ok' }> | undefined {
  if (at === undefined) return undefined;
  if (at > medium.revision) return { kind: 'future', revision: medium.revision };
  if (at >= medium.compactRevision) return undefined;
  return { kind: 'compacted', compactRevision: medium.compactRevision };
}

function commitTo(
  medium: MemoryMedium,
  options: MemoryStorageOptions,
  mutations: readonly Mutation[],
): readonly MutationOutcome[] {
  const step = options.revisionStep ?? 1n;
  let revision = medium.revision;
  const plan = planMutations<StoredRecord>(mutations, {
    read: (key) => visibleAt(medium.versions.get(key), undefined),
    make: (key, at, { state, value }) => ({ key, revision: at, state, value: value.slice() }),
    nextRevision: () => (revision = (revision + step) as Revision),
    rules: options.rules,
    stored: (_key, record) => record,
  });
  if (plan.writes.length === 0) return plan.outcomes;
  for (const { key, revision: at, record } of plan.writes) supersede(medium, key, at, record);
  medium.log.push(...changesOf(plan.writes, options.clock.nowMs()));
  medium.revision = revision;
  medium.commits.notify();
  return plan.outcomes;
}

function visibleAt(
  versions: readonly Version[] | undefined,
  at: Revision | undefined,
): StoredRecord | undefined {
  if (versions === undefined) return undefined;
  if (at === undefined) {
    const newest = versions.at(-1);
    return newest?.until === undefined ? newest?.record : undefined;
  }
  const version = versions.findLast(({ record }) => record.revision <= at);
  if (version === undefined) return undefined;
  return version.until === undefined || version.until > at ? version.record : undefined;
}

function supersede(
  medium: MemoryMedium,
  key: StoreKey,
  revision: Revision,
  record: StoredRecord | undefined,
): void {
  let versions = medium.versions.get(key);
  if (versions === undefined) {
    versions = [];
    medium.versions.set(key, versions);
    medium.keys.splice(firstKeyNotBefore(medium.keys, key), 0, key);
  }
  const newest = versions.at(-1);
  if (newest !== undefined && newest.until === undefined) newest.until = revision;
  if (record !== undefined) versions.push({ record, until: undefined });
}

function scanPage(medium: MemoryMedium, range: ScanRange, at: Revision | undefined): ScanPage {
  const revision = at ?? medium.revision;
  const { prefix, after, limit } = range;
  const records: StoredRecord[] = [];
  let bytes = 0;
  let index = firstKeyNotBefore(medium.keys, prefix);
  if (after !== undefined && compareKeys(after, prefix) >= 0) {
    index = firstKeyNotBefore(medium.keys, after);
    if (medium.keys[index] === after) index += 1;
  }
  for (; index < medium.keys.length; index += 1) {
    const key = medium.keys[index] as StoreKey;
    if (!key.startsWith(prefix)) break;
    const record = visibleAt(medium.versions.get(key), at);
    if (record === undefined) continue;
    bytes += record.value.byteLength;
    if (records.length === limit || (records.length > 0 && bytes > storageLimits.pageBytesMax)) {
      return { records, revision, more: true };
    }
    records.push(record);
  }
  return { records, revision, more: false };
}

function changePage(
  medium: MemoryMedium,
  after: Revision,
  limit: number,
  previous: boolean,
): ChangePage {
  const page: Change[] = [];
  let bytes = 0;
  for (let i = firstChangeAfter(medium.log, after); i < medium.log.length; i += 1) {
    const change = medium.log[i] as Change;
    const superseded = previous ? supersededBy(medium, change) : undefined;
    bytes += (change.record?.value.byteLength ?? 0) + (superseded?.value.byteLength ?? 0);
    if (page.length === limit || (page.length > 0 && bytes > storageLimits.pageBytesMax)) {
      return { changes: page, through: (page.at(-1) as Change).revision };
    }
    page.push(superseded === undefined ? change : { ...change, previous: superseded });
  }
  return { changes: page, through: medium.revision };
}

function supersededBy(medium: MemoryMedium, change: Change): StoredRecord | undefined {
  const versions = medium.versions.get(change.key);
  return versions?.find(({ until }) => until === change.revision)?.record;
}

function forget(medium: MemoryMedium, before: Revision): void {
  const bound = before < medium.revision ? before : medium.revision;
  if (bound <= medium.compactRevision) return;
  const kept = firstChangeAfter(medium.log, bound);
  for (const { key } of medium.log.slice(0, kept)) {
    const versions = medium.versions.get(key);
    if (versions === undefined) continue;
    const left = versions.filter(({ until }) => until === undefined || until > bound);
    if (left.length > 0) {
      medium.versions.set(key, left);
    } else {
      medium.versions.delete(key);
      medium.keys.splice(firstKeyNotBefore(medium.keys, key), 1);
    }
  }
  medium.log = medium.log.slice(kept);
  medium.compactRevision = bound;
}

function firstKeyNotBefore(keys: readonly StoreKey[], key: string): number {
  return firstIndex(keys.length, (i) => compareKeys(keys[i] as StoreKey, key) >= 0);
}

function firstChangeAfter(log: readonly Change[], after: Revision): number {
  return firstIndex(log.length, (i) => (log[i] as Change).revision > after);
}

/** The first index in [0, length) where `holds`, which is false up to there and true after. */
function firstIndex(length: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
