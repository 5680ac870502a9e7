/**
 * Hands frames to watchers, a bounded amount in each turn of the event loop.
 *
 *      groups with new frames  ──▶ pass over the live watchers, backwards: one write each
 *      crowded in their last   ──▶ rest ──▶ the same
 *      watchers not yet live   ──▶ one step of their expression each, in turn
 *
 * Both take turns by scope, a group or a watcher of each: five thousand of one namespace keep those
 * of another one waiting for one of them.
 *
 * A write to a socket costs as much as a dozen events in it. So a group whose pass found several
 * for each of many watchers rests before the next: what comes meanwhile shares its writes.
 *
 * Some sinks settle a write in the next turn of the event loop. A few of their writes are made in a
 * turn, so that what they have touched is still in the caches of the processor then; more of them
 * only for as long as others have the loop between the turns. That is the shorter of the last two
 * times: one alone may be another process's, which had the processor.
 *
 * Invariants: at most one write per watcher and turn; a blocked watcher costs a pass nothing,
 * because it is not in the live list; a group rests behind a crowded pass only, and no longer than
 * its frames may wait. They are numbered in SPEC.md.
 */
import type { Clock, TimerHandle, Timers } from '../src/stdx/clock.ts';
import { FairQueue } from '../src/stdx/fair-queue.ts';
import type { WriteStages } from '../src/storage/write-stages.ts';
import type { LiveChunk } from './frame-ring.ts';
import type { StreamLimits } from './limits.ts';
import { unknownSeq } from './position.ts';
import type { OutstandingChange, Scope } from './scope.ts';
import type { Frame } from './selection.ts';
import type { WatchGroup } from './watch-group.ts';
import type { WatchSink } from './streams.ts';
import type { Watcher, WatcherCounts } from './watcher.ts';

type Group = WatchGroup<Watcher>;

export interface DeliveryDeps {
  readonly limits: StreamLimits;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly stages: Pick<WriteStages, 'encoded' | 'written'>;
  /** Of all watchers. */
  readonly counts: Pick<WatcherCounts, 'framesTotal'>;
}

interface PassBudget {
  writes: number;
  bytes: number;
  /** Of the writes those that are settled later; until `unsettledUntilMs` they are renewed. */
  unsettled: number;
  readonly unsettledUntilMs: number;
  readonly endsMs: number;
}

/** Live writes between two looks at the clock, and those that renew `unsettled`. */
const writesPerLook = 16;

/** The share of `turnPumpMs` that watchers which are not live yet always get. */
const leastShare = 0.25;

export class Delivery {
  readonly #deps: DeliveryDeps;
  readonly #limits: StreamLimits;
  readonly #groups = new FairQueue<Group>();
  /** Groups that have new frames and rest: they wait for the timer. */
  #resting: Group[] = [];
  #rest: TimerHandle | undefined;
  readonly #waiting = new FairQueue<Watcher>();
  /** The change whose frames are being made. */
  #framesOf: OutstandingChange | undefined;
  #scheduled = false;
  /** Scopes that are not handed the next change until their live watchers have caught up. */
  #held: Scope[] = [];
  /** When the last turn ended, if it left groups for the next. */
  #leftMs: number | undefined;
  /** The time between the last two turns of which the first left groups for the second. */
  #awayMs = 0;
  #relieve: (() => void) | undefined;

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
    this.#limits = deps.limits;
  }

  /** Resolves when a scope that is held is so no longer. */
  relief(): Promise<void> {
    return new Promise((resolve) => {
      this.#relieve = resolve;
    });
  }

  /** The frames that follow (`onFrame`) are of this change; undefined: of none. */
  attributeFramesTo(outstanding: OutstandingChange | undefined): void {
    this.#framesOf = outstanding;
  }

  /** Those of this change have all been made, or left out. Until now one more than its groups was
   * counted as left, so that it could not be done before. */
  allFramesMade({ groupsCount, write }: OutstandingChange): void {
    this.#framesOf = undefined;
    const { clock, stages } = this.#deps;
    if (groupsCount === 0) write.groupsLeft = 0;
    stages.encoded(write);
    if (groupsCount === 0) return;
    write.groupsLeft -= 1;
    if (write.groupsLeft === 0) stages.written(write, clock.monotonicMs());
  }

  onFrame(group: Group, frame: Frame): void {
    if (group.live.length === 0) return;
    group.freshBytes += frame.bytes.length;
    this.mark(group);
    if (group.freshBytes > this.#limits.freshBytesMax) {
      this.#hold(group.scope);
      this.#endRest();
    }
    const change = this.#framesOf;
    if (change === undefined) return;
    change.groupsCount += 1;
    change.write.groupsLeft += 1;
    // Beyond it the write stays unfinished, and is not counted as written.
    if (group.unwritten.length < this.#limits.framesMax) group.unwritten.push(change.write);
  }

  /** Live watchers are too far behind their group. Its scope gets the next change when they have
   * caught up, so that the ring keeps the frames that are still needed. */
  #hold(scope: Scope): void {
    if (scope.isHeld) return;
    scope.turnsHeld = 0;
    this.#held.push(scope);
  }

  /** The group has frames for its live watchers, or frames that may be dropped. */
  mark(group: Group): void {
    if (group.queued) {
      // A pass that has not begun will see it.
      if (group.position >= 0) group.again = true;
      return;
    }
    group.queued = true;
    group.position = -1;
    if (this.#rests(group)) return;
    this.#groups.push(group.scope.groupTurns, group);
    this.#schedule();
  }

  /** Whether it waits for the timer. Those that begin to rest later end with the first. */
  #rests(group: Group): boolean {
    if (group.restsUntilMs === 0) return false;
    const leftMs = group.restsUntilMs - this.#deps.clock.monotonicMs();
    group.restsUntilMs = 0;
    if (leftMs <= 0) return false;
    this.#resting.push(group);
    this.#rest ??= this.#deps.timers.after(leftMs, () => this.#endRest());
    return true;
  }

  #endRest(): void {
    if (this.#rest === undefined) return;
    this.#rest.cancel();
    this.#rest = undefined;
    for (const group of this.#resting) this.#groups.push(group.scope.groupTurns, group);
    this.#resting = [];
    this.#schedule();
  }

  /** Calls takeTurn() when it is the watcher's turn. */
  ask(watcher: Watcher): void {
    this.#waiting.push(watcher.group.scope.watcherTurns, watcher);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#deps.timers.nextTurn(() => this.#turn());
  }

  #turn(): void {
    this.#scheduled = false;
    const begunMs = this.#deps.clock.monotonicMs();
    const shareOfTurn = this.#runGroups(begunMs);
    this.#runWaiting(begunMs + this.#limits.turnPumpMs);
    this.#leftMs = this.#groups.length > 0 ? this.#deps.clock.monotonicMs() : undefined;
    if (this.#groups.length > 0 || this.#waiting.length > 0) this.#schedule();
    if (this.#held.length > 0) this.#release(shareOfTurn);
  }

  /** Held scopes whose groups have all had their passes, or that were held for `holdTurnsMax`. */
  #release(shareOfTurn: number): void {
    const before = this.#held.length;
    this.#held = this.#held.filter((scope) => {
      scope.turnsHeld += shareOfTurn;
      const { groupTurns, turnsHeld } = scope;
      if (groupTurns.items.length > 0 && turnsHeld < this.#limits.holdTurnsMax) return true;
      scope.turnsHeld = -1;
      return false;
    });
    if (this.#held.length === before) return;
    this.#relieve?.();
    this.#relieve = undefined;
  }

  /** Returns what it counts for among the turns that a scope is held: all of one, or where writes
   * that are settled later ended it, its share of the writes that another turn may make. */
  #runGroups(begunMs: number): number {
    const { turnBytesMax, turnUnsettledMax, turnWritesMax, turnWritesMs } = this.#limits;
    const awayMs = this.#leftMs === undefined ? 0 : begunMs - this.#leftMs;
    const unsettledUntilMs = begunMs + Math.min(turnWritesMs, awayMs, this.#awayMs);
    this.#awayMs = awayMs;
    const budget: PassBudget = {
      writes: turnWritesMax,
      bytes: turnBytesMax,
      unsettled: turnUnsettledMax,
      unsettledUntilMs,
      endsMs: begunMs + turnWritesMs,
    };
    this.#groups.beginRound();
    while (budget.writes > 0 && budget.bytes > 0) {
      const group = this.#groups.shift();
      if (group === undefined) break;
      if (group.position < 0) {
        group.position = group.live.length - 1;
        group.again = false;
        group.freshBytes = 0;
        group.crowdedWrites = 0;
        group.passSeq = group.ring.head;
      }
      this.#pass(group, budget);
      group.ring.forgetChunks();
      if (group.position >= 0) {
        this.#groups.push(group.scope.groupTurns, group);
        continue;
      }
      group.queued = false;
      if (group.crowdedWrites >= this.#limits.restWritesMin) {
        group.restsUntilMs = this.#deps.clock.monotonicMs() + this.#limits.restMs;
      }
      if (group.unwritten.length > 0) this.#settle(group);
      if (group.again) this.mark(group);
      else if (group.live.length === group.watchersCount) group.ring.clear();
    }
    return budget.unsettled > 0 ? 1 : turnUnsettledMax / turnWritesMax;
  }

  /** The hot loop: a compare and a write per watcher, which itself is looked at only when its sink
   * says wait. Backwards, because a watcher that leaves is replaced by the last one, which has had
   * its turn. */
  #pass(group: Group, budget: PassBudget): void {
    const { live, livePositions, liveSinks, ring, settlesLater } = group;
    const { head } = ring;
    let at = Math.min(group.position, live.length - 1);
    // Most of them are at one position: it is looked up, and its chunk counted, once for all.
    let seq = unknownSeq;
    let chunk: LiveChunk | undefined;
    let sentCount = 0;
    for (; at >= 0 && budget.writes > 0 && budget.bytes > 0; at -= 1) {
      const watcher = live[at];
      const sink = liveSinks[at];
      const position = livePositions[at];
      // A sink may close any number of watchers while it is written to.
      if (watcher === undefined || sink === undefined || position === undefined) continue;
      if (position.seq >= head) continue;
      if (chunk === undefined || position.seq !== seq) {
        if (chunk !== undefined) this.#sent(group, chunk, sentCount);
        sentCount = 0;
        seq = position.seq;
        chunk = ring.after(seq);
        if (chunk === undefined) {
          watcher.resume();
          budget.writes -= 1;
          this.#lookAtClock(budget);
          continue;
        }
        if (chunk.position.seq < head) group.again = true;
        if (chunk.position.seq < group.passSeq) {
          group.passSeq = chunk.position.seq;
          // More is there than a write holds: the rest of it goes at once.
          group.crowdedWrites = -Infinity;
        }
      }
      sentCount += 1;
      budget.writes -= 1;
      budget.bytes -= chunk.bytes.length;
      if (settlesLater && sink.settlesLater === true) budget.unsettled -= 1;
      livePositions[at] = chunk.position;
      if (!taken(watcher, sink, chunk.bytes)) watcher.stalled();
      this.#lookAtClock(budget);
    }
    if (chunk !== undefined) this.#sent(group, chunk, sentCount);
    group.position = at;
  }

  /** What a write takes is the kernel's: five times as long on a busy machine. */
  #lookAtClock(budget: PassBudget): void {
    if (budget.writes % writesPerLook !== 0 && budget.unsettled > 0) return;
    const nowMs = this.#deps.clock.monotonicMs();
    if (nowMs >= budget.endsMs) budget.writes = 0;
    if (budget.unsettled > 0) return;
    if (nowMs < budget.unsettledUntilMs) budget.unsettled = writesPerLook;
    else budget.writes = 0;
  }

  #sent(group: Group, { bytes, framesCount }: LiveChunk, watchersCount: number): void {
    const frames = framesCount * watchersCount;
    this.#deps.counts.framesTotal += frames;
    if (framesCount >= this.#limits.restEventsMin) group.crowdedWrites += watchersCount;
    group.sent?.observeMany(frames, bytes.length * watchersCount);
  }

  /** A pass over the group has ended. */
  #settle({ passSeq, unwritten }: Group): void {
    let nowMs = NaN;
    while (unwritten.length > 0 && unwritten.at(0).seq <= passSeq) {
      const write = unwritten.shift();
      write.groupsLeft -= 1;
      if (write.groupsLeft > 0) continue;
      if (Number.isNaN(nowMs)) nowMs = this.#deps.clock.monotonicMs();
      this.#deps.stages.written(write, nowMs);
    }
  }

  /** Live events may have used the time up: these get a part of it all the same. */
  #runWaiting(turnEndsMs: number): void {
    if (this.#waiting.length === 0) return;
    const { turnPumpBytesMax, turnPumpMs } = this.#limits;
    const { clock } = this.#deps;
    const endsMs = Math.max(turnEndsMs, clock.monotonicMs() + turnPumpMs * leastShare);
    let budget = turnPumpBytesMax;
    this.#waiting.beginRound();
    while (budget > 0 && clock.monotonicMs() < endsMs) {
      const watcher = this.#waiting.shift();
      if (watcher === undefined) return;
      budget -= watcher.takeTurn();
    }
  }
}

/** What is written is shared by the watchers of a group. A sink that throws ends its own watch. */
function taken(watcher: Watcher, sink: WatchSink, bytes: Uint8Array): boolean {
  try {
    return sink.write(bytes, true);
  } catch {
    watcher.end();
    return true;
  }
}
