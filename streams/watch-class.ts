/**
 * All watches that are sent the same bytes: one resource, one selection, one encoder. The class
 * owns the one RxJS pipeline that makes their frames, each once; its members are records with a
 * cursor.
 *
 * What it is not: a sender. delivery.ts hands the frames out.
 *
 * Invariants: the class holds no frame that every member has; `live[i].index === i`, and a member
 * in no live list has index -1.
 */
import type { Subscription } from 'rxjs';
import type { Revision } from '../src/storage/storage.ts';
import { FrameRing } from './frame-ring.ts';
import type { FrameBudget } from './frame-ring.ts';
import type { StreamLimits } from './limits.ts';
import type { ResourceCache } from './resource-cache.ts';
import type { Routes } from './routes.ts';
import { frames } from './selection.ts';
import type { Frame, Selection } from './selection.ts';
import type { EventEncoder, SentEvents, WatchRequest } from './streams.ts';

/** One resource: what it is, and the way its changes take. */
export interface ResourceStream {
  readonly id: string;
  readonly cache: ResourceCache;
  readonly routes: Routes;
}

/** What the class needs of a member: where it stands in the live list. */
export interface Seat {
  index: number;
}

export interface WatchClassEvents<M extends Seat> {
  /** A frame was made. */
  readonly onFrame: (cls: WatchClass<M>, frame: Frame) => void;
  /** The pipeline broke (a predicate or an encoder threw): no frame will follow. */
  readonly onBroken: (cls: WatchClass<M>, error: unknown) => void;
}

export class WatchClass<M extends Seat> {
  readonly id: string;
  readonly stream: ResourceStream;
  readonly selection: Selection;
  readonly encoder: EventEncoder;
  readonly sent: SentEvents | undefined;
  readonly ring: FrameRing;
  /** Members that are up to date or will be after the next delivery. */
  readonly live: M[] = [];
  /** All members, in whatever state. */
  membersCount = 0;

  /** Owned by delivery.ts: whether it waits for delivery, where the pass over `live` stands,
   * whether another has to follow, and what was made since the pass began. */
  queued = false;
  position = -1;
  again = false;
  freshBytes = 0;

  readonly #subscription: Subscription;
  #bookmarkRevision: Revision | undefined;
  #bookmark: Uint8Array | undefined;

  constructor(
    id: string,
    stream: ResourceStream,
    request: WatchRequest,
    limits: StreamLimits,
    budget: FrameBudget,
    events: WatchClassEvents<M>,
  ) {
    this.id = id;
    this.stream = stream;
    this.selection = { namespace: request.namespace, predicate: request.predicate };
    this.encoder = request.encoder;
    this.sent = request.sent;
    this.ring = new FrameRing(stream.cache.seq, limits, budget);
    this.#subscription = stream.routes
      .changes(this.selection)
      .pipe(frames(this.selection, this.encoder))
      .subscribe({
        next: (frame) => {
          this.ring.push(frame, this.membersCount - this.live.length);
          events.onFrame(this, frame);
        },
        error: (error: unknown) => events.onBroken(this, error),
      });
  }

  /** A member that has everything up to its cursor, which the ring must reach back to. */
  join(member: M): void {
    member.index = this.live.length;
    this.live.push(member);
  }

  /** O(1): the last one takes its place. */
  leave(member: M): void {
    if (member.index < 0) return;
    const last = this.live.pop() as M;
    if (last !== member) {
      this.live[member.index] = last;
      last.index = member.index;
    }
    member.index = -1;
  }

  /** Made once per revision: members whose bookmarks fall together share the bytes. */
  bookmark(revision: Revision): Uint8Array {
    if (this.#bookmark === undefined || this.#bookmarkRevision !== revision) {
      this.#bookmark = this.encoder.bookmark(revision, false);
      this.#bookmarkRevision = revision;
    }
    return this.#bookmark;
  }

  /** Without members: stops the pipeline. */
  dispose(): void {
    this.#subscription.unsubscribe();
    this.ring.clear();
  }
}

/** Equal ids: equal frames. Only the last part, the predicate's text, can hold a line break. */
export function watchClassId(stream: ResourceStream, request: WatchRequest): string {
  const { namespace, predicate, encoder } = request;
  const scope = namespace === undefined ? '*' : `=${namespace}`;
  return `${stream.id}\n${scope}\n${encoder.id}\n${predicate.id}`;
}
