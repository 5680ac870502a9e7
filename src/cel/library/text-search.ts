/**
 * Finding a text in a text in linear time, whatever the two are. The engine's own search is fast,
 * but for long texts that nearly repeat themselves its time is their product, and a caller chooses
 * both.
 */

/** Up to this length the engine's worst case is harmless. */
export const shortNeedle = 64;

/** Offsets (UTF-16) at which `needle` is found, from left to right, not overlapping. */
export function* occurrences(text: string, needle: string): Generator<number> {
  const find = searcher(needle);
  let at = find(text, 0);
  while (at >= 0) {
    yield at;
    at = find(text, at + needle.length);
  }
}

/** The first offset from `from` on, or -1. `needle` is not empty. */
export function firstOccurrence(text: string, needle: string, from: number): number {
  return searcher(needle)(text, from);
}

/** The last offset that is not above `from`, or -1. */
export function lastOccurrence(text: string, needle: string, from: number): number {
  if (needle.length <= shortNeedle) return from < 0 ? -1 : text.lastIndexOf(needle, from);
  return backwards(text, needle, Math.min(text.length, from + needle.length) - 1);
}

function searcher(needle: string): (text: string, from: number) => number {
  if (needle.length <= shortNeedle) return (text, from) => text.indexOf(needle, from);
  const borders = bordersOf(needle, 0, 1);
  return (text, from) => {
    let matched = 0;
    for (let i = from; i < text.length; i += 1) {
      const unit = text.charCodeAt(i);
      while (matched > 0 && needle.charCodeAt(matched) !== unit) {
        matched = borders[matched - 1] as number;
      }
      if (needle.charCodeAt(matched) === unit) matched += 1;
      if (matched === needle.length) return i - matched + 1;
    }
    return -1;
  };
}

/** The same from right to left: to turn both texts round would take longer than the search. */
function backwards(text: string, needle: string, from: number): number {
  const last = needle.length - 1;
  const borders = bordersOf(needle, last, -1);
  let matched = 0;
  for (let i = from; i >= 0; i -= 1) {
    const unit = text.charCodeAt(i);
    while (matched > 0 && needle.charCodeAt(last - matched) !== unit) {
      matched = borders[matched - 1] as number;
    }
    if (needle.charCodeAt(last - matched) === unit) matched += 1;
    if (matched === needle.length) return i;
  }
  return -1;
}

/**
 * For each beginning of the text the length of its longest proper end that is one, too. Read from
 * `start` on, in steps of `step`: 1, or -1 from the end.
 */
function bordersOf(needle: string, start: number, step: number): Int32Array {
  const unitAt = (i: number): number => needle.charCodeAt(start + i * step);
  const borders = new Int32Array(needle.length);
  let length = 0;
  for (let i = 1; i < needle.length; i += 1) {
    const unit = unitAt(i);
    while (length > 0 && unitAt(length) !== unit) length = borders[length - 1] as number;
    if (unitAt(length) === unit) length += 1;
    borders[i] = length;
  }
  return borders;
}
