/**
 * The graph of nodes and the objects that concern them: pods bound to a node, and what they refer
 * to.
 *
 *     node ◀ pod ▶ secrets, config maps, service account, resource claims
 *               ▶ volume claim ◀ persistent volume ▶ secrets
 *     node ◀ volume attachment, resource slice
 *
 * Elsewhere: following the streams (node-follower.ts), and the rights (node-authorizer.ts).
 *
 * Invariants: it holds what was set last under each key; a reference counts as long as one pod of
 * the node makes it. A question is a few look-ups.
 */
import { SplitMap } from '../../stdx/split-map.ts';
import { reference } from './pod-references.ts';
import type { Reference, VolumeReferences } from './pod-references.ts';

export interface NodeGraph {
  /** `node` '': not bound to any. */
  setPod(namespace: string, name: string, node: string, refers: ReadonlySet<Reference>): void;
  removePod(namespace: string, name: string): void;
  setVolume(name: string, refers: VolumeReferences): void;
  removeVolume(name: string): void;
  /** Of volumeattachments and resourceslices: the node that they are for. '' removes. */
  setOwner(resource: OwnedResource, name: string, node: string): void;
  clear(resource: 'pods' | 'persistentvolumes' | OwnedResource): void;

  hasPod(node: string, namespace: string, name: string): boolean;
  /** There is a pod of this name, bound or not. */
  knowsPod(namespace: string, name: string): boolean;
  /** A pod of the node refers to it, or to a claim whose volume does. */
  refersTo(node: string, what: Reference): boolean;
  hasVolume(node: string, name: string): boolean;
  owns(node: string, resource: OwnedResource, name: string): boolean;
}

export type OwnedResource = 'volumeattachments' | 'resourceslices';

interface PodEntry {
  readonly node: string;
  readonly refers: ReadonlySet<Reference>;
}

export function createNodeGraph(): NodeGraph {
  const pods = new SplitMap<PodEntry>();
  const counts = new Map<string, Map<Reference, number>>();
  const volumes = createVolumes();
  const owners = {
    volumeattachments: new SplitMap<string>(),
    resourceslices: new SplitMap<string>(),
  };

  const count = ({ node, refers }: PodEntry, by: number): void => {
    if (node === '') return;
    const ofNode = counts.get(node) ?? new Map<Reference, number>();
    counts.set(node, ofNode);
    for (const each of refers) {
      const next = (ofNode.get(each) ?? 0) + by;
      if (next === 0) ofNode.delete(each);
      else ofNode.set(each, next);
    }
    if (ofNode.size === 0) counts.delete(node);
  };
  const removePod = (key: string): void => {
    const before = pods.get(key);
    if (before === undefined) return;
    pods.delete(key);
    count(before, -1);
  };
  const counted = (node: string, what: Reference): boolean => counts.get(node)?.has(what) === true;
  const hasVolume = (node: string, name: string): boolean => {
    const claim = volumes.claimOf(name);
    return claim !== undefined && counted(node, `persistentvolumeclaims ${claim}`);
  };

  return {
    setPod(namespace, name, node, refers) {
      const key = reference('pods', namespace, name);
      removePod(key);
      const entry = { node, refers };
      pods.set(key, entry);
      count(entry, 1);
    },
    removePod: (namespace, name) => removePod(reference('pods', namespace, name)),
    setVolume: (name, refers) => volumes.set(name, refers),
    removeVolume: (name) => volumes.remove(name),
    setOwner(resource, name, node) {
      if (node === '') owners[resource].delete(name);
      else owners[resource].set(name, node);
    },
    clear(resource) {
      if (resource === 'pods') {
        pods.clear();
        counts.clear();
      } else if (resource === 'persistentvolumes') {
        volumes.clear();
      } else {
        owners[resource].clear();
      }
    },
    hasPod: (node, namespace, name) => pods.get(reference('pods', namespace, name))?.node === node,
    knowsPod: (namespace, name) => pods.has(reference('pods', namespace, name)),
    refersTo(node, what) {
      if (counted(node, what)) return true;
      for (const name of volumes.withSecret(what)) if (hasVolume(node, name)) return true;
      return false;
    },
    hasVolume,
    owns: (node, resource, name) => owners[resource].get(name) === node,
  };
}

/** Persistent volumes, by the secrets that they refer to. */
interface Volumes {
  set(name: string, refers: VolumeReferences): void;
  remove(name: string): void;
  clear(): void;
  claimOf(name: string): string | undefined;
  withSecret(secret: Reference): Iterable<string>;
}

function createVolumes(): Volumes {
  const volumes = new SplitMap<VolumeReferences>();
  const ofSecret = new Map<Reference, Set<string>>();
  const remove = (name: string): void => {
    for (const secret of volumes.get(name)?.secrets ?? []) {
      const names = ofSecret.get(secret);
      names?.delete(name);
      if (names?.size === 0) ofSecret.delete(secret);
    }
    volumes.delete(name);
  };
  return {
    set(name, refers) {
      remove(name);
      volumes.set(name, refers);
      for (const secret of refers.secrets) {
        const names = ofSecret.get(secret) ?? new Set<string>();
        ofSecret.set(secret, names.add(name));
      }
    },
    remove,
    clear() {
      volumes.clear();
      ofSecret.clear();
    },
    claimOf: (name) => volumes.get(name)?.claim,
    withSecret: (secret) => ofSecret.get(secret) ?? [],
  };
}
