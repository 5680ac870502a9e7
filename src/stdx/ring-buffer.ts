/**
 * A double-ended run of items on a circular array: push at the back, shift from the front, read
 * by position. Takes no memory until used and gives large arrays back when cleared.
 *
 * It has no bound of its own: the owner knows what its items weigh and shifts accordingly.
 */
import { assert } from './assert.ts';

const capacityFirst = 8;
const capacityKept = 64;

export class RingBuffer<T> {
  #slots: (T | undefined)[] = [];
  #start = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The item at `index`, counted from the oldest. */
  at(index: number): T {
    assert(index >= 0 && index < this.#length, 'ring buffer index is in range');
    return this.#slots[(this.#start + index) & (this.#slots.length - 1)] as T;
  }

  push(item: T): void {
    if (this.#length === this.#slots.length) this.#grow();
    this.#slots[(this.#start + this.#length) & (this.#slots.length - 1)] = item;
    this.#length += 1;
  }

  /** Removes and returns the oldest item. */
  shift(): T {
    assert(this.#length > 0, 'shift needs an item');
    const item = this.#slots[this.#start] as T;
    this.#slots[this.#start] = undefined;
    this.#start = (this.#start + 1) & (this.#slots.length - 1);
    this.#length -= 1;
    return item;
  }

  clear(): void {
    if (this.#slots.length > capacityKept) this.#slots = [];
    else this.#slots.fill(undefined);
    this.#start = 0;
    this.#length = 0;
  }

  /** The first position whose item is not `before`, for a run ordered by it. O(log n). */
  partition(before: (item: T) => boolean): number {
    let low = 0;
    let high = this.#length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (before(this.at(middle))) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #grow(): void {
    const slots = new Array<T | undefined>(Math.max(capacityFirst, this.#slots.length * 2));
    for (let i = 0; i < this.#length; i += 1) slots[i] = this.at(i);
    this.#slots = slots;
    this.#start = 0;
  }
}
