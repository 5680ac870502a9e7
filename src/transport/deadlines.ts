/**
 * Deadlines of requests whose body is still arriving, or whose reader takes nothing: one coarse
 * scan for all of them, and no timer at all while there are none.
 *
 * An entry expires up to one scan interval late. Nothing here looks at a request whose body is
 * complete and whose reader has taken everything, so a quiet watch is never cut by it.
 */
import type { Clock, Timers } from '../stdx/clock.ts';
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
/** Looked at in one turn of the event loop. */
const sliceCount = 1_000;

export function createDeadlines(clock: Clock, timers: Timers): Deadlines {
  const entries = new SlotSet<Expiring>();
  let scanning = false;
  const scan = (): void => {
    scanning = false;
    expireFrom(entries.items(), 0);
  };
  const expireFrom = (items: readonly Expiring[], from: number): void => {
    const now = clock.monotonicMs();
    const end = Math.min(items.length, from + sliceCount);
    for (let i = from; i < end; i += 1) {
      const entry = items[i] as Expiring;
      if (entry.deadlineMs > now || entry.waiting.at < 0) continue;
      entries.remove(entry.waiting);
      entry.expire();
    }
    if (end < items.length) timers.nextTurn(() => expireFrom(items, end));
    else arm();
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
