/**
 * Age-based compaction: history older than `historyMs` is forgotten.
 *
 * The age of a change stands in the log (Change.timeMs), so a restart neither forgets nor keeps
 * more than it should.
 *
 * The newest change that is old enough is found by bisection over the revision space, one change
 * read per step: walking the log would read every record of the history on every run. Time in the
 * log follows revision order except where a wall clock was set back or two servers' clocks differ
 * a little; then the cut lies at one of the places where the log crosses the cut-off time.
 *
 * Bounds: one run at a time; a read limit of one change; compact() itself works in bounded steps.
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

export const compactorDefaults = { historyMs: 5 * 60_000, intervalMs: 10_000 } as const;

export function createCompactor(options: CompactorOptions): Compactor {
  const { storage, clock, timers, historyMs, intervalMs } = options;
  let timer: TimerHandle | undefined;
  let running: Promise<Revision> | undefined;
  let stopped = true;

  async function compactOld(): Promise<Revision> {
    const cutoffMs = clock.nowMs() - historyMs;
    const before = await newestOlderThan(storage, cutoffMs);
    if (before !== undefined) await storage.compact(before);
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

/** The newest revision whose change was made at or before `cutoffMs`; undefined when none was. */
async function newestOlderThan(storage: Storage, cutoffMs: number): Promise<Revision | undefined> {
  let low = await storage.compactRevision();
  let high = await storage.revision();
  let found: Revision | undefined;
  // Everything after `low` is undecided; nothing after `high` is old.
  while (low < high) {
    const middle = ((low + high) / 2n) as Revision;
    const change = await firstChangeAfter(storage, middle);
    if (change !== undefined && change.timeMs <= cutoffMs) {
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
