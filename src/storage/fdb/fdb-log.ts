/**
 * Reads the log: pages of changes, in order of revision.
 *
 * A page begins after a revision and is read in one transaction. If the log ends within it, the
 * page goes through the newest revision of that transaction.
 *
 * This server's own commits are not read again: the log is read around them (own-commits.ts), in
 * the same transaction, so that no change of another server between them is missed.
 *
 * Invariant: entries of one version may be stored in another order than that of their revisions
 * (layout.ts). So a page is made of whole versions, sorted, and cut only then.
 * Bounds: `storageLimits.pageBytesMax` of values in a page; a version holds at most 32 x 128
 * entries.
 */
import { asWrittenAt } from '../damage.ts';
import { storageLimits } from '../storage.ts';
import type { Change, ChangePage, Revision, StoredRecord, StoreKey } from '../storage.ts';
import type { FdbTransaction } from './binding.ts';
import { currentRecord, withValue } from './fdb-reads.ts';
import type { HistoryView, Subspace } from './fdb-reads.ts';
import {
  corrupt,
  decodeLogEntry,
  decodeRecord,
  keyAfter,
  payloadBytes,
  sameVersion,
} from './layout.ts';
import type { FdbRecord, LogEntryAt } from './layout.ts';
import type { OwnCommits } from './own-commits.ts';

/** Entries of the log whose records are looked up together. */
const LOOKUP_BATCH = 128;
const LOG_BATCH_EXTRA = 32;
const LOG_BYTES_TARGET = 1024 * 1024;
/** Own commits to read around in one page; beyond, what is between costs more than they do. */
const AROUND_MAX = 8;

export interface LogPage {
  /** In revision order. */
  readonly entries: readonly LogEntryAt[];
  /** Whether nothing stands behind the last one. */
  readonly ended: boolean;
}

/** The first `limit` entries with revision > after. */
export async function readLog(
  { keys, revisions }: Subspace,
  transaction: FdbTransaction,
  after: Revision,
  limit: number,
): Promise<LogPage> {
  const entries: LogEntryAt[] = [];
  const [, end] = keys.table('l');
  const limits = { limit: limit + LOG_BATCH_EXTRA, bytesTarget: LOG_BYTES_TARGET };
  let begin = keys.logFrom(revisions.placeFrom(after));
  for (;;) {
    const page = await transaction.getRange(begin, end, limits, 'snapshot');
    for (const { key, value } of page.entries) {
      const place = keys.placeOfLog(key);
      const revision = revisions.ofPlace(place);
      if (revision > after) entries.push({ revision, place, ...decodeLogEntry(value) });
    }
    const last = page.entries.at(-1);
    if (!page.more || last === undefined) {
      const sorted = entries.sort(byRevision);
      return { entries: sorted.slice(0, limit), ended: sorted.length <= limit };
    }
    const open = keys.placeOfLog(last.key);
    const whole = entries.filter(({ place }) => !sameVersion(place, open));
    // More stands behind them: at least the entries of the version that is not complete.
    if (whole.length >= limit) {
      return { entries: whole.sort(byRevision).slice(0, limit), ended: false };
    }
    begin = keyAfter(last.key);
  }
}

/** As readLog, of a log that goes up to `tip`; undefined when it is no use to read around what is
 * known of it. */
async function readAround(
  { keys, revisions }: Subspace,
  transaction: FdbTransaction,
  tip: Buffer,
  after: Revision,
  { limit, own }: ChangesOptions,
): Promise<LogPage | undefined> {
  const from = revisions.placeFrom(after);
  const known = own.between(from, tip, AROUND_MAX);
  if (known === undefined || known.length === 0) return undefined;
  const begins = [keys.logFrom(from), ...known.map((commit) => keys.logBehind(commit.tip))];
  const [, end] = keys.table('l');
  const ends = [...known.map((commit) => keys.logFrom(commit.tip)), end];
  const limits = { limit: LOG_BATCH_EXTRA, bytesTarget: LOG_BYTES_TARGET };
  const gaps = await Promise.all(
    begins.map((begin, i) => transaction.getRange(begin, ends[i] as Buffer, limits, 'snapshot')),
  );
  // Others have written much: it is read in one piece.
  if (gaps.some(({ more }) => more)) return undefined;
  const entries: LogEntryAt[] = known.flatMap(({ changes }) => changes);
  for (const { key, value } of gaps.flatMap((gap) => gap.entries)) {
    const place = keys.placeOfLog(key);
    entries.push({ revision: revisions.ofPlace(place), place, ...decodeLogEntry(value) });
  }
  const sorted = entries.filter(({ revision }) => revision > after).sort(byRevision);
  return { entries: sorted.slice(0, limit), ended: sorted.length <= limit };
}

function byRevision(a: LogEntryAt, b: LogEntryAt): number {
  return a.revision < b.revision ? -1 : 1;
}

export interface ChangesOptions {
  readonly limit: number;
  readonly previous: boolean;
  readonly own: OwnCommits;
}

/** A page of the log after a revision that must be readable. */
export async function readChanges(
  space: Subspace,
  transaction: FdbTransaction,
  view: HistoryView,
  after: Revision,
  options: ChangesOptions,
): Promise<ChangePage> {
  const page =
    (await readAround(space, transaction, view.tip, after, options)) ??
    (await readLog(space, transaction, after, options.limit));
  const found: FoundChange[] = [];
  let bytes = 0;
  for (let first = 0; first < page.entries.length; first += LOOKUP_BATCH) {
    const batch = page.entries.slice(first, first + LOOKUP_BATCH);
    for (const change of await findRecords(space, transaction, batch, options)) {
      bytes += sizeOf(change.record) + sizeOf(change.previous);
      if (found.length > 0 && bytes > storageLimits.pageBytesMax) {
        return { changes: await loadAll(space, transaction, found), through: lastOf(found) };
      }
      found.push(change);
    }
  }
  const changes = await loadAll(space, transaction, found);
  return { changes, through: page.ended ? view.revision : lastOf(found) };
}

interface FoundChange {
  readonly entry: LogEntryAt;
  readonly record: FdbRecord | undefined;
  readonly previous: FdbRecord | undefined;
}

function lastOf(found: readonly FoundChange[]): Revision {
  return (found.at(-1) as FoundChange).entry.revision;
}

function sizeOf(record: FdbRecord | undefined): number {
  return record === undefined ? 0 : payloadBytes(record.payload);
}

function findRecords(
  space: Subspace,
  transaction: FdbTransaction,
  batch: readonly LogEntryAt[],
  { previous, own }: ChangesOptions,
): Promise<readonly FoundChange[]> {
  const current = new Map<StoreKey, Promise<FdbRecord | undefined>>();
  const now = (key: StoreKey): Promise<FdbRecord | undefined> => {
    const known = current.get(key);
    if (known !== undefined) return known;
    const asked = currentRecord(space, transaction, key);
    current.set(key, asked);
    return asked;
  };
  return Promise.all(
    batch.map(async (entry) => {
      const [record, superseded] = await Promise.all([
        entry.kind === 'put'
          ? (own.recordOf(entry.revision) ?? writtenBy(space, transaction, entry, now))
          : undefined,
        previous ? supersededBy(space, transaction, entry) : undefined,
      ]);
      return { entry, record, previous: superseded };
    }),
  );
}

async function writtenBy(
  { keys, revisions }: Subspace,
  transaction: FdbTransaction,
  { key, revision, place }: LogEntryAt,
  now: (key: StoreKey) => Promise<FdbRecord | undefined>,
): Promise<FdbRecord> {
  const current = await now(key);
  if (current?.revision === revision) return current;
  // What ended it stands behind what it ended itself.
  const begin = keyAfter(keys.old(key, place));
  const limits = { limit: 1, bytesTarget: 0 };
  const page = await transaction.getRange(begin, keys.oldEnd(key), limits, 'snapshot');
  const [next] = page.entries;
  const record = next && decodeRecord(revisions, key, next.value, keys.splitOld(next.key).place);
  const written = asWrittenAt(record ?? current, revision);
  if (written === undefined) throw corrupt(`the record of change ${revision}`);
  return written;
}

export async function supersededBy(
  { keys, revisions }: Subspace,
  transaction: FdbTransaction,
  { key, place }: LogEntryAt,
): Promise<FdbRecord | undefined> {
  const bytes = await transaction.get(keys.old(key, place), 'snapshot');
  return bytes === undefined ? undefined : decodeRecord(revisions, key, bytes, place);
}

function loadAll(
  space: Subspace,
  transaction: FdbTransaction,
  found: readonly FoundChange[],
): Promise<Change[]> {
  const load = async (record: FdbRecord | undefined): Promise<StoredRecord | undefined> =>
    record && (await withValue(space, transaction, record));
  return Promise.all(
    found.map(async ({ entry: { revision, key, kind, timeMs }, record, previous }) => ({
      revision,
      key,
      kind,
      timeMs,
      record: await load(record),
      previous: await load(previous),
    })),
  );
}
