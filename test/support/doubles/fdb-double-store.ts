/**
 * The database behind the FoundationDB double: versions of keys, and who wrote what when.
 *
 * What it is not: a transaction; see fdb-double.ts. Keys are strings of one character per byte,
 * whose order is the order of the bytes.
 *
 * Versions are kept as long as a transaction may still read them (5 seconds' worth); the version
 * last written is kept of every key, which is what conflicts are decided by.
 */
export interface Written {
  readonly key: string;
  /** Undefined: cleared. */
  readonly value: Buffer | undefined;
}

interface Version {
  readonly version: bigint;
  readonly value: Buffer | undefined;
}

export interface KeyRange {
  readonly begin: string;
  readonly end: string;
}

/** Versions advance by about a million per second. */
export const VERSIONS_PER_MS = 1000;
export const READABLE_VERSIONS = 5_000_000n;

export class DoubleStore {
  readonly #versions = new Map<string, Version[]>();
  readonly #keys: string[] = [];
  #clearedRanges: { readonly version: bigint; readonly range: KeyRange }[] = [];

  get(key: string, at: bigint): Buffer | undefined {
    return this.#versions.get(key)?.findLast(({ version }) => version <= at)?.value;
  }

  /** Present keys of a range, in order. */
  *range({ begin, end }: KeyRange, at: bigint): Generator<readonly [string, Buffer], void> {
    for (let i = this.#firstNotBefore(begin); i < this.#keys.length; i += 1) {
      const key = this.#keys[i] as string;
      if (key >= end) return;
      const value = this.get(key, at);
      if (value !== undefined) yield [key, value];
    }
  }

  apply(version: bigint, writes: readonly Written[], cleared: readonly KeyRange[]): void {
    for (const range of cleared) {
      this.#clearedRanges.push({ version, range });
      for (let i = this.#firstNotBefore(range.begin); i < this.#keys.length; i += 1) {
        const key = this.#keys[i] as string;
        if (key >= range.end) break;
        this.#write(version, { key, value: undefined });
      }
    }
    for (const write of writes) this.#write(version, write);
    const kept = version - READABLE_VERSIONS;
    this.#clearedRanges = this.#clearedRanges.filter((cleared) => cleared.version >= kept);
  }

  /** Whether anything of this range was written after a version. */
  writtenAfter({ begin, end }: KeyRange, after: bigint): boolean {
    for (const { version, range } of this.#clearedRanges) {
      if (version > after && range.begin < end && begin < range.end) return true;
    }
    for (let i = this.#firstNotBefore(begin); i < this.#keys.length; i += 1) {
      const key = this.#keys[i] as string;
      if (key >= end) return false;
      if ((this.#versions.get(key)?.at(-1)?.version ?? 0n) > after) return true;
    }
    return false;
  }

  #write(version: bigint, { key, value }: Written): void {
    let versions = this.#versions.get(key);
    if (versions === undefined) {
      versions = [];
      this.#versions.set(key, versions);
      this.#keys.splice(this.#firstNotBefore(key), 0, key);
    }
    const oldest = version - READABLE_VERSIONS;
    const first = versions.findLastIndex((each) => each.version <= oldest);
    if (first > 0) versions.splice(0, first);
    if (versions.at(-1)?.version === version) versions.pop();
    versions.push({ version, value });
  }

  #firstNotBefore(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] as string) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
