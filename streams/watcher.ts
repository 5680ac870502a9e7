/**
 * One watch: a position and a sink (SPEC.md has its states). Both are written here, and for one
 * that is live by the pass of delivery.ts.
 *
 *      waiting ─▶ initial ─▶ catching-up ─▶ live        blocked: the sink said wait, in any of them
 *      └─ the expression of watch-events.ts ─┘ └─ the live list of the group, delivery.ts
 *
 * Until it is live it is the subscriber of its expression, which knows neither `write` nor
 * `onDrain`. Each turn makes one write. At 'live' the subscription and everything that belongs to
 * it are dropped: a live watch is a small record in a list.
 *
 * Everything that could grow belongs to the group (frames), the resource (history) or the store
 * (log); time passes in watch-clock.ts.
 *
 * Invariants: in exactly one state; everything the selection shows up to the position has been
 * written, nothing after it; nothing is written between a write that said wait and its drain.
 */
import { Observable } from 'rxjs';
import type { Subscriber, Subscription } from 'rxjs';
import type { StatusError } from '../src/apimachinery/status-error.ts';
import type { Revision } from '../src/storage/storage.ts';
import { joined } from './frame-ring.ts';
import { unknownSeq } from './position.ts';
import type { Position } from './position.ts';
import type { WatchHandle, WatchRequest, WatchSink, WatchStart } from './streams.ts';
import { TimedWatch } from './watch-clock.ts';
import { resumedEvents, watchEvents } from './watch-events.ts';
import type { Stage, WatchItem, WatchProgress, WatchSources } from './watch-events.ts';
import type { LiveListEntry, WatchGroup } from './watch-group.ts';

export type WatcherState = Stage | 'live' | 'blocked' | 'ended';

export interface WatcherCounts {
  readonly states: Record<WatcherState, number>;
  framesTotal: number;
}

/** What all watchers of a server share. */
export interface WatcherDeps {
  readonly sources: WatchSources;
  readonly counts: WatcherCounts;
  /** Calls back once `revision` has been applied. Returns a function that cancels it. */
  readonly whenApplied: (revision: Revision, callback: () => void) => () => void;
  /** Who gives turns (delivery.ts). */
  readonly turns: {
    /** Calls takeTurn() when it is its turn. */
    ask(watcher: Watcher): void;
    /** The group has frames for its live watchers, or frames that may be dropped. */
    mark(group: WatchGroup<Watcher>): void;
  };
  /** The watcher has ended and is out of the live list of its group. */
  readonly onEnded: (watcher: Watcher) => void;
  /** The watcher has stopped in the middle of its initial events. */
  readonly onInitialStall: (watcher: Watcher) => void;
}

export class Watcher extends TimedWatch implements WatchHandle, LiveListEntry {
  readonly group: WatchGroup<Watcher>;
  readonly bookmarks: boolean;
  readonly caller: string | undefined;
  readonly sink: WatchSink;
  readonly #deps: WatcherDeps;
  #state: WatcherState = 'waiting';
  /** Unless it is live: then its group has it. */
  #position: Position;
  #liveIndex = -1;
  /** Undefined once live. */
  #approach: Approach | undefined = undefined;
  /** What the sink calls; made at the first stall and kept. */
  #onDrain: (() => void) | undefined = undefined;

  constructor(
    group: WatchGroup<Watcher>,
    sink: WatchSink,
    { bookmarks, caller }: Pick<WatchRequest, 'bookmarks' | 'caller'>,
    deps: WatcherDeps,
  ) {
    super();
    this.group = group;
    this.bookmarks = bookmarks;
    this.caller = caller;
    this.sink = sink;
    this.#deps = deps;
    this.#position = { seq: unknownSeq, revision: deps.sources.applied() };
    deps.counts.states.waiting += 1;
  }

  get state(): WatcherState {
    return this.#state;
  }

  /** Of the changes of its resource; `unknownSeq` only before it is live. */
  get seq(): number {
    return this.#positionNow().seq;
  }

  /** That of `seq`. */
  get revision(): Revision {
    return this.#positionNow().revision;
  }

  get liveIndex(): number {
    return this.#liveIndex;
  }

  get isClosed(): boolean {
    return this.sink.closed;
  }

  get isStalled(): boolean {
    return this.#state === 'blocked' && this.#approach?.stage === 'initial';
  }

  begin(start: WatchStart, onInitialEventsEnd?: (marked: boolean) => void): void {
    this.#follow((progress) => watchEvents(progress, start, onInitialEventsEnd));
  }

  /** Its index in the live list, kept by the list; -1: in none. */
  placeInLiveList(index: number): void {
    this.#liveIndex = index;
  }

  /** It is live, but its group has already dropped frames that it needs, or has not made them. The
   * expression is made in its first turn: thousands may resume at once, and most need no other. */
  resume(): void {
    this.#move('catching-up');
    this.#deps.turns.ask(this);
  }

  /** The turn that it asked for. Returns what that cost, in bytes. */
  takeTurn(): number {
    if (this.group.ending !== undefined) return 0;
    const resumes = this.#approach === undefined && this.#state === 'catching-up';
    if (resumes) this.#follow(resumedEvents, true);
    const approach = this.#approach;
    if (approach === undefined || (approach.turns === undefined && !resumes)) return 0;
    approach.inTurn = true;
    approach.costBytes = 0;
    approach.turns?.next();
    approach.inTurn = false;
    this.#settle(approach);
    return approach.costBytes;
  }

  /** A bookmark at the revision that its group was given so far, of whatever resource, if it is
   * live and has been sent everything up to it. False: events are outstanding, or cannot be shown,
   * or it began behind that revision. */
  sendBookmark(): boolean {
    if (this.group.ending !== undefined || !this.#flush()) return false;
    const { scope, stream } = this.group;
    const routed = scope.routed(this.#deps.sources.applied());
    if (routed < this.revision) return false;
    const bookmark = this.group.bookmark(routed);
    if (bookmark !== undefined) this.#write(bookmark, true);
    if (this.#state !== 'live') return true;
    // The position may follow: nothing of the group lies between the two.
    const seq = Math.max(this.seq, scope.routedSeq(stream.cache.seq));
    this.#moveTo({ seq, revision: routed });
    return true;
  }

  /** Tells the client why, when it can take it, and ends the stream. */
  fail(status: StatusError): void {
    if (this.#state === 'ended') return;
    try {
      if (this.#state !== 'blocked') this.sink.write(this.group.encoder.error(status));
    } catch {
      // The stream ends either way.
    }
    this.end();
  }

  /** Sends what there is for it, if it is live, and ends the stream cleanly. `through`: what its
   * group was given, for its last bookmark. */
  finish(through: Revision | undefined): void {
    const isCurrent = this.#flush();
    if (this.bookmarks && isCurrent && through !== undefined && through >= this.revision) {
      const bookmark = this.group.bookmark(through);
      if (bookmark !== undefined) this.#write(bookmark, true);
    }
    this.end();
  }

  /** Its time is over. */
  expire(): void {
    const deadline = this.#approach?.deadline;
    if (deadline === undefined) this.end();
    else deadline.next();
  }

  /** Ends the stream cleanly. Idempotent. */
  end(): void {
    if (this.#state === 'ended') return;
    this.close();
    try {
      this.sink.end();
    } catch {
      // It is gone, which is what was wanted.
    }
  }

  /** The client has gone. Idempotent. */
  close(): void {
    if (this.#state === 'ended') return;
    this.#move('ended');
    const { counts, onEnded, turns } = this.#deps;
    counts.states.ended -= 1;
    this.#approach?.subscription?.unsubscribe();
    this.#approach = undefined;
    const { group } = this;
    if (group.ring.bytes > 0 && group.watchersCount > 1) turns.mark(group);
    onEnded(this);
  }

  #follow(expression: (progress: WatchProgress) => Observable<WatchItem>, inTurn = false): void {
    const approach = new Approach();
    approach.inTurn = inTurn;
    this.#approach = approach;
    const subscription = expression(this.#progressOf(approach)).subscribe({
      next: (item) => this.#take(approach, item),
      // The encoder cannot even say what is wrong.
      error: () => this.end(),
      complete: () => this.#complete(approach),
    });
    if (this.#approach === approach) approach.subscription = subscription;
    else subscription.unsubscribe();
  }

  #progressOf(approach: Approach): WatchProgress {
    const { sources, whenApplied } = this.#deps;
    return {
      sources,
      group: this.group,
      position: this,
      deadline: new Observable((subscriber) => {
        approach.deadline = subscriber;
      }),
      turns: (stage) =>
        new Observable((subscriber) => {
          approach.turns = subscriber;
          approach.stage = stage;
          if (!approach.inTurn) this.#goOn(approach);
          return () => {
            if (approach.turns === subscriber) approach.turns = undefined;
          };
        }),
      whenApplied: (revision) =>
        new Observable((subscriber) => {
          approach.stage = 'waiting';
          if (!approach.inTurn) this.#goOn(approach);
          return whenApplied(revision, () => subscriber.complete());
        }),
    };
  }

  #take(approach: Approach, item: WatchItem): void {
    if (item === 'live') {
      approach.outcome = 'live';
    } else {
      const { bytes, examinedCount, framesCount, revision, seq } = item;
      this.#moveTo({ seq, revision });
      approach.costBytes += examinedCount * this.#deps.sources.limits.examinedCostBytes;
      if (bytes !== undefined) {
        approach.costBytes += bytes.length;
        approach.made.push(bytes);
        this.#count(framesCount, bytes.length);
      }
    }
    if (!approach.inTurn) this.#settle(approach);
  }

  #complete(approach: Approach): void {
    approach.outcome ??= 'ended';
    if (!approach.inTurn) this.#settle(approach);
  }

  /** Writes what was made, and goes where the expression has come to. */
  #settle(approach: Approach): void {
    if (this.#approach !== approach) return;
    const { made } = approach;
    if (made.length > 0) {
      const bytes = joined(made);
      made.length = 0;
      // Made while blocked: an ERROR event, which a blocked sink cannot take.
      if (this.#state !== 'blocked') this.#write(bytes, false);
      if (this.#approach !== approach) return;
    }
    if (approach.outcome === 'ended') return this.end();
    if (approach.outcome === undefined) return this.#goOn(approach);
    this.#approach = undefined;
    approach.subscription?.unsubscribe();
    if (this.#state !== 'blocked') this.#join();
  }

  /** Unless it is blocked: then the drain does it. */
  #goOn(approach: Approach): void {
    if (this.#state === 'blocked') return;
    if (this.#state !== approach.stage) this.#move(approach.stage);
    if (approach.turns !== undefined) this.#deps.turns.ask(this);
  }

  #join(): void {
    const { group } = this;
    if (this.seq < group.ring.floor) return this.resume();
    this.#move('live');
    group.join(this, this.#position);
    if (group.ring.bytes > 0) this.#deps.turns.mark(group);
  }

  /** True: it is live, and has everything applied so far. */
  #flush(): boolean {
    const { ring } = this.group;
    while (this.#state === 'live' && this.seq < ring.head) {
      const chunk = ring.after(this.seq);
      if (chunk === undefined) {
        this.resume();
        return false;
      }
      this.#count(chunk.framesCount, chunk.bytes.length);
      this.#moveTo(chunk.position);
      this.#write(chunk.bytes, true);
    }
    return this.#state === 'live';
  }

  /** `shared`: by the watchers of the group. */
  #write(bytes: Uint8Array, shared: boolean): void {
    let ready = false;
    try {
      ready = this.sink.write(bytes, shared);
    } catch {
      this.end();
    }
    if (!ready) this.stalled();
  }

  /** Its sink has taken what it was given, and said wait. */
  stalled(): void {
    if (this.#state === 'ended') return;
    if (this.sink.closed) return this.close();
    this.#move('blocked');
    if (this.#approach?.stage === 'initial') this.#deps.onInitialStall(this);
    this.#onDrain ??= () => this.#drained();
    this.sink.onDrain(this.#onDrain);
  }

  #drained(): void {
    if (this.#state !== 'blocked') return;
    const approach = this.#approach;
    this.#move(approach?.stage ?? 'catching-up');
    if (approach === undefined) this.#join();
    else this.#goOn(approach);
  }

  #move(state: WatcherState): void {
    if (this.#state === 'live') this.#position = this.group.leave(this);
    const { states } = this.#deps.counts;
    states[this.#state] -= 1;
    states[state] += 1;
    this.#state = state;
  }

  #positionNow(): Position {
    if (this.#liveIndex < 0) return this.#position;
    return this.group.livePositions[this.#liveIndex] as Position;
  }

  #moveTo(position: Position): void {
    if (this.#liveIndex < 0) this.#position = position;
    else this.group.livePositions[this.#liveIndex] = position;
  }

  #count(frames: number, bytes: number): void {
    this.#deps.counts.framesTotal += frames;
    this.group.sent?.observeMany(frames, bytes);
  }
}

/** What a watch has only on its way to its group. */
class Approach {
  subscription: Subscription | undefined = undefined;
  stage: Stage = 'waiting';
  /** Waits for its next turn. */
  turns: Subscriber<void> | undefined = undefined;
  deadline: Subscriber<void> | undefined = undefined;
  inTurn = false;
  /** In this turn, to be one write. */
  readonly made: Uint8Array[] = [];
  costBytes = 0;
  /** Undefined: it goes on. */
  outcome: 'live' | 'ended' | undefined = undefined;
}
