/**
 * One coarse wheel for any number of due times: one timer of the process turns it.
 *
 *      slots  [0] [1] [2] ... [n-1]      an entry lies in slot (due mod n) as a linked list;
 *                  ▲ hand                entries of a later round are passed over
 *
 * Scheduling and cancelling are O(1) and allocate nothing: the entry is its own list node. Without
 * entries no timer runs.
 *
 * Invariants: an entry is in at most one slot; it fires once, not before its due time, and at most
 * about one tick after it, or as many turns as it takes to fire all that are due: `sliceMs` of them
 * in each; it is out of the wheel when it fires, so it may be scheduled again.
 */
import type { Clock, TimerHandle, Timers } from './clock.ts';

const sliceMs = 8;

/** Base of what lies on a wheel. The fields belong to the wheel. */
export class WheelEntry {
  wheelDue = 0;
  wheelNext: WheelEntry | undefined = undefined;
  wheelPrevious: WheelEntry | undefined = undefined;
}

export interface TimerWheelOptions {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly tickMs: number;
  readonly slotsCount: number;
}

export class TimerWheel<T extends WheelEntry> {
  readonly #options: TimerWheelOptions;
  readonly #fire: (entry: T) => void;
  readonly #startMs: number;
  /** Heads of the lists. A head is an entry of its own, so that unlinking needs no slot. */
  readonly #slots: WheelEntry[];
  #hand = 0;
  #count = 0;
  #timer: TimerHandle | undefined;
  /** Collected and not fired yet, last first. */
  #due: T[] = [];

  constructor(options: TimerWheelOptions, fire: (entry: T) => void) {
    this.#options = options;
    this.#fire = fire;
    this.#startMs = options.clock.monotonicMs();
    this.#slots = Array.from({ length: options.slotsCount }, () => new WheelEntry());
  }

  /** Entries waiting. */
  get count(): number {
    return this.#count;
  }

  /** The tick it is now, an integer that never goes back. */
  now(): number {
    const passedMs = this.#options.clock.monotonicMs() - this.#startMs;
    return Math.floor(passedMs / this.#options.tickMs);
  }

  /** Ticks that cover `ms`, rounded up. */
  ticks(ms: number): number {
    return Math.ceil(ms / this.#options.tickMs);
  }

  /** Puts the entry at tick `due`, taking it from where it was. A past tick fires at the next. */
  schedule(entry: T, due: number): void {
    if (this.#count === 0) this.#hand = this.now();
    this.cancel(entry);
    entry.wheelDue = Math.max(due, this.#hand + 1);
    const head = this.#slots[entry.wheelDue % this.#slots.length] as WheelEntry;
    entry.wheelNext = head.wheelNext;
    entry.wheelPrevious = head;
    if (head.wheelNext !== undefined) head.wheelNext.wheelPrevious = entry;
    head.wheelNext = entry;
    this.#count += 1;
    this.#arm();
  }

  /** Idempotent. */
  cancel(entry: T): void {
    if (entry.wheelPrevious === undefined) return;
    entry.wheelPrevious.wheelNext = entry.wheelNext;
    if (entry.wheelNext !== undefined) entry.wheelNext.wheelPrevious = entry.wheelPrevious;
    entry.wheelNext = undefined;
    entry.wheelPrevious = undefined;
    this.#count -= 1;
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    if (this.#timer !== undefined || this.#count === 0) return;
    this.#timer = this.#options.timers.after(this.#options.tickMs, () => {
      this.#turn();
    });
  }

  #turn(): void {
    const now = this.now();
    const last = Math.min(now, this.#hand + this.#slots.length);
    for (let tick = this.#hand + 1; tick <= last; tick += 1) {
      let entry = (this.#slots[tick % this.#slots.length] as WheelEntry).wheelNext;
      for (; entry !== undefined; entry = entry.wheelNext) {
        if (entry.wheelDue <= now) this.#due.push(entry as T);
      }
    }
    this.#hand = now;
    this.#due.reverse();
    this.#fireDue();
  }

  /** Those that were collected: a callback may schedule or cancel any entry, also one of these. */
  #fireDue(): void {
    const { clock, timers } = this.#options;
    const endsMs = clock.monotonicMs() + sliceMs;
    for (let entry = this.#due.pop(); entry !== undefined; entry = this.#due.pop()) {
      if (entry.wheelPrevious === undefined || entry.wheelDue > this.#hand) continue;
      this.cancel(entry);
      this.#fire(entry);
      if (this.#due.length > 0 && clock.monotonicMs() >= endsMs) {
        this.#timer = timers.nextTurn(() => this.#fireDue());
        return;
      }
    }
    this.#timer = undefined;
    this.#arm();
  }
}
