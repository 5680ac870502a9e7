/**
 * The objects of one resource whose records cannot be read, and why: those that nobody can read,
 * and those whose keys are away and may yet come (`isAwaited`).
 *
 * Invariants: views never change. `lost` has those of which no earlier state is known.
 * Cost: a look-up each; there may be as many as there are objects.
 */
import { SortedMap } from '../src/stdx/sorted-map.ts';
import type { SortedView } from '../src/stdx/sorted-map.ts';
import type { Revision } from '../src/storage/storage.ts';
import type { EntryKey, UnreadableEntries, UnreadableEntry } from './streams.ts';

export interface UnreadableRecord extends UnreadableEntry {
  /** Of the record that cannot be read. */
  readonly revision: Revision;
  readonly isAwaited: boolean;
}

export class UnreadableRecords {
  readonly #all = new SortedMap<UnreadableRecord>();
  readonly #lost = new SortedMap<UnreadableRecord>();
  #awaitedCount = 0;

  get size(): number {
    return this.#all.size;
  }

  get awaitedCount(): number {
    return this.#awaitedCount;
  }

  /** `isLost`: no earlier state of it is known. */
  set(record: UnreadableRecord, isLost: boolean): void {
    const before = this.#all.set(record.key, record);
    if (isLost) this.#lost.set(record.key, record);
    this.#awaitedCount += Number(record.isAwaited) - Number(before?.isAwaited ?? false);
  }

  /** Whether it was there. */
  delete(key: EntryKey): boolean {
    if (this.#all.size === 0) return false;
    const before = this.#all.delete(key);
    if (before === undefined) return false;
    this.#lost.delete(key);
    this.#awaitedCount -= Number(before.isAwaited);
    return true;
  }

  /** Whether this very record is awaited. */
  awaits(key: EntryKey, revision: Revision): boolean {
    const found = this.#all.get(key);
    return found?.isAwaited === true && found.revision === revision;
  }

  /** The first one from `from` on, or else of all. */
  nextAwaited(from: EntryKey): UnreadableRecord | undefined {
    if (this.#awaitedCount === 0) return undefined;
    const view = this.#all.view();
    for (const each of view.values(from)) if (each.isAwaited) return each;
    return from === '' ? undefined : this.nextAwaited('');
  }

  view(): UnreadableEntries {
    return this.#all.size === 0 ? noneUnreadable : new EntriesView(this.#all.view());
  }

  lost(): UnreadableEntries {
    return this.#lost.size === 0 ? noneUnreadable : new EntriesView(this.#lost.view());
  }
}

class EntriesView implements UnreadableEntries {
  readonly #view: SortedView<UnreadableRecord>;

  constructor(view: SortedView<UnreadableRecord>) {
    this.#view = view;
  }

  get size(): number {
    return this.#view.size;
  }

  get(key: EntryKey): string | undefined {
    return this.#view.get(key)?.why;
  }

  has(key: EntryKey): boolean {
    return this.#view.get(key) !== undefined;
  }

  in(namespace: string | undefined): IterableIterator<UnreadableEntry> {
    if (namespace === undefined) return this.#view.values();
    // '0' is the character after '/'.
    return this.#view.values(`${namespace}/`, false, `${namespace}0`);
  }
}

const noneUnreadable: UnreadableEntries = new EntriesView(new SortedMap<UnreadableRecord>().view());
