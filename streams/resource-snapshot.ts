/**
 * A resource at one revision, as readers see it: a frozen view of the cache's ordered map.
 *
 * Invariants: never changes; a namespace is one contiguous run of keys, because no part of a key
 * can hold a slash, so counts are two ranks.
 */
import type { SortedView } from '../src/stdx/sorted-map.ts';
import type { Revision } from '../src/storage/storage.ts';
import type { StampedEntry } from './resource-change.ts';
import type { EntryCursor, EntryKey, ResourceSnapshot, UnreadableEntries } from './streams.ts';

export function resourceSnapshot(
  revision: Revision,
  view: SortedView<StampedEntry>,
  unreadable: UnreadableEntries,
): ResourceSnapshot {
  return {
    revision,
    count: (namespace) => countAfter(view, namespace, ''),
    countAfter: (namespace, after) => countAfter(view, namespace, after),
    get: (namespace, name) => view.get(`${namespace}/${name}`),
    entries: (namespace, after) => entries(view, namespace, after),
    unreadable,
  };
}

function countAfter(
  view: SortedView<StampedEntry>,
  namespace: string | undefined,
  after: EntryKey,
): number {
  const { from, below } = bounds(namespace);
  const end = below === undefined ? view.size : view.rank(below);
  if (after < from) return end - view.rank(from);
  const passed = view.rank(after) + (view.get(after) === undefined ? 0 : 1);
  return Math.max(0, end - passed);
}

function entries(
  view: SortedView<StampedEntry>,
  namespace: string | undefined,
  after: EntryKey | undefined,
): EntryCursor {
  const { from, below } = bounds(namespace);
  return after === undefined || after < from
    ? view.values(from, false, below)
    : view.values(after, true, below);
}

/** '0' is the character after '/': below it lies exactly what starts with `<namespace>/`. */
function bounds(namespace: string | undefined): { from: string; below: string | undefined } {
  return namespace === undefined || namespace === ''
    ? { from: '', below: undefined }
    : { from: `${namespace}/`, below: `${namespace}0` };
}
