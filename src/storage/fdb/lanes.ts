/**
 * Lanes: which commits of one server may run at the same time, and which have to wait.
 *
 * What becomes of a commit, and how often it is tried, is decided in commits.ts. Here a commit is a
 * piece of work that has a lane to itself from beginning to end.
 *
 * Two commits may be under way, so that the database and the requests for the next commit do not
 * wait for each other:
 *
 *   lane 0   ├── a, b ──┤├───── d ────┤        d, e: share no key with what is under way
 *   lane 1      ├── c ───────┤ ├── e ──┤       f: shares a key with d, so it waits, and g behind it
 *
 * Invariants
 *  - A lane has one commit at a time. So the mark of the last commit of (slot, lane) and the
 *    numbers in its revisions belong to one commit at a time.
 *  - Commits begin in the order in which they were requested. One that shares a key with a commit
 *    under way (key-claims.ts) begins after that one has ended, also if it failed. So nothing is
 *    decided on a record that an earlier commit may still change.
 *  - Commits that are under way together share no key. Their order is that of their versions.
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
