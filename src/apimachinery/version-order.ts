/**
 * The order of versions whose names somebody else has chosen: v2, v1, v2beta1, v1alpha3, then names
 * of another form, by letters.
 */

/** Preferred first. */
export function compareVersionNames(a: string, b: string): number {
  const [first, second] = [rankOf(a), rankOf(b)];
  if (first === undefined || second === undefined) {
    if (first === second) return a < b ? -1 : a > b ? 1 : 0;
    return first === undefined ? 1 : -1;
  }
  for (const [at, own] of first.entries()) {
    const other = second[at] ?? 0;
    if (own !== other) return other - own;
  }
  return 0;
}

const form = /^v([1-9]\d{0,14})(?:(alpha|beta)([1-9]\d{0,14}))?$/;
const stability = { alpha: 0, beta: 1, stable: 2 } as const;

/** How stable, then the numbers; the greater comes first. */
function rankOf(version: string): readonly number[] | undefined {
  const match = form.exec(version);
  if (match === null) return undefined;
  const [, major, word, minor] = match;
  const stage = word === 'alpha' || word === 'beta' ? word : 'stable';
  return [stability[stage], Number(major), Number(minor ?? 0)];
}
