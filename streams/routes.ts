/**
 * Finds the watch groups of a resource that a change can affect, by their namespace and by the
 * values that their selections pin.
 *
 *      change of ns/name ─┬─▶ followers of this process, in the same step
 *                         ├─▶ scopes of all namespaces ┬─▶ name    metadata.name pinned
 *                         └─▶ scopes of ns ────────────┼─▶ field,  each that is pinned: its value
 *                                                      │   label   before and now
 *                                                      └─▶ all     groups that pin nothing
 *
 * A group lies on exactly one route; a change visits every route it could matter to, each once
 * (route-index.ts). Ten thousand agents that each watch the objects of their own node cost a change
 * two look-ups.
 *
 * A group on a visited route still applies its whole selection.
 *
 * Elsewhere: whose groups are in which of these scopes (caller-scopes.ts).
 *
 * Invariants: a scope without groups is removed.
 */
import { Observable } from 'rxjs';
import type { ResourceChange } from './resource-change.ts';
import { CallerScopes } from './caller-scopes.ts';
import type { ScopeWalk } from './caller-scopes.ts';
import { Route } from './route-walk.ts';
import type { Selection } from './selection.ts';
import type { EventType } from './streams.ts';

export class Routes {
  readonly #followers: Readonly<Record<EventType, Route<ResourceChange | 'whole'>>> = {
    ADDED: new Route(),
    MODIFIED: new Route(),
    DELETED: new Route(),
  };
  readonly #whole = new Route<ResourceChange | 'whole'>();
  readonly #wide = new CallerScopes();
  readonly #byNamespace = new Map<string, CallerScopes>();

  /** All changes, or those of one type, for who follows them in this process: each in the step that
   * routes it; and 'whole' when the state has become so without a change of it. */
  followed(only?: EventType): Observable<ResourceChange | 'whole'> {
    return new Observable((subscriber) => {
      const changes = only === undefined ? Object.values(this.#followers) : [this.#followers[only]];
      const followed = [...changes, this.#whole];
      for (const route of followed) route.add(subscriber);
      return () => {
        for (const route of followed) route.remove(subscriber);
      };
    });
  }

  /** Where the groups of a selection lie, for whoever asks. */
  scopes({ namespace, predicate }: Selection): CallerScopes {
    const name = namespace ?? predicate.pins.get('metadata.namespace');
    if (name === undefined) return this.#wide;
    let scopes = this.#byNamespace.get(name);
    if (scopes === undefined) {
      scopes = new CallerScopes(() => {
        if (this.#byNamespace.get(name) === scopes) this.#byNamespace.delete(name);
      });
      this.#byNamespace.set(name, scopes);
    }
    return scopes;
  }

  /** Gives the change to those who follow all of them. What is returned takes it to the groups that
   * are there now. */
  route(change: ResourceChange): readonly ScopeWalk[] {
    for (const subscriber of this.#followers[change.type].members.list) subscriber.next(change);
    const walks: ScopeWalk[] = [];
    this.#wide.addWalks(change, walks);
    if (this.#byNamespace.size === 0) return walks;
    this.#byNamespace.get(change.entry.namespace)?.addWalks(change, walks);
    return walks;
  }

  /** Those who follow it are to begin anew. */
  tellWhole(): void {
    for (const subscriber of this.#whole.members.list) subscriber.next('whole');
  }

  /** Routes in use, for bounds in tests. */
  get count(): number {
    let count = this.#wide.routesCount;
    for (const scopes of this.#byNamespace.values()) count += scopes.routesCount;
    return count;
  }
}
