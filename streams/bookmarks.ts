/**
 * Everything about a watch that happens by the clock: bookmarks, the deadline, and giving up on a
 * client that stopped in the middle of its initial events. One wheel for all (spec 1, section 6).
 *
 *      start ──── bookmark ──── bookmark ──── ... ──── bookmark ── 2 s ── deadline: end
 *
 * What it is not: the sending of events (delivery.ts).
 *
 * Invariants: a bookmark is written only to a live member that has been sent everything applied
 * so far, and carries the revision applied so far, of whatever resource.
 */
import type { Clock, Timers } from '../src/stdx/clock.ts';
import { randomBelow } from '../src/stdx/prng.ts';
import type { Prng } from '../src/stdx/prng.ts';
import { TimerWheel } from '../src/stdx/timer-wheel.ts';
import type { Revision } from '../src/storage/storage.ts';
import type { Delivery } from './delivery.ts';
import type { StreamLimits } from './limits.ts';
import type { Member } from './member.ts';

export interface BookmarksDeps {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly prng: Prng;
  readonly limits: StreamLimits;
  readonly delivery: Delivery;
  readonly applied: () => Revision;
}

export interface Bookmarks {
  /** Starts the member's clock. */
  add(member: Member, timeoutMs: number): void;
  remove(member: Member): void;
  /** Gives the member `initialStallMs` from now to take more. */
  watchStall(member: Member): void;
  /** A bookmark now, if the member wants them and can take one. False: events are outstanding. */
  write(member: Member): boolean;
  readonly count: number;
  stop(): void;
}

const never = Number.MAX_SAFE_INTEGER;

export function createBookmarks(deps: BookmarksDeps): Bookmarks {
  const { delivery, limits, prng } = deps;
  const wheel = new TimerWheel<Member>(
    {
      clock: deps.clock,
      timers: deps.timers,
      tickMs: limits.wheelTickMs,
      slotsCount: limits.wheelSlots,
    },
    (member) => fire(member),
  );
  const intervalTicks = Math.max(1, wheel.ticks(limits.bookmarkIntervalMs));
  const beforeEndTicks = wheel.ticks(limits.bookmarkBeforeEndMs);
  const retryTicks = Math.max(1, wheel.ticks(limits.bookmarkRetryMs));
  const stallTicks = Math.max(1, wheel.ticks(limits.initialStallMs));

  /** Spread, so that watches that began together do not all wake together. */
  const nextBookmark = (member: Member, now: number): number => {
    if (!member.bookmarks) return never;
    const regular = now + intervalTicks - randomBelow(prng, Math.ceil(intervalTicks / 4));
    const last = member.deadlineTick - beforeEndTicks;
    if (last <= now) return never;
    return Math.min(regular, last);
  };
  const schedule = (member: Member): void => {
    const stall = member.stallTick === 0 ? never : member.stallTick;
    wheel.schedule(member, Math.min(member.bookmarkTick, member.deadlineTick, stall));
  };
  const write = (member: Member): boolean => {
    if (member.state !== 'live' || !delivery.flush(member)) return false;
    const applied = deps.applied();
    if (!delivery.write(member, member.cls.bookmark(applied))) return true;
    // The cursor may follow: nothing of the class lies between the two.
    member.cursor = Math.max(member.cursor, member.cls.stream.cache.seq);
    member.revision = applied;
    return true;
  };
  const fire = (member: Member): void => {
    const now = wheel.now();
    if (now >= member.deadlineTick) return delivery.end(member);
    if (member.sink.closed) return delivery.forget(member);
    if (member.stallTick !== 0 && now >= member.stallTick) {
      member.stallTick = 0;
      if (member.state === 'blocked' && member.initial !== undefined) return delivery.end(member);
    }
    if (now >= member.bookmarkTick) {
      member.bookmarkTick = write(member) ? nextBookmark(member, now) : now + retryTicks;
    }
    if (member.state !== 'ended') schedule(member);
  };

  return {
    add(member, timeoutMs) {
      const now = wheel.now();
      member.deadlineTick = now + Math.max(1, wheel.ticks(timeoutMs));
      member.bookmarkTick = nextBookmark(member, now);
      schedule(member);
    },
    remove: (member) => wheel.cancel(member),
    watchStall(member) {
      member.stallTick = wheel.now() + stallTicks;
      schedule(member);
    },
    write,
    get count() {
      return wheel.count;
    },
    stop: () => wheel.stop(),
  };
}
