/**
 * What must agree in every store: each record with the change that wrote it and the one that ended
 * it, each change with its record.
 *
 * The adapters walk through their stores (lmdb/verify.ts, fdb/fdb-verify.ts) and ask here about
 * what they find.
 *
 *   log        put@3 ─────────── put@7 ─────────── delete@9
 *   records      ╰─ a: 3 to 7 ─────╯╰─ a: 7 to 9 ─────╯
 */
import type { Revision } from './storage.ts';

export interface StoreReport {
  readonly recordsCount: number;
  readonly supersededCount: number;
  readonly changesCount: number;
  readonly revision: Revision;
  readonly compactRevision: Revision;
  /** Empty: everything agrees. */
  readonly problems: readonly string[];
}

export type StoreBounds = Pick<StoreReport, 'revision' | 'compactRevision'>;

/** Of an undamaged record: from the change that wrote it to the one that ended it. */
export interface Lifetime {
  readonly key: string;
  readonly start: Revision;
  /** Undefined: the record now. */
  readonly end: Revision | undefined;
}

export interface LoggedChange {
  readonly kind: 'put' | 'delete';
  readonly key: string;
}

/** `next`: the record of the same key that began behind this one, if there is one. */
export function lifetimeProblems(
  { key, start, end }: Lifetime,
  next: Pick<Lifetime, 'start'> | undefined,
  changeAt: (revision: Revision) => LoggedChange | undefined,
  { revision, compactRevision }: StoreBounds,
): string[] {
  const problems: string[] = [];
  const where = `${key}@${start}`;
  if (start > revision) problems.push(`${where} is after the newest revision`);
  if (start > compactRevision) {
    const birth = changeAt(start);
    if (birth?.kind !== 'put' || birth.key !== key) problems.push(`${where} has no log entry`);
  }
  if (end === undefined) {
    if (next !== undefined) problems.push(`${where} is current and has a successor`);
    return problems;
  }
  const death = changeAt(end);
  if (end <= start) problems.push(`${where} ends before it begins`);
  if (death?.key !== key) problems.push(`${where} was superseded at ${end} by no change of it`);
  else if (death.kind === 'put' && next?.start !== end) {
    problems.push(`${where} was superseded at ${end} by a record that is missing`);
  } else if (death.kind === 'delete' && next !== undefined && next.start <= end) {
    problems.push(`${where} was deleted at ${end}, after its successor began`);
  }
  return problems;
}

/** `writtenKey`: that of the record which began at this change, if there is one. */
export function changeProblems(
  at: Revision,
  { kind, key }: LoggedChange,
  writtenKey: string | undefined,
): string[] {
  if (kind === 'put') return writtenKey === key ? [] : [`change ${at} has no record`];
  return writtenKey === undefined ? [] : [`delete ${at} has a record`];
}

export function placeProblems(at: Revision, { revision, compactRevision }: StoreBounds): string[] {
  if (at > revision) return [`change ${at} is after the newest revision ${revision}`];
  return at <= compactRevision ? [`change ${at} should be compacted`] : [];
}
