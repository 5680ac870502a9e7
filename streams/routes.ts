/**
 * Finds the watch groups of a resource that a change can affect, by the values that their
 * selections pin.
 *
 *      change of ns/name ─┬─▶ all                        groups that pin nothing
 *                         ├─▶ namespace  ns
 *                         ├─▶ object     ns/name, name   metadata.name pinned
 *                         └─▶ field      f = value       each pinned field, before and now
 *
 * A group lies on exactly one route, the narrowest its scope and predicate allow; a change visits
 * every route it could matter to, each once. Ten thousand agents that each watch the objects of
 * their own node cost a change two look-ups.
 *
 * Ten thousand that each select for themselves are handed a change in slices, a few in each turn.
 *
 * A group on a visited route still applies its whole selection.
 *
 * Invariants: a route without subscribers is removed. Only groups and followers in this process
 * subscribe, never watchers, so the number of subscribers of a route is the number of selections
 * that share its pin.
 */
import { Observable } from 'rxjs';
import type { Subscriber } from 'rxjs';
import type { ResourceChange } from './resource-change.ts';
import type { Selection } from './selection.ts';
import { entryKey } from './resource-change.ts';
import type { EventType } from './streams.ts';

/** Not a Subject: those look through all of their subscribers when one leaves, and ten thousand
 * watches may go at once. */
class Route {
  readonly #subscribers = new Set<Subscriber<ResourceChange>>();
  /** As they are now, until one comes or leaves. */
  #current: readonly Subscriber<ResourceChange>[] | undefined;

  get isUsed(): boolean {
    return this.#subscribers.size > 0;
  }

  add(subscriber: Subscriber<ResourceChange>): void {
    this.#subscribers.add(subscriber);
    this.#current = undefined;
  }

  remove(subscriber: Subscriber<ResourceChange>): void {
    this.#subscribers.delete(subscriber);
    this.#current = undefined;
  }

  /** Who is there now: who comes later has the change in the state. */
  get subscribers(): Subscribers {
    return (this.#current ??= [...this.#subscribers]);
  }
}

/** One change on its way to all groups that it can matter to. */
export class RouteWalk {
  readonly #change: ResourceChange;
  /** Of each route. */
  readonly #lists: readonly Subscribers[];
  #list = 0;
  #at = 0;

  constructor(change: ResourceChange, lists: readonly Subscribers[]) {
    this.#change = change;
    this.#lists = lists;
  }

  get routesCount(): number {
    return this.#lists.length;
  }

  /** Goes on until `isOver`, which is asked behind each group but the last. True: all have it. */
  run(isOver: () => boolean): boolean {
    for (; this.#list < this.#lists.length; this.#list += 1, this.#at = 0) {
      const subscribers = this.#lists[this.#list] as Subscribers;
      while (this.#at < subscribers.length) {
        (subscribers[this.#at] as Subscriber<ResourceChange>).next(this.#change);
        this.#at += 1;
        if (this.#at < subscribers.length && isOver()) return false;
      }
    }
    return true;
  }
}

type Subscribers = readonly Subscriber<ResourceChange>[];

type RouteSlot = { readonly routes: Map<string, Route>; readonly value: string };

export class Routes {
  readonly #followers: Readonly<Record<EventType, Route>> = {
    ADDED: new Route(),
    MODIFIED: new Route(),
    DELETED: new Route(),
  };
  readonly #all = new Map<string, Route>();
  readonly #byNamespace = new Map<string, Route>();
  readonly #byKey = new Map<string, Route>();
  readonly #byName = new Map<string, Route>();
  readonly #byField = new Map<string, Map<string, Route>>();

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

  /** The changes that can matter to a selection; a superset of those that do. */
  changes(selection: Selection): Observable<ResourceChange> {
    return new Observable((subscriber) => {
      const { routes, value } = this.#slotOf(selection);
      let route = routes.get(value);
      if (route === undefined) {
        route = new Route();
        routes.set(value, route);
      }
      route.add(subscriber);
      return () => {
        route.remove(subscriber);
        if (route.isUsed || routes.get(value) !== route) return;
        routes.delete(value);
        this.#forgetField(routes);
      };
    });
  }

  /** Gives the change to those who follow all of them. What is returned takes it to the groups that
   * are there now: it has every route that the change can matter to, each once. */
  route(change: ResourceChange): RouteWalk {
    for (const subscriber of this.#followers[change.type].subscribers) subscriber.next(change);
    const { entry, previous } = change;
    const lists: Subscribers[] = [];
    collect(lists, this.#all, '');
    if (this.#byNamespace.size > 0) collect(lists, this.#byNamespace, entry.namespace);
    if (this.#byKey.size > 0) collect(lists, this.#byKey, entryKey(entry));
    if (this.#byName.size > 0) collect(lists, this.#byName, entry.name);
    for (const [field, routes] of this.#byField) {
      const now = entry.fields[field] ?? '';
      collect(lists, routes, now);
      const before = previous?.fields[field] ?? now;
      if (before !== now) collect(lists, routes, before);
    }
    return new RouteWalk(change, lists);
  }

  /** Routes in use, for bounds in tests. */
  get count(): number {
    let count = this.#all.size + this.#byNamespace.size + this.#byKey.size + this.#byName.size;
    for (const routes of this.#byField.values()) count += routes.size;
    return count;
  }

  #slotOf({ namespace, predicate }: Selection): RouteSlot {
    const { pins } = predicate;
    const name = pins.get('metadata.name');
    const scope = namespace ?? pins.get('metadata.namespace');
    if (name !== undefined && scope !== undefined) {
      return { routes: this.#byKey, value: entryKey({ namespace: scope, name }) };
    }
    if (name !== undefined) return { routes: this.#byName, value: name };
    for (const [field, value] of pins) {
      if (field !== 'metadata.namespace') return { routes: this.#fieldRoutes(field), value };
    }
    if (scope !== undefined) return { routes: this.#byNamespace, value: scope };
    return { routes: this.#all, value: '' };
  }

  #fieldRoutes(field: string): Map<string, Route> {
    let routes = this.#byField.get(field);
    if (routes === undefined) {
      routes = new Map();
      this.#byField.set(field, routes);
    }
    return routes;
  }

  #forgetField(routes: Map<string, Route>): void {
    if (routes.size > 0) return;
    for (const [field, candidate] of this.#byField) {
      if (candidate === routes) this.#byField.delete(field);
    }
  }
}

function collect(lists: Subscribers[], routes: Map<string, Route>, value: string): void {
  const route = routes.get(value);
  if (route !== undefined) lists.push(route.subscribers);
}
