/**
 * A store that passes every call on to another one: who changes some of them writes those over.
 *
 * Invariant: answers come as they are, and in their order.
 */
import type { Storage } from './storage.ts';

export function passedOn(inner: Storage): Storage {
  return {
    name: inner.name,
    commitLanes: inner.commitLanes,
    commitWritesMax: inner.commitWritesMax,
    found: inner.found,
    read: (key, at) => inner.read(key, at),
    scan: (range, at) => inner.scan(range, at),
    commit: (mutations) => inner.commit(mutations),
    changes: (after, options) => inner.changes(after, options),
    tail: (after, signal) => inner.tail(after, signal),
    revision: () => inner.revision(),
    compactRevision: () => inner.compactRevision(),
    compact: (before) => inner.compact(before),
    failure: () => inner.failure(),
    close: () => inner.close(),
  };
}
