/**
 * Reads of the FoundationDB store: one record or a range, now or at a revision.
 *
 * Each function runs in one transaction that it is given and reads one page. The next page is read
 * in another transaction at the same logical revision, from the superseded records. So a
 * transaction that has become too old can simply be run again.
 *
 * Invariant: the newest revision is that of the newest commit at the transaction's read version,
 * counted to the end of that version (RevisionSpace.endOfTip). Nothing at or below it can still be
 * added, and it does not move while nothing is written.
 *
 * Bounds: a page ends at its limit or at `pageBytesMax`. Superseded records that are not needed are
 * read in small batches, and the remaining ones of a key are skipped.
 */
import { isShownAt } from '../damage.ts';
import { storageLimits } from '../storage.ts';
import type { AtRevision, Revision, ScanPage, ScanRange } from '../storage.ts';
import type { StoredRecord, StoreKey } from '../storage.ts';
import type { FdbTransaction, KeyValue } from './binding.ts';
import { CHUNK_BYTES, corrupt, decodeRecord, keyAfter, payloadBytes, prefixEnd } from './layout.ts';
import type { FdbRecord, Keys, Payload, RevisionSpace } from './layout.ts';

const CURRENT_BATCH_MAX = 500;
const SUPERSEDED_BATCH = 64;
const BATCH_BYTES_TARGET = 1024 * 1024;

/** What never changes of an opened store. */
export interface Subspace {
  readonly keys: Keys;
  readonly revisions: RevisionSpace;
}

/** The ends of history, as one transaction sees them. */
export interface HistoryView {
  /** Era and versionstamp of the newest commit. */
  readonly tip: Buffer;
  readonly revision: Revision;
  readonly compactRevision: Revision;
}

export type Refusal = Exclude<AtRevision<never>, { kind: 'ok' }>;

export async function viewHistory(
  { keys, revisions }: Subspace,
  transaction: FdbTransaction,
): Promise<HistoryView> {
  const [tip, compact] = await Promise.all([
    transaction.get(keys.tip, 'snapshot'),
    transaction.get(keys.compactRevision, 'snapshot'),
  ]);
  if (tip === undefined) throw corrupt('the mark of the newest commit');
  return {
    tip,
    revision: revisions.endOfTip(tip),
    compactRevision: decodeCompactRevision(compact),
  };
}

/** Nothing has been compacted while the key is missing. */
export function decodeCompactRevision(bytes: Buffer | undefined): Revision {
  return (bytes?.readBigUInt64BE() ?? 0n) as Revision;
}

/** Why nothing can be read at (or after) this revision, if so. */
export function refuseRevision(view: HistoryView, at: Revision): Refusal | undefined {
  if (at > view.revision) return { kind: 'future', revision: view.revision };
  const { compactRevision } = view;
  return at < compactRevision ? { kind: 'compacted', compactRevision } : undefined;
}

export async function readRecord(
  space: Subspace,
  transaction: FdbTransaction,
  key: StoreKey,
  at: Revision | undefined,
): Promise<AtRevision<StoredRecord | undefined>> {
  const [view, stored] = await Promise.all([
    viewHistory(space, transaction),
    currentRecord(space, transaction, key),
  ]);
  const now = stored && notNewerThan(stored, view.revision);
  const refused = at === undefined ? undefined : refuseRevision(view, at);
  if (refused !== undefined) return refused;
  const found =
    at === undefined || (now !== undefined && now.damage === undefined && now.revision <= at)
      ? now
      : await recordAt(space, transaction, key, at, now);
  return { kind: 'ok', value: found && (await withValue(space, transaction, found)) };
}

/** Nothing can have been written after the newest commit. */
function notNewerThan(record: FdbRecord, newest: Revision): FdbRecord {
  if (record.revision <= newest) return record;
  return { ...record, damage: `its revision ${record.revision} is after the newest, ${newest}` };
}

export async function currentRecord(
  { keys, revisions }: Subspace,
  transaction: FdbTransaction,
  key: StoreKey,
): Promise<FdbRecord | undefined> {
  const bytes = await transaction.get(keys.current(key), 'snapshot');
  return bytes === undefined ? undefined : decodeRecord(revisions, key, bytes, undefined);
}

/** The record that was current at `at` and has been superseded since; else `now`, of which nobody
 * knows when it was written, or nothing. */
async function recordAt(
  space: Subspace,
  transaction: FdbTransaction,
  key: StoreKey,
  at: Revision,
  now: FdbRecord | undefined,
): Promise<FdbRecord | undefined> {
  const begin = space.keys.oldFrom(key, space.revisions.placeFrom(at));
  for await (const entry of entriesOf(transaction, begin, space.keys.oldEnd(key), 2)) {
    const { place } = space.keys.splitOld(entry.key);
    if (space.revisions.ofPlace(place) <= at) continue;
    const record = decodeRecord(space.revisions, key, entry.value, place);
    return isShownAt(record, at) ? record : undefined;
  }
  return now !== undefined && isShownAt(now, at) ? now : undefined;
}

/** Every entry of a range, read in batches that double up to `SUPERSEDED_BATCH`. */
export async function* entriesOf(
  transaction: FdbTransaction,
  begin: Buffer,
  end: Buffer,
  firstBatch: number,
  batchMax = SUPERSEDED_BATCH,
): AsyncGenerator<KeyValue, undefined> {
  let from = begin;
  let limit = Math.min(firstBatch, batchMax);
  while (Buffer.compare(from, end) < 0) {
    const limits = { limit, bytesTarget: BATCH_BYTES_TARGET };
    const page = await transaction.getRange(from, end, limits, 'snapshot');
    yield* page.entries;
    const last = page.entries.at(-1);
    if (!page.more || last === undefined) return undefined;
    from = keyAfter(last.key);
    limit = Math.min(limit * 2, batchMax);
  }
  return undefined;
}

export async function scanRecords(
  space: Subspace,
  transaction: FdbTransaction,
  range: ScanRange,
  at: Revision | undefined,
): Promise<AtRevision<ScanPage>> {
  const view = await viewHistory(space, transaction);
  const refused = at === undefined ? undefined : refuseRevision(view, at);
  if (refused !== undefined) return refused;
  const revision = at ?? view.revision;
  const source =
    revision === view.revision
      ? recordsNow(space, transaction, range, view.revision)
      : recordsAt(space, transaction, range, revision, view.revision);
  const found: FdbRecord[] = [];
  let bytes = 0;
  let more = false;
  for await (const record of source) {
    bytes += payloadBytes(record.payload);
    more = found.length === range.limit || (found.length > 0 && bytes > storageLimits.pageBytesMax);
    if (more) break;
    found.push(record);
  }
  const records = await Promise.all(found.map((r) => withValue(space, transaction, r)));
  return { kind: 'ok', value: { records, revision, more } };
}

async function* recordsNow(
  { keys, revisions }: Subspace,
  transaction: FdbTransaction,
  { prefix, after, limit }: ScanRange,
  newest: Revision,
): AsyncGenerator<FdbRecord, undefined> {
  const start = keys.current(prefix);
  const behind = after === undefined ? start : keyAfter(keys.current(after));
  const begin = Buffer.compare(behind, start) < 0 ? start : behind;
  const batch = Math.min(limit + 1, CURRENT_BATCH_MAX);
  for await (const { key, value } of entriesOf(
    transaction,
    begin,
    prefixEnd(start),
    batch,
    batch,
  )) {
    const record = decodeRecord(revisions, keys.currentKeyOf(key), value, undefined);
    yield notNewerThan(record, newest);
  }
  return undefined;
}

/** Merges what is still current with what was current at `at`; a key is in at most one of them. */
async function* recordsAt(
  space: Subspace,
  transaction: FdbTransaction,
  range: ScanRange,
  at: Revision,
  newest: Revision,
): AsyncGenerator<FdbRecord, undefined> {
  const { keys } = space;
  const superseded = supersededAfter(space, transaction, range, at);
  let waiting = await superseded.next();
  for await (const record of recordsNow(space, transaction, range, newest)) {
    if (!isShownAt(record, at)) continue;
    const key = keys.current(record.key);
    while (waiting.done !== true && Buffer.compare(keys.current(waiting.value.key), key) < 0) {
      yield waiting.value;
      waiting = await superseded.next();
    }
    // Of a damaged record an earlier one may have been current then.
    if (waiting.done === true || waiting.value.key !== record.key) yield record;
  }
  for (; waiting.done !== true; waiting = await superseded.next()) yield waiting.value;
  return undefined;
}

/** For each key the record that was current at `at` and has been superseded since. */
async function* supersededAfter(
  { keys, revisions }: Subspace,
  transaction: FdbTransaction,
  { prefix, after }: ScanRange,
  at: Revision,
): AsyncGenerator<FdbRecord, undefined> {
  const [table] = keys.table('o');
  const start = Buffer.concat([table, Buffer.from(prefix)]);
  const behind = after === undefined ? start : keys.oldEnd(after);
  const end = prefixEnd(start);
  let begin = Buffer.compare(behind, start) < 0 ? start : behind;
  const limits = { limit: SUPERSEDED_BATCH, bytesTarget: BATCH_BYTES_TARGET };
  let decided: StoreKey | undefined;
  for (;;) {
    const page = await transaction.getRange(begin, end, limits, 'snapshot');
    for (const entry of page.entries) {
      const { key, place } = keys.splitOld(entry.key);
      if (key === decided || revisions.ofPlace(place) <= at) continue;
      decided = key;
      const record = decodeRecord(revisions, key, entry.value, place);
      if (isShownAt(record, at)) yield record;
    }
    const last = page.entries.at(-1);
    if (!page.more || last === undefined) return undefined;
    begin = nextToLook(last.key);
  }

  /** Behind an entry, and behind whatever more of its key cannot matter. */
  function nextToLook(entryKey: Buffer): Buffer {
    const { key } = keys.splitOld(entryKey);
    const next = keyAfter(entryKey);
    if (key === decided) return keys.oldEnd(key);
    const matters = keys.oldFrom(key, revisions.placeFrom(at));
    return Buffer.compare(matters, next) > 0 ? matters : next;
  }
}

/** The record with its value, wherever that lies. */
export async function withValue(
  { keys }: Subspace,
  transaction: FdbTransaction,
  { key, revision, state, payload, damage, decoded }: FdbRecord,
): Promise<StoredRecord> {
  const value = await loadPayload(keys, transaction, payload);
  const wrong = value === undefined ? 'pieces of its value are missing' : damage;
  const record = { key, revision, state, value: value ?? nothing };
  return wrong === undefined ? { ...record, decoded } : { ...record, damage: wrong };
}

const nothing = new Uint8Array(0);

/** Undefined: pieces of it are missing. */
export async function loadPayload(
  keys: Keys,
  transaction: FdbTransaction,
  payload: Payload,
): Promise<Uint8Array | undefined> {
  if (payload.kind === 'inline') return payload.bytes;
  const [begin, end] = keys.blobRange(payload.id);
  const chunks: Buffer[] = [];
  const batch = Math.max(1, Math.ceil(payload.length / CHUNK_BYTES));
  for await (const { value } of entriesOf(transaction, begin, end, batch, batch)) {
    chunks.push(value);
  }
  const bytes = Buffer.concat(chunks);
  return bytes.length === payload.length ? bytes : undefined;
}
