/**
 * The text of an expression. Positions in it are counted in code points. Lines end with a newline.
 */
export interface Source {
  readonly text: string;
  readonly points: Uint32Array;
  /** Code points `start` to before `end` as text. */
  slice(start: number, end: number): string;
}

export interface Location {
  /** From 1; -1 is nowhere. */
  readonly line: number;
  /** From 0; -1 is nowhere. */
  readonly column: number;
}

export const nowhere: Location = { line: -1, column: -1 };

export function sourceOf(text: string): Source {
  const points = new Uint32Array(text.length);
  let count = 0;
  for (let i = 0; i < text.length; i += 1) {
    const point = text.codePointAt(i) as number;
    points[count] = point;
    count += 1;
    if (point > 0xffff) i += 1;
  }
  const exact = points.subarray(0, count);
  // Without surrogate pairs, code points and code units are counted alike.
  if (count === text.length) {
    return { text, points: exact, slice: (start, end) => text.slice(start, end) };
  }
  const offsets = new Uint32Array(count + 1);
  for (let i = 0; i < count; i += 1) {
    offsets[i + 1] = (offsets[i] as number) + ((exact[i] as number) > 0xffff ? 2 : 1);
  }
  return {
    text,
    points: exact,
    slice: (start, end) => text.slice(offsets[start], offsets[Math.min(end, count)]),
  };
}

const newline = 10;
const lineStarts = new WeakMap<Source, readonly number[]>();

/** Where lines begin; counted once for a source, however many mistakes are in it. */
function lineStartsOf(source: Source): readonly number[] {
  const known = lineStarts.get(source);
  if (known !== undefined) return known;
  const starts = [0];
  for (const [at, point] of source.points.entries()) if (point === newline) starts.push(at + 1);
  lineStarts.set(source, starts);
  return starts;
}

export function locationOf(source: Source, offset: number): Location {
  const starts = lineStartsOf(source);
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] as number) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (starts[low] as number) };
}

/** The text of a line, counted from 1; undefined when there is no such line. */
export function lineOf(source: Source, line: number): string | undefined {
  if (line < 1) return undefined;
  return source.text.split('\n', line)[line - 1];
}
