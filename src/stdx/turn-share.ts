/**
 * One turn of the event loop between two who each see to their own share of it: work that is to
 * have a whole turn (turns.ts), and the streams, which use some milliseconds in every turn in which
 * they have something. Together they took more than either is allowed. Large commits come as the
 * streams do.
 *
 *     turn 1   the streams ─▶ whole work comes: it is put off, and has asked for turn 2
 *     turn 2   whole work; the streams come: they are put off
 *     turn 3   the streams, whoever comes
 *
 * Invariant: each is put off once, so neither can keep the other from going on.
 */
import type { Timers } from './clock.ts';
import { wholeTurnMs } from './turns.ts';
import type { Turns } from './turns.ts';

export interface TurnShare {
  /** Those of the streams: what comes in a turn that is taken comes in the next one instead. */
  readonly timers: Timers;
  /** These turns, where a pause for a whole turn ends in one in which the streams have not been. */
  yielding(turns: Turns): Turns;
}

export function createTurnShare(timers: Timers): TurnShare {
  /** Pauses that wait for the turn which they have asked for. */
  let asked = 0;
  const taken = flagOfTurn(timers);
  const used = flagOfTurn(timers);
  /** Of the streams, what has been put off. */
  let putOff = 0;
  /** Who comes where the streams have been already lengthens no other turn. */
  const isTaken = (): boolean => taken.isSet || (asked > 0 && !used.isSet);
  return {
    timers: {
      after: (delayMs, callback, keepsAlive) => timers.after(delayMs, callback, keepsAlive),
      nextTurn(callback) {
        const run = (): void => {
          // Several of them come in a turn: it is over with the first one's callback.
          if (!used.isSet) used.set();
          callback();
        };
        let isPutOff = false;
        let handle = timers.nextTurn(() => {
          if (!isTaken()) return run();
          isPutOff = true;
          putOff += 1;
          handle = timers.nextTurn(() => {
            isPutOff = false;
            putOff -= 1;
            run();
          });
        });
        const cancel = (): void => {
          if (isPutOff) putOff -= 1;
          isPutOff = false;
          handle.cancel();
        };
        return { cancel };
      },
    },
    yielding(turns) {
      const wholeTurn = async (): Promise<void> => {
        await turns.pause(wholeTurnMs);
        if (used.isSet || putOff > 0) {
          asked += 1;
          await turns.pause(wholeTurnMs);
          asked -= 1;
        }
        taken.set();
      };
      return {
        run: (step) => turns.run(step),
        pause: (costMs) => (costMs === wholeTurnMs ? wholeTurn() : turns.pause(costMs)),
      };
    },
  };
}

/** Set until the turn is over, by a callback that comes somewhere in the next turn. Who sets it
 * anew before that, in the next turn already, has set it for that one. */
function flagOfTurn(timers: Pick<Timers, 'nextTurn'>) {
  let isSet = false;
  let timesSet = 0;
  return {
    get isSet() {
      return isSet;
    },
    set(): void {
      isSet = true;
      timesSet += 1;
      const time = timesSet;
      timers.nextTurn(() => {
        if (time === timesSet) isSet = false;
      });
    },
  };
}
