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

/** Equal watches: they give it back when they end. */
export interface Watched {
  readonly ofResource: OfResource;
  readonly key: string;
}

interface OfResource {
  readonly counts: Map<string, number>;
}

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
    ofResource.counts.set(key, (ofResource.counts.get(key) ?? 0) + 1);
    return { ofResource, key };
  }

  remove({ key, ofResource: { counts } }: Watched): void {
    const left = (counts.get(key) ?? 0) - 1;
    if (left > 0) counts.set(key, left);
    else counts.delete(key);
  }

  interestedIn({ apiGroup, name, namespace, resource }: Attributes): number {
    const counts = this.#groups.get(apiGroup)?.get(resource)?.counts;
    if (counts === undefined || counts.size === 0) return 0;
    let sum = counts.get(whole) ?? 0;
    if (namespace !== '') sum += counts.get(keyOf(namespace, '')) ?? 0;
    if (name !== '') sum += counts.get(keyOf(namespace, name)) ?? 0;
    return sum;
  }

  #made(group: string, resource: string): OfResource {
    let ofGroup = this.#groups.get(group);
    if (ofGroup === undefined) this.#groups.set(group, (ofGroup = new Map<string, OfResource>()));
    let ofResource = ofGroup.get(resource);
    if (ofResource === undefined) ofGroup.set(resource, (ofResource = { counts: new Map() }));
    return ofResource;
  }
}

function keyOf(namespace: string, name: string): string {
  return namespace === '' && name === '' ? whole : `${namespace}/${name}`;
}
