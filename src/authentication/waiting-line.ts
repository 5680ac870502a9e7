/**
 * What waits for a place, network by network: who has many in line keeps nobody else out.
 *
 *     a: a1 a2 a3 a4 ─┐
 *     b: b1           ├─▶ a1 b1 c1 a2 c2 a3 a4
 *     c: c1 c2       ─┘
 *
 * Bounds: `waitingMax` in line, for `waitMaxMs` each. A full line takes from whoever has most in
 * it, as long as the newcomer's network has less than its share.
 */
import type { Timers } from '../stdx/clock.ts';
import type { Requester } from '../stdx/requester.ts';

export interface Asking {
  /** Whom the address belongs to that asks. */
  readonly network: string;
  /** When it goes it waits no longer. */
  readonly requester?: Requester | undefined;
}

export interface WaitingLineLimits {
  readonly waitingMax: number;
  readonly waitMaxMs: number;
}

export interface WaitingLine<A extends Asking> {
  has(network: string): boolean;
  /** What `work` gives, once `beginNext` has begun it. Undefined: it was turned away. */
  wait<T>(asking: A, work: () => Promise<T>): Promise<T | undefined>;
  /** Begins the first of the next network that has one that may begin. False: there is none. */
  beginNext(mayBegin: (asking: A) => boolean): boolean;
}

interface Waiting<A> {
  readonly asking: A;
  begin(): void;
  turnAway(): void;
}

/** `over`: it waits no longer, whatever comes of it. */
function waitingOf<A>(
  asking: A,
  over: () => void,
  begin: () => void,
  turnAway: () => void,
): Waiting<A> {
  return {
    asking,
    begin() {
      over();
      begin();
    },
    turnAway() {
      over();
      turnAway();
    },
  };
}

export function createWaitingLine<A extends Asking>(
  timers: Timers,
  { waitMaxMs, waitingMax }: WaitingLineLimits,
): WaitingLine<A> {
  /** In the order of their turns; within a network in that of arrival. */
  const networks = new Map<string, Waiting<A>[]>();
  let size = 0;
  const takeFrom = (network: string, waiting: Waiting<A>[], at: number) => {
    const [taken] = waiting.splice(at, 1);
    if (taken !== undefined) size -= 1;
    if (waiting.length === 0) networks.delete(network);
    return taken;
  };
  const makeRoom = (network: string): boolean => {
    if (size < waitingMax) return true;
    if ((networks.get(network)?.length ?? 0) >= size / networks.size) return false;
    const all = [...networks];
    const [largest, most] = all.reduce((a, b) => (b[1].length > a[1].length ? b : a));
    takeFrom(largest, most, most.length - 1)?.turnAway();
    return true;
  };
  const add = (waiting: Waiting<A>, network: string): void => {
    const others = networks.get(network) ?? [];
    networks.set(network, others);
    others.push(waiting);
    size += 1;
  };
  const remove = (waiting: Waiting<A>, network: string): void => {
    const others = networks.get(network) ?? [];
    const at = others.indexOf(waiting);
    if (at >= 0) takeFrom(network, others, at);
  };
  return {
    has: (network) => networks.has(network),
    wait(asking, work) {
      if (!makeRoom(asking.network)) return Promise.resolve(undefined);
      return new Promise((resolve, reject) => {
        const leave = (): void => {
          remove(waiting, asking.network);
          waiting.turnAway();
        };
        const late = timers.after(waitMaxMs, leave);
        const over = (): void => {
          late.cancel();
          asking.requester?.offAbort(leave);
        };
        const begin = (): void => void work().then(resolve, reject);
        const waiting = waitingOf(asking, over, begin, () => resolve(undefined));
        add(waiting, asking.network);
        asking.requester?.onAbort(leave);
      });
    },
    beginNext(mayBegin) {
      for (const [network, waiting] of networks) {
        const [first] = waiting;
        if (first === undefined || !mayBegin(first.asking)) continue;
        networks.delete(network);
        if (waiting.length > 1) networks.set(network, waiting);
        takeFrom(network, waiting, 0)?.begin();
        return true;
      }
      return false;
    },
  };
}
