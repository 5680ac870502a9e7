/**
 * Ends watches that have to go together: those of a removed type, of a resource whose state can no
 * longer be shown, or all of them at a stop. Ten thousand sockets to be closed are more than one
 * turn.
 *
 *      begin ─▶ groups out of the map, no new watch joins them ─▶ their watchers, a slice per turn
 *                 └ makes no frame any more of the changes that follow, which wait for nobody
 *
 * Elsewhere: what ends a single watch (watcher.ts), and what ends by the clock (watch-clock.ts).
 *
 * Invariants: no watcher that is to be ended sees a change that was applied after it was decided,
 * nor a bookmark behind it. Changes are applied meanwhile, also those of the same resource.
 * Bound: one pass over all watchers at a time, and one to follow it.
 */
import type { StatusError } from '../src/apimachinery/status-error.ts';
import type { Clock, Timers } from '../src/stdx/clock.ts';
import { createSliceTimer } from '../src/stdx/slices.ts';
import type { EndOfSlice } from '../src/stdx/slices.ts';
import type { Revision } from '../src/storage/storage.ts';
import type { WatchGroup } from './watch-group.ts';
import type { Watcher } from './watcher.ts';

/** At a stop: those that begin meanwhile, too. Each has what the last bookmark says. */
export async function endAll(
  watchers: ReadonlySet<Watcher>,
  endOfSlice: EndOfSlice,
): Promise<void> {
  const ended = new Set<Watcher>();
  for (let before = -1; ended.size > before;) {
    before = ended.size;
    for (const watcher of [...watchers]) {
      if (ended.has(watcher)) continue;
      ended.add(watcher);
      if (watcher.bookmarks) watcher.sendBookmark();
      watcher.end();
      const pause = endOfSlice();
      if (pause !== undefined) await pause;
    }
  }
}

export interface WatchTerminatorDeps {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly watchers: ReadonlySet<Watcher>;
  readonly applied: () => Revision;
}

export class WatchTerminator {
  readonly #deps: WatchTerminatorDeps;
  #isWanted = false;
  #passes: Promise<void> | undefined;

  constructor(deps: WatchTerminatorDeps) {
    this.#deps = deps;
  }

  /** Ends the watchers of the groups. `why`: the error that they are sent; undefined: none, but
   * they get what there is for them. */
  begin(groups: Iterable<WatchGroup<Watcher>>, why: StatusError | undefined): void {
    const applied = this.#deps.applied();
    for (const group of groups) group.ending ??= { why, revision: group.scope.routed(applied) };
    this.#isWanted = true;
    this.#passes ??= this.#run();
  }

  async #run(): Promise<void> {
    // All groups that break by one change begin together.
    await Promise.resolve();
    const endOfSlice = createSliceTimer(this.#deps.clock, this.#deps.timers);
    while (this.#isWanted) {
      this.#isWanted = false;
      for (const watcher of [...this.#deps.watchers]) {
        const { ending } = watcher.group;
        if (ending === undefined) continue;
        if (ending.why === undefined) watcher.finish(ending.revision);
        else watcher.fail(ending.why);
        const pause = endOfSlice();
        if (pause !== undefined) await pause;
      }
    }
    this.#passes = undefined;
  }
}
