/**
 * Reads of the LMDB store: one record, a range, a page of the log, now or at a revision.
 *
 * Each function runs in one turn of the event loop, and lmdb-js keeps one read transaction over a
 * turn without a commit in it, so each sees one snapshot, the counter of revisions included.
 *
 * Bounds: a page ends at its limit or at `pageBytesMax`, one of the log at `logPageBytesMax`;
 * superseded records of one key that do not matter are stepped over, and jumped over after
 * `SKIPS_MAX`, so a hot object costs a scan little.
 */
import { blockMemory, memoryWithin } from '../../stdx/blocks.ts';
import type { Allocate } from '../../stdx/blocks.ts';
import { asWrittenAt, isShownAt } from '../damage.ts';
import { storageLimits } from '../storage.ts';
import type {
  AtRevision,
  Change,
  ChangePage,
  Revision,
  ScanPage,
  ScanRange,
  StoreKey,
} from '../storage.ts';
import {
  corrupt,
  decodeKey,
  decodeLogEntry,
  decodeRecord,
  decodeRevision,
  encodeKey,
  encodeRevision,
  metaKeys,
  oldKey,
  oldKeysEnd,
  prefixEnd,
  splitOldKey,
} from './layout.ts';
import type { LmdbRecord } from './layout.ts';
import type { Tables } from './tables.ts';

const SKIPPED_AT_ONCE = 256;
/** How many times as many are looked at for one page. */
const LOOKS_MAX = 8;
const SKIPS_MAX = 16;

export type Refusal = Exclude<AtRevision<never>, { kind: 'ok' }>;

/** The newest revision. What LMDB shows is on the disk, so it is durable (tables.ts). */
export function currentRevision({ meta }: Tables): Revision {
  return decodeRevision(meta.getBinary(metaKeys.revision));
}

export function currentCompactRevision({ meta }: Tables): Revision {
  return decodeRevision(meta.getBinary(metaKeys.compactRevision));
}

/** Why nothing can be read at (or after) this revision, if so. */
export function refuseRevision(tables: Tables, at: Revision): Refusal | undefined {
  const revision = currentRevision(tables);
  if (at > revision) return { kind: 'future', revision };
  const compactRevision = currentCompactRevision(tables);
  return at < compactRevision ? { kind: 'compacted', compactRevision } : undefined;
}

/** In memory of its own, for it may be kept. */
export function readNow({ cur }: Tables, key: Buffer): LmdbRecord | undefined {
  return copied(key, cur.getBinary(key));
}

/** Followers have what a commit replaces for as long as what those before and behind it do. */
const commitMemory = blockMemory();

export function readForCommit(tables: Tables, key: Buffer): LmdbRecord | undefined {
  return copyingInto(tables, commitMemory, () => copied(key, tables.cur.get(key)));
}

/** What is read meanwhile lies in this memory; undefined: in a pool. */
function copyingInto<T>({ copies }: Tables, memory: Allocate | undefined, read: () => T): T {
  copies.into(memory);
  try {
    return read();
  } finally {
    copies.into(undefined);
  }
}

function copied(key: Buffer, bytes: Buffer | undefined): LmdbRecord | undefined {
  return bytes === undefined ? undefined : decodeRecord(decodeKey(key), bytes);
}

export function readAt(tables: Tables, key: Buffer, at: Revision): LmdbRecord | undefined {
  const now = readNow(tables, key);
  if (now !== undefined && now.damage === undefined && now.revision <= at) return now;
  const then = firstSupersededAfter(tables, key, at) ?? now;
  return then !== undefined && isShownAt(then, at) ? then : undefined;
}

/** The first record of this key that was superseded after this revision. */
function firstSupersededAfter(
  { old }: Tables,
  key: Buffer,
  after: Revision,
): LmdbRecord | undefined {
  const start = oldKey(key, (after + 1n) as Revision);
  for (const { value } of old.getRange({ start, end: oldKeysEnd(key), limit: 1 })) {
    return decodeRecord(decodeKey(key), value);
  }
  return undefined;
}

/** `passed`: it ends here, before its limit, because of all that is not shown at that revision.
 * Every key up to this one has been looked at. */
export interface LookedPage extends ScanPage {
  readonly passed?: StoreKey | undefined;
}

/** A page of the snapshot at `at`, which must be readable. */
export function scanPage(
  tables: Tables,
  range: ScanRange,
  at: Revision,
  now: Revision,
): LookedPage {
  const memory = range.into && memoryWithin(range.into);
  return copyingInto(tables, memory, () => pageOf(tables, range, at, now));
}

function pageOf(tables: Tables, range: ScanRange, at: Revision, now: Revision): LookedPage {
  const prefix = encodeKey(range.prefix);
  const bounds: KeyBounds = {
    start: prefix.length === 0 ? undefined : prefix,
    after: range.after === undefined ? undefined : encodeKey(range.after),
    end: prefixEnd(prefix),
  };
  const source = at === now ? recordsNow(tables, bounds) : recordsAt(tables, bounds, at);
  const records: LmdbRecord[] = [];
  let bytes = 0;
  let looks = 0;
  for (const record of source) {
    if ('passed' in record) {
      looks += 1;
      if (looks < LOOKS_MAX) continue;
      return { records, revision: at, more: true, passed: decodeKey(record.passed) };
    }
    bytes += record.value.byteLength;
    if (
      records.length === range.limit ||
      (records.length > 0 && bytes > storageLimits.pageBytesMax)
    ) {
      return { records, revision: at, more: true };
    }
    records.push(record);
  }
  return { records, revision: at, more: false };
}

interface KeyBounds {
  /** Undefined: from the first key. */
  readonly start: Buffer | undefined;
  /** Keys strictly greater only. */
  readonly after: Buffer | undefined;
  readonly end: Buffer | undefined;
}

/** Where to start in a table whose keys are the record's own key followed by `suffix`. */
function rangeStart({ start, after }: KeyBounds, suffix: number): Buffer | undefined {
  if (after === undefined) return start;
  if (start !== undefined && Buffer.compare(after, start) < 0) return start;
  return Buffer.concat([after, Buffer.of(suffix)]);
}

function* recordsNow({ cur }: Tables, bounds: KeyBounds): Generator<LmdbRecord> {
  for (const { key, value } of cur.getRange(lmdbRange(rangeStart(bounds, 0), bounds.end))) {
    yield decodeRecord(decodeKey(key), value);
  }
}

/** Nothing is shown of this key, nor of those before it that have not come. */
interface Passed {
  readonly passed: Buffer;
}

/** Merges what is still current with what was current at `at`; a key is in at most one of them. A
 * place is given for each SKIPPED_AT_ONCE that are not shown. */
function* recordsAt(
  tables: Tables,
  bounds: KeyBounds,
  at: Revision,
): Generator<LmdbRecord | Passed> {
  const superseded = supersededAfter(tables, bounds, at);
  let waiting = superseded.next();
  let skipped = 0;
  try {
    for (const record of recordsNow(tables, bounds)) {
      const isShown = isShownAt(record, at);
      if (!isShown && (skipped += 1) % SKIPPED_AT_ONCE !== 0) continue;
      const key = encodeKey(record.key);
      while (waiting.done !== true && Buffer.compare(waiting.value.key, key) < (isShown ? 0 : 1)) {
        yield waiting.value.found;
        waiting = superseded.next();
      }
      if (!isShown) yield { passed: key };
      // Of a damaged record an earlier one may have been current then.
      else if (waiting.done === true || !waiting.value.key.equals(key)) yield record;
    }
    for (; waiting.done !== true; waiting = superseded.next()) yield waiting.value.found;
  } finally {
    superseded.return(undefined);
  }
}

interface KeyedRecord {
  readonly key: Buffer;
  readonly found: LmdbRecord | Passed;
}

/** For each key the record that was current at `at` and has been superseded since; and a place for
 * each SKIPPED_AT_ONCE keys. */
function* supersededAfter(
  { old }: Tables,
  bounds: KeyBounds,
  at: Revision,
): Generator<KeyedRecord, undefined> {
  let start = rangeStart(bounds, 1);
  let decided: Buffer | undefined;
  let jump: Buffer | undefined;
  let before: Buffer | undefined;
  let keys = 0;
  do {
    jump = undefined;
    let skips = 0;
    for (const entry of old.getKeys(lmdbRange(start, bounds.end))) {
      const { key, end } = splitOldKey(entry);
      if (before === undefined || !key.equals(before)) {
        keys += 1;
        if (before !== undefined && keys % SKIPPED_AT_ONCE === 0) {
          yield { key: before, found: { passed: before } };
        }
        before = key;
      }
      const isDecided = decided !== undefined && key.equals(decided);
      if (!isDecided && end > at) {
        decided = key;
        skips = 0;
        const bytes = old.get(entry);
        if (bytes === undefined) throw corrupt('a superseded record has vanished');
        const record = decodeRecord(decodeKey(key), bytes);
        if (isShownAt(record, at)) yield { key, found: record };
      } else if ((skips += 1) > SKIPS_MAX) {
        jump = isDecided ? oldKeysEnd(key) : oldKey(key, (at + 1n) as Revision);
        break;
      }
    }
    start = jump;
  } while (jump !== undefined);
  return undefined;
}

/** A change is up to three records, of which two are copied, and this is read in one turn. */
const logPageBytesMax = 512 * 1024;

/** Pages of the log are read one behind the other, and go in about that order. */
const logMemory = blockMemory();

/** A page of the log after a revision that must be readable. */
export function changePage(
  tables: Tables,
  after: Revision,
  limit: number,
  previous: boolean,
): ChangePage {
  return copyingInto(tables, logMemory, () => changesAfter(tables, after, limit, previous));
}

function changesAfter(
  tables: Tables,
  after: Revision,
  limit: number,
  previous: boolean,
): ChangePage {
  const changes: Change[] = [];
  let bytes = 0;
  const start = encodeRevision((after + 1n) as Revision);
  for (const { key, value } of tables.log.getRange({ start })) {
    const change = readChange(tables, decodeRevision(key), value, previous);
    bytes += change.record?.value.byteLength ?? 0;
    bytes += change.previous?.value.byteLength ?? 0;
    if (changes.length === limit || (changes.length > 0 && bytes > logPageBytesMax)) {
      return { changes, through: (changes.at(-1) as Change).revision };
    }
    changes.push(change);
  }
  return { changes, through: currentRevision(tables) };
}

function readChange(
  tables: Tables,
  revision: Revision,
  logEntry: Buffer,
  previous: boolean,
): Change {
  const { kind, timeMs, key } = decodeLogEntry(logEntry);
  return {
    revision,
    key: decodeKey(key),
    kind,
    timeMs,
    record: kind === 'put' ? writtenBy(tables, key, revision) : undefined,
    previous: previous ? supersededBy(tables, key, revision) : undefined,
  };
}

function writtenBy(tables: Tables, key: Buffer, revision: Revision): LmdbRecord {
  const now = copied(key, tables.cur.get(key));
  if (now?.revision === revision) return now;
  const then = firstSupersededAfter(tables, key, revision) ?? now;
  const written = asWrittenAt(then, revision);
  if (written === undefined) throw corrupt(`the record of change ${revision} is missing`);
  return written;
}

function supersededBy({ old }: Tables, key: Buffer, revision: Revision): LmdbRecord | undefined {
  return copied(key, old.get(oldKey(key, revision)));
}

function lmdbRange(
  start: Buffer | undefined,
  end: Buffer | undefined,
): { start?: Buffer; end?: Buffer } {
  return {
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
  };
}
