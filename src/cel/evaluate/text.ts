/**
 * Strings in code points. JavaScript counts code units, which are the same until a string has a
 * character beyond U+FFFF.
 *
 * Bounds: linear in the string; the size of a long string is remembered while it is used again.
 */
const surrogates = /[\ud800-\udbff][\udc00-\udfff]/;

let lastLong = '';
let lastLongSize = 0;
const longFrom = 256;

const countPairs = (text: string): number => {
  let pairs = 0;
  for (let i = 0; i + 1 < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(i + 1);
    if (next >= 0xdc00 && next <= 0xdfff) {
      pairs += 1;
      i += 1;
    }
  }
  return pairs;
};

export function codePointCount(text: string): number {
  if (text.length < longFrom) return text.length - countPairs(text);
  if (text !== lastLong) {
    lastLongSize = surrogates.test(text) ? text.length - countPairs(text) : text.length;
    lastLong = text;
  }
  return lastLongSize;
}

/** By code points: code units would put U+FFFF after U+10000. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const size = Math.min(a.length, b.length);
  for (let i = 0; i < size; i += 1) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left === right) continue;
    const isLeftPart = left >= 0xd800 && left <= 0xdfff;
    const isRightPart = right >= 0xd800 && right <= 0xdfff;
    if (isLeftPart !== isRightPart) return isLeftPart ? 1 : -1;
    return left < right ? -1 : 1;
  }
  return a.length < b.length ? -1 : 1;
}

export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const order = Buffer.compare(a, b);
  return order;
}
