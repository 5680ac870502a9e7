/**
 * Does the store agree with itself? Walks all tables and lists every contradiction, and every
 * record that is not as it was written.
 *
 * What it is not: a repair, nor does it know what a value should be: the caller does. It reads
 * every record; on a large store that takes time and memory in proportion to the number of keys and
 * of kept changes.
 */
import type { RecordCheck } from '../damage.ts';
import { revisionZero } from '../storage.ts';
import type { Revision } from '../storage.ts';
import { decodeKey, decodeLogEntry, decodeRecord, decodeRevision, splitOldKey } from './layout.ts';
import { currentCompactRevision, currentRevision } from './lmdb-reads.ts';
import type { Tables } from './tables.ts';

export interface StoreReport {
  readonly recordsCount: number;
  readonly supersededCount: number;
  readonly changesCount: number;
  readonly revision: Revision;
  readonly compactRevision: Revision;
  /** Empty: every table agrees with the others. */
  readonly problems: readonly string[];
}

interface Lifetime {
  /** Undefined of a damaged record: nobody knows. */
  readonly start: Revision | undefined;
  /** Undefined: the record now. */
  readonly end: Revision | undefined;
}

interface CertainLifetime extends Lifetime {
  readonly start: Revision;
}

type Log = ReadonlyMap<Revision, { readonly kind: 'put' | 'delete'; readonly key: string }>;

export function verifyTables(tables: Tables, check: RecordCheck): StoreReport {
  const problems: string[] = [];
  const revision = currentRevision(tables);
  const compactRevision = currentCompactRevision(tables);
  const log = readLog(tables, problems);
  for (const at of log.keys()) {
    if (at > revision) problems.push(`change ${at} is after the newest revision ${revision}`);
    if (at <= compactRevision) problems.push(`change ${at} should be compacted`);
  }
  const lifetimes = readLifetimes(tables, check, problems);
  const written = new Map<Revision, string>();
  const uncertain = new Set<string>();
  let recordsCount = 0;
  let supersededCount = 0;
  for (const [key, lives] of lifetimes) {
    for (const { start, end } of lives) {
      if (start === undefined) uncertain.add(key);
      else if (written.has(start)) problems.push(`revision ${start} wrote two records`);
      if (start !== undefined) written.set(start, key);
      if (end === undefined) recordsCount += 1;
      else supersededCount += 1;
    }
    if (uncertain.has(key)) continue;
    problems.push(
      ...contradictions(key, lives as CertainLifetime[], log, compactRevision, revision),
    );
  }
  for (const [at, { kind, key }] of log) {
    const isMissing = kind === 'put' && written.get(at) !== key && !uncertain.has(key);
    if (isMissing) problems.push(`change ${at} has no record`);
    if (kind === 'delete' && written.has(at)) problems.push(`delete ${at} has a record`);
  }
  return {
    recordsCount,
    supersededCount,
    changesCount: log.size,
    revision,
    compactRevision,
    problems,
  };
}

/** What is wrong with the lives of one key, given in order of their start. */
function contradictions(
  key: string,
  lives: readonly CertainLifetime[],
  log: Log,
  compactRevision: Revision,
  revision: Revision,
): string[] {
  const problems: string[] = [];
  for (const [index, { start, end }] of lives.entries()) {
    const where = `${key}@${start}`;
    const next = lives[index + 1];
    const birth = log.get(start);
    if (start > revision) problems.push(`${where} is after the newest revision`);
    if (start > compactRevision && (birth?.kind !== 'put' || birth.key !== key)) {
      problems.push(`${where} has no log entry`);
    }
    if (end === undefined) {
      if (next !== undefined) problems.push(`${where} is current and has a successor`);
      continue;
    }
    const death = log.get(end);
    if (end <= start) problems.push(`${where} ends before it begins`);
    if (death?.key !== key) problems.push(`${where} was superseded at ${end} by no change of it`);
    else if (death.kind === 'put' && next?.start !== end) {
      problems.push(`${where} was superseded at ${end} by a record that is missing`);
    } else if (death.kind === 'delete' && next !== undefined && next.start <= end) {
      problems.push(`${where} was deleted at ${end}, after its successor began`);
    }
  }
  return problems;
}

function readLog({ log }: Tables, problems: string[]): Log {
  const entries = new Map<Revision, { kind: 'put' | 'delete'; key: string }>();
  for (const { key, value } of log.getRange({})) {
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

function readLifetimes(
  { cur, old }: Tables,
  check: RecordCheck,
  problems: string[],
): Map<string, Lifetime[]> {
  const lifetimes = new Map<string, Lifetime[]>();
  const add = (key: Buffer, bytes: Buffer, end: Revision | undefined): void => {
    const name = decodeKey(key);
    const record = decodeRecord(name, bytes);
    const why = record.damage ?? check(record);
    const which = end === undefined ? name : `${name} as it was before ${end}`;
    if (why !== undefined) problems.push(`${which}: ${why}`);
    const lives = lifetimes.get(name) ?? [];
    lives.push({ start: record.damage === undefined ? record.revision : undefined, end });
    lifetimes.set(name, lives);
  };
  for (const { key, value } of old.getRange({})) {
    const superseded = splitOldKey(key);
    add(superseded.key, value, superseded.end);
  }
  for (const { key, value } of cur.getRange({})) add(key, value, undefined);
  const order = ({ start }: Lifetime): Revision => start ?? revisionZero;
  for (const lives of lifetimes.values()) lives.sort((a, b) => (order(a) < order(b) ? -1 : 1));
  return lifetimes;
}
