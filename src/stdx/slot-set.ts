/**
 * A set whose members hold their index in it: adding and removing is a write to an array.
 *
 * Why not a Set: a Set that things come into and leave all the time is made anew again and again,
 * and each table it has left behind still refers to the next one and to what it then held. Once
 * one of them has grown old, the garbage collector keeps all that follow, with every member, until
 * it next looks at the old: a server would copy each request twice before it is let go.
 *
 * Without order. Invariant: a slot is in one set at most, and `at` is its place there.
 */
import { assert } from './assert.ts';

export interface Slot<T> {
  readonly item: T;
  /** -1 while it is in no set. */
  at: number;
}

/** What a member is added and removed by; its owner keeps it. */
export function slotOf<T>(item: T): Slot<T> {
  return { item, at: -1 };
}

export class SlotSet<T> {
  readonly #slots: Slot<T>[] = [];

  get size(): number {
    return this.#slots.length;
  }

  /** Does nothing when it is there. */
  add(slot: Slot<T>): void {
    if (slot.at >= 0) return;
    slot.at = this.#slots.length;
    this.#slots.push(slot);
  }

  /** Does nothing when it is not there. */
  remove(slot: Slot<T>): void {
    const { at } = slot;
    if (at < 0) return;
    assert(this.#slots[at] === slot, 'a slot is in its place');
    const last = this.#slots.pop() as Slot<T>;
    slot.at = -1;
    if (last === slot) return;
    this.#slots[at] = last;
    last.at = at;
  }

  clear(): void {
    for (const slot of this.#slots) slot.at = -1;
    this.#slots.length = 0;
  }

  /** A copy: `at` tells who has gone meanwhile. */
  slots(): readonly Slot<T>[] {
    return [...this.#slots];
  }

  /** A copy: members may come and go while it is walked over. */
  items(): readonly T[] {
    return this.#slots.map((slot) => slot.item);
  }
}
