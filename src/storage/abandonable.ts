/**
 * A store that its user can abandon: every waiting call then gets an answer, whatever the store
 * does.
 *
 * close() waits for commits, and so for a disk or a cluster that may never answer; a server that
 * has to end cannot wait that long.
 *
 *   call ─▶ store ─▶ answer            abandon(): reads end with `closed`, commits with `unknown`
 *                                      (the store may yet apply them), further calls with `closed`
 *
 * Invariants: an answer that the store has given is passed on as it is; after abandon() no call
 * reaches the store but close(), and close() is waited for no longer than `closeMs`.
 * Not covered: tail(), which has an abort signal of its own.
 */
import type { Timers } from '../stdx/clock.ts';
import { SlotSet, slotOf } from '../stdx/slot-set.ts';
import { StorageError } from './storage.ts';
import type { Storage, StorageErrorCode } from './storage.ts';

export interface Abandonable {
  readonly storage: Storage;
  readonly abandon: () => void;
}

export const abandonLimits = {
  /** How long an abandoned store may take to close. */
  closeMs: 1_000,
} as const;

const closed = (): StorageError => new StorageError('closed', 'the store was let go of');

export function createAbandonable(inner: Storage, timers: Timers): Abandonable {
  const waiting = new SlotSet<() => void>();
  let abandoned = false;

  function call<T>(code: StorageErrorCode, ask: () => Promise<T>): Promise<T> {
    if (abandoned) return Promise.reject(closed());
    return new Promise((resolve, reject) => {
      const giveUp = slotOf(() =>
        reject(new StorageError(code, 'the store was let go of before it had answered')),
      );
      waiting.add(giveUp);
      ask()
        .then(resolve, reject)
        .finally(() => waiting.remove(giveUp));
    });
  }

  const storage: Storage = {
    name: inner.name,
    commitLanes: inner.commitLanes,
    commitWritesMax: inner.commitWritesMax,
    found: inner.found,
    read: (key, at) => call('closed', () => inner.read(key, at)),
    scan: (range, at) => call('closed', () => inner.scan(range, at)),
    commit: (mutations) => call('unknown', () => inner.commit(mutations)),
    changes: (after, options) => call('closed', () => inner.changes(after, options)),
    tail: (after, signal) => inner.tail(after, signal),
    revision: () => call('closed', () => inner.revision()),
    compactRevision: () => call('closed', () => inner.compactRevision()),
    compact: (before) => call('closed', () => inner.compact(before)),
    failure: () => inner.failure(),
    close: () => closeWithin(),
  };

  function closeWithin(): Promise<void> {
    return new Promise((resolve, reject) => {
      const limit = slotOf((): void => void timers.after(abandonLimits.closeMs, resolve));
      if (abandoned) limit.item();
      else waiting.add(limit);
      inner
        .close()
        .then(resolve, reject)
        .finally(() => waiting.remove(limit));
    });
  }

  return {
    storage,
    abandon() {
      abandoned = true;
      for (const giveUp of waiting.items()) giveUp();
      waiting.clear();
    },
  };
}
