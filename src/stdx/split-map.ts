/**
 * A map of texts that may hold very many: it is a few small maps. The engine copies a map whenever
 * that doubles, all of it in one go: 10 ms for 100,000 keys, 100 ms for a million. Here a part that
 * is full is split in two, and no other is touched.
 *
 *     few keys     one part, and no key is hashed
 *     many         hash(key) ─▶ its last `depth` bits ─▶ directory ─▶ part of at most `partKeysMax`
 *
 * Keys are walked as in a Map while there is one part; with more, those of one part after the
 * other. A walk may be held: what is removed before it is reached is left out, what stays is shown
 * once or (where a part is split meanwhile) twice, what is added may be shown.
 *
 * Bounds: none of its own for keys. Keys that all have one hash share a part; looking whether it
 * can be split costs as much, in all, as the keys that were added.
 */
const splitMapLimits = {
  /** Policy: the part is split. */
  partKeysMax: 4_096,
  /** Bits of the hash that tell parts apart. Policy: parts grow. */
  depthMax: 12,
} as const;

interface Part<V> {
  readonly map: Map<string, V>;
  /** All keys here have so many last bits of the hash in common. */
  depth: number;
  /** Split above so many keys. */
  keysMax: number;
}

/** The keys of a map, as of a Set. */
export interface Keys {
  readonly size: number;
  has(key: string): boolean;
  keys(): IterableIterator<string>;
}

export class SplitMap<V> implements Keys {
  /** Most maps have no other: this costs them little. */
  readonly #first: Part<V> = newPart(0);
  /** All of them, when there are several. */
  #parts: Part<V>[] | undefined;
  /** A power of two of them; a part stands wherever its last bits are. */
  #directory: Part<V>[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: string): V | undefined {
    return this.#partOf(key).map.get(key);
  }

  has(key: string): boolean {
    return this.#partOf(key).map.has(key);
  }

  set(key: string, value: V): void {
    const part = this.#partOf(key);
    const before = part.map.size;
    part.map.set(key, value);
    this.#size += part.map.size - before;
    if (part.map.size > part.keysMax) this.#split(part);
  }

  delete(key: string): boolean {
    const isDeleted = this.#partOf(key).map.delete(key);
    if (isDeleted) this.#size -= 1;
    return isDeleted;
  }

  clear(): void {
    for (const { map } of this.#parts ?? [this.#first]) map.clear();
    Object.assign(this.#first, newPart(0), { map: this.#first.map });
    this.#parts = undefined;
    this.#size = 0;
  }

  *keys(): IterableIterator<string> {
    yield* this.#first.map.keys();
    for (let at = 1; at < (this.#parts?.length ?? 0); at += 1) {
      yield* (this.#parts?.[at] as Part<V>).map.keys();
    }
  }

  #partOf(key: string): Part<V> {
    if (this.#parts === undefined) return this.#first;
    return this.#directory[hashOf(key) & (this.#directory.length - 1)] as Part<V>;
  }

  /** What goes is moved behind all parts, so that a walk comes to it. */
  #split(part: Part<V>): void {
    if (part.depth === splitMapLimits.depthMax) {
      part.keysMax = Infinity;
      return;
    }
    if (this.#parts === undefined) {
      this.#parts = [part];
      this.#directory = [part];
    }
    const directory = this.#directory;
    const bit = 1 << part.depth;
    if (bit === directory.length) directory.push(...directory);
    part.depth += 1;
    const other = newPart<V>(part.depth);
    for (const [key, value] of part.map) {
      if ((hashOf(key) & bit) === 0) continue;
      part.map.delete(key);
      other.map.set(key, value);
    }
    for (let at = bit; at < directory.length; at += 1) {
      if (directory[at] === part && (at & bit) !== 0) directory[at] = other;
    }
    this.#parts.push(other);
    // Where all have stayed together, the next try comes when they are twice as many.
    const { partKeysMax } = splitMapLimits;
    for (const each of [part, other]) {
      each.keysMax = each.map.size > partKeysMax ? 2 * each.map.size : partKeysMax;
    }
  }
}

function newPart<V>(depth: number): Part<V> {
  return { map: new Map(), depth, keysMax: splitMapLimits.partKeysMax };
}

/** FNV-1a, with its high bits in the low ones. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  }
  return (hash ^ (hash >>> 15)) >>> 0;
}
