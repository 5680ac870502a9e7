/**
 * Everything about a watch that happens by the clock: bookmarks, the deadline, and giving up on a
 * client that stopped in the middle of its initial events. One wheel for all (spec 1, section 6).
 *
 *      start ──── bookmark ──── bookmark ──── ... ──── bookmark ── 2 s ── deadline: end
 *
 * watcher.ts sends.
 *
 * Invariant: the fields of TimedWatch are written here and nowhere else.
 */
import type { Clock, Timers } from '../src/stdx/clock.ts';
import { randomBelow } from '../src/stdx/prng.ts';
import type { Prng } from '../src/stdx/prng.ts';
import { TimerWheel, WheelEntry } from '../src/stdx/timer-wheel.ts';
import type { StreamLimits } from './limits.ts';

export interface WatchClockDeps {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly prng: Prng;
  readonly limits: StreamLimits;
}

/** A watch as the clock knows it. */
export abstract class TimedWatch extends WheelEntry {
  /** Ticks of the wheel. 0: the clock has not begun, or has been stopped. */
  deadlineTick = 0;
  bookmarkTick = 0;
  /** When to give up on initial events that the client does not read; 0: it reads them. */
  stallTick = 0;

  abstract readonly bookmarks: boolean;
  abstract readonly isClosed: boolean;
  /** It is blocked, and holds a snapshot. */
  abstract readonly isStalled: boolean;
  /** A bookmark now, if it can take one. False: events are outstanding. */
  abstract sendBookmark(): boolean;
  /** The deadline has come. */
  abstract expire(): void;
  abstract end(): void;
  /** The client has gone. */
  abstract close(): void;
}

export interface WatchClock {
  /** Starts the clock of a watch. */
  add(watch: TimedWatch, timeoutMs: number): void;
  remove(watch: TimedWatch): void;
  /** Gives the watch `initialStallMs` from now to take more. */
  noteStall(watch: TimedWatch): void;
  readonly count: number;
  stop(): void;
}

const never = Number.MAX_SAFE_INTEGER;

export function createWatchClock(deps: WatchClockDeps): WatchClock {
  const { limits, prng } = deps;
  const wheel = new TimerWheel<TimedWatch>(
    {
      clock: deps.clock,
      timers: deps.timers,
      tickMs: limits.wheelTickMs,
      slotsCount: limits.wheelSlots,
    },
    (watch) => fire(watch),
  );
  const intervalTicks = Math.max(1, wheel.ticks(limits.bookmarkIntervalMs));
  const beforeEndTicks = wheel.ticks(limits.bookmarkBeforeEndMs);
  const retryTicks = Math.max(1, wheel.ticks(limits.bookmarkRetryMs));
  const stallTicks = Math.max(1, wheel.ticks(limits.initialStallMs));

  /** At random moments, so that watches that began together do not all wake together. */
  const nextBookmark = (watch: TimedWatch, now: number): number => {
    if (!watch.bookmarks) return never;
    const regular = now + intervalTicks - randomBelow(prng, Math.ceil(intervalTicks / 4));
    const last = watch.deadlineTick - beforeEndTicks;
    if (last <= now) return never;
    return Math.min(regular, last);
  };
  const schedule = (watch: TimedWatch): void => {
    const stall = watch.stallTick === 0 ? never : watch.stallTick;
    wheel.schedule(watch, Math.min(watch.bookmarkTick, watch.deadlineTick, stall));
  };
  const fire = (watch: TimedWatch): void => {
    const now = wheel.now();
    if (now >= watch.deadlineTick) return watch.expire();
    if (watch.isClosed) return watch.close();
    if (watch.stallTick !== 0 && now >= watch.stallTick) {
      watch.stallTick = 0;
      if (watch.isStalled) return watch.end();
    }
    if (now >= watch.bookmarkTick) {
      watch.bookmarkTick = watch.sendBookmark() ? nextBookmark(watch, now) : now + retryTicks;
    }
    // It may have been ended while it was written to.
    if (watch.deadlineTick > 0) schedule(watch);
  };

  return {
    add(watch, timeoutMs) {
      const now = wheel.now();
      watch.deadlineTick = now + Math.max(1, wheel.ticks(timeoutMs));
      watch.bookmarkTick = nextBookmark(watch, now);
      schedule(watch);
    },
    remove(watch) {
      watch.deadlineTick = 0;
      wheel.cancel(watch);
    },
    noteStall(watch) {
      watch.stallTick = wheel.now() + stallTicks;
      schedule(watch);
    },
    get count() {
      return wheel.count;
    },
    stop: () => wheel.stop(),
  };
}
