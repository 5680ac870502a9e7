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
  /** Some tenths of a millisecond. Policy: those behind them wait for the next turn. */
  atOncePerTurn: 64,
  /** Of a turn in which some wait. */
  sliceMs: 4,
} as const;

/** Departures between two looks at the clock, which costs a part of what one of them does. */
const askedEvery = 8;

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
  const { atOncePerTurn, sliceMs } = departureLimits;
  const waiting = new RingBuffer<Departing>();
  let goneInTurn = 0;

  const arm = onceATurn(timers, () => {
    goneInTurn = 0;
    // Before the work: what throws holds nobody up.
    if (waiting.length > 0) arm();
    const endsMs = clock.monotonicMs() + sliceMs;
    for (let i = 1; waiting.length > 0; i += 1) {
      waiting.shift().depart();
      if (i % askedEvery === 0 && clock.monotonicMs() >= endsMs) return;
    }
  });

  return {
    add(departing) {
      arm();
      goneInTurn += 1;
      if (waiting.length > 0 || goneInTurn > atOncePerTurn) waiting.push(departing);
      else departing.depart();
    },
    get waitingCount() {
      return waiting.length;
    },
  };
}
