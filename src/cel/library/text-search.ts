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
  const end = Math.min(text.length, from + needle.length);
  const at = searcher(reversed(needle))(reversed(text.slice(0, end)), 0);
  return at < 0 ? -1 : end - at - needle.length;
}

/** By UTF-16 units: both sides of a search are turned round alike. */
function reversed(text: string): string {
  return text.split('').reverse().join('');
}

function searcher(needle: string): (text: string, from: number) => number {
  if (needle.length <= shortNeedle) return (text, from) => text.indexOf(needle, from);
  const borders = bordersOf(needle);
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

/** For each beginning of the text the length of its longest proper end that is one, too. */
function bordersOf(needle: string): Int32Array {
  const borders = new Int32Array(needle.length);
  let length = 0;
  for (let i = 1; i < needle.length; i += 1) {
    while (length > 0 && needle.charCodeAt(i) !== needle.charCodeAt(length)) {
      length = borders[length - 1] as number;
    }
    if (needle.charCodeAt(i) === needle.charCodeAt(length)) length += 1;
    borders[i] = length;
  }
  return borders;
}
