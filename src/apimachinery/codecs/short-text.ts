/**
 * Short ASCII texts out of bytes: names of fields, keys of labels, enumerated values. They come
 * again and again, so those seen last are kept and given out once more: that is quicker than to
 * make them, and a text that has been a key before is quicker as one.
 *
 * What is longer, or not ASCII, is left to the caller.
 *
 * Bounds: `slotsCount` texts of at most `shortTextMax` characters; a newer one takes the slot of
 * the older.
 */
export const shortTextMax = 24;
const slotsCount = 4096;
const slots: string[] = new Array<string>(slotsCount).fill('');

/** The text of `length` bytes at `start`, which are there; undefined when long or not ASCII. */
export function shortText(bytes: Uint8Array, start: number, length: number): string | undefined {
  if (length > shortTextMax) return undefined;
  let hash = length;
  for (let at = 0; at < length; at += 1) {
    const byte = bytes[start + at] as number;
    if (byte >= 0x80) return undefined;
    hash = (Math.imul(hash, 31) + byte) | 0;
  }
  const slot = (hash ^ (hash >>> 12)) & (slotsCount - 1);
  const known = slots[slot] as string;
  if (known.length === length && equals(known, bytes, start)) return known;
  const text = asciiText(bytes, start, length);
  slots[slot] = text;
  return text;
}

function equals(text: string, bytes: Uint8Array, start: number): boolean {
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) !== bytes[start + at]) return false;
  }
  return true;
}

/** One array for each length: to fill it again costs less than to make it. */
const codesOf = Array.from({ length: shortTextMax + 1 }, (_, length) =>
  new Array<number>(length).fill(0),
);

function asciiText(bytes: Uint8Array, start: number, length: number): string {
  const codes = codesOf[length] as number[];
  for (let at = 0; at < length; at += 1) codes[at] = bytes[start + at] as number;
  return String.fromCharCode.apply(undefined, codes);
}
