/**
 * Rules of companions for tests of stores: records are counters with an owner, and may be full.
 *
 *   { owner, n, max }    amend { add }: n + add, at most max    amend { look }: nothing changes
 */
import type { CompanionRules } from '../../src/storage/storage.ts';

export interface Counter {
  readonly owner?: string;
  readonly n: number;
  readonly max: number;
}

const utf8 = new TextEncoder();

export function counterBytes(counter: Counter): Uint8Array {
  return utf8.encode(JSON.stringify(counter));
}

export function counterOf(value: Uint8Array): Counter {
  return JSON.parse(Buffer.from(value).toString()) as Counter;
}

export const counterRules: CompanionRules = {
  decode: ({ value, damage }) => {
    if (damage !== undefined) throw new Error(damage);
    return counterOf(value);
  },
  amend(current, instruction) {
    const counter = current as Counter;
    const { add } = instruction as { readonly add?: number };
    if (add === undefined) return { kind: 'unchanged' };
    const n = counter.n + add;
    if (n > counter.max) return { kind: 'refused', code: 'full', message: `${n} > ${counter.max}` };
    return { kind: 'amended', next: { ...counter, n } };
  },
  encode: (amended) => counterBytes(amended as Counter),
  ownerOf: (current) => (current as Counter).owner,
};
