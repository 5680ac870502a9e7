/**
 * Wakes followers of the log: one FoundationDB watch on the newest versionstamp, while any sleeps.
 *
 * Nothing is polled, and nothing is read while the store is idle. A commit of any server ends the
 * watch, and the followers then read the log themselves.
 *
 *   follower    count ─▶ reads a page, observe(tip of that read) ─▶ nothing new ─▶ wait(count)
 *   watch       reads tip ─▶ newer than all observed: wakes all    else: watch, commit, sleep
 *
 * Invariant: no follower sleeps through a commit. It sleeps only if no newer tip than the one that
 * it has read was observed. The watch compares the stored tip with the same value, at a read
 * version of its own, before it sleeps itself.
 * Bound: one watch for the store.
 */
import { StorageError } from '../storage.ts';
import { createCommitSignal } from '../tail.ts';
import type { CommitSignal } from '../tail.ts';
import { isFdbError } from './binding.ts';
import type { FdbDatabase, FdbTransaction } from './binding.ts';
import { translateFdbError } from './transactions.ts';

export interface LogWatch {
  /** For followLog. wait() rejects with StorageError when watching has failed for good. */
  readonly commits: CommitSignal;
  /** Somebody has seen this tip (era, versionstamp) as the newest; wakes all when it is news. */
  observe(tip: Buffer): void;
  close(): void;
}

export function createLogWatch(db: FdbDatabase, tipKey: Buffer): LogWatch {
  const signal = createCommitSignal();
  let newest = Buffer.alloc(0);
  let waitingCount = 0;
  let watching: AbortController | undefined;
  let failure: StorageError | undefined;

  function observe(tip: Buffer): void {
    if (Buffer.compare(tip, newest) <= 0) return;
    newest = Buffer.from(tip);
    signal.notify();
  }

  function start(): void {
    if (watching !== undefined) return;
    const stopping = new AbortController();
    watching = stopping;
    watchUntil(db, tipKey, observe, stopping.signal).catch((error: unknown) => {
      if (stopping.signal.aborted) return;
      failure = isFdbError(error) ? translateFdbError(error) : asStorageError(error);
      signal.notify();
    });
  }

  function stop(): void {
    watching?.abort();
    watching = undefined;
  }

  async function wait(seen: number, abort: AbortSignal): Promise<void> {
    if (signal.count !== seen || abort.aborted) return;
    waitingCount += 1;
    start();
    try {
      await signal.wait(seen, abort);
    } finally {
      waitingCount -= 1;
      if (waitingCount === 0) stop();
    }
    if (failure !== undefined) throw failure;
  }

  return {
    commits: {
      get count() {
        return signal.count;
      },
      notify: () => signal.notify(),
      wait,
    },
    observe,
    close: stop,
  };
}

function asStorageError(error: unknown): StorageError {
  return new StorageError('io', 'the log can no longer be watched', { cause: error });
}

/** Watches again and again until `stopping` aborts. Throws what a retry cannot mend. */
async function watchUntil(
  db: FdbDatabase,
  tipKey: Buffer,
  observe: (tip: Buffer) => void,
  stopping: AbortSignal,
): Promise<void> {
  // No timeout: it would end the watch as well.
  let transaction = db.begin({});
  while (!stopping.aborted) {
    try {
      observe((await transaction.get(tipKey, 'snapshot')) ?? Buffer.alloc(0));
      if (!stopping.aborted) await sleepOnWatch(transaction, tipKey, stopping);
      transaction = db.begin({});
    } catch (error) {
      if (stopping.aborted) return;
      if (!isFdbError(error)) throw error;
      await transaction.onError(error);
    }
  }
}

async function sleepOnWatch(
  transaction: FdbTransaction,
  tipKey: Buffer,
  stopping: AbortSignal,
): Promise<void> {
  const watch = transaction.watch(tipKey);
  // It may fail while the commit is still awaited.
  watch.changed.catch(() => undefined);
  const cancel = (): void => watch.cancel();
  stopping.addEventListener('abort', cancel);
  try {
    await transaction.commit();
    await watch.changed;
  } catch (error) {
    watch.cancel();
    throw error;
  } finally {
    stopping.removeEventListener('abort', cancel);
  }
}
