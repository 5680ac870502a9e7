/**
 * A set whose members know their place in it: adding and removing is a write to an array.
 *
 * Why not a Set: a Set that things come into and leave all the time is made anew again and again,
 * and each table it has left behind still refers to the next one and to what it then held. Once
 * one of them has grown old, the garbage collector keeps all that follow, with every member, until
 * it next looks at the old: a server would copy each request twice before it is let go.
 *
 * What it is not: ordered. Invariant: a ticket is in one set at most, and `at` is its place there.
 */
import { assert } from './assert.ts';

export interface Ticket<T> {
  readonly item: T;
  /** -1 while it is in no set. */
  at: number;
}

/** What a member is added and removed by; its owner keeps it. */
export function ticketOf<T>(item: T): Ticket<T> {
  return { item, at: -1 };
}

export class SlotSet<T> {
  readonly #tickets: Ticket<T>[] = [];

  get size(): number {
    return this.#tickets.length;
  }

  /** Does nothing when it is there. */
  add(ticket: Ticket<T>): void {
    if (ticket.at >= 0) return;
    ticket.at = this.#tickets.length;
    this.#tickets.push(ticket);
  }

  /** Does nothing when it is not there. */
  remove(ticket: Ticket<T>): void {
    const { at } = ticket;
    if (at < 0) return;
    assert(this.#tickets[at] === ticket, 'a ticket is in its place');
    const last = this.#tickets.pop() as Ticket<T>;
    ticket.at = -1;
    if (last === ticket) return;
    this.#tickets[at] = last;
    last.at = at;
  }

  clear(): void {
    for (const ticket of this.#tickets) ticket.at = -1;
    this.#tickets.length = 0;
  }

  /** A copy: members may come and go while it is walked over. */
  items(): readonly T[] {
    return this.#tickets.map((ticket) => ticket.item);
  }
}
