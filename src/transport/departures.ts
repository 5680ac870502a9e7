/**
 * Tells the exchanges of clients that have disconnected, a bounded number in each turn. Thousands
 * may go at once, such as a process with all its watches: the library closes their sockets in one
 * turn of the event loop, and what each of them leaves behind costs some microseconds more.
 *
 *     a client goes ─▶ among the first of its turn ─▶ at once
 *                   ─▶ behind them ─▶ [ waits ] ─▶ worked off in slices, in the order they went
 *
 * Invariant: who waits has gone already for everybody who asks (`closed`); only telling those who
 * hold something for it waits. While nobody waits and nobody goes there is no timer.
 * Bound: as many wait as there were exchanges.
 */
import type { Clock, Timers } from '../stdx/clock.ts';
import { onceATurn } from '../stdx/once-a-turn.ts';
import { RingBuffer } from '../stdx/ring-buffer.ts';

export const departureLimits = {
  /** Policy: those behind them wait for the next turn. */
  atOncePerTurn: 16,
  /** Of a turn in which some wait. */
  sliceMs: 4,
  /** Told in one callback. What each of them leaves to promises, such as a handler that goes on, is
   * run behind it, before the next is begun: so its time is counted. */
  togetherMax: 8,
  /** Callbacks that are asked for in one turn. */
  callbacksMax: 64,
} as const;

export interface Departing {
  /** Called once. */
  depart(): void;
}

export interface Departures {
  add(departing: Departing): void;
  readonly waitingCount: number;
}

export function createDepartures(
  clock: Pick<Clock, 'monotonicMs'>,
  timers: Pick<Timers, 'nextTurn'>,
): Departures {
  const { atOncePerTurn, callbacksMax, sliceMs, togetherMax } = departureLimits;
  const waiting = new RingBuffer<Departing>();
  let goneInTurn = 0;
  let askedCount = 0;
  let isBegun = false;
  let turnEndsMs = 0;

  const startTurn = (nowMs: number): void => {
    isBegun = true;
    turnEndsMs = nowMs + sliceMs;
    timers.nextTurn(() => (isBegun = false));
  };
  const ask = (): void => {
    const needed = Math.min(Math.ceil(waiting.length / togetherMax), callbacksMax);
    for (; askedCount < needed; askedCount += 1) timers.nextTurn(departSome);
  };
  const departSome = (): void => {
    askedCount -= 1;
    if (waiting.length === 0) return;
    const nowMs = clock.monotonicMs();
    if (!isBegun) startTurn(nowMs);
    // Before the work: what throws holds nobody up.
    ask();
    if (nowMs >= turnEndsMs) return;
    for (let left = Math.min(togetherMax, waiting.length); left > 0; left -= 1) {
      waiting.shift().depart();
    }
  };
  const countAnew = onceATurn(timers, () => (goneInTurn = 0));

  return {
    add(departing) {
      countAnew();
      goneInTurn += 1;
      if (waiting.length === 0 && goneInTurn <= atOncePerTurn) return departing.depart();
      waiting.push(departing);
      ask();
    },
    get waitingCount() {
      return waiting.length;
    },
  };
}
