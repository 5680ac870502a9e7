/**
 * Does the store agree with itself? Walks all tables and lists every contradiction, and every
 * record that is not as it was written.
 *
 * It repairs nothing; the caller knows what a value should be. It reads every record; on a large
 * store that takes time and memory in proportion to the number of keys and of kept changes.
 *
 * What a full store leaves at or below the compact revision (lmdb-writes.ts) is no contradiction:
 * nobody reads it, and it is not counted.
 */
import type { RecordCheck } from '../damage.ts';
import { revisionZero } from '../storage.ts';
import type { Revision } from '../storage.ts';
import { changeProblems, lifetimeProblems, placeProblems } from '../verify.ts';
import type { Lifetime, LoggedChange, StoreReport } from '../verify.ts';
import { decodeKey, decodeLogEntry, decodeRecord, decodeRevision } from './layout.ts';
import { encodeRevision, splitOldKey } from './layout.ts';
import { currentCompactRevision, currentRevision } from './lmdb-reads.ts';
import type { Tables } from './tables.ts';

interface Life {
  /** Undefined of a damaged record: nobody knows. */
  readonly start: Revision | undefined;
  readonly end: Revision | undefined;
}

type Log = ReadonlyMap<Revision, LoggedChange>;

export function verifyTables(tables: Tables, check: RecordCheck): StoreReport {
  const problems: string[] = [];
  const revision = currentRevision(tables);
  const compactRevision = currentCompactRevision(tables);
  const bounds = { revision, compactRevision };
  const log = readLog(tables, compactRevision, problems);
  for (const at of log.keys()) problems.push(...placeProblems(at, bounds));
  const lives = readLives(tables, check, compactRevision, problems);
  const written = new Map<Revision, string>();
  const uncertain = new Set<string>();
  let recordsCount = 0;
  let supersededCount = 0;
  for (const [key, ofKey] of lives) {
    for (const { start, end } of ofKey) {
      if (start === undefined) uncertain.add(key);
      else if (written.has(start)) problems.push(`revision ${start} wrote two records`);
      if (start !== undefined) written.set(start, key);
      if (end === undefined) recordsCount += 1;
      else supersededCount += 1;
    }
    if (uncertain.has(key)) continue;
    const certain = ofKey as readonly Omit<Lifetime, 'key'>[];
    for (const [index, { start, end }] of certain.entries()) {
      const lifetime = { key, start, end };
      const changeAt = (at: Revision): LoggedChange | undefined => log.get(at);
      problems.push(...lifetimeProblems(lifetime, certain[index + 1], changeAt, bounds));
    }
  }
  for (const [at, change] of log) {
    if (change.kind === 'put' && uncertain.has(change.key)) continue;
    problems.push(...changeProblems(at, change, written.get(at)));
  }
  const changesCount = log.size;
  return { recordsCount, supersededCount, changesCount, revision, compactRevision, problems };
}

function readLog({ log }: Tables, compacted: Revision, problems: string[]): Log {
  const entries = new Map<Revision, LoggedChange>();
  const start = encodeRevision((compacted + 1n) as Revision);
  for (const { key, value } of log.getRange({ start })) {
    const at = decodeRevision(key);
    try {
      const entry = decodeLogEntry(value);
      entries.set(at, { kind: entry.kind, key: decodeKey(entry.key) });
    } catch {
      problems.push(`the log entry of change ${at} is malformed`);
    }
  }
  return entries;
}

function readLives(
  { cur, old }: Tables,
  check: RecordCheck,
  compacted: Revision,
  problems: string[],
): Map<string, Life[]> {
  const all = new Map<string, Life[]>();
  const add = (key: Buffer, bytes: Buffer, end: Revision | undefined): void => {
    const name = decodeKey(key);
    const record = decodeRecord(name, bytes);
    const why = record.damage ?? check(record);
    const which = end === undefined ? name : `${name} as it was before ${end}`;
    if (why !== undefined) problems.push(`${which}: ${why}`);
    const lives = all.get(name) ?? [];
    lives.push({ start: record.damage === undefined ? record.revision : undefined, end });
    all.set(name, lives);
  };
  for (const { key, value } of old.getRange({})) {
    const superseded = splitOldKey(key);
    if (superseded.end > compacted) add(superseded.key, value, superseded.end);
  }
  for (const { key, value } of cur.getRange({})) add(key, value, undefined);
  const order = ({ start }: Life): Revision => start ?? revisionZero;
  for (const lives of all.values()) lives.sort((a, b) => (order(a) < order(b) ? -1 : 1));
  return all;
}
