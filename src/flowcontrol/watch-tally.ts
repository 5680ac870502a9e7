/**
 * How many open watches of this process a change of an object interests: those of all objects of
 * its resource, of its namespace, and of it alone.
 *
 * Watches of the pods of one node are not counted: a change of a pod is seen by one of them.
 *
 * Bound: an entry for each group of equal watches that are open, and for each resource that was
 * ever watched; the owner adds those that are served.
 */
import type { Attributes } from '../authorization/authorizer.ts';

/** Equal watches, which share one: each gives it back when it ends. */
export interface Watched {
  readonly ofResource: OfResource;
  readonly key: string;
  /** How many are open. */
  count: number;
}

type OfResource = Map<string, Watched>;

/** The key of those of all objects. */
const whole = '';

const nodeField = 'spec.nodeName';

export class WatchTally {
  readonly #groups = new Map<string, Map<string, OfResource>>();

  /** Undefined: it is not counted. */
  add({ apiGroup, name, namespace, resource, selectedFields }: Attributes): Watched | undefined {
    if (resource === 'pods' && (selectedFields?.get(nodeField) ?? '') !== '') return undefined;
    const ofResource = this.#made(apiGroup, resource);
    const key = keyOf(namespace, name);
    let watched = ofResource.get(key);
    if (watched === undefined) {
      watched = { ofResource, key, count: 0 };
      ofResource.set(key, watched);
    }
    watched.count += 1;
    return watched;
  }

  remove(watched: Watched): void {
    watched.count -= 1;
    if (watched.count === 0) watched.ofResource.delete(watched.key);
  }

  interestedIn({ apiGroup, name, namespace, resource }: Attributes): number {
    const ofResource = this.#groups.get(apiGroup)?.get(resource);
    if (ofResource === undefined || ofResource.size === 0) return 0;
    let sum = ofResource.get(whole)?.count ?? 0;
    if (namespace !== '') sum += ofResource.get(keyOf(namespace, ''))?.count ?? 0;
    if (name !== '') sum += ofResource.get(keyOf(namespace, name))?.count ?? 0;
    return sum;
  }

  #made(group: string, resource: string): OfResource {
    let ofGroup = this.#groups.get(group);
    if (ofGroup === undefined) this.#groups.set(group, (ofGroup = new Map<string, OfResource>()));
    let ofResource = ofGroup.get(resource);
    if (ofResource === undefined) ofGroup.set(resource, (ofResource = new Map<string, Watched>()));
    return ofResource;
  }
}

function keyOf(namespace: string, name: string): string {
  return namespace === '' && name === '' ? whole : `${namespace}/${name}`;
}
