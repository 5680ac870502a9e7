/**
 * The scopes of a resource in one namespace, or over all namespaces: two that all callers share,
 * and one for each caller who has many watches there.
 *
 *      the first watches of each caller, that pin something ─▶ pinned
 *      the first others of each caller                      ─▶ open
 *      all others of caller a                               ─▶ a's own
 *      all others of caller b                               ─▶ b's own
 *
 * Scopes take turns, so five thousand watches of one caller keep those of another one in the same
 * namespace waiting for a turn. So do the watches of five thousand callers that look at everything
 * those that look at one object, one node or one label. Callers with few watches have their frames
 * made once for all.
 *
 * Invariants: a scope of its own has one caller's watches only, and is removed with its last group.
 *
 * Bounds: `callerWatchesMax` of each caller in each shared scope; so there are fewer scopes than
 * one for each so many watches.
 */
import type { ResourceChange } from './resource-change.ts';
import { pinsSomething } from './route-index.ts';
import type { RouteWalk } from './route-walk.ts';
import { Scope } from './scope.ts';
import type { Predicate } from './streams.ts';

/** On its way to the groups of one scope. */
export interface ScopeWalk {
  readonly scope: Scope;
  readonly walk: RouteWalk;
}

export class CallerScopes {
  /** Each undefined until somebody has one: there is a namespace for each few watches. */
  #pinned: Scope | undefined;
  #open: Scope | undefined;
  #own: Map<string, Scope> | undefined;
  readonly #onUnused: () => void;

  constructor(onUnused: () => void = () => undefined) {
    this.#onUnused = onUnused;
  }

  /** Where the next watch of this caller lies. */
  scope(predicate: Predicate, caller: string | undefined, watchesMax: number): Scope {
    const shared = pinsSomething(predicate)
      ? (this.#pinned ??= this.#sharedScope())
      : (this.#open ??= this.#sharedScope());
    if (caller === undefined || shared.watchesOf(caller) < watchesMax) return shared;
    this.#own ??= new Map();
    let own = this.#own.get(caller);
    if (own === undefined) {
      own = new Scope(() => this.#forget(caller), caller);
      this.#own.set(caller, own);
    }
    return own;
  }

  /** Adds the ways of a change to the groups that are there now. */
  addWalks(change: ResourceChange, walks: ScopeWalk[]): void {
    if (this.#pinned !== undefined) addWalk(this.#pinned, change, walks);
    if (this.#open !== undefined) addWalk(this.#open, change, walks);
    if (this.#own === undefined) return;
    for (const own of this.#own.values()) addWalk(own, change, walks);
  }

  /** Routes in use, for bounds in tests. */
  get routesCount(): number {
    let count = (this.#pinned?.routesCount ?? 0) + (this.#open?.routesCount ?? 0);
    for (const own of this.#own?.values() ?? []) count += own.routesCount;
    return count;
  }

  #sharedScope(): Scope {
    return new Scope(() => this.#look());
  }

  #forget(caller: string): void {
    this.#own?.delete(caller);
    if (this.#own?.size === 0) this.#own = undefined;
    this.#look();
  }

  #look(): void {
    if (this.#own !== undefined) return;
    if (this.#pinned?.isUsed !== true && this.#open?.isUsed !== true) this.#onUnused();
  }
}

function addWalk(scope: Scope, change: ResourceChange, walks: ScopeWalk[]): void {
  const walk = scope.walk(change);
  if (walk !== undefined) walks.push({ scope, walk });
}
