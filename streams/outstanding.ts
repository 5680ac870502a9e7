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
 * Nothing waits for the watches: neither reads nor the changes of other scopes.
 *
 * Bounds: `outstandingMax` and `outstandingBytesMax`. Above them the backlog that holds most is
 * left out, whatever that costs its watches.
 */
import type { Clock } from '../src/stdx/clock.ts';
import { RingBuffer } from '../src/stdx/ring-buffer.ts';
import type { StagedWrite } from '../src/storage/write-stages.ts';
import type { ScopeWalk } from './caller-scopes.ts';
import type { Delivery } from './delivery.ts';
import type { StreamLimits } from './limits.ts';
import type { ResourceChange } from './resource-change.ts';
import { isOfChange } from './scope.ts';
import type { ChangeHandout, OutstandingChange, Scope } from './scope.ts';
import type { ChangeAhead } from './selection.ts';

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
    this.#bytes += objectBytes(change);
    const ahead = aheadOf(change, this.#limits);
    for (const { scope, walk } of walks) {
      const handout = { outstanding, seq, revision, walk, ahead };
      scope.backlog.push(handout);
      this.#weigh(scope, handout, 1);
      if (scope.isWaiting) continue;
      if (!scope.isHeld) this.#run(scope, isOver);
      if (scope.backlog.length > 0) this.#wait(scope);
    }
    for (const { scope } of walks) this.#shorten(scope);
    this.#makeRoom();
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

  #shorten(scope: Scope): void {
    const { leaveOutChangesMin } = this.#limits;
    if (scope.backlog.length > leaveOutChangesMin && this.#isCheaper(scope)) this.#leaveOut(scope);
  }

  /** Until there is, or nobody has several changes: then a change each is all there is. */
  #makeRoom(): void {
    const { outstandingBytesMax, outstandingMax } = this.#limits;
    for (;;) {
      const isTooMany = this.#count > outstandingMax;
      if (!isTooMany && this.#bytes <= outstandingBytesMax) return;
      const most = this.#holdsMost(({ backlog, backlogBytes }) =>
        isTooMany ? backlog.length : backlogBytes,
      );
      if (most === undefined) return;
      this.#leaveOut(most);
    }
  }

  #holdsMost(weightOf: (scope: Scope) => number): Scope | undefined {
    let most: Scope | undefined;
    for (let at = 0; at < this.#scopes.length; at += 1) {
      const scope = this.#scopes.at(at);
      if (scope.backlog.length < 2) continue;
      if (most === undefined || weightOf(scope) > weightOf(most)) most = scope;
    }
    return most;
  }

  #leaveOut(scope: Scope): void {
    for (const handout of scope.leaveOut()) {
      this.#weigh(scope, handout, -1);
      this.#done(handout.outstanding);
    }
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
      const handout = backlog.at(0);
      this.#delivery.attributeFramesTo(handout.outstanding);
      if (!handout.walk.run(isOver, handout.ahead)) return;
      backlog.shift();
      if (isOfChange(handout)) {
        this.#weigh(scope, handout, -1);
        this.#done(handout.outstanding);
      }
      if (backlog.length === 0 || scope.isHeld || isOver()) return;
    }
  }

  /** It comes into the backlog of this scope (1), or goes (-1). */
  #weigh(scope: Scope, { outstanding: { change }, walk }: ChangeHandout, by: 1 | -1): void {
    const { groupsCount } = walk;
    scope.backlogGroups += by * groupsCount;
    scope.backlogBytes += by * (objectBytes(change) + groupsCount * listedBytes);
    this.#count += by;
    this.#bytes += by * groupsCount * listedBytes;
  }

  /** One of its scopes has it. */
  #done(outstanding: OutstandingChange): void {
    outstanding.scopesLeft -= 1;
    if (outstanding.scopesLeft > 0) return;
    this.#bytes -= objectBytes(outstanding.change);
    this.#delivery.allFramesMade(outstanding);
  }
}

/** Groups of all scopes are asked with the same, one after the other. */
function aheadOf(
  change: ResourceChange,
  { largeEntryBytes }: StreamLimits,
): ChangeAhead | undefined {
  const { entry, previous, seq } = change;
  const isLarge =
    entry.bytes.length > largeEntryBytes || (previous?.bytes.length ?? 0) > largeEntryBytes;
  return isLarge ? { type: 'AHEAD', change, seq, isReady: true } : undefined;
}

/** Of a group in the list that a change goes along, which it may have for itself. */
const listedBytes = 8;

function objectBytes({ entry, previous }: ResourceChange): number {
  return entry.bytes.length + (previous?.bytes.length ?? 0);
}
