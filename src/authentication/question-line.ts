/**
 * Questions about tokens to a server that may be slow: who has many of them asked keeps nobody else
 * from having one asked.
 *
 *     question ─▶ a place is free             ─▶ begins
 *              ─▶ it waits behind those of its network; networks take turns ─▶ begins
 *              ─▶ nobody's turn within `waitMaxMs`, or the line is full     ─▶ is not asked
 *
 * The last places are for tokens that were good before. A full line takes from whoever has most in
 * it, as long as the newcomer's network has less than its share.
 *
 * Bounds: `placesMax` questions under way, `strangersMax` when one about a stranger's token begins,
 * `networkMax` of them of one network; `waitingMax` in line, of either kind.
 */
import type { TimerHandle, Timers } from '../stdx/clock.ts';
import { onceATurn } from '../stdx/once-a-turn.ts';

export const questionLineLimits = {
  placesMax: 256,
  /** With so many under way, only questions about tokens that were good before begin. */
  strangersMax: 192,
  /** Of one network, about strangers' tokens: others find a place at once. */
  networkMax: 128,
  waitingMax: 1024,
  waitMaxMs: 10_000,
} as const;

export interface Asker {
  /** Whom the address belongs to that shows the token. */
  readonly network: string;
  /** The token was good before. */
  readonly isKnown: boolean;
}

export interface QuestionLine {
  /** Undefined: it was not asked. */
  ask<T>(asker: Asker, question: () => Promise<T>): Promise<T | undefined>;
}

interface Waiting {
  readonly asker: Asker;
  begin(): void;
  turnAway(): void;
}

export function createQuestionLine(timers: Timers): QuestionLine {
  const { networkMax, placesMax, strangersMax, waitMaxMs } = questionLineLimits;
  const lines = { known: createWaitingLine(), strangers: createWaitingLine() };
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
    for (const line of [lines.known, lines.strangers]) {
      for (let next = line.take(mayBegin); next !== undefined; next = line.take(mayBegin)) {
        next.begin();
      }
    }
  });
  return {
    ask(asker, question) {
      const line = asker.isKnown ? lines.known : lines.strangers;
      if (!isDue && !line.has(asker.network) && mayBegin(asker)) return run(asker, question);
      if (!line.makeRoom(asker.network)) return Promise.resolve(undefined);
      return new Promise((resolve, reject) => {
        let late: TimerHandle | undefined = undefined;
        const waiting: Waiting = {
          asker,
          begin() {
            late?.cancel();
            run(asker, question).then(resolve, reject);
          },
          turnAway() {
            late?.cancel();
            resolve(undefined);
          },
        };
        line.add(waiting);
        late = timers.after(waitMaxMs, () => {
          line.remove(waiting);
          waiting.turnAway();
        });
      });
    },
  };
}

interface WaitingLine {
  has(network: string): boolean;
  add(waiting: Waiting): void;
  /** False: it is full, and this network has its share. */
  makeRoom(network: string): boolean;
  /** The first of the next network that has one that may begin. */
  take(mayBegin: (asker: Asker) => boolean): Waiting | undefined;
  remove(waiting: Waiting): void;
}

function createWaitingLine(): WaitingLine {
  /** In the order of their turns; within a network in that of arrival. */
  const networks = new Map<string, Waiting[]>();
  let size = 0;
  const takeFrom = (network: string, waiting: Waiting[], at: number): Waiting | undefined => {
    const [taken] = waiting.splice(at, 1);
    if (taken !== undefined) size -= 1;
    if (waiting.length === 0) networks.delete(network);
    return taken;
  };
  return {
    has: (network) => networks.has(network),
    add(waiting) {
      const { network } = waiting.asker;
      const others = networks.get(network) ?? [];
      networks.set(network, others);
      others.push(waiting);
      size += 1;
    },
    makeRoom(network) {
      if (size < questionLineLimits.waitingMax) return true;
      if ((networks.get(network)?.length ?? 0) >= size / networks.size) return false;
      const all = [...networks];
      const [largest, most] = all.reduce((a, b) => (b[1].length > a[1].length ? b : a));
      takeFrom(largest, most, most.length - 1)?.turnAway();
      return true;
    },
    take(mayBegin) {
      for (const [network, waiting] of networks) {
        const [first] = waiting;
        if (first === undefined || !mayBegin(first.asker)) continue;
        networks.delete(network);
        if (waiting.length > 1) networks.set(network, waiting);
        return takeFrom(network, waiting, 0);
      }
      return undefined;
    },
    remove(waiting) {
      const { network } = waiting.asker;
      const others = networks.get(network) ?? [];
      const at = others.indexOf(waiting);
      if (at >= 0) takeFrom(network, others, at);
    },
  };
}
