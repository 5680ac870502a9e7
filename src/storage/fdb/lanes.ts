/**
 * Lanes: which commit of one server may run now, and which waits for which.
 *
 * What it is not: an attempt. What becomes of a commit, and how often it is tried, is commits.ts;
 * here a commit is a piece of work with a lane to itself from its beginning to its end.
 *
 * Two commits may be under way, so that FoundationDB need not wait for the requests that make up
 * the next one, nor they for it:
 *
 *   lane 0   ├── a, b ──┤├───── d ────┤        d, e: touch nothing of what is under way
 *   lane 1      ├── c ───────┤ ├── e ──┤       f: touches d, so it waits, and g behind it
 *
 * Invariants
 *  - One commit at a time has a lane. What belongs to (slot, lane) alone - the mark of its last
 *    commit, the numbers of its revisions - therefore belongs to one commit at a time.
 *  - Commits begin in the order in which they were asked for, and one that touches a key of one
 *    under way (key-claims.ts) begins when that one has ended, however it ended. So nothing is
 *    decided on what a commit before it may yet change, and one that failed has let nothing pass
 *    that stands on it.
 *  - Commits under way together touch no common key: their order is that of their versions.
 * Bounds: COMMIT_LANES under way; the queue is as long as the callers let it be.
 */
import { createKeyClaims } from '../key-claims.ts';
import type { Touch } from '../key-claims.ts';
import { COMMIT_LANES } from './layout.ts';

export interface Lanes {
  /** Runs `work` when it may, in the lane it is given. */
  run<T>(touches: readonly Touch[], work: (lane: number) => Promise<T>): Promise<T>;
  /** Resolves when all that was asked for has ended. */
  settled(): Promise<void>;
}

interface Waiting {
  readonly touches: readonly Touch[];
  begin(lane: number): void;
}

export function createLanes(): Lanes {
  const claims = createKeyClaims();
  const free = Array.from({ length: COMMIT_LANES }, (_, lane) => lane);
  const queue: Waiting[] = [];
  const onSettled: (() => void)[] = [];
  const isIdle = (): boolean => queue.length === 0 && free.length === COMMIT_LANES;

  function beginNext(): void {
    for (let [next] = queue; next !== undefined; [next] = queue) {
      const clashes = next.touches.some((touch) => claims.clashesWith(touch));
      const lane = clashes ? undefined : free.shift();
      if (lane === undefined) return;
      queue.shift();
      for (const touch of next.touches) claims.claim(touch);
      next.begin(lane);
    }
  }

  function end(lane: number, touches: readonly Touch[]): void {
    for (const touch of touches) claims.release(touch);
    free.push(lane);
    beginNext();
    if (isIdle()) for (const resolve of onSettled.splice(0)) resolve();
  }

  return {
    async run(touches, work) {
      const lane = await new Promise<number>((begin) => {
        queue.push({ touches, begin });
        beginNext();
      });
      try {
        return await work(lane);
      } finally {
        end(lane, touches);
      }
    },
    settled: () => (isIdle() ? Promise.resolve() : new Promise((done) => onSettled.push(done))),
  };
}
