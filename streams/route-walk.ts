/**
 * A route: the groups whose selections pin the same value; and the walk of a change, or of a gap in
 * the changes, along routes.
 *
 * Ten thousand groups that each select for themselves are handed a change in slices, a few in each
 * turn. A group is handed a large change when it can make its frame (I36).
 */
import type { Subscriber } from 'rxjs';
import type { ChangeAhead, RouteItem } from './selection.ts';

/** Who was on a route at one moment. */
export interface RouteMembers<T = RouteItem> {
  readonly route: Route<T>;
  readonly list: readonly Subscriber<T>[];
}

/** Not a Subject: those look through all of their subscribers when one leaves, and ten thousand
 * watches may go at once. */
export class Route<T = RouteItem> {
  readonly #subscribers = new Set<Subscriber<T>>();
  /** As they are now, until one comes or leaves. */
  #current: RouteMembers<T> | undefined;

  get size(): number {
    return this.#subscribers.size;
  }

  get isUsed(): boolean {
    return this.#subscribers.size > 0;
  }

  add(subscriber: Subscriber<T>): void {
    this.#subscribers.add(subscriber);
    this.#current = undefined;
  }

  remove(subscriber: Subscriber<T>): void {
    this.#subscribers.delete(subscriber);
    this.#current = undefined;
  }

  /** Who is there now: who comes later has the change in the state. */
  get members(): RouteMembers<T> {
    return (this.#current ??= { route: this, list: [...this.#subscribers] });
  }
}

export class RouteWalk {
  readonly members: readonly RouteMembers[];
  readonly #item: RouteItem;
  #route = 0;
  #at = 0;

  constructor(item: RouteItem, members: readonly RouteMembers[]) {
    this.#item = item;
    this.members = members;
  }

  get groupsCount(): number {
    let count = 0;
    for (const { list } of this.members) count += list.length;
    return count;
  }

  /** Goes on until `isOver`, which is asked behind each group but the last, and behind each part of
   * the work on a frame. `ahead`: what each group is asked first. True: all have it. */
  run(isOver: () => boolean, ahead?: ChangeAhead): boolean {
    for (; this.#route < this.members.length; this.#route += 1, this.#at = 0) {
      const { list } = this.members[this.#route] as RouteMembers;
      while (this.#at < list.length) {
        const group = list[this.#at] as Subscriber<RouteItem>;
        if (ahead !== undefined && !canTake(group, ahead, isOver)) return false;
        group.next(this.#item);
        this.#at += 1;
        if (this.#at < list.length && isOver()) return false;
      }
    }
    return true;
  }
}

/** One that has left says nothing, and takes nothing. */
function canTake(group: Subscriber<RouteItem>, ahead: ChangeAhead, isOver: () => boolean): boolean {
  for (;;) {
    ahead.isReady = true;
    group.next(ahead);
    if (ahead.isReady) return true;
    if (isOver()) return false;
  }
}
