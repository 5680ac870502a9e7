/**
 * A line in which a place can be kept: who leaves it without having been served comes back to where
 * it stood, however many have come since.
 *
 *     join ─▶ the end            rejoin ─▶ the old place            shift ─▶ the first
 *
 * Invariant: who is first began to wait before all others that are in line.
 * Bound: as many as stand in it, each once; its owner sees to that.
 */
import { assert } from '../../stdx/assert.ts';
import { RingBuffer } from '../../stdx/ring-buffer.ts';

export interface Waiting {
  /** The lower, the earlier it began to wait. Set by `join`. */
  place: number;
}

export class WaitingLine<T extends Waiting> {
  /** By their places, for these rise. */
  readonly #line = new RingBuffer<T>();
  /** Those who have come back, as a binary heap: the first is the one of the lowest place. */
  readonly #back: T[] = [];
  #places = 0;

  get length(): number {
    return this.#line.length + this.#back.length;
  }

  join(item: T): void {
    this.#places += 1;
    item.place = this.#places;
    this.#line.push(item);
  }

  rejoin(item: T): void {
    const heap = this.#back;
    let at = heap.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above] as T;
      if (parent.place <= item.place) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = item;
  }

  shift(): T {
    assert(this.length > 0, 'somebody is in line');
    const [back] = this.#back;
    if (back === undefined) return this.#line.shift();
    if (this.#line.length > 0 && this.#line.at(0).place < back.place) return this.#line.shift();
    this.#removeFirstBack();
    return back;
  }

  #removeFirstBack(): void {
    const heap = this.#back;
    const item = heap.pop() as T;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const [a, b] = [heap[left], heap[left + 1]];
      const isRight = a !== undefined && b !== undefined && b.place < a.place;
      const child = isRight ? b : a;
      if (child === undefined || item.place <= child.place) break;
      heap[at] = child;
      at = isRight ? left + 1 : left;
    }
    heap[at] = item;
  }
}
