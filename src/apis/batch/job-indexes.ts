/**
 * Counts and compares the indexes of an indexed job in their text form: numbers and ranges in
 * order, `0,2-4,7`.
 */
import { quote } from '../../apimachinery/quote.ts';

export interface CountedIndexes {
  readonly count: number;
  readonly problem?: string;
}

/** Up to the first mistake. */
export function countIndexes(indexes: string, completions: number): CountedIndexes {
  if (indexes === '') return { count: 0 };
  let count = 0;
  let last: number | undefined;
  for (const interval of indexes.split(',')) {
    const { first, final, problem } = readInterval(interval, completions);
    if (problem !== undefined) return { count: 0, problem };
    if (last !== undefined && last >= first) {
      return { count: 0, problem: `non-increasing order, previous: ${last}, current: ${first}` };
    }
    count += final - first + 1;
    last = final;
  }
  return { count };
}

interface Interval {
  readonly first: number;
  readonly final: number;
  readonly problem?: string;
}

function wrong(problem: string): Interval {
  return { first: 0, final: 0, problem };
}

const twoParts =
  "violates the requirement that an index interval can have at most two parts separated by '-'";

function readInterval(interval: string, completions: number): Interval {
  const limits = interval.split('-', 3);
  if (limits.length > 2) return wrong(`the fragment ${quote(interval)} ${twoParts}`);
  const [first, final = first] = limits.map((limit) =>
    /^\d{1,10}$/.test(limit) ? Number(limit) : NaN,
  );
  for (const [at, limit] of limits.entries()) {
    const index = (at === 0 ? first : final) ?? NaN;
    if (Number.isNaN(index)) {
      return wrong(`cannot convert string to integer for index: ${quote(limit)}`);
    }
    if (index >= completions) return wrong(`too large index: ${quote(limit)}`);
  }
  if (first === undefined || final === undefined) return wrong('no index');
  if (limits.length === 2 && first >= final) {
    return wrong(`non-increasing order, previous: ${first}, current: ${final}`);
  }
  return { first, final };
}

/** What to say of indexes that are in both texts, the first of them. Wrong intervals are left out:
 * they are said to be wrong anyway. */
export function overlap(done: string, failed: string, completions: number): string | undefined {
  const [own, other] = [done, failed].map((indexes) =>
    indexes
      .split(',')
      .map((interval) => readInterval(interval, completions))
      .filter(({ problem }) => problem === undefined),
  ) as [Interval[], Interval[]];
  for (let at = 0, to = 0; at < own.length && to < other.length;) {
    const [a, b] = [own[at] as Interval, other[to] as Interval];
    if (a.first <= b.final && b.first <= a.final) {
      const first = Math.max(a.first, b.first);
      return `failedIndexes and completedIndexes overlap at index: ${first}`;
    }
    if (a.first <= b.first) at += 1;
    else to += 1;
  }
  return undefined;
}
