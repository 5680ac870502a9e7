/**
 * The routes of a scope, found by what the selections on them pin.
 *
 *      name     metadata.name           ─▶ value ─▶ route
 *      fields   spec.nodeName, ...      ─▶ value ─▶ route
 *      labels   app, ...                ─▶ value ─▶ route
 *      all                                          one route of those that pin nothing
 *
 * A selection that pins several lies on the name, or else where the fewest lie as it comes: ten
 * thousand that select `app=web,instance=N` lie on their instances.
 *
 * Invariants: a selection lies on one route; a route without subscribers is removed; a change
 * visits each route that it can matter to once, those that pin something first.
 */
import type { Subscriber } from 'rxjs';
import { fieldKey } from '../src/apimachinery/selectors/selection.ts';
import { ownMember } from '../src/stdx/lookup.ts';
import type { ResourceChange } from './resource-change.ts';
import { Route } from './route-walk.ts';
import type { RouteMembers } from './route-walk.ts';
import type { RouteItem } from './selection.ts';
import type { Predicate } from './streams.ts';

/** By the name of a field or a label, then by its value. */
type Pinned = Map<string, Map<string, Route>>;

interface Slot {
  readonly pinned: Pinned;
  readonly key: string;
  readonly value: string;
}

type Texts = Readonly<Record<string, string>>;

const nameField = 'metadata.name';
const namespaceField = 'metadata.namespace';

/** Within a namespace. */
export function pinsSomething({ labelPins, pins }: Predicate): boolean {
  return labelPins.size > 0 || pins.size > (pins.has(namespaceField) ? 1 : 0);
}

export class RouteIndex {
  /** Of one route at most. */
  readonly #all: Pinned = new Map();
  readonly #byName: Pinned = new Map();
  readonly #byField: Pinned = new Map();
  readonly #byLabel: Pinned = new Map();

  /** Returns what removes it. */
  add(predicate: Predicate, subscriber: Subscriber<RouteItem>): () => void {
    const { key, pinned, value } = this.#slotOf(predicate);
    const routes = pinned.get(key) ?? new Map<string, Route>();
    const route = routes.get(value) ?? new Route();
    pinned.set(key, routes.set(value, route));
    route.add(subscriber);
    return () => {
      route.remove(subscriber);
      if (route.isUsed) return;
      routes.delete(value);
      if (routes.size === 0) pinned.delete(key);
    };
  }

  /** Who is on the routes now that this change can matter to. */
  membersFor({ entry, previous }: ResourceChange): readonly RouteMembers[] {
    const members: RouteMembers[] = [];
    collect(members, this.#byName.get(nameField), entry.name);
    for (const [field, routes] of this.#byField) {
      const now = ownMember(entry.fields, field) ?? '';
      collect(members, routes, now);
      const before = previous === undefined ? now : (ownMember(previous.fields, field) ?? now);
      if (before !== now) collect(members, routes, before);
    }
    if (this.#byLabel.size > 0) {
      this.#collectLabels(members, entry.labels, undefined);
      if (previous !== undefined) this.#collectLabels(members, previous.labels, entry.labels);
    }
    collect(members, this.#all.get(''), '');
    return members;
  }

  /** For bounds in tests. */
  get routesCount(): number {
    let count = 0;
    for (const pinned of [this.#all, this.#byName, this.#byField, this.#byLabel]) {
      for (const routes of pinned.values()) count += routes.size;
    }
    return count;
  }

  /** By the labels of the object: it has a few, and ten thousand may be pinned. */
  #collectLabels(members: RouteMembers[], labels: Texts, visited: Texts | undefined): void {
    for (const label in labels) {
      const value = labels[label] as string;
      if (visited !== undefined && ownMember(visited, label) === value) continue;
      collect(members, this.#byLabel.get(label), value);
    }
  }

  #slotOf({ labelPins, pins }: Predicate): Slot {
    const name = pins.get(nameField);
    if (name !== undefined) return { pinned: this.#byName, key: nameField, value: name };
    let best: Slot | undefined;
    let fewest = Infinity;
    const consider = (pinned: Pinned, key: string, value: string): void => {
      const count = pinned.get(key)?.get(value)?.size ?? 0;
      if (count >= fewest) return;
      best = { pinned, key, value };
      fewest = count;
    };
    for (const [field, value] of pins) {
      if (field !== namespaceField) consider(this.#byField, fieldKey(field), value);
    }
    for (const [label, value] of labelPins) consider(this.#byLabel, label, value);
    return best ?? { pinned: this.#all, key: '', value: '' };
  }
}

function collect(
  members: RouteMembers[],
  routes: ReadonlyMap<string, Route> | undefined,
  value: string,
): void {
  const route = routes?.get(value);
  if (route !== undefined) members.push(route.members);
}
