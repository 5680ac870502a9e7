/**
 * Watches of a resource in one namespace, or over all namespaces, that have their turns together
 * (caller-scopes.ts says which): the routes that their groups lie on (route-index.ts), and the
 * changes that have been applied and are not with all of these groups yet.
 *
 *      applied ─▶ [ oldest: on its way ][ ........ ][ newest ]      one at a time, in order
 *                        └─▶ its groups, a few in each turn
 *
 * Scopes take turns (outstanding.ts, delivery.ts). So whoever may watch one namespace cannot keep
 * the watches of another one waiting.
 *
 * A backlog can be left out: a gap takes its place, and the watches behind it catch up.
 *
 * Invariants: a group lies on one route of one scope, and is handed what concerns it in order. Only
 * groups subscribe, never watchers, so the number of subscribers of a route is the number of
 * selections that share its pin.
 *
 * Bounds: those of outstanding.ts.
 */
import { Observable } from 'rxjs';
import { assert } from '../src/stdx/assert.ts';
import { Lane } from '../src/stdx/fair-queue.ts';
import { RingBuffer } from '../src/stdx/ring-buffer.ts';
import type { Revision } from '../src/storage/storage.ts';
import type { StagedWrite } from '../src/storage/write-stages.ts';
import type { ResourceChange } from './resource-change.ts';
import { RouteIndex } from './route-index.ts';
import { RouteWalk } from './route-walk.ts';
import type { Route } from './route-walk.ts';
import type { ChangeAhead, ChangeGap, RouteItem, Selection } from './selection.ts';

/** A change that is not with all groups of its scopes yet. */
export interface OutstandingChange {
  readonly change: ResourceChange;
  readonly write: StagedWrite;
  scopesLeft: number;
  /** Those that had a frame of it for a live watcher. */
  groupsCount: number;
}

/** What the groups of one scope are handed. */
export interface Handout {
  /** Undefined: a gap, which stands for changes that were left out. */
  readonly outstanding: OutstandingChange | undefined;
  /** Of the change, or of the first one that was left out. */
  readonly seq: number;
  readonly revision: Revision;
  readonly walk: RouteWalk;
  /** Of a large change. */
  readonly ahead?: ChangeAhead | undefined;
}

/** Of a change, not of a gap. */
export interface ChangeHandout extends Handout {
  readonly outstanding: OutstandingChange;
}

export function isOfChange(handout: Handout): handout is ChangeHandout {
  return handout.outstanding !== undefined;
}

export class Scope {
  readonly #routes = new RouteIndex();
  readonly backlog = new RingBuffer<Handout>();
  /** The groups that the changes of the backlog go to, counted for each change; what the changes
   * and these lists hold. Kept by outstanding.ts. */
  backlogGroups = 0;
  backlogBytes = 0;
  /** The one caller whose watches these are; undefined: all callers share it. */
  readonly owner: string | undefined;
  #watchersCount = 0;
  readonly #watchesOf = new Map<string, number>();
  #groupsCount = 0;
  /** It has a backlog, and takes its turns (outstanding.ts). */
  isWaiting = false;
  /** Its groups and its watchers that wait for their turns, and for how many turns its backlog has
   * been held, because live watchers are too far behind their groups (-1: it is not). All three are
   * kept by delivery.ts. */
  readonly groupTurns = new Lane();
  readonly watcherTurns = new Lane();
  turnsHeld = -1;
  readonly #onUnused: () => void;

  constructor(onUnused: () => void = () => undefined, owner?: string) {
    this.#onUnused = onUnused;
    this.owner = owner;
  }

  get isHeld(): boolean {
    return this.turnsHeld >= 0;
  }

  get watchersCount(): number {
    return this.#watchersCount;
  }

  /** A watch of this caller has come (1), or has left (-1). */
  countWatch(caller: string | undefined, by: 1 | -1): void {
    this.#watchersCount += by;
    if (caller === undefined || this.owner !== undefined) return;
    const watches = this.watchesOf(caller) + by;
    if (watches > 0) this.#watchesOf.set(caller, watches);
    else this.#watchesOf.delete(caller);
  }

  /** Where callers share it. */
  watchesOf(caller: string): number {
    return this.#watchesOf.get(caller) ?? 0;
  }

  get groupsCount(): number {
    return this.#groupsCount;
  }

  get isUsed(): boolean {
    return this.#groupsCount > 0;
  }

  /** Its groups have the frames of everything up to here; `applied`: all that has been applied. */
  routed(applied: Revision): Revision {
    if (this.backlog.length === 0) return applied;
    return (this.backlog.at(0).revision - 1n) as Revision;
  }

  /** The same, among the changes of the resource. */
  routedSeq(applied: number): number {
    return this.backlog.length === 0 ? applied : this.backlog.at(0).seq - 1;
  }

  /** The changes that can matter to a selection; a superset of those that do. */
  changes({ predicate }: Selection): Observable<RouteItem> {
    return new Observable((subscriber) => {
      const leave = this.#routes.add(predicate, subscriber);
      this.#groupsCount += 1;
      return () => {
        leave();
        this.#groupsCount -= 1;
        if (!this.isUsed) this.#onUnused();
      };
    });
  }

  /** The way of a change to the groups that are there now: every route that it can matter to, each
   * once. Undefined: there is none. */
  walk(change: ResourceChange): RouteWalk | undefined {
    if (!this.isUsed) return undefined;
    const members = this.#routes.membersFor(change);
    return members.length === 0 ? undefined : new RouteWalk(change, members);
  }

  /** Leaves the whole backlog out: a gap takes its place. Returns the changes that were in it. */
  leaveOut(): readonly ChangeHandout[] {
    const { backlog } = this;
    assert(backlog.length > 1, 'what is left out are several');
    const { revision, seq } = backlog.at(0);
    const left: ChangeHandout[] = [];
    const routes = new Set<Route>();
    let through: ChangeGap | undefined;
    while (backlog.length > 0) {
      const handout = backlog.shift();
      for (const { route } of handout.walk.members) routes.add(route);
      if (!isOfChange(handout)) continue;
      left.push(handout);
      through = { type: 'GAP', seq: handout.seq, revision: handout.revision };
    }
    if (through !== undefined) {
      const walk = new RouteWalk(
        through,
        [...routes].map(({ members }) => members),
      );
      backlog.push({ outstanding: undefined, seq, revision, walk });
    }
    return left;
  }

  /** Routes in use, for bounds in tests. */
  get routesCount(): number {
    return this.#routes.routesCount;
  }
}
