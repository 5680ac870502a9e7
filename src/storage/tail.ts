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
import type { Slot } from '../stdx/slot-set.ts';
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

/** A follower, known by the signal that ends it. Listening to that costs more than all else of a
 * sleep: it is done once. */
class Sleeper {
  readonly slot: Slot<Sleeper> = slotOf<Sleeper>(this);
  #wakes: (() => void)[] = [];

  sleep(wake: () => void): void {
    this.#wakes.push(wake);
  }

  rouse(): void {
    const wakes = this.#wakes;
    this.#wakes = [];
    for (const wake of wakes) wake();
  }
}

export function createCommitSignal(): CommitSignal {
  const asleep = new SlotSet<Sleeper>();
  const sleepers = new WeakMap<AbortSignal, Sleeper>();
  let count = 0;

  function sleeperOf(signal: AbortSignal): Sleeper {
    const known = sleepers.get(signal);
    if (known !== undefined) return known;
    const sleeper = new Sleeper();
    sleepers.set(signal, sleeper);
    signal.addEventListener('abort', () => {
      asleep.remove(sleeper.slot);
      sleeper.rouse();
    });
    return sleeper;
  }

  return {
    get count() {
      return count;
    },
    notify() {
      count += 1;
      const woken = asleep.items();
      asleep.clear();
      for (const sleeper of woken) sleeper.rouse();
    },
    wait(seen, signal) {
      if (count !== seen || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const sleeper = sleeperOf(signal);
        sleeper.sleep(resolve);
        asleep.add(sleeper.slot);
      });
    },
  };
}

type ReadPage = AtRevision<ChangePage>;

/** tail() for an adapter that can read a page after a revision, at once or later. `ended` is called
 * when `signal` has aborted; it may throw.
 * @throws StorageError `compacted`, and whatever `readAfter` throws. */
export async function* followLog(
  readAfter: (after: Revision) => ReadPage | Promise<ReadPage>,
  commits: CommitSignal,
  start: Revision,
  signal: AbortSignal,
  ended: () => void = () => undefined,
): AsyncGenerator<ChangePage, void, undefined> {
  let after = start;
  while (!signal.aborted) {
    const seen = commits.count;
    const read = readAfter(after);
    const page = read instanceof Promise ? await read : read;
    if (signal.aborted) break;
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
  ended();
}
