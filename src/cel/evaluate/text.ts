/**
 * Strings in code points. JavaScript counts code units, which are the same until a string has a
 * character beyond U+FFFF.
 *
 * Bounds: linear in the string, which counts as work; the sizes of the last few long strings are
 * remembered, so that a loop does not count the same string in each of its turns.
 */
import { spendSteps } from './step-allowance.ts';

const surrogates = /[\ud800-\udbff][\udc00-\udfff]/;

const longFrom = 256;
/** Of more units than this nothing is remembered: a text is held as long as its size is. */
const rememberedTextMax = 4 * 1024 * 1024;

/** The two texts measured last, newest first. Comparing with them is cheaper than hashing. */
let lastText = '';
let lastSize = 0;
let earlierText = '';
let earlierSize = 0;

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
  // Finding it again may compare it with others of its length.
  spendSteps(text.length >> 6);
  if (text === lastText) {
    // The next look is likely to be at this very text, which is then not compared at all.
    lastText = text;
    return lastSize;
  }
  if (text === earlierText) {
    earlierText = text;
    return earlierSize;
  }
  spendSteps(text.length >> 2);
  const size = surrogates.test(text) ? text.length - countPairs(text) : text.length;
  if (text.length > rememberedTextMax) return size;
  earlierText = lastText;
  earlierSize = lastSize;
  lastText = text;
  lastSize = size;
  return size;
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
