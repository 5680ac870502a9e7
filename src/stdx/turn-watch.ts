/**
 * How long turns of the event loop take in which requests are worked on, and for which of them the
 * longest one was.
 *
 *     [ mark a ── mark b ─────────── mark c ── ]  end: seen by a callback of the next turn
 *                 └── the longest part: b is told
 *
 * Whoever marks owns the time until the next mark or the turn's end; turns in which nobody marks
 * are seen by the delays of the event loop only.
 *
 * Invariants: a mark of what goes on already costs nothing; another reads the clock, and asks for
 * the end once a turn. Nothing is kept of a turn but its length, and of the longest one what was
 * marked.
 */
import type { Clock, Timers } from './clock.ts';
import { Histogram } from './histogram.ts';

export interface TurnWatch<L> {
  /** Work for this begins, or goes on, here. `nowMs`: the time, where it is known. */
  mark(label: L, nowMs?: number): void;
  /** A turn before this one has ended: for what runs first in its own, before that is seen. */
  over(): void;
  /** Whose work is going on; undefined: nobody's that has been marked. */
  readonly current: L | undefined;
  /** Counts the turns with marks in them that have ended. */
  readonly turn: number;
  readonly seconds: Histogram;
  /** Of the longest turn since the last call. */
  takeLongest(): LongestTurn | undefined;
}

export interface LongestTurn {
  readonly seconds: number;
  /** Of what took the longest part of it. */
  readonly labels: Readonly<Record<string, string>>;
}

export interface TurnWatchDeps<L> {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Pick<Timers, 'nextTurn'>;
  /** Called in the turn after, and only when there is a longer turn. */
  readonly describe: (label: L) => LongestTurn['labels'];
}

/** 25 ms, which no turn should take, is one of them. */
const bounds: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

export function createTurnWatch<L>({ clock, describe, timers }: TurnWatchDeps<L>): TurnWatch<L> {
  const seconds = new Histogram(bounds);
  let longest: LongestTurn | undefined;
  let current: L | undefined;
  let begunMs = 0;
  let sinceMs = 0;
  let longestPart: L | undefined;
  let longestPartMs = 0;
  let turn = 0;

  const endPart = (nowMs: number): void => {
    if (longestPart !== undefined && nowMs - sinceMs <= longestPartMs) return;
    longestPart = current;
    longestPartMs = nowMs - sinceMs;
  };
  const over = (): void => {
    if (current === undefined) return;
    turn += 1;
    const nowMs = clock.monotonicMs();
    endPart(nowMs);
    const took = (nowMs - begunMs) / 1000;
    seconds.observe(took);
    if (longestPart !== undefined && took > (longest?.seconds ?? 0)) {
      longest = { seconds: took, labels: describe(longestPart) };
    }
    current = undefined;
    longestPart = undefined;
  };
  return {
    seconds,
    over,
    get current() {
      return current;
    },
    get turn() {
      return turn;
    },
    mark(label, nowMs = label === current ? 0 : clock.monotonicMs()) {
      if (label === current) return;
      if (current === undefined) {
        begunMs = nowMs;
        const own = turn;
        timers.nextTurn(() => {
          if (own === turn) over();
        });
      } else endPart(nowMs);
      current = label;
      sinceMs = nowMs;
    },
    takeLongest() {
      const taken = longest;
      longest = undefined;
      return taken;
    },
  };
}
