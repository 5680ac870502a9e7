/**
 * Changes that are applied and not with all groups yet: reads see them, live watches come to.
 *
 *      applied ─▶ scope of all namespaces   [ oldest ][ ........ ][ newest ]  ─┐  in turn, each for
 *              └▶ scope of the namespace    [ oldest ][ newest ]              ─┴▶ `scopeTurnMs`
 *
 * A scope without a backlog is handed a change in the step that applies it, as far as its turn
 * goes. A change goes to the groups that were there when it was applied: who comes later has it in
 * the state.
 *
 * A scope with a backlog of more than `leaveOutChangesMin` leaves it out, where catching up costs
 * its watches less: they get many events in one write.
 *
 * Bounds: `outstandingMax` and `outstandingBytesMax`. Above them the longest backlog is left out,
 * if that costs less; else the log reader waits.
 */
import type { Clock } from '../src/stdx/clock.ts';
import { RingBuffer } from '../src/stdx/ring-buffer.ts';
import type { StagedWrite } from '../src/storage/write-stages.ts';
import type { ScopeWalk } from './caller-scopes.ts';
import type { Delivery } from './delivery.ts';
import type { StreamLimits } from './limits.ts';
import type { ResourceChange } from './resource-change.ts';
import type { OutstandingChange, Scope } from './scope.ts';

export class Outstanding {
  readonly #limits: StreamLimits;
  readonly #clock: Clock;
  readonly #delivery: Delivery;
  /** Those with a backlog, in the order of their turns. */
  readonly #scopes = new RingBuffer<Scope>();
  #count = 0;
  #bytes = 0;

  constructor(limits: StreamLimits, clock: Clock, delivery: Delivery) {
    this.#limits = limits;
    this.#clock = clock;
    this.#delivery = delivery;
  }

  get isEmpty(): boolean {
    return this.#scopes.length === 0;
  }

  /** Nothing can be handed out: live watchers of all these scopes are too far behind. */
  get isHeld(): boolean {
    for (let at = 0; at < this.#scopes.length; at += 1) {
      if (!this.#scopes.at(at).isHeld) return false;
    }
    return true;
  }

  get isFull(): boolean {
    const { outstandingBytesMax, outstandingMax } = this.#limits;
    return this.#count >= outstandingMax || this.#bytes >= outstandingBytesMax;
  }

  /** On its way to these groups. Scopes that have nothing else to be handed get it at once, until
   * `isOver`. */
  add(
    change: ResourceChange,
    write: StagedWrite,
    walks: readonly ScopeWalk[],
    isOver: () => boolean,
  ): void {
    const outstanding = { change, write, scopesLeft: walks.length, groupsCount: 0 };
    // Nobody can have all of it before it is with all groups.
    write.groupsLeft += 1;
    if (walks.length === 0) return this.#delivery.allFramesMade(outstanding);
    const { revision, seq } = change;
    for (const { scope, walk } of walks) {
      scope.backlog.push({ outstanding, seq, revision, walk });
      scope.backlogGroups += walk.groupsCount;
      this.#count += 1;
      this.#bytes += weight(outstanding);
      if (scope.isWaiting) continue;
      if (!scope.isHeld) this.#run(scope, isOver);
      if (scope.backlog.length > 0) this.#wait(scope);
    }
    for (const { scope } of walks) this.#shorten(scope);
  }

  /** Until `endsMs`, or the live watchers of all scopes are too far behind. */
  handOut(endsMs: number): void {
    const { scopeTurnMs } = this.#limits;
    for (let held = 0; held < this.#scopes.length;) {
      const scope = this.#scopes.shift();
      scope.isWaiting = false;
      held = scope.isHeld ? held + 1 : 0;
      const turnEndsMs = Math.min(endsMs, this.#clock.monotonicMs() + scopeTurnMs);
      if (!scope.isHeld) this.#run(scope, () => this.#clock.monotonicMs() >= turnEndsMs);
      if (scope.backlog.length > 0) this.#wait(scope);
      if (this.#clock.monotonicMs() >= endsMs) return;
    }
  }

  /** When it is full: whether something could be left out. */
  leaveOut(): boolean {
    let longest: Scope | undefined;
    for (let at = 0; at < this.#scopes.length; at += 1) {
      const scope = this.#scopes.at(at);
      if (scope.backlog.length > (longest?.backlog.length ?? 1)) longest = scope;
    }
    return longest !== undefined && this.#shorten(longest, 1);
  }

  /** Whether its backlog was left out. */
  #shorten(scope: Scope, changesMin = this.#limits.leaveOutChangesMin): boolean {
    if (scope.backlog.length <= changesMin || !this.#isCheaper(scope)) return false;
    for (const outstanding of scope.leaveOut()) this.#done(outstanding);
    return true;
  }

  #isCheaper({ backlog, backlogGroups, groupsCount, watchersCount }: Scope): boolean {
    const { leaveOutGroupsMin, leaveOutWatchersMax } = this.#limits;
    if (backlogGroups < leaveOutGroupsMin * backlog.length) return false;
    return watchersCount <= leaveOutWatchersMax * groupsCount;
  }

  #wait(scope: Scope): void {
    scope.isWaiting = true;
    this.#scopes.push(scope);
  }

  #run(scope: Scope, isOver: () => boolean): void {
    const { backlog } = scope;
    for (;;) {
      const { outstanding, walk } = backlog.at(0);
      this.#delivery.attributeFramesTo(outstanding);
      if (!walk.run(isOver)) return;
      backlog.shift();
      if (outstanding !== undefined) {
        scope.backlogGroups -= walk.groupsCount;
        this.#done(outstanding);
      }
      if (backlog.length === 0 || scope.isHeld || isOver()) return;
    }
  }

  /** One of its scopes has it. */
  #done(outstanding: OutstandingChange): void {
    this.#count -= 1;
    this.#bytes -= weight(outstanding);
    outstanding.scopesLeft -= 1;
    if (outstanding.scopesLeft === 0) this.#delivery.allFramesMade(outstanding);
  }
}

function weight({ change: { entry, previous } }: OutstandingChange): number {
  return entry.bytes.length + (previous?.bytes.length ?? 0);
}
