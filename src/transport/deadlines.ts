/**
 * Deadlines of requests whose body is still arriving, or whose reader takes nothing: one coarse
 * scan for all of them, and no timer at all while there are none.
 *
 * An entry expires up to one scan interval late, or later when many expire at once: ending one of
 * them takes some tens of microseconds, and a thousand may have begun together, so they end in
 * slices. Nothing here looks at a request whose body is complete and whose reader has taken
 * everything, so a quiet watch is never cut by it.
 */
import type { Clock, Timers } from '../stdx/clock.ts';
import { lookInSlices } from '../stdx/look-in-slices.ts';
import { SlotSet } from '../stdx/slot-set.ts';
import type { Slot } from '../stdx/slot-set.ts';

export interface Expiring {
  /** Monotonic milliseconds; may be moved while the entry waits. */
  deadlineMs: number;
  /** Its index among the waiting entries. */
  readonly waiting: Slot<Expiring>;
  expire(): void;
}

export interface Deadlines {
  /** Starts watching `entry`. Idempotent. */
  add(entry: Expiring): void;
  remove(entry: Expiring): void;
  /** Drops all entries and stops scanning. */
  clear(): void;
  /** Now, on the clock that deadlines are in. */
  nowMs(): number;
}

const scanIntervalMs = 500;

export function createDeadlines(clock: Clock, timers: Timers): Deadlines {
  const entries = new SlotSet<Expiring>();
  let scanning = false;
  const scan = (): void => {
    scanning = false;
    lookInSlices({ clock, timers }, entries.items(), expireIfDue, arm);
  };
  const expireIfDue = (entry: Expiring, nowMs: number): boolean => {
    if (entry.deadlineMs > nowMs || entry.waiting.at < 0) return false;
    entries.remove(entry.waiting);
    entry.expire();
    return true;
  };
  const arm = (): void => {
    if (scanning || entries.size === 0) return;
    scanning = true;
    timers.after(scanIntervalMs, scan);
  };
  return {
    add(entry) {
      entries.add(entry.waiting);
      arm();
    },
    remove: (entry) => entries.remove(entry.waiting),
    clear: () => entries.clear(),
    nowMs: () => clock.monotonicMs(),
  };
}
