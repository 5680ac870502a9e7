/**
 * A list in chunks, put together as they are asked for: memory does not depend on its length.
 *
 * Invariants: an item is copied once, into the chunk that is sent; it may lie across several.
 * Nothing but what is left of one item is held between two chunks, so chunks of many lists may be
 * made in one buffer, one after the other.
 */
import { assert } from '../../stdx/assert.ts';
import type { ItemPrefix, ListFrame } from './list-form.ts';

/** Bytes of costly items between two looks at the clock. */
const unclockedBytesMax = 8 * 1024;
/** What an item counts for beside its bytes. */
const itemCostBytes = 64;

const noBytes = new Uint8Array(0);

export interface ListItems<E> {
  readonly frame: ListFrame;
  readonly lead: ItemPrefix;
  /** Undefined among them: many were passed over, and this is a place to stop. */
  readonly entries: Iterator<E | undefined>;
  readonly itemOf: (entry: E) => Uint8Array;
  /** An item is there until the next one is made, in this list or another. */
  readonly isPassing: boolean;
  /** Making an item costs more than copying it. */
  readonly costly: boolean;
  /** Bytes that an item is made of; absent: as many as it has. */
  readonly sourceBytesOf?: ((entry: E) => number) | undefined;
}

export class ListChunks<E> {
  readonly #items: ListItems<E>;
  #rest: Uint8Array;
  #isFirst = true;
  #atTail = false;
  #ended = false;
  #bytes = 0;

  constructor(items: ListItems<E>) {
    this.#items = items;
    this.#rest = items.frame.head;
  }

  /** Everything has been given out. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Given out so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Puts what comes next into `target`, until it is full, the list ends, or time is over; how
   * many bytes, perhaps none. */
  fill(target: Uint8Array, isOver: () => boolean): number {
    const used = this.#fill(target, isOver);
    this.#bytes += used;
    return used;
  }

  #fill(target: Uint8Array, isOver: () => boolean): number {
    const { frame, lead, entries, itemOf, costly, isPassing } = this.#items;
    assert(target.length > lead.bytesMax, 'a chunk holds what stands before an item');
    let used = 0;
    let unclocked = 0;
    let rest = this.#rest;
    let isOwn = true;
    this.#rest = noBytes;
    for (;;) {
      const room = target.length - used;
      if (rest.length > room) {
        target.set(rest.subarray(0, room), used);
        const left = rest.subarray(room);
        this.#rest = isPassing && !isOwn ? Buffer.from(left) : left;
        return target.length;
      }
      target.set(rest, used);
      used += rest.length;
      rest = noBytes;
      if (this.#atTail) {
        this.#ended = true;
        return used;
      }
      if (target.length - used < lead.bytesMax) return used;
      if (costly && unclocked > unclockedBytesMax) {
        if (isOver()) return used;
        unclocked = 0;
      }
      const next = entries.next();
      if (next.done === true) {
        this.#atTail = true;
        rest = frame.tail;
        continue;
      }
      if (next.value === undefined) return used;
      rest = itemOf(next.value);
      isOwn = false;
      const sourceBytes = this.#items.sourceBytesOf?.(next.value) ?? 0;
      unclocked += Math.max(rest.length, sourceBytes) + itemCostBytes;
      used = lead.into(target, used, rest.length, this.#isFirst);
      this.#isFirst = false;
    }
  }
}
