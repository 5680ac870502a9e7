/**
 * Age-based compaction: history older than `historyMs` is forgotten.
 *
 *     older than the first run    by the time in the log (Change.timeMs, the wall clock's): a
 *                                 restart neither forgets nor keeps more than it should
 *     younger                     by when this process saw the revision, on the clock that nobody
 *                                 sets: a wall clock that is set ahead forgets nothing that is
 *                                 young, and one that is set back keeps nothing for longer
 *
 * The newest change that is old enough is found by bisection over the revision space, one change
 * read per step: walking the log would read every record of the history on every run. Time in the
 * log follows revision order except where a wall clock was set back or two servers' clocks differ
 * a little; then the cut lies at one of the places where the log crosses the cut-off time.
 *
 * Bounds: one run at a time; a read limit of one change; compact() itself works in bounded steps;
 * `sightingsMax` revisions that were seen, so what is forgotten is late by a hundredth at most.
 */
import type { Clock, TimerHandle, Timers } from '../stdx/clock.ts';
import type { Change, Revision, Storage } from './storage.ts';

export interface Compactor {
  /** Runs every `intervalMs`, counted from the end of the run before. Idempotent. */
  start(): void;
  /** No further run; resolves when the one in progress has ended. */
  stop(): Promise<void>;
  /** Compacts once and returns the compact revision that then holds. Rejects with StorageError. */
  runOnce(): Promise<Revision>;
}

export interface CompactorOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly timers: Timers;
  /** How long a change stays readable (`--watch-history`). */
  readonly historyMs: number;
  readonly intervalMs: number;
  /** Called when a timed run fails; the next one is tried all the same. */
  readonly onError: (error: unknown) => void;
}

/** Kept of one history. */
const sightingsMax = 100;

export const compactorDefaults = { historyMs: 5 * 60_000, intervalMs: 10_000 } as const;

export function createCompactor(options: CompactorOptions): Compactor {
  const { storage, clock, timers, historyMs, intervalMs } = options;
  let timer: TimerHandle | undefined;
  let running: Promise<Revision> | undefined;
  let stopped = true;

  const sightings = createSightings(historyMs);
  let first: Revision | undefined;

  async function compactOld(): Promise<Revision> {
    const newest = await storage.revision();
    first ??= newest;
    const seen = sightings.note(newest, clock.monotonicMs());
    const cutoffMs = clock.nowMs() - historyMs;
    const before = seen ?? (await newestOlderThan(storage, first, cutoffMs));
    const compacted = await storage.compactRevision();
    if (before === undefined || before <= compacted) return compacted;
    await storage.compact(before);
    return storage.compactRevision();
  }

  function runOnce(): Promise<Revision> {
    running ??= compactOld().finally(() => {
      running = undefined;
    });
    return running;
  }

  function schedule(): void {
    timer = timers.after(intervalMs, () => {
      runOnce()
        .catch(options.onError)
        .finally(() => {
          if (!stopped) schedule();
        });
    });
  }

  return {
    start() {
      if (!stopped) return;
      stopped = false;
      schedule();
    },
    async stop() {
      stopped = true;
      timer?.cancel();
      // Its failure has been reported to whoever started it.
      await running?.catch(() => undefined);
    },
    runOnce,
  };
}

/** When which revision was the newest. */
function createSightings(historyMs: number) {
  const kept: { readonly revision: Revision; readonly atMs: number }[] = [];
  let old: Revision | undefined;
  return {
    /** The newest revision that had been seen a history ago; undefined: nothing was seen then. */
    note(revision: Revision, nowMs: number): Revision | undefined {
      const last = kept.at(-1);
      const apart = last === undefined || nowMs - last.atMs >= historyMs / sightingsMax;
      if (apart && revision !== last?.revision) kept.push({ revision, atMs: nowMs });
      const young = kept.findIndex(({ atMs }) => atMs > nowMs - historyMs);
      const passed = kept.splice(0, young < 0 ? kept.length : young);
      old = passed.at(-1)?.revision ?? old;
      return old;
    },
  };
}

/** The newest revision up to `last` whose change was made at or before `cutoffMs`; undefined when
 * none was. */
async function newestOlderThan(
  storage: Storage,
  last: Revision,
  cutoffMs: number,
): Promise<Revision | undefined> {
  let low = await storage.compactRevision();
  let high = last;
  let found: Revision | undefined;
  // Everything after `low` is undecided; nothing after `high` is old.
  while (low < high) {
    const middle = ((low + high) / 2n) as Revision;
    const change = await firstChangeAfter(storage, middle);
    if (change !== undefined && change.revision <= last && change.timeMs <= cutoffMs) {
      found = change.revision;
      low = change.revision;
    } else {
      // No change between `middle` and `high`, or a young one: look left of it.
      high = middle;
    }
  }
  return found;
}

async function firstChangeAfter(storage: Storage, after: Revision): Promise<Change | undefined> {
  const page = await storage.changes(after, { limit: 1, previous: false });
  // `compacted`: another server has compacted past this point meanwhile; it needs no deciding.
  return page.kind === 'ok' ? page.value.changes[0] : undefined;
}
