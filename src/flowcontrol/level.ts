/**
 * One priority level: its seats, its queues, and who is served next (exact details of extensions,
 * section 7).
 *
 *     request ─▶ one queue of its flow's hand ─▶ the queue whose first request would end first in
 *                (the one with the least work)    virtual time, as soon as there are seats for it
 *
 * Virtual time R runs as fast as a queue would be served if all that are in use were served at
 * once: seats in use by number of queues. A queue that is dispatched from moves on by the work of
 * the request, and back or on again when that took less or more time than was thought.
 *
 * Invariants: the seats in use are within the limit, but for a request that is wider than the limit
 * and alone; nobody waits while the first in order could be served. Where seats are free nothing is
 * made for a request: no promise, no closure, no timer. What is done for one request does not grow
 * with the number of queues or waiting requests, but for the depth of a heap.
 * Bounds: `levelLimits`, and `Room` for all levels together. Queues are made as flows use them.
 */
import type { TimerHandle, Timers } from '../stdx/clock.ts';
import { IndexedHeap } from '../stdx/indexed-heap.ts';
import type { FlowCounts, Rejection } from './flow-counts.ts';
import { createDealer } from './hands.ts';
import type { Deal } from './hands.ts';
import { SeatDemand } from './seat-demand.ts';
import { isBefore, Queue, TicketList } from './ticket.ts';
import type { Ticket } from './ticket.ts';

export const levelLimits = {
  /** Hands that a level deals until it forgets them all, and the queues that nobody uses. */
  flowsMax: 8_192,
  /** Characters of a flow that is remembered. Policy: it is dealt its hand each time. */
  flowCharsMax: 256,
  /** Requests that wait, at all levels together. Policy: refused, as where a queue is full. */
  waitingMax: 16_384,
  /** What a request is thought to take. */
  serviceMs: 3,
} as const;

export type LevelShape =
  | { readonly kind: 'exempt' | 'reject' }
  | {
      readonly kind: 'queue';
      readonly queues: number;
      readonly handSize: number;
      readonly queueLengthMax: number;
    };

/** What all levels share. */
export interface Room {
  waiting: number;
}

export interface LevelDeps {
  readonly clock: { monotonicMs(): number };
  readonly timers: Pick<Timers, 'after'>;
  readonly secret: string;
  readonly room: Room;
  /** A request that waited has its seats. */
  readonly onServed: (ticket: Ticket) => void;
}

export interface LevelTotals {
  dispatched: number;
  rejected: number;
  timedOut: number;
  cancelled: number;
}

type Hand = readonly Queue[];

export class Level {
  readonly name: string;
  readonly #deps: LevelDeps;
  #shape: LevelShape = { kind: 'reject' };
  #deal: Deal = () => [0];
  /** Infinity: none. */
  limit = 0;
  readonly demand: SeatDemand;
  readonly totals: LevelTotals = { dispatched: 0, rejected: 0, timedOut: 0, cancelled: 0 };
  readonly executing = new TicketList();
  seatsInUse = 0;
  waitingRequests = 0;
  waitingSeats = 0;
  readonly #queues = new Map<number, Queue>();
  /** Of each schema by name: the hands of its flows. */
  readonly #hands = new Map<string, Map<string, Hand>>();
  #dealtCount = 0;
  #activeQueues = 0;
  /** Those with requests that wait. */
  readonly #order = new IndexedHeap<Queue>(isBefore);
  readonly #lingering = new IndexedHeap<Ticket>((one, other) => one.dueMs < other.dueMs);
  #lingerTimer: TimerHandle | undefined;
  #lingerTimerMs = Infinity;
  #r = 0;
  #sinceMs: number;
  #turn = 0;

  constructor(name: string, deps: LevelDeps) {
    this.name = name;
    this.#deps = deps;
    this.#sinceMs = deps.clock.monotonicMs();
    this.demand = new SeatDemand(this.#sinceMs);
  }

  get shape(): LevelShape {
    return this.#shape;
  }

  get isIdle(): boolean {
    return this.waitingRequests === 0 && this.executing.length === 0;
  }

  get activeQueues(): number {
    return this.#order.length;
  }

  /** Undefined: it was not used lately. */
  queueWith(index: number): Queue | undefined {
    return this.#queues.get(index);
  }

  /** The numbers of those that were used lately, in order: there may be tens of thousands. */
  usedQueues(): Uint32Array {
    return Uint32Array.from(this.#queues.keys()).sort();
  }

  /** Of those in which somebody waits. */
  awaitedQueues(): Uint32Array {
    return Uint32Array.from(this.#order, ({ index }) => index).sort();
  }

  /** Who waits goes on waiting where he is. */
  configure(shape: LevelShape): void {
    const before = this.#shape;
    this.#shape = shape;
    if (shape.kind !== 'queue') return;
    const { handSize, queues } = shape;
    if (before.kind === 'queue' && before.queues === queues && before.handSize === handSize) return;
    this.#deal = createDealer(queues, handSize, this.#deps.secret);
    this.#forgetHands();
  }

  setLimit(limit: number, nowMs: number): void {
    this.#advance(nowMs);
    this.limit = limit;
    this.#dispatch(nowMs);
  }

  /** Asks for seats. What is no rejection is answered by `finish`, or `cancel` while it waits. */
  admit(ticket: Ticket, nowMs: number): 'started' | 'waiting' | Rejection {
    this.#advance(nowMs);
    const { kind } = this.#shape;
    if (kind === 'queue') return this.#admitToQueue(ticket, this.#queueFor(ticket), nowMs);
    if (kind === 'reject' && !this.#fits(ticket.seats)) {
      return this.#rejected(ticket, 'concurrency-limit');
    }
    this.#start(ticket, nowMs);
    return 'started';
  }

  /** It has been served. */
  finish(ticket: Ticket, nowMs: number): void {
    this.#advance(nowMs);
    ticket.state = 'over';
    ticket.attributes = undefined;
    this.executing.remove(ticket);
    countsOf(ticket).executingRequests -= 1;
    const { queue } = ticket;
    if (queue !== undefined) {
      queue.executing -= 1;
      const early = levelLimits.serviceMs - (nowMs - ticket.startedMs);
      queue.nextR -= ticket.initialSeats * early;
      if (queue.isActive) this.#place(queue);
      else this.#activeQueues -= 1;
    }
    // Where there is no limit nobody would notice.
    if (ticket.lingerMs > 0 && this.limit !== Infinity && this.#shape.kind !== 'exempt') {
      ticket.dueMs = nowMs + ticket.lingerMs;
      this.#lingering.push(ticket);
    } else this.#release(ticket, nowMs);
    this.#dispatch(nowMs);
  }

  /** It waits no longer. */
  cancel(ticket: Ticket, why: Rejection, nowMs: number): void {
    const { queue } = ticket;
    if (ticket.state !== 'waiting' || queue === undefined) return;
    this.#advance(nowMs);
    this.#takeFrom(queue, ticket);
    this.#place(queue);
    if (!queue.isActive) this.#activeQueues -= 1;
    if (why === 'time-out') this.totals.timedOut += 1;
    else if (why === 'cancelled') this.totals.cancelled += 1;
    this.#setDemand(nowMs);
    this.#rejected(ticket, why);
    this.#dispatch(nowMs);
  }

  /** Nothing of it goes on. */
  stop(): void {
    this.#lingerTimer?.cancel();
    this.#lingerTimer = undefined;
  }

  #admitToQueue(ticket: Ticket, queue: Queue, nowMs: number): 'started' | 'waiting' | Rejection {
    const isFree = this.seatsInUse < this.limit;
    if (isFree && this.waitingRequests === 0 && this.#fits(ticket.seats)) {
      if (!queue.isActive) this.#activeQueues += 1;
      queue.nextR = queue.isActive ? Math.max(queue.nextR, this.#r) : this.#r;
      this.#startFrom(queue, ticket, nowMs);
      return 'started';
    }
    const { room } = this.#deps;
    if (
      (!isFree && queue.waiting.length >= this.#queueLengthMax) ||
      room.waiting >= levelLimits.waitingMax
    ) {
      return this.#rejected(ticket, 'queue-full');
    }
    this.#putInto(queue, ticket);
    this.#setDemand(nowMs);
    this.#dispatch(nowMs);
    if (ticket.state !== 'waiting') return 'started';
    this.#awaitLingering(nowMs);
    return 'waiting';
  }

  get #queueLengthMax(): number {
    return this.#shape.kind === 'queue' ? this.#shape.queueLengthMax : 0;
  }

  /** Virtual time, and what no longer lingers. */
  #advance(nowMs: number): void {
    let dueMs = this.#lingering.first?.dueMs ?? Infinity;
    if (dueMs <= nowMs) {
      for (; dueMs <= nowMs; dueMs = this.#lingering.first?.dueMs ?? Infinity) {
        this.#advanceR(dueMs);
        this.#release(this.#lingering.shift() as Ticket, dueMs);
      }
      this.#advanceR(nowMs);
      this.#dispatch(nowMs);
    } else this.#advanceR(nowMs);
  }

  #advanceR(nowMs: number): void {
    const passed = nowMs - this.#sinceMs;
    if (passed <= 0) return;
    this.#sinceMs = nowMs;
    if (this.#activeQueues === 0) return;
    const seats = Math.min(this.seatsInUse + this.waitingSeats, this.limit);
    this.#r += (seats / this.#activeQueues) * passed;
  }

  #fits(seats: number): boolean {
    if (seats > this.limit) return this.executing.length === 0;
    return this.seatsInUse + seats <= this.limit;
  }

  #queueFor({ flow, schema }: Ticket): Queue {
    const hand = this.#hands.get(schema)?.get(flow) ?? this.#dealt(schema, flow);
    this.#turn += 1;
    const offset = this.#turn % hand.length;
    let best = hand[offset] as Queue;
    if (this.waitingRequests === 0) return best;
    for (let i = 1; i < hand.length; i += 1) {
      const queue = hand[(offset + i) % hand.length] as Queue;
      if (queue.work < best.work) best = queue;
    }
    return best;
  }

  #dealt(schema: string, flow: string): Hand {
    if (this.#dealtCount >= levelLimits.flowsMax) this.#forgetHands();
    const hand = this.#deal(`${schema}\0${flow}`).map((index) => this.#queueAt(index));
    this.#dealtCount += 1;
    if (flow.length > levelLimits.flowCharsMax) return hand;
    const ofSchema = this.#hands.get(schema);
    // A part of a text, as of the path of a request, would keep all of it in memory.
    const own = Buffer.from(flow).toString();
    if (ofSchema === undefined) this.#hands.set(schema, new Map([[own, hand]]));
    else ofSchema.set(own, hand);
    return hand;
  }

  #queueAt(index: number): Queue {
    const known = this.#queues.get(index);
    if (known !== undefined) return known;
    const queue = new Queue(index);
    this.#queues.set(index, queue);
    return queue;
  }

  #forgetHands(): void {
    this.#hands.clear();
    this.#dealtCount = 0;
    for (const [index, queue] of this.#queues) {
      if (!queue.isActive && queue.seatsInUse === 0) this.#queues.delete(index);
    }
  }

  #putInto(queue: Queue, ticket: Ticket): void {
    if (!queue.isActive) {
      this.#activeQueues += 1;
      queue.nextR = this.#r;
    }
    ticket.state = 'waiting';
    ticket.queue = queue;
    ticket.arrivalR = this.#r;
    queue.push(ticket);
    this.waitingRequests += 1;
    this.waitingSeats += ticket.seats;
    this.#deps.room.waiting += 1;
    const counts = countsOf(ticket);
    counts.waitingRequests += 1;
    counts.waitingSeats += ticket.seats;
    this.#place(queue);
  }

  #takeFrom(queue: Queue, ticket: Ticket): void {
    this.#order.remove(queue);
    queue.remove(ticket);
    this.waitingRequests -= 1;
    this.waitingSeats -= ticket.seats;
    this.#deps.room.waiting -= 1;
    const counts = countsOf(ticket);
    counts.waitingRequests -= 1;
    counts.waitingSeats -= ticket.seats;
  }

  /** Where it now belongs in the order. */
  #place(queue: Queue): void {
    this.#order.remove(queue);
    if (queue.waiting.length === 0) return;
    queue.catchUp();
    this.#order.push(queue);
  }

  /** Whoever can be served now. */
  #dispatch(nowMs: number): void {
    while (this.waitingRequests > 0 && this.seatsInUse < this.limit) {
      const queue = this.#order.first;
      const ticket = queue?.waiting.first;
      if (queue === undefined || ticket === undefined || !this.#fits(ticket.seats)) break;
      this.#takeFrom(queue, ticket);
      this.#startFrom(queue, ticket, nowMs);
      this.#place(queue);
      if (ticket.waiter !== undefined) this.#deps.onServed(ticket);
    }
    if (this.waitingRequests > 0) this.#awaitLingering(nowMs);
  }

  /** Final seats that there are not are kept for longer instead. */
  #narrow(ticket: Ticket): void {
    if (ticket.finalSeats <= this.limit) return;
    ticket.lingerMs = (ticket.finalSeats * ticket.lingerMs) / this.limit;
    ticket.finalSeats = this.limit;
    ticket.seats = Math.max(ticket.initialSeats, ticket.finalSeats);
  }

  #startFrom(queue: Queue, ticket: Ticket, nowMs: number): void {
    this.#narrow(ticket);
    ticket.queue = queue;
    queue.executing += 1;
    queue.seatsInUse += ticket.seats;
    queue.nextR += ticket.work;
    this.#turn += 1;
    queue.turn = this.#turn;
    this.#start(ticket, nowMs);
  }

  #start(ticket: Ticket, nowMs: number): void {
    ticket.state = 'executing';
    ticket.startedMs = nowMs;
    this.executing.push(ticket);
    this.totals.dispatched += 1;
    this.seatsInUse += ticket.seats;
    this.#setDemand(nowMs);
    const counts = countsOf(ticket);
    counts.dispatched += 1;
    counts.executingRequests += 1;
    counts.executingSeats += ticket.seats;
  }

  #release(ticket: Ticket, nowMs: number): void {
    this.seatsInUse -= ticket.seats;
    if (ticket.queue !== undefined) ticket.queue.seatsInUse -= ticket.seats;
    ticket.queue = undefined;
    countsOf(ticket).executingSeats -= ticket.seats;
    this.#setDemand(nowMs);
  }

  #rejected(ticket: Ticket, why: Rejection): Rejection {
    ticket.state = 'over';
    this.totals.rejected += 1;
    countsOf(ticket).reject(why);
    return why;
  }

  #setDemand(nowMs: number): void {
    this.demand.set(this.seatsInUse + this.waitingSeats, nowMs);
  }

  /** Somebody waits: seats that linger are given on when they are free, not when somebody comes. */
  #awaitLingering(nowMs: number): void {
    const { first } = this.#lingering;
    if (first === undefined || first.dueMs >= this.#lingerTimerMs) return;
    this.#lingerTimer?.cancel();
    this.#lingerTimerMs = first.dueMs;
    this.#lingerTimer = this.#deps.timers.after(first.dueMs - nowMs, () => {
      this.#lingerTimerMs = Infinity;
      this.#advance(this.#deps.clock.monotonicMs());
      if (this.waitingRequests > 0) this.#awaitLingering(this.#deps.clock.monotonicMs());
    });
  }
}

function countsOf({ counts }: Ticket): FlowCounts {
  return counts as FlowCounts;
}
