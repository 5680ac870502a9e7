/**
 * All watches that are sent the same bytes: one resource, one selection, one encoder. The group
 * owns the one RxJS pipeline that makes their frames, each once; its watchers are records with a
 * position.
 *
 *     merge(changes of the route, bookmarks) ─▶ frames ─▶ ring, for the live list
 *                                                    └──▶ the newest bookmark
 *
 * delivery.ts hands the frames out.
 *
 * Invariants: the group holds no frame that every watcher has; `live[i].liveIndex === i`, and a
 * watcher in no live list has index -1; the lists beside `live` are as long as it.
 */
import type { Observer, Subscription } from 'rxjs';
import type { GroupResource } from '../src/apimachinery/schema.ts';
import type { StatusError } from '../src/apimachinery/status-error.ts';
import { assert } from '../src/stdx/assert.ts';
import { RingBuffer } from '../src/stdx/ring-buffer.ts';
import type { Revision } from '../src/storage/storage.ts';
import type { StagedWrite } from '../src/storage/write-stages.ts';
import { FrameRing } from './frame-ring.ts';
import type { FrameBudget } from './frame-ring.ts';
import type { StreamLimits } from './limits.ts';
import type { Position } from './position.ts';
import type { ResourceCache } from './resource-cache.ts';
import type { Routes } from './routes.ts';
import type { Scope } from './scope.ts';
import { changesAndBookmarks, frames } from './selection.ts';
import type { BookmarkFrame, Frame, FrameGap, FrameOptions, Selection } from './selection.ts';
import type { EventEncoder, SentEvents, WatchRequest, WatchSink } from './streams.ts';

/** One resource: what it is, and the way its changes take. */
export interface ResourceStream {
  /** `<group>/<resource>`. */
  readonly id: string;
  readonly resource: GroupResource;
  readonly cache: ResourceCache;
  readonly routes: Routes;
  /** Records of it cannot be read yet: nobody watches it. */
  isWaiting: boolean;
}

/** What the group needs of a watcher. */
export interface LiveListEntry {
  readonly liveIndex: number;
  readonly sink: WatchSink;
  placeInLiveList(index: number): void;
}

export interface WatchGroupEvents<W extends LiveListEntry> {
  /** A frame was made. */
  readonly onFrame: (group: WatchGroup<W>, frame: Frame) => void;
  /** Frames were left out, which its watchers have to catch up with. */
  readonly onGap: (group: WatchGroup<W>) => void;
  /** The pipeline broke (a predicate or an encoder threw): no frame will follow. */
  readonly onBroken: (group: WatchGroup<W>, error: unknown) => void;
}

/** Where a group lies, and how it is found. */
export interface GroupPlace {
  readonly id: string;
  readonly stream: ResourceStream;
  readonly scope: Scope;
}

/** How the watchers of a group are ended (watch-terminator.ts). */
export interface GroupEnding {
  /** The error that they are sent; undefined: none. */
  readonly why: StatusError | undefined;
  /** What they were given before it; undefined: not all of them the same. */
  readonly revision: Revision | undefined;
}

export class WatchGroup<W extends LiveListEntry> {
  readonly id: string;
  readonly stream: ResourceStream;
  readonly selection: Selection;
  /** Where it lies. */
  readonly scope: Scope;
  readonly encoder: EventEncoder;
  readonly sent: SentEvents | undefined;
  readonly ring: FrameRing;
  /** Watchers that are up to date or will be after the next delivery. Beside each its sink and its
   * position: a pass reads these lists and leaves the watchers alone, for those of a large audience
   * are not in the caches of the processor. */
  readonly live: W[] = [];
  readonly liveSinks: WatchSink[] = [];
  /** Whether one of its sinks does. Where none does, delivery asks no sink at each write. */
  settlesLater = false;
  readonly livePositions: Position[] = [];
  /** All watchers, in whatever state. */
  watchersCount = 0;
  /** Its watchers are being ended, and no change goes to them any more. */
  ending: GroupEnding | undefined = undefined;

  /** Owned by delivery.ts: whether it waits for delivery, where the pass over `live` stands,
   * whether another has to follow, what was made since the pass began, how many of its writes had
   * several frames, and until when the next pass rests for that (0: it does not). */
  queued = false;
  position = -1;
  again = false;
  freshBytes = 0;
  crowdedWrites = 0;
  restsUntilMs = 0;
  /** What every live watcher will have when the pass has ended; the writes whose frames they have
   * not all been handed, in order. Also delivery's. */
  passSeq = -1;
  readonly unwritten = new RingBuffer<StagedWrite>();

  readonly #subscription: Subscription;
  #bookmarks: Observer<Revision> | undefined;
  #bookmark: BookmarkFrame | undefined;

  constructor(
    { id, scope, stream }: GroupPlace,
    request: WatchRequest,
    limits: StreamLimits,
    budget: FrameBudget,
    events: WatchGroupEvents<W>,
  ) {
    this.id = id;
    this.stream = stream;
    this.scope = scope;
    this.selection = { namespace: request.namespace, predicate: request.predicate };
    this.encoder = request.encoder;
    this.sent = request.sent;
    this.ring = new FrameRing(stream.cache.seq, limits, budget);
    const changes = this.scope.changes(this.selection);
    this.#subscription = changesAndBookmarks(changes, (bookmarks) => (this.#bookmarks = bookmarks))
      .pipe(frames(this.selection, this.encoder, this.#frameOptions(limits)))
      .subscribe({
        next: (frame) => {
          if (frame.seq === undefined) {
            this.#bookmark = frame;
            return;
          }
          if (this.ending !== undefined) return;
          if (frame.bytes === undefined) return this.#leaveOut(frame, events);
          this.ring.push(frame, this.watchersCount - this.live.length);
          events.onFrame(this, frame);
        },
        error: (error: unknown) => events.onBroken(this, error),
      });
  }

  /** A few watchers that are not live catch up for themselves: frames that wait for them would be
   * made ahead of time, and held. */
  #frameOptions(limits: StreamLimits): FrameOptions {
    const { leaveOutWatchersMax } = limits;
    return {
      isForNobody: () => this.live.length === 0 && this.watchersCount <= leaveOutWatchersMax,
      onLeftOut: ({ seq }) => this.ring.skip(seq),
      limits,
    };
  }

  /** Nothing if it began behind the gap. */
  #leaveOut({ seq }: FrameGap, events: WatchGroupEvents<W>): void {
    if (seq <= this.ring.head) return;
    this.ring.skip(seq);
    events.onGap(this);
  }

  /** A watcher that has everything up to `position`, which the ring must reach back to. */
  join(watcher: W, position: Position): void {
    watcher.placeInLiveList(this.live.length);
    this.live.push(watcher);
    this.liveSinks.push(watcher.sink);
    if (watcher.sink.settlesLater === true) this.settlesLater = true;
    this.livePositions.push(position);
  }

  /** O(1): the last one takes its place. Returns its position. */
  leave(watcher: W): Position {
    const index = watcher.liveIndex;
    const position = this.livePositions[index];
    assert(position !== undefined, 'who leaves the live list is in it');
    const last = this.live.pop() as W;
    const lastSink = this.liveSinks.pop() as WatchSink;
    const lastPosition = this.livePositions.pop() as Position;
    if (last !== watcher) {
      this.live[index] = last;
      this.liveSinks[index] = lastSink;
      this.livePositions[index] = lastPosition;
      last.placeInLiveList(index);
    }
    watcher.placeInLiveList(-1);
    return position;
  }

  /** Made once per revision: watchers whose bookmarks fall together share the bytes. Undefined: it
   * cannot be made, and the group has ended. */
  bookmark(revision: Revision): Uint8Array | undefined {
    if (this.#bookmark?.revision !== revision) this.#bookmarks?.next(revision);
    return this.#bookmark?.revision === revision ? this.#bookmark.bytes : undefined;
  }

  /** Stops the pipeline of a group without watchers. */
  dispose(): void {
    this.#subscription.unsubscribe();
    this.ring.clear();
  }
}

/** Where the next watch like this lies. Equal ids: equal frames, and one scope. Only the last part,
 * the predicate's text, can hold a line break. */
export function groupPlace(
  stream: ResourceStream,
  { caller, encoder, namespace, predicate }: WatchRequest,
  { callerWatchesMax }: StreamLimits,
): GroupPlace {
  const scopes = stream.routes.scopes({ namespace, predicate });
  const scope = scopes.scope(predicate, caller, callerWatchesMax);
  const where = namespace === undefined ? '*' : `=${namespace}`;
  const owner = scope.owner === undefined ? '*' : JSON.stringify(scope.owner);
  const id = `${stream.id}\n${where}\n${owner}\n${encoder.id}\n${predicate.id}`;
  return { id, scope, stream };
}
