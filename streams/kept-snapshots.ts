/**
 * Snapshots of the past, for exact reads and for the pages of a chunked list: rebuilt once, kept
 * a while (spec 1, sections 4.9 and 4.10).
 *
 *      asked for revision N ─┬─ the store was compacted behind N ──▶ compacted
 *                            ├─ nothing of the resource changed since N ──▶ the cache
 *                            ├─ kept ──▶ that one
 *                            ├─ the history reaches back to N ──▶ the cache with changes undone
 *                            └─ else ──▶ a scan of the store at N, or compacted
 *
 * A snapshot may be dropped at any time: the store can answer for all of its history window. And
 * no longer than that: callers rely on pages of a list to expire, whatever memory still knows.
 *
 * Invariants: entries that are still current are shared with the cache, so only what has been
 * superseded since costs memory, and that is bounded, as are count and age.
 */
import { blockMemory } from '../src/stdx/blocks.ts';
import type { Clock, TimerHandle, Timers } from '../src/stdx/clock.ts';
import { createLimiter } from '../src/stdx/limiter.ts';
import type { Limiter } from '../src/stdx/limiter.ts';
import { messageOf } from '../src/stdx/message-of.ts';
import { createSliceTimer } from '../src/stdx/slices.ts';
import type { EndOfSlice } from '../src/stdx/slices.ts';
import { SortedMap } from '../src/stdx/sorted-map.ts';
import type { Revision, Storage, StoreKey } from '../src/storage/storage.ts';
import type { StreamLimits } from './limits.ts';
import type { ResourceCache } from './resource-cache.ts';
import { entryKeyOf } from './resource-change.ts';
import type { EntryMaker, StampedEntry } from './resource-change.ts';
import { resourceSnapshot } from './resource-snapshot.ts';
import type { ResourceSnapshot, SnapshotAt } from './streams.ts';
import { UnreadableRecords } from './unreadable-entries.ts';
import type { ResourceStream } from './watch-group.ts';

export interface KeptSnapshotsDeps {
  readonly storage: Pick<Storage, 'compactRevision' | 'scan'>;
  readonly maker: EntryMaker;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly limits: StreamLimits;
}

interface Kept {
  readonly snapshot: ResourceSnapshot;
  readonly cache: ResourceCache;
  /** What it held alone when it was kept, and the cache's count of superseded bytes then. */
  readonly ownBytes: number;
  readonly supersededThen: number;
  readonly keptMs: number;
}

type Rebuilt =
  | { readonly kind: 'ok'; readonly snapshot: ResourceSnapshot; readonly bytes: number }
  | Exclude<SnapshotAt, { kind: 'ok' }>;

export class KeptSnapshots {
  readonly #deps: KeptSnapshotsDeps;
  /** In order of use, the least recent first. */
  readonly #kept = new Map<string, Kept>();
  readonly #rebuilding = new Map<string, Promise<SnapshotAt>>();
  readonly #rebuildSlot: Limiter;
  /** Of all rebuilds: one that follows another goes on in the slice of that one. */
  readonly #endOfSlice: EndOfSlice;
  #timer: TimerHandle | undefined;

  constructor(deps: KeptSnapshotsDeps) {
    this.#deps = deps;
    this.#rebuildSlot = createLimiter(deps.limits.rebuildsMax);
    this.#endOfSlice = createSliceTimer(deps.clock, deps.timers);
  }

  get count(): number {
    return this.#kept.size;
  }

  /** An upper bound of what the kept snapshots hold beside the caches. */
  get bytes(): number {
    let bytes = 0;
    for (const kept of this.#kept.values()) bytes += heldBytes(kept);
    return bytes;
  }

  /** `applied`: everything up to it is in the caches. */
  async at(stream: ResourceStream, revision: Revision, applied: Revision): Promise<SnapshotAt> {
    if (revision > applied) return { kind: 'future', current: applied };
    const oldest = await this.#deps.storage.compactRevision();
    if (revision < oldest) return { kind: 'compacted', oldest };
    if (revision >= stream.cache.changedAt) {
      return { kind: 'ok', snapshot: stream.cache.snapshotAs(revision) };
    }
    const id = keptId(stream, revision);
    const kept = this.#kept.get(id);
    if (kept !== undefined) {
      this.#kept.delete(id);
      this.#kept.set(id, kept);
      return { kind: 'ok', snapshot: kept.snapshot };
    }
    let pending = this.#rebuilding.get(id);
    if (pending === undefined) {
      pending = this.#rebuild(stream, revision).finally(() => this.#rebuilding.delete(id));
      this.#rebuilding.set(id, pending);
    }
    return pending;
  }

  keep(stream: ResourceStream, snapshot: ResourceSnapshot, ownBytes = 0): void {
    const { keptSnapshotBytesMax, keptSnapshotsMs } = this.#deps.limits;
    if (ownBytes > keptSnapshotBytesMax) return;
    const { cache } = stream;
    this.#kept.set(keptId(stream, snapshot.revision), {
      snapshot,
      cache,
      ownBytes,
      supersededThen: cache.supersededBytes,
      keptMs: this.#deps.clock.monotonicMs(),
    });
    this.trim();
    this.#timer ??= this.#deps.timers.after(keptSnapshotsMs, () => this.#dropOld());
  }

  /** Holds the bounds. To be called as changes are applied: they make kept snapshots heavier. */
  trim(): void {
    if (this.#kept.size === 0) return;
    const { keptSnapshotsMax, keptSnapshotBytesMax } = this.#deps.limits;
    let bytes = this.bytes;
    for (const [id, kept] of this.#kept) {
      if (this.#kept.size <= keptSnapshotsMax && bytes <= keptSnapshotBytesMax) return;
      this.#kept.delete(id);
      bytes -= heldBytes(kept);
    }
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#kept.clear();
  }

  #dropOld(): void {
    const { clock, limits, timers } = this.#deps;
    const before = clock.monotonicMs() - limits.keptSnapshotsMs;
    for (const [id, kept] of this.#kept) if (kept.keptMs <= before) this.#kept.delete(id);
    this.#timer = undefined;
    if (this.#kept.size === 0) return;
    this.#timer = timers.after(limits.keptSnapshotsMs, () => this.#dropOld());
  }

  async #rebuild(stream: ResourceStream, revision: Revision): Promise<SnapshotAt> {
    const endOfSlice = this.#endOfSlice;
    const rebuilt = await this.#rebuildSlot(async () => {
      for (let pause = endOfSlice(); pause !== undefined; pause = endOfSlice()) await pause;
      const undoing = stream.cache.rewind(revision);
      return undoing === undefined
        ? scanned(this.#deps, stream, revision, endOfSlice)
        : rewound(undoing, endOfSlice);
    });
    if (rebuilt.kind !== 'ok') return rebuilt;
    this.keep(stream, rebuilt.snapshot, rebuilt.bytes);
    return { kind: 'ok', snapshot: rebuilt.snapshot };
  }
}

function keptId(stream: ResourceStream, revision: Revision): string {
  return `${stream.id}@${revision}`;
}

async function rewound(
  undoing: NonNullable<ReturnType<ResourceCache['rewind']>>,
  endOfSlice: EndOfSlice,
): Promise<Rebuilt> {
  for (;;) {
    const step = undoing.next();
    if (step.done === true) return { kind: 'ok', ...step.value };
    const pause = endOfSlice();
    if (pause !== undefined) await pause;
  }
}

function heldBytes({ cache, ownBytes, supersededThen }: Kept): number {
  return ownBytes + cache.supersededBytes - supersededThen;
}

async function scanned(
  deps: KeptSnapshotsDeps,
  stream: ResourceStream,
  revision: Revision,
  endOfSlice: EndOfSlice,
): Promise<Rebuilt> {
  const map = new SortedMap<StampedEntry>();
  const unreadable = new UnreadableRecords();
  // What is superseded lives as long as the snapshot.
  const allocate = blockMemory();
  let bytes = 0;
  let after: StoreKey | undefined;
  for (;;) {
    const range = { prefix: `${stream.id}/`, after, limit: deps.limits.scanPageRecords };
    const read = await deps.storage.scan(range, revision);
    if (read.kind === 'compacted') return { kind: 'compacted', oldest: read.compactRevision };
    if (read.kind === 'future') return { kind: 'future', current: read.revision };
    for (const record of read.value.records) {
      const key = entryKeyOf(record.key);
      const current = stream.cache.get(key);
      if (current?.revision === record.revision) {
        map.set(key, current);
      } else {
        try {
          const entry = deps.maker.fromRecord(record, allocate);
          map.set(key, entry);
          bytes += entry.bytes.length;
        } catch (error) {
          const { revision: of } = record;
          const why = messageOf(error);
          unreadable.set({ key, why, revision: of, isAwaited: false }, true);
        }
      }
      after = record.key;
      const pause = endOfSlice();
      if (pause !== undefined) await pause;
    }
    if (!read.value.more || read.value.records.length === 0) break;
  }
  return { kind: 'ok', snapshot: resourceSnapshot(revision, map.view(), unreadable.view()), bytes };
}
