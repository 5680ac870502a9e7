/**
 * Readers who keep long answers waiting. Who waits for a reader does no work, and a few who take a
 * byte now and then would keep the seats of a level from everybody else in it: so a seat is given
 * back when its answer has waited for `waitedMaxMs` in all. What is left of the answer is made
 * without one, as its reader takes it.
 *
 * Invariant: without a reader who keeps somebody waiting there is no timer.
 * Bound: an entry for each long answer that has waited.
 */
import type { Clock, Timers } from '../../stdx/clock.ts';
import { TimerWheel, WheelEntry } from '../../stdx/timer-wheel.ts';

const slowReaderLimits = {
  /** Of one answer, in all. Policy: its seats are given back. */
  waitedMaxMs: 1_000,
  tickMs: 100,
  slotsCount: 16,
} as const;

/** Of one answer. */
export class ReaderWait extends WheelEntry {
  readonly giveBack: () => void;
  leftMs: number = slowReaderLimits.waitedMaxMs;
  sinceMs: number | undefined = undefined;

  constructor(giveBack: () => void) {
    super();
    this.giveBack = giveBack;
  }
}

export interface SlowReaders {
  begin(wait: ReaderWait): void;
  /** Where it has not begun that is the same. */
  end(wait: ReaderWait): void;
}

export function createSlowReaders(clock: Clock, timers: Timers): SlowReaders {
  const { slotsCount, tickMs } = slowReaderLimits;
  const wheel = new TimerWheel<ReaderWait>({ clock, timers, tickMs, slotsCount }, (wait) =>
    wait.giveBack(),
  );
  return {
    begin(wait) {
      wait.sinceMs = clock.monotonicMs();
      wheel.schedule(wait, wheel.now() + wheel.ticks(wait.leftMs));
    },
    end(wait) {
      if (wait.sinceMs === undefined) return;
      wait.leftMs = Math.max(0, wait.leftMs - (clock.monotonicMs() - wait.sinceMs));
      wait.sinceMs = undefined;
      wheel.cancel(wait);
    },
  };
}
