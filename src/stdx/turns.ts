/**
 * Turns of the event loop, shared by all requests whose work may be longer than one: long lists,
 * large bodies, long walks. Each piece of work is a step that is run again, in turn with the
 * others, until it says that it is done or that it waits for something. A walk of the streams,
 * which waits for the store in between, has slices.ts.
 *
 *     run ─▶ [ step ][ step ][ step ] … until `turnMs` are used ─▶ next turn of the event loop
 *                 └ at most `stepMs` each, which is for the step to see to
 *
 * There is one thread: a step that does not ask `isOver` holds up everybody.
 *
 * What goes on behind a step that is done, or behind a pause, runs as soon as the engine looks for
 * promises that are settled. The next step is asked when that is over (`settled`), so that it
 * counts with the time that it takes: in a process that is new, many times what was said.
 *
 * What is asked for while sockets are read comes behind them, in the same turn of the event loop.
 * So where steps have used up a turn that began there, they go on in the turn behind that.
 *
 * Invariants: what all steps of one turn take together is bounded, however many wait; a step that
 * comes while nobody waits, and nothing goes on so, runs at once, inside `run`. Steps do not throw.
 * Bound: who waits is bounded by the requests there are.
 */
import type { Clock, Timers } from './clock.ts';
import { RingBuffer } from './ring-buffer.ts';

/** Does a part of its work. True: there is more, run it again. */
export type Step = (isOver: () => boolean) => boolean;

export interface Turns {
  run(step: Step): void;
  /** Resolves when there is time for so much work that is no step; `pauseCostMs`, if nothing is
   * said. The work behind it goes on when that time is over, in a later turn if need be. */
  pause(costMs?: number): Promise<void>;
}

export interface TurnLimits {
  /** Of steps in one turn of the event loop. Policy: the rest goes on in the next. */
  readonly turnMs: number;
  /** Of one step, if others wait. Policy: it goes to the end of the line. */
  readonly stepMs: number;
  /** What work counts for that goes on after a pause. */
  readonly pauseCostMs: number;
}

/** The argument of `pause` for work that is to have a turn for itself: never the one it asks in. */
export const wholeTurnMs = Infinity;

/** The argument of `pause` for requests that have waited for the same thing, and would all go on in
 * the turn in which it comes. */
export const shortWorkMs = 0.5;

export const defaultTurnLimits: TurnLimits = { turnMs: 6, stepMs: 2, pauseCostMs: 2 };

/** Calls `next` in turns with others, until it gives something. It does a short part of the work
 * each time. Rejects with what it throws. */
export function untilDone<T>(turns: Pick<Turns, 'run'>, next: () => T | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    turns.run((isOver) => {
      try {
        do {
          const found = next();
          if (found === undefined) continue;
          resolve(found);
          return false;
        } while (!isOver());
        return true;
      } catch (error) {
        reject(error);
        return false;
      }
    });
  });
}

export interface TurnsDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Timers;
  /** Calls back in this turn, when everything that waited for settled promises has gone on. Absent:
   * nobody waits for that. */
  readonly settled?: ((callback: () => void) => void) | undefined;
  readonly limits?: TurnLimits | undefined;
}

export function createTurns(deps: TurnsDeps): Turns {
  const { clock, timers, settled, limits = defaultTurnLimits } = deps;
  const waiting = new RingBuffer<Step>();
  let isBegun = false;
  let isWorking = false;
  let turnEndsMs = 0;
  let stepEndsMs = 0;
  const lastPause = createReckoning(clock);
  const isOver = (): boolean => clock.monotonicMs() >= stepEndsMs;

  const isUsed = (): boolean =>
    waiting.length > 0 && turnEndsMs > -Infinity && clock.monotonicMs() >= turnEndsMs;
  const begin = (ask: (callback: () => void) => void): void => {
    isBegun = true;
    turnEndsMs = clock.monotonicMs() + limits.turnMs;
    ask(next);
  };
  const next = (): void => {
    isBegun = false;
    if (waiting.length === 0) return;
    begin((callback) => timers.nextTurn(callback));
    if (!isWorking) work();
  };
  const first = (callback: () => void): void => turnBehind(timers, isUsed, callback);

  const work = (): void => {
    isWorking = true;
    while (waiting.length > 0) {
      const now = clock.monotonicMs();
      if (now >= turnEndsMs) break;
      stepEndsMs = Math.min(now + limits.stepMs, turnEndsMs);
      const step = waiting.shift();
      lastPause.forget();
      if (step(isOver)) waiting.push(step);
      else if (settled !== undefined) {
        settled(goOn);
        return;
      }
    }
    isWorking = false;
  };
  const goOn = (): void => {
    // The time that it took has passed, so it is not reckoned as well.
    turnEndsMs += lastPause.passedMs();
    work();
  };

  const run = (step: Step): void => {
    waiting.push(step);
    if (!isBegun) begin(first);
    if (!isWorking && waiting.length === 1) work();
  };

  return {
    run,
    pause: (costMs = limits.pauseCostMs) =>
      new Promise((resolve) => {
        if (costMs === wholeTurnMs) {
          if (!isBegun) begin(first);
          turnEndsMs = -Infinity;
        }
        run(() => {
          turnEndsMs -= costMs;
          lastPause.ended(costMs);
          resolve();
          return false;
        });
      }),
  };
}

/** What a pause was reckoned with, and when it ended. */
function createReckoning(clock: Pick<Clock, 'monotonicMs'>) {
  let reckonedMs = 0;
  let endedMs = 0;
  return {
    ended(costMs: number): void {
      reckonedMs = costMs;
      endedMs = clock.monotonicMs();
    },
    forget(): void {
      reckonedMs = 0;
    },
    /** Of what it was reckoned with. */
    passedMs: () => Math.min(reckonedMs, clock.monotonicMs() - endedMs),
  };
}

/** The first one that is asked for may come in the turn that asks. Where that is used up, the next
 * one. */
function turnBehind(
  timers: Pick<Timers, 'nextTurn'>,
  isUsed: () => boolean,
  callback: () => void,
): void {
  timers.nextTurn(() => {
    if (isUsed()) timers.nextTurn(callback);
    else callback();
  });
}
