/**
 * Sets of small numbers that are made once and joined often: a few as a list, many as bits. So a
 * set takes no more memory than the list of its members would.
 *
 * Invariants: all sets and bits of one universe have its size; nothing here allocates for a join.
 */

const bitsOfWord = 32;

export type UnitSet =
  | { readonly kind: 'few'; readonly members: readonly number[] }
  | { readonly kind: 'many'; readonly bits: Uint32Array };

export function wordsFor(size: number): number {
  return Math.ceil(size / bitsOfWord);
}

/** `members` rise, and are the set's from now on. */
export function unitSet(members: readonly number[], words: number): UnitSet {
  if (members.length <= words) return { kind: 'few', members };
  const bits = new Uint32Array(words);
  for (const member of members) setBit(bits, member);
  return { kind: 'many', bits };
}

export function addTo(target: Uint32Array, set: UnitSet | undefined): void {
  if (set === undefined) return;
  if (set.kind === 'few') {
    for (const member of set.members) setBit(target, member);
    return;
  }
  const { bits } = set;
  for (let i = 0; i < bits.length; i += 1) {
    target[i] = (target[i] as number) | (bits[i] as number);
  }
}

export function keepCommon(target: Uint32Array, other: Uint32Array): void {
  for (let i = 0; i < target.length; i += 1) {
    target[i] = (target[i] as number) & (other[i] as number);
  }
}

/** -1: there is none. */
export function lowestIn(bits: Uint32Array): number {
  for (let i = 0; i < bits.length; i += 1) {
    const word = bits[i] as number;
    if (word !== 0) return i * bitsOfWord + (31 - Math.clz32(word & -word));
  }
  return -1;
}

function setBit(bits: Uint32Array, at: number): void {
  const word = at >>> 5;
  bits[word] = (bits[word] as number) | (1 << (at & 31));
}
