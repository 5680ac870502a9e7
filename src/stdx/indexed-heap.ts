/**
 * What comes first, out of many that may leave at any time: a binary heap whose items know where
 * they lie, so that leaving costs as little as coming.
 *
 *              [0] the first
 *          [1]          [2]         an item is never behind those below it
 *        [3]  [4]     [5]  [6]
 *
 * Invariants: an item lies in at most one heap, at `heapIndex`; push, shift and remove look at
 * O(log n) others. Bounds: none of its own; the owner decides what goes in.
 */

/** Base of what lies in a heap. The field belongs to the heap. */
export interface HeapItem {
  /** -1: in none. */
  heapIndex: number;
}

export class IndexedHeap<T extends HeapItem> {
  readonly #items: T[] = [];
  readonly #isBefore: (one: T, other: T) => boolean;

  constructor(isBefore: (one: T, other: T) => boolean) {
    this.#isBefore = isBefore;
  }

  get length(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  /** In no order. */
  [Symbol.iterator](): IterableIterator<T> {
    return this.#items.values();
  }

  push(item: T): void {
    this.#items.push(item);
    this.#rise(item, this.#items.length - 1);
  }

  /** Takes the first. */
  shift(): T | undefined {
    const { first } = this;
    if (first !== undefined) this.remove(first);
    return first;
  }

  /** Idempotent. */
  remove(item: T): void {
    const at = item.heapIndex;
    if (at < 0) return;
    item.heapIndex = -1;
    const last = this.#items.pop() as T;
    if (last === item) return;
    this.#sink(last, at);
    if (last.heapIndex === at) this.#rise(last, at);
  }

  clear(): void {
    for (const item of this.#items) item.heapIndex = -1;
    this.#items.length = 0;
  }

  #place(item: T, at: number): void {
    this.#items[at] = item;
    item.heapIndex = at;
  }

  #rise(item: T, from: number): void {
    let at = from;
    while (at > 0) {
      const above = this.#items[(at - 1) >> 1] as T;
      if (!this.#isBefore(item, above)) break;
      this.#place(above, at);
      at = (at - 1) >> 1;
    }
    this.#place(item, at);
  }

  #sink(item: T, from: number): void {
    const items = this.#items;
    let at = from;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= items.length) break;
      const right = left + 1;
      const isRight = right < items.length && this.#isBefore(items[right] as T, items[left] as T);
      const below = items[isRight ? right : left] as T;
      if (!this.#isBefore(below, item)) break;
      this.#place(below, at);
      at = isRight ? right : left;
    }
    this.#place(item, at);
  }
}
