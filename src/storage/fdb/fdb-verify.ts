/**
 * Checks a store for consistency beside live servers: reads every record, every superseded record
 * and the whole log, and lists the contradictions (verify.ts).
 *
 * It does not read one snapshot. Each page is one transaction with its own read version, and
 * whatever an entry is compared with is read in the same transaction. A sound store is consistent
 * in each of them, whatever is written or compacted in between. So compaction need not wait, and
 * the figures count what was read.
 *
 *   c   current records      the change that wrote each; its state word in w
 *   o   superseded records   both changes; the record that came next
 *   l   the log              the record of each change
 *
 * Invariants: the order matters. A record that is superseded meanwhile moves to a table that has
 * not been read yet, so none is missed. A record, change or state word without its counterpart is
 * found from its own side.
 *
 * Bounds: `pageEntriesMax` entries and about `storageLimits.pageBytesMax` of values in a page;
 * values that are stored in pieces are read one at a time. All problems are kept, without a limit.
 */
import type { RecordCheck } from '../damage.ts';
import { storageLimits } from '../storage.ts';
import type { Revision, StoreKey } from '../storage.ts';
import { changeProblems, lifetimeProblems, placeProblems } from '../verify.ts';
import type { LoggedChange, StoreBounds, StoreReport } from '../verify.ts';
import type { FdbDatabase, FdbTransaction, KeyValue } from './binding.ts';
import { currentRecord, entriesOf, viewHistory, withValue } from './fdb-reads.ts';
import type { Subspace } from './fdb-reads.ts';
import {
  createKeys,
  decodeLogEntry,
  decodeRecord,
  keyAfter,
  payloadBytes,
  placeWhereBegan,
  revisionSpace,
} from './layout.ts';
import type { FdbRecord } from './layout.ts';
import { firstWrite, readStore } from './open-store.ts';
import { fdbLimits, runRead } from './transactions.ts';

const pageEntriesMax = 256;
const limits = { limit: pageEntriesMax, bytesTarget: 1024 * 1024 } as const;
const how = { timeoutMs: fdbLimits.workTimeoutMs, priority: 'batch' } as const;

export interface FdbVerifyOptions {
  /** Closed at the end. */
  readonly db: FdbDatabase;
  readonly prefix: string;
}

export interface FdbReport extends StoreReport {
  readonly identity: string;
}

/** What one transaction reads. */
interface Page {
  readonly space: Subspace;
  readonly transaction: FdbTransaction;
  readonly bounds: StoreBounds;
  readonly check: RecordCheck;
  /** Records now, once each. */
  now(key: StoreKey): Promise<FdbRecord | undefined>;
}

interface Found {
  readonly count: number;
  readonly problems: readonly string[];
  /** Where the next page begins; undefined: there is none. */
  readonly next: Buffer | undefined;
}

type PageReader = (page: Page, from: Buffer, end: Buffer) => Promise<Found>;

/** @throws StorageError `incomplete`, `identity`, `corrupt`, `io` (also: no store). */
export async function verifyFdb(
  { db, prefix }: FdbVerifyOptions,
  check: RecordCheck,
): Promise<FdbReport> {
  try {
    const keys = createKeys(prefix);
    const { marks, bounds, space } = await firstWrite(db, async (transaction) => {
      const { marks } = await readStore(transaction, keys, prefix);
      const space = { keys, revisions: revisionSpace(marks.eras) };
      return { marks, space, bounds: await viewHistory(space, transaction) };
    });
    const problems: string[] = [];
    const walk = async (table: 'c' | 'o' | 'l', read: PageReader): Promise<number> => {
      const [begin, end] = keys.table(table);
      let count = 0;
      for (let from: Buffer | undefined = begin; from !== undefined;) {
        const start: Buffer = from;
        const found: Found = await runRead(
          db,
          async (transaction) => read(await pageOf(space, transaction, check), start, end),
          how,
        );
        count += found.count;
        for (const problem of found.problems) problems.push(problem);
        from = found.next;
      }
      return count;
    };
    const recordsCount = await walk('c', readCurrent);
    const supersededCount = await walk('o', readSuperseded);
    const changesCount = await walk('l', readLogged);
    const { revision, compactRevision } = bounds;
    const counts = { recordsCount, supersededCount, changesCount };
    return { ...counts, revision, compactRevision, problems, identity: marks.identity };
  } finally {
    db.close();
  }
}

async function pageOf(
  space: Subspace,
  transaction: FdbTransaction,
  check: RecordCheck,
): Promise<Page> {
  const asked = new Map<StoreKey, Promise<FdbRecord | undefined>>();
  const now = (key: StoreKey): Promise<FdbRecord | undefined> => {
    const found = asked.get(key) ?? currentRecord(space, transaction, key);
    asked.set(key, found);
    return found;
  };
  return { space, transaction, check, now, bounds: await viewHistory(space, transaction) };
}

interface Held {
  readonly record: FdbRecord;
  readonly began: Buffer | undefined;
  /** Undefined: it is the record now. */
  readonly ended: Buffer | undefined;
}

async function readCurrent(page: Page, from: Buffer, end: Buffer): Promise<Found> {
  const { keys, revisions } = page.space;
  const read = await page.transaction.getRange(from, end, limits, 'snapshot');
  const held = read.entries.map(({ key, value }): Held => {
    const record = decodeRecord(revisions, keys.currentKeyOf(key), value, undefined);
    return { record, began: placeWhereBegan(value, undefined), ended: undefined };
  });
  const fitting = held.slice(0, fittingCount(held));
  const next = nextOf(read.entries, fitting.length, read.more);
  const [values, lives, states] = await Promise.all([
    unreadable(page, fitting),
    Promise.all(fitting.map((each) => lifetimeOf(page, each, undefined))),
    wrongStates(page, fitting, from, next),
  ]);
  return { count: fitting.length, problems: [...values, ...lives.flat(), ...states], next };
}

async function readSuperseded(page: Page, from: Buffer, end: Buffer): Promise<Found> {
  const { keys, revisions } = page.space;
  const read = await page.transaction.getRange(from, end, limits, 'snapshot');
  const held = read.entries.map(({ key, value }): Held => {
    const { key: name, place } = keys.splitOld(key);
    const record = decodeRecord(revisions, name, value, place);
    return { record, began: placeWhereBegan(value, place), ended: place };
  });
  const fitting = held.slice(0, fittingCount(held));
  const [values, lives] = await Promise.all([
    unreadable(page, fitting),
    Promise.all(
      fitting.map(async (each, at) => {
        const { key } = each.record;
        const behind = held[at + 1];
        const next =
          behind?.record.key === key
            ? behind.record
            : ((behind === undefined ? await supersededNext(page, each) : undefined) ??
              (await page.now(key)));
        return lifetimeOf(page, each, next);
      }),
    ),
  ]);
  const problems = [...values, ...lives.flat()];
  const next = nextOf(read.entries, fitting.length, read.more);
  return { count: fitting.length, problems, next };
}

async function readLogged(page: Page, from: Buffer, end: Buffer): Promise<Found> {
  const { entries, more } = await page.transaction.getRange(from, end, limits, 'snapshot');
  const problems = await Promise.all(entries.map((entry) => loggedProblems(page, entry)));
  const next = nextOf(entries, entries.length, more);
  return { count: entries.length, problems: problems.flat(), next };
}

/** As many as one page may load the values of; at least one. */
function fittingCount(held: readonly Held[]): number {
  let bytes = 0;
  const over = held.findIndex(({ record }, at) => {
    bytes += payloadBytes(record.payload);
    return at > 0 && bytes > storageLimits.pageBytesMax;
  });
  return over < 0 ? held.length : over;
}

function nextOf(entries: readonly KeyValue[], done: number, more: boolean): Buffer | undefined {
  if (done < entries.length) return (entries[done] as KeyValue).key;
  const last = entries.at(-1);
  return more && last !== undefined ? keyAfter(last.key) : undefined;
}

/** Reads the values, those in pieces one after the other. */
async function unreadable(page: Page, held: readonly Held[]): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { record, ended } of held) {
    const stored = await withValue(page.space, page.transaction, record);
    const why = stored.damage ?? page.check(stored);
    if (why === undefined) continue;
    const was = ended && ` as it was before ${page.space.revisions.ofPlace(ended)}`;
    problems.push(`${record.key}${was ?? ''}: ${why}`);
  }
  return problems;
}

async function lifetimeOf(
  page: Page,
  { record, began, ended }: Held,
  next: FdbRecord | undefined,
): Promise<readonly string[]> {
  // When a damaged record began nobody knows.
  if (record.damage !== undefined || began === undefined || next?.damage !== undefined) return [];
  const { revisions } = page.space;
  const start = record.revision;
  const changes = new Map<Revision, LoggedChange | undefined>();
  const ask = async (at: Revision, place: Buffer): Promise<void> => {
    changes.set(at, await changeAt(page, place));
  };
  const end = ended && revisions.ofPlace(ended);
  await Promise.all([
    start > page.bounds.compactRevision ? ask(start, began) : undefined,
    end === undefined || ended === undefined ? undefined : ask(end, ended),
  ]);
  const lifetime = { key: record.key, start, end };
  const following = next && { start: next.revision };
  return lifetimeProblems(lifetime, following, (at) => changes.get(at), page.bounds);
}

async function changeAt(
  { space, transaction }: Page,
  place: Buffer,
): Promise<LoggedChange | undefined> {
  const bytes = await transaction.get(space.keys.log(place), 'snapshot');
  return bytes && decoded(bytes);
}

/** Undefined of a malformed entry: the walk through the log names it. */
function decoded(bytes: Buffer): LoggedChange | undefined {
  try {
    return decodeLogEntry(bytes);
  } catch {
    return undefined;
  }
}

/** The superseded record of the same key that ended next. */
async function supersededNext(
  { space, transaction }: Page,
  { record: { key }, ended }: Held,
): Promise<FdbRecord | undefined> {
  const { keys, revisions } = space;
  const begin = keyAfter(keys.old(key, ended as Buffer));
  const one = { limit: 1, bytesTarget: 0 };
  const { entries } = await transaction.getRange(begin, keys.oldEnd(key), one, 'snapshot');
  const [next] = entries;
  return next && decodeRecord(revisions, key, next.value, keys.splitOld(next.key).place);
}

async function loggedProblems(page: Page, { key, value }: KeyValue): Promise<readonly string[]> {
  const { keys, revisions } = page.space;
  const place = keys.placeOfLog(key);
  const at = revisions.ofPlace(place);
  const change = decoded(value);
  if (change === undefined) return [`the log entry of change ${at} is malformed`];
  const name = change.key as StoreKey;
  const asIfEnded = { record: { key: name } as FdbRecord, began: undefined, ended: place };
  const [now, superseded] = await Promise.all([page.now(name), supersededNext(page, asIfEnded)]);
  // A store that was put back keeps what is left of earlier eras until it is compacted.
  const ofThisEra = place[0] === revisions.era;
  const misplaced = ofThisEra ? placeProblems(at, page.bounds) : [];
  // What ended next is what began here; else it is what is there now.
  const candidate = superseded ?? now;
  if (change.kind === 'put' && candidate?.damage !== undefined) return misplaced;
  const writtenKey = candidate?.revision === at ? name : undefined;
  return [...misplaced, ...changeProblems(at, change, writtenKey)];
}

/** State words between two places of the page that are not those of the records there. */
async function wrongStates(
  { space: { keys }, transaction }: Page,
  held: readonly Held[],
  from: Buffer,
  next: Buffer | undefined,
): Promise<readonly string[]> {
  const [begin, end] = keys.table('w');
  const [records] = keys.table('c');
  const inStates = (key: Buffer): Buffer => Buffer.concat([begin, key.subarray(records.length)]);
  const expected = new Map(held.map(({ record }) => [record.key, record]));
  const problems: string[] = [];
  const range = [inStates(from), next === undefined ? end : inStates(next)] as const;
  for await (const { key, value } of entriesOf(transaction, ...range, pageEntriesMax)) {
    const name = keys.currentKeyOf(key);
    const record = expected.get(name);
    expected.delete(name);
    if (record === undefined) problems.push(`${name} has a state and no record`);
    else if (record.damage === undefined && record.state !== value.toString()) {
      problems.push(`${name} is "${record.state}", and conditions read "${value.toString()}"`);
    }
  }
  for (const name of expected.keys()) problems.push(`${name} has no state for conditions to read`);
  return problems;
}
