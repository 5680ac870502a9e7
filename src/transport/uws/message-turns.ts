/**
 * What clients in WebSocket say in one turn of the event loop: one read may bring ten thousands of
 * messages, of many connections, and the library hands over all of them before it returns.
 *
 *     the first `servedMax` of a connection     heard at once; the rest of it in the next turns
 *     above `takenMax` of all together          whose connection has brought `ofOneMin` is cut
 */
import { onceATurn } from '../../stdx/once-a-turn.ts';
import type { Timers } from '../../stdx/clock.ts';

export const messageTurnLimits = { servedMax: 256, takenMax: 8_192, ofOneMin: 64 } as const;

export interface MessageTurns {
  /** Counts the turns in which something was said. */
  readonly turn: number;
  /** One more. False: there were too many in this turn. */
  take(): boolean;
}

export function createMessageTurns(timers: Pick<Timers, 'nextTurn'>): MessageTurns {
  let turn = 0;
  let taken = 0;
  const next = onceATurn(timers, () => {
    turn += 1;
    taken = 0;
  });
  return {
    get turn() {
      return turn;
    },
    take() {
      next();
      taken += 1;
      return taken <= messageTurnLimits.takenMax;
    },
  };
}
