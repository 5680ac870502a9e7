/**
 * Questions about tokens to a server that may be slow: who has many of them asked keeps nobody else
 * from having one asked.
 *
 *     question ─▶ a place is free             ─▶ begins
 *              ─▶ it waits behind those of its network; networks take turns ─▶ begins
 *              ─▶ nobody's turn within `waitMaxMs`, or the line is full     ─▶ is not asked
 *              ─▶ nobody waits for it any more                              ─▶ is not asked
 *
 * The last places are for tokens that were good before. A full line takes from whoever has most in
 * it, as long as the newcomer's network has less than its share.
 *
 * Bounds: `placesMax` questions under way, `strangersMax` when one about a stranger's token begins,
 * `networkMax` of them of one network; `waitingMax` in line, of either kind.
 */
import type { Timers } from '../stdx/clock.ts';
import { onceATurn } from '../stdx/once-a-turn.ts';
import { createWaitingLine } from './waiting-line.ts';
import type { Asking } from './waiting-line.ts';

export const questionLineLimits = {
  placesMax: 256,
  /** With so many under way, only questions about tokens that were good before begin. */
  strangersMax: 192,
  /** Of one network, about strangers' tokens: others find a place at once. */
  networkMax: 128,
  waitingMax: 1024,
  waitMaxMs: 10_000,
} as const;

/** Its network is that of the address that shows the token. */
export interface Asker extends Asking {
  /** The token was good before. */
  readonly isKnown: boolean;
}

export interface QuestionLine {
  /** Undefined: it was not asked. */
  ask<T>(asker: Asker, question: () => Promise<T>): Promise<T | undefined>;
}

export function createQuestionLine(timers: Timers): QuestionLine {
  const { networkMax, placesMax, strangersMax } = questionLineLimits;
  const newLine = () => createWaitingLine<Asker>(timers, questionLineLimits);
  const lines = { known: newLine(), strangers: newLine() };
  const ofNetwork = new Map<string, number>();
  let underWay = 0;
  /** A place has become free since the last turn: those who wait come first. */
  let isDue = false;

  const mayBegin = ({ isKnown, network }: Asker): boolean =>
    isKnown
      ? underWay < placesMax
      : underWay < strangersMax && (ofNetwork.get(network) ?? 0) < networkMax;
  const count = ({ isKnown, network }: Asker, by: 1 | -1): void => {
    underWay += by;
    if (isKnown) return;
    const next = (ofNetwork.get(network) ?? 0) + by;
    if (next === 0) ofNetwork.delete(network);
    else ofNetwork.set(network, next);
  };
  const run = async <T>(asker: Asker, question: () => Promise<T>): Promise<T> => {
    count(asker, 1);
    try {
      return await question();
    } finally {
      count(asker, -1);
      isDue = true;
      nextTurn();
    }
  };
  // Not at once: the connection of the question that is over is free then, and no other is opened.
  const nextTurn = onceATurn(timers, () => {
    isDue = false;
    for (const line of [lines.known, lines.strangers]) while (line.beginNext(mayBegin));
  });
  return {
    ask(asker, question) {
      const line = asker.isKnown ? lines.known : lines.strangers;
      if (!isDue && !line.has(asker.network) && mayBegin(asker)) return run(asker, question);
      return line.wait(asker, () => run(asker, question));
    },
  };
}
