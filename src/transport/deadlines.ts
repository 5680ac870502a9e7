/**
 * Deadlines of requests whose body is still arriving: one coarse scan for all of them, and no
 * timer at all while there are none.
 *
 * What it is not: precise. An entry expires up to one scan interval late. Nothing here looks at a
 * request after its body is complete, so a quiet watch is never cut by it.
 */
import type { Clock, Timers } from '../stdx/clock.ts';
import { SlotSet } from '../stdx/slot-set.ts';
import type { Slot } from '../stdx/slot-set.ts';

export interface Expiring {
  /** Monotonic milliseconds; may be moved while the entry waits. */
  deadlineMs: number;
  /** Its place among those that wait. */
  readonly waiting: Slot<Expiring>;
  expire(): void;
}

export interface Deadlines {
  /** Starts watching `entry`. Idempotent. */
  add(entry: Expiring): void;
  remove(entry: Expiring): void;
  /** Forgets everything and stops scanning. */
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
    const now = clock.monotonicMs();
    for (const entry of entries.items()) {
      if (entry.deadlineMs > now) continue;
      entries.remove(entry.waiting);
      entry.expire();
    }
    arm();
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
