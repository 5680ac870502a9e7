/**
 * The watch cache: loads every resource, follows the log, and puts every watch on its way.
 *
 *      storage.tail ─▶ apply: cache + history ─▶ outstanding ─▶ groups ─▶ delivery, next turn
 *                        one change at a time, in order    behind it, where groups are many
 *
 * A local commit reaches watchers only through the log, as any other server's does.
 *
 * Invariants: numbered in SPEC.md. A log that cannot be followed stops the server (`onFatal`),
 * because going on would leave a gap.
 */
import { concat, defer, from, ignoreElements, map, of } from 'rxjs';
import type { Observable } from 'rxjs';
import { assert } from '../src/stdx/assert.ts';
import { reserveBlocks } from '../src/stdx/block-reserve.ts';
import { blockBytesDefault, blockMemory } from '../src/stdx/blocks.ts';
import type { Clock, Timers } from '../src/stdx/clock.ts';
import { messageOf } from '../src/stdx/message-of.ts';
import type { Prng } from '../src/stdx/prng.ts';
import type { Requester } from '../src/stdx/requester.ts';
import { createSliceTimer } from '../src/stdx/slices.ts';
import { StorageError, storageLimits } from '../src/storage/storage.ts';
import type { Change, Revision, Storage, StoreKey } from '../src/storage/storage.ts';
import { createWriteStages } from '../src/storage/write-stages.ts';
import type { WriteOperation, WriteStages } from '../src/storage/write-stages.ts';
import { readAwaited } from './awaited-records.ts';
import type { WhenKeyThere } from './awaited-records.ts';
import { Delivery } from './delivery.ts';
import { endAll, WatchTerminator } from './watch-terminator.ts';
import { Followers } from './followers.ts';
import type { FollowersDeps } from './followers.ts';
import type { FrameBudget } from './frame-ring.ts';
import { Progress } from './freshness.ts';
import { KeptSnapshots } from './kept-snapshots.ts';
import type { StreamLimits } from './limits.ts';
import { LogPages } from './log-pages.ts';
import { Outstanding } from './outstanding.ts';
import { ResourceCache } from './resource-cache.ts';
import { createEntryMaker, resourceIdOf } from './resource-change.ts';
import type { ResourceChange } from './resource-change.ts';
import type { DecodeRecord, EntryMaker, ReadRecord, Stamp } from './resource-change.ts';
import { Routes } from './routes.ts';
import type { GroupResource } from '../src/apimachinery/schema.ts';
import type { StatusError } from '../src/apimachinery/status-error.ts';
import type {
  EventType,
  ResourceEvent,
  ResourceSnapshot,
  Streams,
  WatchHandle,
  WatchRequest,
  WatchSink,
} from './streams.ts';
import { createMissedChunks } from './turn-chunks.ts';
import { createWatchClock } from './watch-clock.ts';
import type { WatchClock } from './watch-clock.ts';
import type { WatchErrors } from './watch-events.ts';
import { groupPlace, WatchGroup } from './watch-group.ts';
import type { ResourceStream, WatchGroupEvents } from './watch-group.ts';
import { Watcher } from './watcher.ts';
import type { WatcherCounts, WatcherDeps } from './watcher.ts';

export interface StreamsDeps extends WatchErrors {
  readonly storage: Pick<
    Storage,
    'revision' | 'compactRevision' | 'read' | 'scan' | 'changes' | 'tail' | 'found'
  >;
  readonly decodeRecord: DecodeRecord;
  /** Absent: no key of a record is away. */
  readonly whenKeyThere?: WhenKeyThere | undefined;
  /** A resource is waiting from now on for keys of its records, or is whole again. */
  readonly onWaiting?: ((resource: GroupResource, isWaiting: boolean) => void) | undefined;
  /** Absent: all are read as they were written. */
  readonly readRecord?: ReadRecord | undefined;
  /** The form in which objects of `<group>/<resource>` are read now; see ObjectRecord. */
  readonly shapeOf?: ((id: string) => string | undefined) | undefined;
  readonly stamp: Stamp;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly prng: Prng;
  readonly limits: StreamLimits;
  /** Told how far changes have come; absent: not measured. */
  readonly stages?: WriteStages | undefined;
  /** Told of each change as it is applied, by whomever it was written; absent: nobody is. */
  readonly onApplied?: ((change: Change) => void) | undefined;
  /** So many more have been loaded; what it throws ends the start. */
  readonly onLoaded?: ((records: number) => void) | undefined;
  /** Called when a follower in this process has thrown; it starts again. */
  readonly onFollowerFailure: FollowersDeps['onFailure'];
  /** The log can no longer be followed. Called at most once; nothing is applied after it. */
  readonly onFatal: (error: unknown) => void;
}

export function createStreams(deps: StreamsDeps): Streams {
  return new WatchCache(deps);
}

const operations: Readonly<Record<EventType, WriteOperation>> = {
  ADDED: 'create',
  MODIFIED: 'update',
  DELETED: 'delete',
};

/** The share of `turnApplyMs` for applying changes while earlier ones are still being handed out,
 * which has the rest. */
const applyShare = 0.25;

/** Records of one page while a store is loaded that has them at hand. What larger pages are made of
 * would survive the collections of the young generation and fill half of the heap of a start. */
const loadPageRecords = 128;

/** The memory in which the values of a page lie while they are loaded: most pages fit. */
const loadPageBytes = storageLimits.pageBytesMax;

class WatchCache implements Streams {
  readonly #deps: StreamsDeps;
  readonly #limits: StreamLimits;
  readonly #maker: EntryMaker;
  readonly #progress: Progress;
  readonly #stages: WriteStages;
  readonly #delivery: Delivery;
  readonly #clock: WatchClock;
  readonly #kept: KeptSnapshots;
  readonly #logPages: LogPages;
  readonly #resources = new Map<string, ResourceStream>();
  readonly #byGroup = new Map<string, Map<string, ResourceStream>>();
  #lastOf: ResourceStream | undefined;
  readonly #groups = new Map<string, WatchGroup<Watcher>>();
  readonly #watchers = new Set<Watcher>();
  readonly #endings: WatchTerminator;
  readonly #outstanding: Outstanding;
  #handingOut: Promise<void> | undefined;
  readonly #waiting = new Set<ResourceStream>();
  /** Who reads what is awaited. */
  readonly #readers = new Map<ResourceStream, Promise<void>>();
  readonly #watcherDeps: WatcherDeps;
  readonly #frameBudget: FrameBudget = { bytes: 0 };
  readonly followers: Followers;
  readonly #stopping = new AbortController();
  #endsWatches = false;
  #following: Promise<void> = Promise.resolve();
  #isFatal = false;
  #startRevision: Revision | undefined;
  #eventsTotal = 0;

  constructor(deps: StreamsDeps) {
    const { clock, limits, prng, storage, timers } = deps;
    this.#deps = deps;
    this.#limits = limits;
    this.#maker = createEntryMaker(deps.decodeRecord, deps.stamp, deps.readRecord);
    const { currentWaitMs } = limits;
    this.#progress = new Progress({ ask: () => storage.revision(), clock, timers, currentWaitMs });
    const store = { storage, maker: this.#maker, clock, timers, limits };
    this.#kept = new KeptSnapshots(store);
    this.#logPages = new LogPages(store);
    this.#stages = deps.stages ?? createWriteStages(clock);
    const counts = newWatcherCounts();
    this.#delivery = new Delivery({ limits, clock, timers, stages: this.#stages, counts });
    this.#outstanding = new Outstanding(limits, clock, this.#delivery);
    this.#clock = createWatchClock({ clock, timers, prng, limits });
    this.#watcherDeps = this.#depsOfWatchers(counts);
    this.#endings = new WatchTerminator({
      clock,
      timers,
      watchers: this.#watchers,
      applied: () => this.revision,
    });
    this.followers = new Followers({ clock, timers, onFailure: deps.onFollowerFailure });
  }

  async start(): Promise<void> {
    assert(this.#startRevision === undefined, 'streams are started once');
    const revision = await this.#deps.storage.revision();
    this.#startRevision = revision;
    await this.#load(revision);
    this.#progress.advance(revision);
    for (const stream of this.#resources.values()) if (stream.cache.isAwaiting) this.#wait(stream);
    this.#following = this.#follow(revision);
  }

  async endAllWatches(): Promise<void> {
    this.#endsWatches = true;
    await endAll(this.#watchers, createSliceTimer(this.#deps.clock, this.#deps.timers));
  }

  async stop(): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    this.#stopping.abort();
    await this.endAllWatches();
    this.followers.stop();
    this.#progress.close();
    this.#clock.stop();
    this.#kept.stop();
    this.#logPages.stop();
    await this.#following;
    await this.#handingOut;
    await Promise.all(this.#readers.values());
  }

  get revision(): Revision {
    return this.#progress.revision;
  }

  waitUntilCurrent(): Promise<void> {
    return this.#progress.waitUntilCurrent();
  }

  waitUntil(revision: Revision, requester?: Requester): ReturnType<Streams['waitUntil']> {
    return this.#progress.waitUntil(revision, this.#limits.freshnessWaitMs, requester);
  }

  snapshot(resource: WatchRequest['resource']): ReturnType<Streams['snapshot']> {
    return this.#stream(resource).cache.snapshot(this.revision);
  }

  unreadableEntries(resource: WatchRequest['resource']): ReturnType<Streams['unreadableEntries']> {
    return this.#stream(resource).cache.lost;
  }

  isWaiting(resource: WatchRequest['resource']): boolean {
    return this.#stream(resource).isWaiting;
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  snapshotAt(
    resource: WatchRequest['resource'],
    revision: Revision,
  ): ReturnType<Streams['snapshotAt']> {
    return this.#kept.at(this.#stream(resource), revision, this.revision);
  }

  keep(resource: WatchRequest['resource'], snapshot: ResourceSnapshot): void {
    this.#kept.keep(this.#stream(resource), snapshot);
  }

  watch(request: WatchRequest, sink: WatchSink): WatchHandle {
    const group = this.#group(request);
    const watcher = new Watcher(group, sink, request, this.#watcherDeps);
    group.watchersCount += 1;
    group.scope.countWatch(request.caller, 1);
    this.#watchers.add(watcher);
    this.#clock.add(watcher, request.timeoutMs);
    if (this.#endsWatches) watcher.end();
    else watcher.begin(request.start, request.onInitialEventsEnd);
    return watcher;
  }

  *refresh({ group, resource }: WatchRequest['resource']): Generator<undefined, void> {
    const id = `${group}/${resource}`;
    const stream = this.#resources.get(id);
    if (stream !== undefined) yield* stream.cache.refresh(id, this.#deps.shapeOf?.(id));
  }

  endWatches({ group, resource }: WatchRequest['resource']): void {
    const stream = this.#resources.get(`${group}/${resource}`);
    if (stream !== undefined) this.#endAll(stream, undefined);
  }

  resourceEvents(resource: WatchRequest['resource'], only?: EventType): Observable<ResourceEvent> {
    return defer(() => {
      const { cache, id, routes } = this.#stream(resource);
      const reset = (): ResourceEvent => {
        return { type: 'RESET', resource: id, snapshot: cache.snapshot(this.revision) };
      };
      const event = (change: ResourceChange): ResourceEvent => {
        return { type: change.type, resource: id, entry: change.entry };
      };
      // In one step with the look at the state: no change is missed, and none comes twice.
      return concat(
        of(reset()),
        routes.followed(only).pipe(map((each) => (each === 'whole' ? reset() : event(each)))),
      );
    });
  }

  stats(): ReturnType<Streams['stats']> {
    const { framesTotal, states } = this.#watcherDeps.counts;
    let cachedBytes = 0;
    for (const { cache } of this.#resources.values()) cachedBytes += cache.bytes;
    return {
      watchersCount: this.#watchers.size,
      groupsCount: this.#groups.size,
      blockedCount: states.blocked,
      catchingUpCount: states['catching-up'],
      eventsTotal: this.#eventsTotal,
      framesTotal,
      cachedBytes,
      readsWaitingCount: this.#progress.readsCount,
      oldestReadMs: this.#progress.oldestReadMs,
      lagMs: this.#progress.lagMs,
    };
  }

  #depsOfWatchers(counts: WatcherCounts): WatcherDeps {
    const { limits, timers } = this.#deps;
    return {
      sources: {
        limits,
        errors: this.#deps,
        scratch: new Uint8Array(limits.pumpChunkBytes),
        missed: createMissedChunks(timers, limits),
        applied: () => this.revision,
        current: defer(() => this.waitUntilCurrent()).pipe(ignoreElements()),
        readLog: (after) => from(this.#logPages.covering(after)),
      },
      counts,
      whenApplied: (revision, callback) => this.#progress.when(revision, callback),
      turns: this.#delivery,
      onEnded: (watcher) => this.#onEnded(watcher),
      onInitialStall: (watcher) => this.#clock.noteStall(watcher),
    };
  }

  /** A deleted object of which no state can be shown: watches that may know it must list anew. */
  #endUnseen(stream: ResourceStream, { key }: Change): void {
    const why = 'the object is gone, and no state of it can be shown';
    const status = this.#deps.unreadableError(stream.resource, [{ key, why }]);
    this.#endAll(stream, status);
  }

  #waitOrOpen(stream: ResourceStream): void {
    if (stream.cache.isAwaiting) {
      this.#wait(stream);
      this.#endAll(stream, this.#deps.awaitedError(stream.resource));
    } else this.#open(stream);
  }

  /** Until its records can be read. What the log says of them meanwhile cannot be shown to who
   * watches, so nobody does. */
  #wait(stream: ResourceStream): void {
    stream.isWaiting = true;
    this.#waiting.add(stream);
    this.#deps.onWaiting?.(stream.resource, true);
    if (!this.#readers.has(stream)) this.#readers.set(stream, this.#readAwaited(stream));
  }

  async #readAwaited(stream: ResourceStream): Promise<void> {
    const { signal } = this.#stopping;
    const { clock, storage, timers, whenKeyThere = () => undefined } = this.#deps;
    const pageRecords = loadPageRecords;
    const deps = { storage, whenKeyThere, clock, timers, pageRecords, signal };
    while (stream.isWaiting && !signal.aborted) {
      await readAwaited(deps, stream);
      if (stream.isWaiting && !stream.cache.isAwaiting) this.#open(stream);
    }
    this.#readers.delete(stream);
  }

  /** Whole from this step on, for all. */
  #open(stream: ResourceStream): void {
    stream.isWaiting = false;
    this.#waiting.delete(stream);
    stream.cache.beginHistory(this.revision);
    this.#deps.onWaiting?.(stream.resource, false);
    stream.routes.tellWhole();
  }

  /** The groups first: a client that starts again gets one that works. */
  #endAll(stream: ResourceStream, why: StatusError | undefined): void {
    const groups = [...this.#groups.values()].filter((group) => group.stream === stream);
    for (const { id } of groups) this.#groups.delete(id);
    this.#endings.begin(groups, why);
  }

  /** Asked several times for each write: no text is made for it, and the keys are the texts that it
   * was asked with first, which are mostly the constants that it is asked with again: those are
   * found without a look at their characters. */
  #stream({ group, resource }: WatchRequest['resource']): ResourceStream {
    const known = this.#byGroup.get(group)?.get(resource);
    if (known !== undefined) return known;
    const stream = this.#streamOf(`${group}/${resource}`);
    const ofGroup = this.#byGroup.get(group) ?? new Map<string, ResourceStream>();
    this.#byGroup.set(group, ofGroup.set(resource, stream));
    return stream;
  }

  /** Changes that come one after the other are mostly of one resource. */
  #streamOfKey(key: StoreKey): ResourceStream {
    const { id } = this.#lastOf ?? {};
    const isSame = id !== undefined && key[id.length] === '/' && key.startsWith(id);
    if (!isSame) this.#lastOf = this.#streamOf(resourceIdOf(key));
    return this.#lastOf as ResourceStream;
  }

  #streamOf(id: string): ResourceStream {
    let stream = this.#resources.get(id);
    if (stream === undefined) {
      assert(this.#startRevision !== undefined, 'streams have been started');
      const cache = new ResourceCache(this.#startRevision, this.#maker, this.#limits);
      const [group = '', resource = ''] = id.split('/');
      stream = {
        id,
        resource: { group, resource },
        cache,
        routes: new Routes(),
        isWaiting: false,
      };
      this.#resources.set(id, stream);
    }
    return stream;
  }

  #group(request: WatchRequest): WatchGroup<Watcher> {
    const stream = this.#stream(request.resource);
    const place = groupPlace(stream, request, this.#limits);
    let group = this.#groups.get(place.id);
    if (group === undefined) {
      const budget = this.#frameBudget;
      group = new WatchGroup(place, request, this.#limits, budget, this.#groupEvents);
      this.#groups.set(place.id, group);
    }
    return group;
  }

  /** One object for all groups. */
  readonly #groupEvents: WatchGroupEvents<Watcher> = {
    onFrame: (group, frame) => this.#delivery.onFrame(group, frame),
    onGap: (group) => this.#delivery.mark(group),
    onBroken: (broken, error) => this.#onBroken(broken, error),
  };

  #onEnded(watcher: Watcher): void {
    const { group } = watcher;
    this.#watchers.delete(watcher);
    this.#clock.remove(watcher);
    group.watchersCount -= 1;
    group.scope.countWatch(watcher.caller, -1);
    if (group.watchersCount === 0) this.#dispose(group);
  }

  #onBroken(group: WatchGroup<Watcher>, error: unknown): void {
    // First out of the map: a client that starts again gets a group that works.
    this.#dispose(group);
    this.#endings.begin([group], this.#deps.internalError(messageOf(error)));
  }

  #dispose(group: WatchGroup<Watcher>): void {
    if (this.#groups.get(group.id) === group) this.#groups.delete(group.id);
    group.dispose();
  }

  async #load(revision: Revision): Promise<void> {
    let after: StoreKey | undefined;
    const into = Buffer.allocUnsafeSlow(loadPageBytes);
    const { clock, timers } = this.#deps;
    const endOfSlice = createSliceTimer(clock, timers);
    const { found } = this.#deps.storage;
    const nextBlock = await reserveBlocks(found?.smallValueBytes ?? 0, endOfSlice);
    // A store that knows what it holds has it at hand, so that small pages cost nothing.
    const most = found === undefined ? Infinity : loadPageRecords;
    const limit = Math.min(this.#limits.scanPageRecords, most);
    const allocate = blockMemory(blockBytesDefault, nextBlock);
    for (;;) {
      const range = { prefix: '', after, limit, into };
      const read = await this.#deps.storage.scan(range, revision);
      if (read.kind !== 'ok') {
        throw new StorageError('compacted', 'the store was compacted while it was being loaded');
      }
      for (const record of read.value.records) {
        this.#streamOfKey(record.key).cache.load(record, allocate);
        after = record.key;
        const pause = endOfSlice();
        if (pause !== undefined) await pause;
      }
      this.#deps.onLoaded?.(read.value.records.length);
      if (!read.value.more || read.value.records.length === 0) return;
    }
  }

  async #follow(after: Revision): Promise<void> {
    const { signal } = this.#stopping;
    try {
      for await (const page of this.#deps.storage.tail(after, signal)) {
        const seenMs = this.#deps.clock.monotonicMs();
        const isUsed = await this.#applyPage(page.changes, seenMs);
        if (signal.aborted || this.#isFatal) return;
        this.#progress.advance(page.through);
        this.#progress.wake();
        this.#kept.trim();
        if (isUsed) await this.#nextTurn();
      }
      if (!signal.aborted) throw new StorageError('closed', 'the change log ended');
    } catch (error) {
      this.#endFollowing(error);
    }
  }

  #endFollowing(error: unknown): void {
    if (this.#stopping.signal.aborted || this.#isFatal) return;
    this.#isFatal = true;
    this.#progress.close();
    this.#deps.onFatal(error);
  }

  /** A slice in each turn. Each change is with all groups before the next is applied, unless that
   * takes more than one turn: then they are applied ahead of it, and handed at once only to scopes
   * that are not behind. True: the last slice is used up, and another page has a later turn. */
  async #applyPage(changes: readonly Change[], seenMs: number): Promise<boolean> {
    const { signal } = this.#stopping;
    const { clock, limits } = this.#deps;
    const sliceMs = (): number => limits.turnApplyMs * (this.#outstanding.isEmpty ? 1 : applyShare);
    let endsMs = seenMs + sliceMs();
    const isOver = (): boolean => clock.monotonicMs() >= endsMs;
    let left = changes.length;
    for (const change of changes) {
      left -= 1;
      this.#apply(this.#streamOfKey(change.key), change, seenMs, isOver);
      this.#handOutRest();
      if (left === 0 || !isOver()) continue;
      this.#progress.wake();
      await this.#nextTurn();
      if (signal.aborted || this.#isFatal) return false;
      endsMs = clock.monotonicMs() + sliceMs();
    }
    return isOver();
  }

  /** What is left of it is handed out in turns of its own. */
  #handOutRest(): void {
    if (this.#handingOut !== undefined || this.#outstanding.isEmpty) return;
    const rest = this.#handOut();
    this.#handingOut = rest.catch((error: unknown) => this.#endFollowing(error));
  }

  /** A slice in each turn, and no faster than the live watchers take it. */
  async #handOut(): Promise<void> {
    const { clock, limits } = this.#deps;
    while (!this.#outstanding.isEmpty && !this.#stopping.signal.aborted) {
      await (this.#outstanding.isHeld ? this.#delivery.relief() : this.#nextTurn());
      const sliceMs = limits.turnApplyMs * (1 - applyShare);
      this.#outstanding.handOut(clock.monotonicMs() + sliceMs);
    }
    this.#handingOut = undefined;
  }

  #nextTurn(): Promise<void> {
    return new Promise((resolve) => this.#deps.timers.nextTurn(resolve));
  }

  #apply(stream: ResourceStream, change: Change, seenMs: number, isOver: () => boolean): void {
    const applied = stream.cache.apply(change);
    this.#deps.onApplied?.(change);
    // Before routing, so that receivers of the change find it applied.
    this.#progress.advance(change.revision);
    this.#eventsTotal += 1;
    if (applied === 'unseen') this.#endUnseen(stream, change);
    else if (applied !== undefined) this.#route(stream, applied, seenMs, isOver);
    if (stream.cache.isAwaiting !== stream.isWaiting) this.#waitOrOpen(stream);
  }

  #route(
    { routes }: ResourceStream,
    applied: ResourceChange,
    seenMs: number,
    isOver: () => boolean,
  ): void {
    const { revision, seq, type } = applied;
    const write = this.#stages.seen(revision, operations[type], seq, seenMs);
    this.#outstanding.add(applied, write, routes.route(applied), isOver);
  }
}

function newWatcherCounts(): WatcherCounts {
  const states = { waiting: 0, initial: 0, 'catching-up': 0, live: 0, blocked: 0, ended: 0 };
  return { states, framesTotal: 0 };
}
