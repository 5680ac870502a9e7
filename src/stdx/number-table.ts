/**
 * A map from whole numbers (0 to 2^31 - 1): what is added and removed leaves nothing behind.
 *
 * Why not a Map: one that things come into and leave all the time keeps them until the garbage
 * collector looks at the old, as a Set does (slot-set.ts).
 *
 *     number ─▶ its place, or the first free one behind it
 *
 * Open addressing; who is removed has those behind it moved up, so there are no marks of what was.
 * Without order. Invariants: at most half of the places are taken; a table that is replaced holds
 * nothing any more. A table of which an eighth is taken is made smaller.
 */
const placesMin = 8;
const free = -1;

export class NumberTable<T> {
  #keys: number[] = freeKeys(placesMin);
  #values: (T | undefined)[] = freeValues(placesMin);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: number): T | undefined {
    return this.#values[this.#placeOf(key)];
  }

  has(key: number): boolean {
    return this.#keys[this.#placeOf(key)] === key;
  }

  set(key: number, value: T): this {
    const place = this.#placeOf(key);
    if (this.#keys[place] !== key) {
      this.#keys[place] = key;
      this.#size += 1;
    }
    this.#values[place] = value;
    if (this.#size * 2 > this.#keys.length) this.#resize(this.#keys.length * 2);
    return this;
  }

  /** False: it was not there. */
  delete(key: number): boolean {
    const place = this.#placeOf(key);
    if (this.#keys[place] !== key) return false;
    this.#size -= 1;
    this.#closeGap(place);
    const places = this.#keys.length;
    if (places > placesMin && this.#size * 8 < places) this.#resize(places / 2);
    return true;
  }

  clear(): void {
    this.#replace(placesMin);
    this.#size = 0;
  }

  /** Those that are there now: they may go meanwhile. */
  *entries(): IterableIterator<[number, T]> {
    const keys = this.#keys.filter((key) => key !== free);
    for (const key of keys) if (this.has(key)) yield [key, this.get(key) as T];
  }

  *keys(): IterableIterator<number> {
    for (const [key] of this.entries()) yield key;
  }

  *values(): IterableIterator<T> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): IterableIterator<[number, T]> {
    return this.entries();
  }

  forEach(callback: (value: T, key: number, table: this) => void): void {
    for (const [key, value] of this.entries()) callback(value, key, this);
  }

  /** Where it is, or would be. */
  #placeOf(key: number): number {
    const keys = this.#keys;
    const mask = keys.length - 1;
    let place = homeOf(key, mask);
    while (keys[place] !== key && keys[place] !== free) place = (place + 1) & mask;
    return place;
  }

  /** Who stands behind it because a place was taken moves up. */
  #closeGap(from: number): void {
    const keys = this.#keys;
    const values = this.#values;
    const mask = keys.length - 1;
    let gap = from;
    for (let at = (gap + 1) & mask; keys[at] !== free; at = (at + 1) & mask) {
      const key = keys[at] as number;
      if (((at - homeOf(key, mask)) & mask) < ((at - gap) & mask)) continue;
      keys[gap] = key;
      values[gap] = values[at];
      gap = at;
    }
    keys[gap] = free;
    values[gap] = undefined;
  }

  #resize(places: number): void {
    const entries = [...this.entries()];
    this.#replace(places);
    for (const [key, value] of entries) {
      const place = this.#placeOf(key);
      this.#keys[place] = key;
      this.#values[place] = value;
    }
  }

  #replace(places: number): void {
    this.#values.fill(undefined);
    this.#keys = freeKeys(places);
    this.#values = freeValues(places);
  }
}

function freeKeys(places: number): number[] {
  return new Array<number>(places).fill(free);
}

function freeValues<T>(places: number): (T | undefined)[] {
  return new Array<T | undefined>(places).fill(undefined);
}

/** Numbers that follow each other stand apart from each other. */
function homeOf(key: number, mask: number): number {
  return (Math.imul(key, 0x9e37_79b1) >>> 16) & mask;
}
