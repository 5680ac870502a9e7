/** Attributes work that continues in later turns to the request for which it was begun. */
import type { TurnWatch } from '../../stdx/turn-watch.ts';
import { createTurns } from '../../stdx/turns.ts';
import type { Turns, TurnsDeps } from '../../stdx/turns.ts';

export function watchedTurns<L>(deps: TurnsDeps, watch: TurnWatch<L>): Turns {
  const { timers } = deps;
  const inner = createTurns({
    ...deps,
    timers: {
      after: (delayMs, callback, keepsAlive) => timers.after(delayMs, callback, keepsAlive),
      nextTurn: (callback) =>
        timers.nextTurn(() => {
          watch.over();
          callback();
        }),
    },
  });
  return {
    run(step) {
      const label = watch.current;
      if (label === undefined) return inner.run(step);
      inner.run((isOver) => {
        watch.mark(label);
        return step(isOver);
      });
    },
    async pause(costMs) {
      const label = watch.current;
      await inner.pause(costMs);
      if (label !== undefined) watch.mark(label);
    },
  };
}
