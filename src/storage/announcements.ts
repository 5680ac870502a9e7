/**
 * Tells those who submitted what became of their mutations, in the order in which it became known.
 *
 *     a commit ends ─▶ all of its mutations have their states ─▶ line ─▶ told, some at once
 *                                                                 └─▶ the others in later turns
 *
 * Behind each of them an answer is made and sent, which takes tenths of a millisecond. Behind a
 * slow disk hundreds wait for one commit.
 *
 * Invariants: nobody is told before one whose outcome was known before; the first ones are told in
 * the turn in which it is known, unless others wait; at least some are told in each turn.
 * Bounds: `announcementLimits`; as many wait as have submitted.
 */
import type { Clock, Timers } from '../stdx/clock.ts';
import { RingBuffer } from '../stdx/ring-buffer.ts';
import { createTurns, defaultTurnLimits } from '../stdx/turns.ts';
import type { DeferredCommit } from './pending-commit.ts';

export const announcementLimits = {
  /** For what those do in one turn who are told. Policy: the others are told in the next. */
  turnMs: 6,
  /** Who is told before somebody looks at the clock: what each does then is the same, and the
   * processor's caches hold it for all of them. */
  togetherMax: 16,
} as const;

export interface Announcements {
  /** Those that have their results. */
  tell(pendings: readonly DeferredCommit[]): void;
  /** For one that is refused in the turn that submits it, where nobody can listen yet, or in the
   * middle of the committer's own work. */
  tellSoon(pending: DeferredCommit): void;
  readonly isIdle: boolean;
}

export interface AnnouncementsDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Timers;
  /** See TurnsDeps. Absent: what those do who are told is not counted. */
  readonly settled?: ((callback: () => void) => void) | undefined;
  /** Everybody has been told. */
  readonly onIdle: () => void;
}

export function createAnnouncements(deps: AnnouncementsDeps): Announcements {
  const { clock, onIdle, settled, timers } = deps;
  // Not those of the requests: an answer does not stand in line with long lists.
  const limits = { ...defaultTurnLimits, turnMs: announcementLimits.turnMs };
  const turns = createTurns({ clock, timers, settled, limits });
  const waiting = new RingBuffer<DeferredCommit>();
  let isAsked = false;

  function ask(): void {
    if (isAsked || waiting.length === 0) return;
    isAsked = true;
    turns.run(tellSome);
  }

  /** A step that ends each time: the next one is asked when what these do is over. */
  function tellSome(): boolean {
    for (let told = 0; told < announcementLimits.togetherMax && waiting.length > 0; told += 1) {
      waiting.shift().announce();
    }
    isAsked = false;
    ask();
    if (waiting.length === 0) onIdle();
    return false;
  }

  function tell(pendings: readonly DeferredCommit[]): void {
    for (const pending of pendings) waiting.push(pending);
    ask();
  }

  return {
    tell,
    tellSoon(pending) {
      void Promise.resolve().then(() => tell([pending]));
    },
    get isIdle() {
      return waiting.length === 0;
    },
  };
}
