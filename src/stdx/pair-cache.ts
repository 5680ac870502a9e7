/**
 * A cache of results by two texts, bounded by its number of entries. A look-up makes no text of
 * them: texts that were looked up before are found by the hashes that they carry.
 *
 * At the limit it is emptied, so hits cost no bookkeeping; entries in use are soon back.
 */
export interface PairCache<T> {
  get(first: string, second: string): T | undefined;
  keep(first: string, second: string, value: T): void;
}

export function createPairCache<T>(entriesMax: number): PairCache<T> {
  const values = new Map<string, Map<string, T>>();
  let entries = 0;
  return {
    get: (first, second) => values.get(first)?.get(second),
    keep(first, second, value) {
      if (entries >= entriesMax) {
        values.clear();
        entries = 0;
      }
      const known = values.get(first);
      if (known !== undefined) known.set(ownText(second), value);
      else values.set(ownText(first), new Map([[ownText(second), value]]));
      entries += 1;
    },
  };
}

/** The same text in memory of its own: a part of a long text would keep all of it. */
function ownText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
