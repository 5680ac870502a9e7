/**
 * One resource as it is now: an ordered map of entries, and the history that led here.
 *
 * It knows no watches.
 *
 * Invariants: the map is the sum of all changes applied; `seq` counts them; a change is appended
 * to the history in the same step in which it changes the map. An entry that is moved
 * (entry-memory.ts) is the same in other memory: no change.
 */
import { SortedMap } from '../src/stdx/sorted-map.ts';
import { assert } from '../src/stdx/assert.ts';
import type { Steps } from '../src/stdx/stepwise.ts';
import type { Allocate } from '../src/stdx/blocks.ts';
import { messageOf } from '../src/stdx/message-of.ts';
import { StorageError, storageLimits } from '../src/storage/storage.ts';
import type { Change, Revision, StoredRecord } from '../src/storage/storage.ts';
import { EntryMemory } from './entry-memory.ts';
import type { EntryBlock } from './entry-memory.ts';
import { History } from './history.ts';
import type { StreamLimits } from './limits.ts';
import { entryKey, entryKeyOf, resourceChange } from './resource-change.ts';
import type { EntryMaker, EntryName, ResourceChange, StampedEntry } from './resource-change.ts';
import { resourceSnapshot } from './resource-snapshot.ts';
import type { EntryKey, ResourceSnapshot, UnreadableEntries } from './streams.ts';
import { UnreadableRecords } from './unreadable-entries.ts';
import type { UnreadableRecord } from './unreadable-entries.ts';

/** Entries that are passed over between two pauses. */
const lookedAtOnceMax = 1024;

/** A key of the store and its parts are one text for the engine: a part that is kept keeps all. */
const textMemory = Buffer.allocUnsafeSlow(4 * storageLimits.keyBytesMax);

/** The same text, in memory of its own. */
function flatText(text: string): string {
  return textMemory.toString('utf8', 0, textMemory.write(text));
}

interface Written {
  readonly written: StampedEntry | undefined;
  readonly previous: StampedEntry | undefined;
}

export class ResourceCache {
  readonly history: History;
  readonly #maker: EntryMaker;
  readonly #map = new SortedMap<StampedEntry>();
  readonly #memory = new EntryMemory();
  /** States that the history alone has, as those of what is deleted. */
  readonly #departed = new EntryMemory();
  readonly #unreadable = new UnreadableRecords();
  #snapshot: ResourceSnapshot | undefined;
  #bytes = 0;
  #namespace = '';
  #supersededBytes = 0;
  /** Nothing of this resource changed after this revision. */
  #changedAt: Revision;

  constructor(start: Revision, maker: EntryMaker, limits: StreamLimits) {
    this.history = new History(start, limits);
    this.#changedAt = start;
    this.#maker = maker;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes of all states that were replaced, deleted or moved so far. What has been added to it
   * since a snapshot was made is what that snapshot, at most, keeps alive by itself. */
  get supersededBytes(): number {
    return this.#supersededBytes;
  }

  /** The seq of the newest change applied. */
  get seq(): number {
    return this.history.lastSeq;
  }

  get changedAt(): Revision {
    return this.#changedAt;
  }

  /** Objects whose record cannot be read, and of which no earlier state is known. */
  get lost(): UnreadableEntries {
    return this.#unreadable.lost();
  }

  /** Whether the keys of some of them may yet come. */
  get isAwaiting(): boolean {
    return this.#unreadable.awaitedCount > 0;
  }

  awaits(key: EntryKey, revision: Revision): boolean {
    return this.#unreadable.awaits(key, revision);
  }

  /** The first one from `from` on, or else of all. */
  nextAwaited(from: EntryKey): UnreadableRecord | undefined {
    return this.#unreadable.nextAwaited(from);
  }

  get(key: string): StampedEntry | undefined {
    return this.#map.get(key);
  }

  /** Part of the state at the start. Not a change. */
  load(record: StoredRecord, allocate: Allocate): void {
    const key = flatText(entryKeyOf(record.key));
    const entry = this.#read(record, this.#nameOf(key), allocate, true);
    if (entry === undefined) return;
    const replaced = this.#map.set(key, entry);
    assert(replaced === undefined, 'a scan shows every key once');
    this.#bytes += entry.bytes.length;
  }

  /** Reads an awaited record, as part of the state: not a change. False: it still cannot be. */
  restore(record: StoredRecord): boolean {
    const key = flatText(entryKeyOf(record.key));
    if (!this.#unreadable.awaits(key, record.revision)) return false;
    const isLost = this.#map.get(key) === undefined;
    const entry = this.#read(record, this.#nameOf(key), this.#memory.allocate, isLost);
    this.#snapshot = undefined;
    if (entry === undefined) return false;
    this.#unreadable.delete(key);
    const previous = this.#map.set(key, entry);
    const superseded = previous?.bytes.length ?? 0;
    this.#bytes += entry.bytes.length - superseded;
    this.#supersededBytes += superseded;
    this.#settle(key, entry, previous);
    return true;
  }

  /** The history begins here: there are states before it that it does not know. */
  beginHistory(revision: Revision): void {
    this.history.beginAt(revision);
  }

  /** Undefined when the change has no visible effect (a delete of a missing object, a record that
   * cannot be read). `unseen`: an object was deleted of which no state is known here, though
   * clients may know an earlier one. */
  apply(change: Change): ResourceChange | 'unseen' | undefined {
    const key = flatText(entryKeyOf(change.key));
    const wasUnreadable = this.#unreadable.delete(key);
    if (wasUnreadable) this.history.beginAt(change.revision);
    const { written, previous } = this.#write(key, change.record);
    if (change.record !== undefined && written === undefined) {
      this.#snapshot = undefined;
      this.#changedAt = change.revision;
      return undefined;
    }
    const decoded = { revision: change.revision, written, previous };
    const { allocate } = this.#departed;
    const applied = resourceChange(this.seq + 1, decoded, this.#maker, allocate);
    if (wasUnreadable) this.#snapshot = undefined;
    if (applied === undefined) return wasUnreadable ? 'unseen' : undefined;
    this.#snapshot = undefined;
    this.#bytes += written?.bytes.length ?? 0;
    const superseded = applied.previous?.bytes.length ?? 0;
    this.#bytes -= superseded;
    this.#supersededBytes += superseded;
    this.#changedAt = change.revision;
    this.history.append(applied);
    this.#settle(key, written, previous);
    return applied;
  }

  /** Says what the state has now, and moves what is left in blocks that hold little else. */
  #settle(
    key: EntryKey,
    written: StampedEntry | undefined,
    previous: StampedEntry | undefined,
  ): void {
    if (written !== undefined) this.#memory.kept(key, written.bytes);
    if (previous !== undefined) this.#memory.superseded(previous.bytes);
    for (;;) {
      const sparse = this.#memory.takeSparse();
      if (sparse === undefined) return;
      for (const each of sparse.keys) this.#move(each, sparse);
    }
  }

  #move(key: EntryKey, { memory }: EntryBlock): void {
    const entry = this.#map.get(key);
    if (entry?.bytes.buffer !== memory.buffer) return;
    const moved = this.#maker.moved(entry, this.#memory.allocate);
    this.#map.set(key, moved);
    this.#memory.kept(key, moved.bytes);
    this.#supersededBytes += entry.bytes.length;
    this.#snapshot = undefined;
  }

  /** What the map has of it afterwards, and had before. What cannot be read changes nothing. */
  #write(key: EntryKey, record: StoredRecord | undefined): Written {
    if (record === undefined) return { written: undefined, previous: this.#map.delete(key) };
    let written: StampedEntry | undefined;
    const previous = this.#map.change(key, (before) => {
      const place = before ?? this.#nameOf(key);
      written = this.#read(record, place, this.#memory.allocate, before === undefined);
      return written;
    });
    return { written, previous };
  }

  /** Reads those entries anew that were read in another form than `shape`; pauses come every so
   * many of them. */
  *refresh(id: string, shape: string | undefined): Generator<undefined, void> {
    let looked = 0;
    for (const entry of this.#map.view().values()) {
      const key = entryKey(entry);
      looked += 1;
      if (entry.shape === shape) {
        if (looked % lookedAtOnceMax === 0) yield;
        continue;
      }
      // What has changed since was read in the new form.
      if (this.#map.get(key) === entry) this.#readAnew(id, key, entry);
      yield;
    }
  }

  #readAnew(id: string, key: EntryKey, entry: StampedEntry): void {
    const next = this.#maker.readAnew(id, entry, this.#memory.allocate);
    if (next === entry) return;
    this.#map.set(key, next);
    this.#bytes += next.bytes.length - entry.bytes.length;
    this.#snapshot = undefined;
    this.#settle(key, next, entry);
  }

  /** One text for the namespaces of objects that come one after the other. */
  #nameOf(key: EntryKey): EntryName {
    const slash = key.indexOf('/');
    const isSame = slash === this.#namespace.length && key.startsWith(this.#namespace);
    if (!isSame) this.#namespace = key.slice(0, slash);
    return { namespace: this.#namespace, name: key.slice(slash + 1) };
  }

  /** Undefined, and remembered, when the record cannot be read. `isLost`: then no state of it is
   * known. */
  #read(
    record: StoredRecord,
    place: EntryName,
    allocate: Allocate,
    isLost: boolean,
  ): StampedEntry | undefined {
    try {
      return this.#maker.fromRecord(record, allocate, place);
    } catch (error) {
      const key = flatText(entryKeyOf(record.key));
      const isAwaited = error instanceof StorageError && error.code === 'away';
      const unreadable = { key, why: messageOf(error), revision: record.revision, isAwaited };
      this.#unreadable.set(unreadable, isLost);
      return undefined;
    }
  }

  /** The state now, said to be of `revision`: the newest revision applied to any resource. */
  snapshot(revision: Revision): ResourceSnapshot {
    if (this.#snapshot?.revision !== revision) {
      this.#snapshot = resourceSnapshot(revision, this.#map.view(), this.#unreadable.view());
    }
    return this.#snapshot;
  }

  /** The state now under an earlier revision that it did not change after. */
  snapshotAs(revision: Revision): ResourceSnapshot {
    assert(revision >= this.#changedAt, 'the state at the revision is the state now');
    return resourceSnapshot(revision, this.#map.view(), this.#unreadable.view());
  }

  /** The state at an earlier revision, by undoing the changes since, in steps: there may be many.
   * Undefined when the history does not reach back that far. `bytes`: what it holds beside the
   * cache. */
  rewind(revision: Revision): Steps<{ snapshot: ResourceSnapshot; bytes: number }> | undefined {
    if (!this.history.covers(revision)) return undefined;
    // All of it is taken now: the history may have dropped some of it by the next step.
    const undone: ResourceChange[] = [];
    const target = this.history.seqAt(revision);
    for (let seq = this.seq; seq > target; seq -= 1) undone.push(this.history.at(seq));
    const unreadable = this.#unreadable.view();
    return undoing(this.#map.view().fork(), undone, (map) =>
      resourceSnapshot(revision, map.view(), unreadable),
    );
  }
}

/** Between two steps. */
const undoneAtOnce = 256;

function* undoing(
  map: SortedMap<StampedEntry>,
  changes: readonly ResourceChange[],
  snapshotOf: (map: SortedMap<StampedEntry>) => ResourceSnapshot,
): Steps<{ snapshot: ResourceSnapshot; bytes: number }> {
  let bytes = 0;
  for (const [at, { entry, previous }] of changes.entries()) {
    if (at > 0 && at % undoneAtOnce === 0) yield;
    if (previous === undefined) map.delete(entryKey(entry));
    else map.set(entryKey(entry), previous);
    bytes += previous?.bytes.length ?? 0;
  }
  return { snapshot: snapshotOf(map), bytes };
}
