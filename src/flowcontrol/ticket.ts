/**
 * What flow control knows of one request, from when it asks for seats until it has given them back;
 * lists of those, whose nodes they are; and the queues of a level, in which they wait.
 *
 *     new ─▶ waiting ─▶ executing ─▶ lingering ─▶ over      a request without final seats is over
 *      └────────────────▲     └──────────────────▲          as soon as it is finished
 *
 * Invariants: a ticket is in one list at most, and in a heap only while it lingers; it asks once.
 */
import type { Attributes } from '../authorization/authorizer.ts';
import type { HeapItem } from '../stdx/indexed-heap.ts';
import type { Requester } from '../stdx/requester.ts';
import { WheelEntry } from '../stdx/timer-wheel.ts';
import type { FlowCounts } from './flow-counts.ts';

export type TicketState = 'new' | 'waiting' | 'executing' | 'over';

export class Ticket implements HeapItem {
  heapIndex = -1;
  next: Ticket | undefined = undefined;
  previous: Ticket | undefined = undefined;
  state: TicketState = 'new';
  counts: FlowCounts | undefined = undefined;
  /** Undefined: its level has none. */
  queue: Queue | undefined = undefined;
  schema = '';
  /** By what requests of its schema are told apart. */
  flow = '';
  /** What it asks for; for dumps. */
  attributes: Attributes | undefined = undefined;
  initialSeats = 1;
  finalSeats = 0;
  /** For so long the seats are kept when it is finished. */
  lingerMs = 0;
  /** The more of the two. */
  seats = 1;
  /** What it is reckoned to take, in seats by milliseconds. */
  work = 0;
  arrivedMs = 0;
  startedMs = 0;
  /** Of one that lingers: until when. */
  dueMs = 0;
  /** The virtual time at which it came. */
  arrivalR = 0;
  /** While somebody waits for its seats. */
  waiter: Waiter | undefined = undefined;
}

/** Of a request that waits. */
export class Waiter extends WheelEntry {
  readonly ticket: Ticket;
  readonly client: Requester;
  /** Whether it is served. */
  readonly resolve: (served: boolean) => void;
  isServed = false;
  /** Called when its client goes; it waits no longer then. */
  leave: (() => void) | undefined = undefined;

  constructor(ticket: Ticket, client: Requester, resolve: (served: boolean) => void) {
    super();
    this.ticket = ticket;
    this.client = client;
    this.resolve = resolve;
  }
}

/** In the order in which they came. Any may leave at any time, for as little as coming costs. */
export class TicketList {
  first: Ticket | undefined = undefined;
  #last: Ticket | undefined = undefined;
  length = 0;

  push(ticket: Ticket): void {
    ticket.previous = this.#last;
    if (this.#last === undefined) this.first = ticket;
    else this.#last.next = ticket;
    this.#last = ticket;
    this.length += 1;
  }

  /** It must be in this list. */
  remove(ticket: Ticket): void {
    const { next, previous } = ticket;
    if (previous === undefined) this.first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    ticket.next = undefined;
    ticket.previous = undefined;
    this.length -= 1;
  }

  *[Symbol.iterator](): Generator<Ticket> {
    for (let ticket = this.first; ticket !== undefined; ticket = ticket.next) yield ticket;
  }
}

/** Requests that wait, in the order in which they came, and where they stand in virtual time
 * (level.ts). */
export class Queue implements HeapItem {
  /** In the level's order of dispatch: -1 while nobody waits here. */
  heapIndex = -1;
  readonly index: number;
  readonly waiting = new TicketList();
  /** Of its requests. */
  executing = 0;
  seatsInUse = 0;
  /** The virtual time at which its next request begins. */
  nextR = 0;
  /** When it was dispatched from last, as a number that rises; of equals the older one is first. */
  turn = 0;
  /** Sums over those that wait. */
  initialSeats = 0;
  seats = 0;
  work = 0;

  constructor(index: number) {
    this.index = index;
  }

  get isActive(): boolean {
    return this.executing > 0 || this.waiting.length > 0;
  }

  push(ticket: Ticket): void {
    this.waiting.push(ticket);
    this.#add(ticket, 1);
  }

  remove(ticket: Ticket): void {
    this.waiting.remove(ticket);
    this.#add(ticket, -1);
  }

  /** A request does not begin, in virtual time, before it came: a queue that did not use what it
   * could have had gains nothing by it. */
  catchUp(): void {
    const { first } = this.waiting;
    if (first !== undefined && this.nextR < first.arrivalR) this.nextR = first.arrivalR;
  }

  #add({ initialSeats, seats, work }: Ticket, times: 1 | -1): void {
    this.initialSeats += times * initialSeats;
    this.seats += times * seats;
    // Sums of fractions that come and go would drift.
    this.work = this.waiting.length === 0 ? 0 : this.work + times * work;
  }
}

/** Which of two queues is dispatched from first: the one whose first request would end first. */
export function isBefore(one: Queue, other: Queue): boolean {
  const difference = endOf(one) - endOf(other);
  return difference === 0 ? one.turn < other.turn : difference < 0;
}

function endOf({ nextR, waiting }: Queue): number {
  return nextR + (waiting.first?.work ?? 0);
}
