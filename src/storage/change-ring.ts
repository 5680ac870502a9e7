/**
 * The newest changes of the log, decoded. Followers that keep up read them here instead of in the
 * store, and so does a write of what was written not long ago.
 *
 * Changes that it has dropped are still in the log; `after` then returns undefined, and the reader
 * reads the log.
 *
 * Invariants: the ring holds every change with floor < revision <= newest, in order; a page taken
 * from it equals the page the log would have given; what `newestOf` gives is the last change of
 * that key.
 * Bounds: `changesMax` changes and `bytesMax` bytes of values; the oldest are dropped first.
 */
import type { Change, ChangePage, Revision, StoredRecord, StoreKey } from './storage.ts';

export interface ChangeRingLimits {
  readonly changesMax: number;
  readonly bytesMax: number;
}

export const changeRingLimits: ChangeRingLimits = {
  changesMax: 8192,
  bytesMax: 16 * 1024 * 1024,
};

/** A change with its record as the store keeps it. */
export interface KeptChange<R extends StoredRecord> extends Change {
  readonly record: R | undefined;
}

export interface ChangeRing<R extends StoredRecord = StoredRecord> {
  /** Appends the changes of one commit; the store is durable up to `newest`. `isNew`: of the
   * change at this index: it made what was not there. */
  push(
    changes: readonly KeptChange<R>[],
    newest: Revision,
    isNew: (index: number) => boolean,
  ): void;
  /** What became of this key last, while it is here; undefined: the store knows. Only what has been
   * changed is looked up here: what is new is mostly left alone, and a create would pay for it. */
  newestOf(key: StoreKey): KeptChange<R> | undefined;
  /** The log was compacted up to here, and so is the ring. */
  forget(through: Revision): void;
  /** One page of the changes after this revision, or undefined when the ring does not reach back
   * that far. */
  after(after: Revision, limit: number, bytesMax: number): ChangePage | undefined;
}

export function createChangeRing<R extends StoredRecord>(
  start: Revision,
  limits: ChangeRingLimits,
): ChangeRing<R> {
  let changes: KeptChange<R>[] = [];
  const byKey = new Map<StoreKey, KeptChange<R>>();
  let head = 0;
  let bytes = 0;
  let floor = start;
  let newest = start;

  function dropOldest(): void {
    const dropped = changes[head] as KeptChange<R>;
    if (byKey.get(dropped.key) === dropped) byKey.delete(dropped.key);
    bytes -= changeBytes(dropped);
    floor = dropped.revision;
    head += 1;
    // The dead front is cut off when it is as long as the rest: each change moves at most once.
    if (head * 2 >= changes.length) {
      changes = changes.slice(head);
      head = 0;
    }
  }

  return {
    push(pushed, newestNow, isNew) {
      for (let i = 0; i < pushed.length; i += 1) {
        const change = pushed[i] as KeptChange<R>;
        changes.push(change);
        if (!isNew(i)) byKey.set(change.key, change);
        else if (byKey.size > 0) byKey.delete(change.key);
        bytes += changeBytes(change);
      }
      newest = newestNow;
      while (
        head < changes.length &&
        (changes.length - head > limits.changesMax || bytes > limits.bytesMax)
      ) {
        dropOldest();
      }
    },
    newestOf: (key) => byKey.get(key),
    forget(through) {
      while (head < changes.length && (changes[head] as Change).revision <= through) dropOldest();
      if (floor < through) floor = through;
    },
    after(after, limit, bytesMax) {
      if (after < floor || after > newest) return undefined;
      const first = firstAfter(changes, head, after);
      let end = first;
      let pageBytes = 0;
      while (end < changes.length && end - first < limit) {
        pageBytes += changeBytes(changes[end] as Change);
        if (end > first && pageBytes > bytesMax) break;
        end += 1;
      }
      const page = changes.slice(first, end);
      const whole = end === changes.length;
      return { changes: page, through: whole ? newest : (page.at(-1) as Change).revision };
    },
  };
}

/** Index of the first change with revision > after, at `head` or behind it. */
function firstAfter(changes: readonly Change[], head: number, after: Revision): number {
  let low = head;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((changes[middle] as Change).revision > after) high = middle;
    else low = middle + 1;
  }
  return low;
}

function changeBytes(change: Change): number {
  return change.record?.value.byteLength ?? 0;
}
