/**
 * How large a pattern is when its counted repetitions are written out: `(ab){3}c` is seven. A
 * group and a class count as one each, beside what a group holds.
 *
 * An invalid pattern gets a size, too; the library refuses it later.
 *
 * Bounds: one walk over the pattern; an end is a finite number.
 */
const repetition = /\{(\d+)(?:,(\d*))?\}/y;

interface Group {
  /** Of all that is finished. */
  size: number;
  /** Of the last item, which a repetition would multiply. */
  last: number;
}

/** Of a longer one, which nobody compiles, each character counts. */
const readMax = 10_000;

export function patternSize(pattern: string): number {
  if (pattern.length > readMax) return pattern.length;
  const open: Group[] = [];
  let group: Group = { size: 0, last: 0 };
  const item = (size: number): void => {
    group.size += group.last;
    group.last = size;
  };
  let at = 0;
  while (at < pattern.length) {
    const char = pattern[at];
    const next = at + 1;
    if (char === '\\') {
      item(1);
      at = endOfEscape(pattern, next);
    } else if (char === '[') {
      item(1);
      at = endOfClass(pattern, next);
    } else if (char === '(') {
      open.push(group);
      group = { size: 0, last: 0 };
      at = next;
    } else if (char === ')') {
      const inner = group.size + group.last + 1;
      group = open.pop() ?? { size: 0, last: 0 };
      item(inner);
      at = next;
    } else {
      const times = timesAt(pattern, at);
      if (times === undefined) item(1);
      else group.last *= times.count;
      at = times?.end ?? next;
    }
  }
  let size = group.size + group.last;
  for (const { last, size: before } of open) size += before + last;
  return Math.min(size, Number.MAX_SAFE_INTEGER);
}

function timesAt(pattern: string, at: number): { count: number; end: number } | undefined {
  repetition.lastIndex = at;
  const match = repetition.exec(pattern);
  if (match === null) return undefined;
  const most = match[2] === undefined || match[2] === '' ? match[1] : match[2];
  return { count: Math.max(1, Number(most)), end: repetition.lastIndex };
}

/** `\Q...\E` holds characters that are nothing but themselves. */
function endOfEscape(pattern: string, at: number): number {
  if (pattern[at] !== 'Q') return at + 1;
  const end = pattern.indexOf('\\E', at);
  return end < 0 ? pattern.length : end + 2;
}

function endOfClass(pattern: string, from: number): number {
  let at = pattern[from] === '^' ? from + 1 : from;
  // A bracket right at the start is a member.
  if (pattern[at] === ']') at += 1;
  while (at < pattern.length && pattern[at] !== ']') {
    if (pattern[at] === '\\') at += 1;
    const isNamed = pattern[at] === '[' && pattern[at + 1] === ':';
    const end = isNamed ? pattern.indexOf(':]', at) : -1;
    at = end < 0 ? at + 1 : end + 2;
  }
  return at + 1;
}
