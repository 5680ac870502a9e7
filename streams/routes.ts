/**
 * Finds the watch groups of a resource that a change can affect, by their namespace and by the
 * values that their selections pin.
 *
 *      change of ns/name ─┬─▶ followers of this process, in the same step
 *                         ├─▶ scope of all namespaces ─┬─▶ all     groups that pin nothing
 *                         └─▶ scope of ns ─────────────┼─▶ name    metadata.name pinned
 *                                                      └─▶ field   each that is pinned: its value
 *                                                                  before and now
 *
 * A group lies on exactly one route, the narrowest its scope and predicate allow; a change visits
 * every route it could matter to, each once. Ten thousand agents that each watch the objects of
 * their own node cost a change two look-ups.
 *
 * A group on a visited route still applies its whole selection.
 *
 * Invariants: a scope without groups is removed.
 */
import { Observable } from 'rxjs';
import type { ResourceChange } from './resource-change.ts';
import { Route } from './route-walk.ts';
import type { RouteWalk } from './route-walk.ts';
import { Scope } from './scope.ts';
import type { Selection } from './selection.ts';
import type { EventType } from './streams.ts';

export interface ScopeWalk {
  readonly scope: Scope;
  readonly walk: RouteWalk;
}

export class Routes {
  readonly #followers: Readonly<Record<EventType, Route<ResourceChange>>> = {
    ADDED: new Route(),
    MODIFIED: new Route(),
    DELETED: new Route(),
  };
  readonly #wide = new Scope();
  readonly #byNamespace = new Map<string, Scope>();

  /** All changes, or those of one type, for who follows them in this process: each in the step that
   * routes it. */
  followed(only?: EventType): Observable<ResourceChange> {
    return new Observable((subscriber) => {
      const followed =
        only === undefined ? Object.values(this.#followers) : [this.#followers[only]];
      for (const route of followed) route.add(subscriber);
      return () => {
        for (const route of followed) route.remove(subscriber);
      };
    });
  }

  /** Where the groups of a selection lie. */
  scope({ namespace, predicate }: Selection): Scope {
    const name = namespace ?? predicate.pins.get('metadata.namespace');
    if (name === undefined) return this.#wide;
    let scope = this.#byNamespace.get(name);
    if (scope === undefined) {
      scope = new Scope(() => {
        if (this.#byNamespace.get(name) === scope) this.#byNamespace.delete(name);
      });
      this.#byNamespace.set(name, scope);
    }
    return scope;
  }

  /** Gives the change to those who follow all of them. What is returned takes it to the groups that
   * are there now. */
  route(change: ResourceChange): readonly ScopeWalk[] {
    for (const subscriber of this.#followers[change.type].members.list) subscriber.next(change);
    const walks: ScopeWalk[] = [];
    const wide = this.#wide;
    const wideWalk = wide.walk(change);
    if (wideWalk !== undefined) walks.push({ scope: wide, walk: wideWalk });
    if (this.#byNamespace.size === 0) return walks;
    const scope = this.#byNamespace.get(change.entry.namespace);
    const walk = scope?.walk(change);
    if (scope !== undefined && walk !== undefined) walks.push({ scope, walk });
    return walks;
  }

  /** Routes in use, for bounds in tests. */
  get count(): number {
    let count = this.#wide.routesCount;
    for (const scope of this.#byNamespace.values()) count += scope.routesCount;
    return count;
  }
}
