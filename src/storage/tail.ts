/**
 * Following the log: the loop that turns "read a page" and "something was committed" into tail().
 *
 * A follower holds a revision, not events, so a slow one costs nothing but its own re-reading, and
 * there is nothing here that can grow with the number of commits.
 *
 * Invariants: pages come in revision order without a gap or a repeat, because each page starts
 * where the last one ended; a commit that happens between reading a page and falling asleep is
 * seen, because the sleep is on a count taken before the read.
 */
import { SlotSet, slotOf } from '../stdx/slot-set.ts';
import { StorageError } from './storage.ts';
import type { AtRevision, ChangePage, Revision } from './storage.ts';

/** Wakes followers. One call per commit, however many changes it carried. */
export interface CommitSignal {
  /** Grows with each notify(). */
  readonly count: number;
  notify(): void;
  /** Resolves when `count` differs from `seen`, or when `signal` aborts. */
  wait(seen: number, signal: AbortSignal): Promise<void>;
}

export function createCommitSignal(): CommitSignal {
  const waiters = new SlotSet<() => void>();
  let count = 0;
  return {
    get count() {
      return count;
    },
    notify() {
      count += 1;
      const woken = waiters.items();
      waiters.clear();
      for (const wake of woken) wake();
    },
    wait(seen, signal) {
      if (count !== seen || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const waiter = slotOf((): void => {
          signal.removeEventListener('abort', waiter.item);
          waiters.remove(waiter);
          resolve();
        });
        signal.addEventListener('abort', waiter.item);
        waiters.add(waiter);
      });
    },
  };
}

/** tail() for an adapter that can read a page after a revision.
 * @throws StorageError `compacted`, and whatever `readAfter` throws. */
export async function* followLog(
  readAfter: (after: Revision) => Promise<AtRevision<ChangePage>>,
  commits: CommitSignal,
  start: Revision,
  signal: AbortSignal,
): AsyncGenerator<ChangePage, void, undefined> {
  let after = start;
  while (!signal.aborted) {
    const seen = commits.count;
    const page = await readAfter(after);
    if (signal.aborted) return;
    if (page.kind === 'compacted') {
      throw new StorageError(
        'compacted',
        `the log after ${after} is gone: it starts after ${page.compactRevision}`,
      );
    }
    // `future`: the caller has seen a revision that this reader has not reached yet; it waits.
    if (page.kind === 'ok' && page.value.changes.length > 0) {
      after = page.value.through;
      yield page.value;
    } else {
      await commits.wait(seen, signal);
    }
  }
}
