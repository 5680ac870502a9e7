/**
 * Counts and compares the indexes of an indexed job in their text form: numbers and ranges in
 * order, `0,2-4,7`.
 *
 * Bounds: none of its own. A text may be as long as a body, so it is walked where it stands,
 * without a list of its parts: 3 MB take some milliseconds.
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
  const at: Place = { first: 0, final: 0, end: 0 };
  for (let from = 0; from <= indexes.length; from = at.end + 1) {
    if (!scanInterval(indexes, from, completions, at)) {
      const { problem = '' } = readInterval(indexes.slice(from, at.end), completions);
      return { count: 0, problem };
    }
    const { first, final } = at;
    if (last !== undefined && last >= first) {
      return { count: 0, problem: `non-increasing order, previous: ${last}, current: ${first}` };
    }
    count += final - first + 1;
    last = final;
  }
  return { count };
}

/** One interval of a text, and where it ends: at a comma, or with the text. */
interface Place {
  first: number;
  final: number;
  end: number;
}

const [zero, dash, comma] = ['0', '-', ','].map((each) => each.charCodeAt(0)) as [
  number,
  number,
  number,
];

const digitsMax = 10;

/** Sets `at` to the interval that begins there, in one pass over it. False: it is wrong. */
function scanInterval(indexes: string, from: number, completions: number, at: Place): boolean {
  let [value, digits, end, isWrong] = [0, 0, from, false];
  let first: number | undefined;
  for (; end < indexes.length; end += 1) {
    const code = indexes.charCodeAt(end);
    if (code === comma) break;
    const digit = code - zero;
    if (digit >= 0 && digit <= 9) {
      value = value * 10 + digit;
      digits += 1;
    } else if (code === dash && first === undefined) {
      isWrong ||= digits === 0 || digits > digitsMax;
      [first, value, digits] = [value, 0, 0];
    } else isWrong = true;
  }
  at.end = end;
  isWrong ||= digits === 0 || digits > digitsMax || value >= completions;
  if (isWrong || (first !== undefined && first >= value)) return false;
  at.first = first ?? value;
  at.final = value;
  return true;
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
  const [own, other] = [done, failed].map((indexes) => walk(indexes, completions)) as [Walk, Walk];
  for (let more = own.next() && other.next(); more;) {
    if (own.first <= other.final && other.first <= own.final) {
      const first = Math.max(own.first, other.first);
      return `failedIndexes and completedIndexes overlap at index: ${first}`;
    }
    more = own.first <= other.first ? own.next() : other.next();
  }
  return undefined;
}

interface Walk extends Readonly<Place> {
  /** Goes to the next interval that is right. False: there is none. */
  next(): boolean;
}

function walk(indexes: string, completions: number): Walk {
  let from = 0;
  const at: Place & Walk = {
    first: 0,
    final: 0,
    end: 0,
    next() {
      while (from <= indexes.length) {
        const isRight = scanInterval(indexes, from, completions, at);
        from = at.end + 1;
        if (isRight) return true;
      }
      return false;
    },
  };
  return at;
}
