/** A clock and timers that move only when told. Pending turns run on the real event loop. */
import type { Clock, TimerHandle, Timers } from '../../../src/stdx/clock.ts';
import { systemTimers } from '../../../src/stdx/clock.ts';

export interface ManualTime {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Moves time on and runs what became due, in order of due time. */
  advance(ms: number): void;
  /** Somebody sets the wall clock, by so much; the other clock and the timers do not notice. */
  setWall(byMs: number): void;
  readonly pendingCount: number;
}

export function manualTime(startMs = 1_000_000): ManualTime {
  let nowMs = startMs;
  let setMs = 0;
  const due: { at: number; callback: () => void }[] = [];
  const next = (until: number): { at: number; callback: () => void } | undefined => {
    due.sort((a, b) => a.at - b.at);
    return due[0] !== undefined && due[0].at <= until ? due.shift() : undefined;
  };
  return {
    clock: { nowMs: () => nowMs + setMs, monotonicMs: () => nowMs },
    timers: {
      after(delayMs, callback): TimerHandle {
        const timer = { at: nowMs + delayMs, callback };
        due.push(timer);
        return {
          cancel: () => {
            const index = due.indexOf(timer);
            if (index >= 0) due.splice(index, 1);
          },
        };
      },
      nextTurn: (callback) => systemTimers.nextTurn(callback),
    },
    advance(ms) {
      const until = nowMs + ms;
      for (let timer = next(until); timer !== undefined; timer = next(until)) {
        nowMs = timer.at;
        timer.callback();
      }
      nowMs = until;
    },
    setWall(byMs) {
      setMs += byMs;
    },
    get pendingCount() {
      return due.length;
    },
  };
}
