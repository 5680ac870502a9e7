/**
 * The hub: loads the caches, follows the log, and puts every watch on its way.
 *
 *      storage.tail ─▶ apply: cache + history ─▶ routes ─▶ classes ─▶ delivery, next turn
 *                        one change at a time, synchronously, in log order
 *
 * What it is not: a writer. A local commit reaches watchers only through the log, as any other
 * server's does.
 *
 * Invariants: numbered in SPEC.md. A log that cannot be followed stops the server (`onFatal`): to
 * go on would be to go on with a gap.
 */
import type { StatusError } from '../src/apimachinery/status-error.ts';
import { assert } from '../src/stdx/assert.ts';
import type { Clock, Timers } from '../src/stdx/clock.ts';
import { messageOf } from '../src/stdx/message-of.ts';
import type { Prng } from '../src/stdx/prng.ts';
import { StorageError } from '../src/storage/storage.ts';
import type { Change, Revision, Storage, StoreKey } from '../src/storage/storage.ts';
import { createBookmarks } from './bookmarks.ts';
import type { Bookmarks } from './bookmarks.ts';
import { Delivery } from './delivery.ts';
import { Followers } from './followers.ts';
import type { Followed, FollowersDeps } from './followers.ts';
import type { FrameBudget } from './frame-ring.ts';
import { Progress } from './freshness.ts';
import { KeptSnapshots } from './kept-snapshots.ts';
import type { StreamLimits } from './limits.ts';
import { LogPages } from './log-pages.ts';
import { Member } from './member.ts';
import { initialEvents } from './pumps.ts';
import { ResourceCache } from './resource-cache.ts';
import { createEntryMaker, resourceIdOf } from './resource-change.ts';
import type { DecodeRecord, EntryMaker, ResourceChange, Stamp } from './resource-change.ts';
import { Routes } from './routes.ts';
import { unreadableIn } from './streams.ts';
import type {
  ChangeFollower,
  ResourceSnapshot,
  Streams,
  WatchHandle,
  WatchRequest,
  WatchSink,
} from './streams.ts';
import { WatchClass, watchClassId } from './watch-class.ts';
import type { ResourceStream, WatchClassEvents } from './watch-class.ts';

export interface StreamsDeps {
  readonly storage: Pick<Storage, 'revision' | 'scan' | 'changes' | 'tail'>;
  readonly decodeRecord: DecodeRecord;
  readonly stamp: Stamp;
  /** 410 Expired. */
  readonly expiredError: (message: string) => StatusError;
  /** 500, for a watch that cannot go on through no fault of its client. */
  readonly internalError: (message: string) => StatusError;
  /** 500, for a watch that would have to show what cannot be read. */
  readonly unreadableError: (
    resource: WatchRequest['resource'],
    objects: readonly { readonly key: string; readonly why: string }[],
  ) => StatusError;
  /** 504, for a watch that cannot begin because the log is not caught up with. */
  readonly timeoutError: (message: string) => StatusError;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly prng: Prng;
  readonly limits: StreamLimits;
  /** Somebody who follows the state in this process has thrown; it is begun anew. */
  readonly onFollowerFailure: FollowersDeps['onFailure'];
  /** The log can no longer be followed. Called at most once; nothing is applied after it. */
  readonly onFatal: (error: unknown) => void;
}

export function createStreams(deps: StreamsDeps): Streams {
  return new Hub(deps);
}

class Hub implements Streams {
  readonly #deps: StreamsDeps;
  readonly #limits: StreamLimits;
  readonly #maker: EntryMaker;
  readonly #progress: Progress;
  readonly #delivery: Delivery;
  readonly #bookmarks: Bookmarks;
  readonly #kept: KeptSnapshots;
  readonly #logPages: LogPages;
  readonly #resources = new Map<string, ResourceStream>();
  readonly #classes = new Map<string, WatchClass<Member>>();
  readonly #members = new Set<Member>();
  readonly #frameBudget: FrameBudget = { bytes: 0 };
  readonly #listeners = new Set<Listener>();
  readonly followers: Followers;
  readonly #stopping = new AbortController();
  #following: Promise<void> = Promise.resolve();
  #startRevision: Revision | undefined;
  #eventsTotal = 0;

  constructor(deps: StreamsDeps) {
    const { clock, limits, prng, storage, timers } = deps;
    this.#deps = deps;
    this.#limits = limits;
    this.#maker = createEntryMaker(deps.decodeRecord, deps.stamp);
    const { currentWaitMs } = limits;
    this.#progress = new Progress({ ask: () => storage.revision(), clock, timers, currentWaitMs });
    const store = { storage, maker: this.#maker, clock, timers, limits };
    this.#kept = new KeptSnapshots(store);
    this.#logPages = new LogPages(store);
    const applied = (): Revision => this.#progress.revision;
    this.#delivery = new Delivery({
      limits,
      clock,
      timers,
      expiredError: deps.expiredError,
      internalError: deps.internalError,
      applied,
      whenApplied: (revision, callback) => this.#progress.when(revision, callback),
      readLog: (after) => this.#logPages.covering(after),
      onEnded: (member) => this.#onEnded(member),
      onInitialStall: (member) => this.#bookmarks.watchStall(member),
    });
    const delivery = this.#delivery;
    this.#bookmarks = createBookmarks({ clock, timers, prng, limits, delivery, applied });
    this.followers = new Followers({ timers, onFailure: deps.onFollowerFailure });
  }

  async start(): Promise<void> {
    assert(this.#startRevision === undefined, 'streams are started once');
    const revision = await this.#deps.storage.revision();
    this.#startRevision = revision;
    await this.#load(revision);
    this.#progress.advance(revision);
    this.#following = this.#follow(revision);
  }

  async stop(): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    this.#stopping.abort();
    for (const member of [...this.#members]) {
      if (member.bookmarks) this.#bookmarks.write(member);
      this.#delivery.end(member);
    }
    this.followers.stop();
    this.#progress.close();
    this.#bookmarks.stop();
    this.#kept.stop();
    this.#logPages.stop();
    await this.#following;
  }

  get revision(): Revision {
    return this.#progress.revision;
  }

  waitUntilCurrent(): Promise<void> {
    return this.#progress.waitUntilCurrent();
  }

  waitUntil(revision: Revision): ReturnType<Streams['waitUntil']> {
    return this.#progress.waitUntil(revision, this.#limits.freshnessWaitMs);
  }

  snapshot(resource: WatchRequest['resource']): ReturnType<Streams['snapshot']> {
    return this.#stream(resource).cache.snapshot(this.revision);
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
    const cls = this.#class(request);
    const member = new Member(cls, sink, request.bookmarks, this.revision, this.#onClose);
    cls.membersCount += 1;
    this.#members.add(member);
    this.#delivery.enter(member);
    this.#bookmarks.add(member, request.timeoutMs);
    if (this.#stopping.signal.aborted) this.#delivery.end(member);
    else this.#begin(member, request.start);
    return member;
  }

  follow(follower: ChangeFollower): () => void {
    const followed = this.followers.add(follower.name, () => follower.onState());
    const listener: Listener = { follower, followed };
    // In one step with the look at the state: no change is missed, and none comes twice.
    this.#listeners.add(listener);
    followed.begin();
    return () => {
      this.#listeners.delete(listener);
      followed.stop();
    };
  }

  stats(): ReturnType<Streams['stats']> {
    const { counts, framesTotal } = this.#delivery;
    let cachedObjectsCount = 0;
    let cachedBytes = 0;
    for (const { cache } of this.#resources.values()) {
      cachedObjectsCount += cache.count;
      cachedBytes += cache.bytes;
    }
    return {
      watchersCount: this.#members.size,
      classesCount: this.#classes.size,
      blockedCount: counts.blocked,
      catchingUpCount: counts['catching-up'],
      eventsTotal: this.#eventsTotal,
      framesTotal,
      cachedObjectsCount,
      cachedBytes,
      readsWaitingCount: this.#progress.readsCount,
      oldestReadMs: this.#progress.oldestReadMs,
      lagMs: this.#progress.lagMs,
    };
  }

  #begin(member: Member, start: WatchRequest['start']): void {
    switch (start.kind) {
      case 'after':
        member.revision = start.revision;
        this.#delivery.settle(member);
        return;
      case 'now':
        this.#whenCurrent(member, () => this.#beginAtHead(member));
        return;
      case 'state': {
        const begin = (): void => this.#beginWithState(member, start.mark);
        if (start.atLeast === undefined) this.#whenCurrent(member, begin);
        else this.#delivery.wait(member, start.atLeast, begin);
        return;
      }
    }
  }

  #whenCurrent(member: Member, begin: () => void): void {
    this.waitUntilCurrent().then(begin, (error: unknown) => {
      const message = messageOf(error);
      const late = error instanceof StorageError && error.code === 'lagging';
      const { internalError, timeoutError } = this.#deps;
      this.#delivery.fail(member, late ? timeoutError(message) : internalError(message));
    });
  }

  #beginAtHead(member: Member): void {
    member.cursor = member.cls.stream.cache.seq;
    member.revision = this.revision;
    this.#delivery.settle(member);
  }

  /** What is gone cannot be shown: those that may know it have to list anew. */
  #endUnseen(stream: ResourceStream, { key }: Change): void {
    const why = 'the object is gone, and no state of it can be shown';
    for (const member of [...this.#members]) {
      if (member.cls.stream === stream) this.#failUnreadable(member, [{ key, why }]);
    }
  }

  #failUnreadable(member: Member, objects: readonly { key: string; why: string }[]): void {
    const [group = '', resource = ''] = member.cls.stream.id.split('/');
    this.#delivery.fail(member, this.#deps.unreadableError({ group, resource }, objects));
  }

  /** One step: the snapshot at R, and the cursor at R. Nothing can fall between the two. */
  #beginWithState(member: Member, mark: boolean): void {
    if (member.state === 'ended') return;
    const { selection, stream } = member.cls;
    const unreadable = unreadableIn(stream.cache.snapshot(this.revision), selection.namespace);
    if (unreadable.length > 0) {
      const objects = unreadable.map(({ key, why }) => ({ key: `${stream.id}/${key}`, why }));
      return this.#failUnreadable(member, objects);
    }
    member.initial = initialEvents(stream.cache.snapshot(this.revision), selection, mark);
    this.#beginAtHead(member);
  }

  #stream(resource: WatchRequest['resource']): ResourceStream {
    return this.#streamOf(`${resource.group}/${resource.resource}`);
  }

  #streamOf(id: string): ResourceStream {
    let stream = this.#resources.get(id);
    if (stream === undefined) {
      assert(this.#startRevision !== undefined, 'streams have been started');
      const cache = new ResourceCache(this.#startRevision, this.#maker, this.#limits);
      stream = { id, cache, routes: new Routes() };
      this.#resources.set(id, stream);
    }
    return stream;
  }

  #class(request: WatchRequest): WatchClass<Member> {
    const stream = this.#stream(request.resource);
    const id = watchClassId(stream, request);
    let cls = this.#classes.get(id);
    if (cls === undefined) {
      cls = new WatchClass<Member>(
        id,
        stream,
        request,
        this.#limits,
        this.#frameBudget,
        this.#classEvents,
      );
      this.#classes.set(id, cls);
    }
    return cls;
  }

  /** One object for all classes. */
  readonly #classEvents: WatchClassEvents<Member> = {
    onFrame: (made, frame) => this.#delivery.onFrame(made, frame),
    onBroken: (broken, error) => this.#onBroken(broken, error),
  };

  readonly #onClose = (member: Member): void => this.#delivery.forget(member);

  #onEnded(member: Member): void {
    const { cls } = member;
    this.#members.delete(member);
    this.#bookmarks.remove(member);
    cls.membersCount -= 1;
    if (cls.membersCount === 0) this.#dispose(cls);
  }

  #onBroken(cls: WatchClass<Member>, error: unknown): void {
    // First out of the map: a client that starts again gets a class that works.
    this.#dispose(cls);
    const message = messageOf(error);
    const status = this.#deps.internalError(message);
    for (const member of [...this.#members]) {
      if (member.cls === cls) this.#delivery.fail(member, status);
    }
  }

  #dispose(cls: WatchClass<Member>): void {
    if (this.#classes.get(cls.id) === cls) this.#classes.delete(cls.id);
    cls.dispose();
  }

  async #load(revision: Revision): Promise<void> {
    let after: StoreKey | undefined;
    for (;;) {
      const range = { prefix: '', after, limit: this.#limits.scanPageRecords };
      const read = await this.#deps.storage.scan(range, revision);
      if (read.kind !== 'ok') {
        throw new StorageError('compacted', 'the store was compacted while it was being loaded');
      }
      for (const record of read.value.records) {
        this.#streamOf(resourceIdOf(record.key)).cache.load(record);
        after = record.key;
      }
      if (!read.value.more || read.value.records.length === 0) return;
    }
  }

  async #follow(after: Revision): Promise<void> {
    const { signal } = this.#stopping;
    try {
      for await (const page of this.#deps.storage.tail(after, signal)) {
        for (const change of page.changes) {
          if (signal.aborted) return;
          this.#apply(change);
          if (this.#delivery.pressed) {
            this.#progress.wake();
            await this.#delivery.relief();
          }
        }
        if (signal.aborted) return;
        this.#progress.advance(page.through);
        this.#progress.wake();
        this.#kept.trim();
      }
      if (!signal.aborted) throw new StorageError('closed', 'the change log ended');
    } catch (error) {
      if (signal.aborted) return;
      this.#progress.close();
      this.#deps.onFatal(error);
    }
  }

  #apply(change: Change): void {
    const stream = this.#streamOf(resourceIdOf(change.key));
    const applied = stream.cache.apply(change);
    // Before routing: whoever hears of the change finds it applied.
    this.#progress.advance(change.revision);
    this.#eventsTotal += 1;
    if (applied === undefined) return;
    if (applied === 'unseen') return this.#endUnseen(stream, change);
    stream.routes.route(applied);
    for (const listener of this.#listeners) tell(listener, stream.id, applied);
  }
}

interface Listener {
  readonly follower: ChangeFollower;
  readonly followed: Followed;
}

/** What a listener throws is its own affair, and nothing to those behind it. */
function tell({ followed, follower }: Listener, resource: string, change: ResourceChange): void {
  if (!followed.isLive) return;
  try {
    follower.onChange(resource, change.type, change.entry);
    followed.took(resource);
  } catch (error) {
    followed.failed(error, resource);
  }
}
