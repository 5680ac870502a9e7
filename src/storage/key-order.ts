/**
 * The order of store keys: UTF-8 bytes, whatever the adapter keeps them in.
 *
 * It differs from the order of JavaScript strings, which is by UTF-16 code unit and puts characters
 * above U+FFFF before U+E000..U+FFFF.
 */

/** Negative, zero or positive, as `a` sorts before, with or after `b` in UTF-8 byte order. */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return codePointRank(left) - codePointRank(right);
  }
  return a.length - b.length;
}

/** Moves surrogates (halves of characters above U+FFFF) behind every other code unit. */
function codePointRank(codeUnit: number): number {
  if (codeUnit < 0xd800) return codeUnit;
  return codeUnit < 0xe000 ? codeUnit + 0x2000 : codeUnit - 0x800;
}
