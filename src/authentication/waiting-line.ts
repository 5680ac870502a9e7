/**
 * What waits for a place, network by network: who has many in line keeps nobody else out.
 *
 *     a: a1 a2 a3 a4 ─┐
 *     b: b1           ├─▶ a1 b1 c1 a2 c2 a3 a4
 *     c: c1 c2       ─┘
 *
 * Bound: as many as its maker says. A full line takes from whoever has most in it, as long as the
 * newcomer's network has less than its share.
 */
export interface WaitingInLine {
  readonly network: string;
  begin(): void;
  turnAway(): void;
}

export interface WaitingLine<T extends WaitingInLine> {
  has(network: string): boolean;
  add(waiting: T): void;
  /** False: it is full, and this network has its share. */
  makeRoom(network: string): boolean;
  /** The first of the next network that has one that may begin. */
  take(mayBegin: (waiting: T) => boolean): T | undefined;
  remove(waiting: T): void;
}

export function createWaitingLine<T extends WaitingInLine>(waitingMax: number): WaitingLine<T> {
  /** In the order of their turns; within a network in that of arrival. */
  const networks = new Map<string, T[]>();
  let size = 0;
  const takeFrom = (network: string, waiting: T[], at: number): T | undefined => {
    const [taken] = waiting.splice(at, 1);
    if (taken !== undefined) size -= 1;
    if (waiting.length === 0) networks.delete(network);
    return taken;
  };
  return {
    has: (network) => networks.has(network),
    add(waiting) {
      const { network } = waiting;
      const others = networks.get(network) ?? [];
      networks.set(network, others);
      others.push(waiting);
      size += 1;
    },
    makeRoom(network) {
      if (size < waitingMax) return true;
      if ((networks.get(network)?.length ?? 0) >= size / networks.size) return false;
      const all = [...networks];
      const [largest, most] = all.reduce((a, b) => (b[1].length > a[1].length ? b : a));
      takeFrom(largest, most, most.length - 1)?.turnAway();
      return true;
    },
    take(mayBegin) {
      for (const [network, waiting] of networks) {
        const [first] = waiting;
        if (first === undefined || !mayBegin(first)) continue;
        networks.delete(network);
        if (waiting.length > 1) networks.set(network, waiting);
        return takeFrom(network, waiting, 0);
      }
      return undefined;
    },
    remove(waiting) {
      const { network } = waiting;
      const others = networks.get(network) ?? [];
      const at = others.indexOf(waiting);
      if (at >= 0) takeFrom(network, others, at);
    },
  };
}
