/**
 * A map of texts in the order in which they were last set, for very many: a list through its
 * values, and a map (split-map.ts) that grows in small pieces. A Map keeps that order, too, but the
 * engine copies it whole when it doubles or has had as many deletions.
 *
 *     set(key) ─▶ behind all others        first ─▶ set longest ago
 *
 * Bounds: none of its own; the owner decides what goes in.
 */
import { SplitMap } from './split-map.ts';

interface Item<V> {
  readonly value: V;
  before: Item<V> | undefined;
  behind: Item<V> | undefined;
}

export class OrderedMap<V> {
  readonly #items = new SplitMap<Item<V>>();
  #first: Item<V> | undefined;
  #last: Item<V> | undefined;

  get size(): number {
    return this.#items.size;
  }

  get first(): V | undefined {
    return this.#first?.value;
  }

  get(key: string): V | undefined {
    return this.#items.get(key)?.value;
  }

  /** Behind all others, wherever it was. */
  set(key: string, value: V): void {
    this.delete(key);
    const item: Item<V> = { value, before: this.#last, behind: undefined };
    if (this.#last === undefined) this.#first = item;
    else this.#last.behind = item;
    this.#last = item;
    this.#items.set(key, item);
  }

  delete(key: string): void {
    const item = this.#items.get(key);
    if (item === undefined) return;
    this.#items.delete(key);
    const { before, behind } = item;
    if (before === undefined) this.#first = behind;
    else before.behind = behind;
    if (behind === undefined) this.#last = before;
    else behind.before = before;
  }

  clear(): void {
    this.#items.clear();
    this.#first = this.#last = undefined;
  }

  /** From the first on. The map is not changed meanwhile. */
  *values(): IterableIterator<V> {
    for (let item = this.#first; item !== undefined; item = item.behind) yield item.value;
  }
}
