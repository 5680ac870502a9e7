/** Maintains the node graph from streams: the state first, then every change. */
import { Subscription } from 'rxjs';
import type { Identity } from '../../apimachinery/identity.ts';
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import { followObjects } from '../../../streams/followed-objects.ts';
import type { Entry, Streams } from '../../../streams/streams.ts';
import { part, text } from '../../apimachinery/members.ts';
import type { NodeGraph, OwnedResource } from './node-graph.ts';
import { nodeOfPod, podReferences, volumeReferences } from './pod-references.ts';

export interface NodeFollowerDeps {
  readonly streams: Streams;
  readonly identity: Identity;
  readonly graph: NodeGraph;
}

/** The graph has the state when followers are settled. */
export function followNodes({ streams, identity, graph }: NodeFollowerDeps): Subscription {
  const mirror = `${identity.labelDomain}/config.mirror`;
  const following = new Subscription();
  const follow = (
    group: string,
    resource: 'pods' | 'persistentvolumes' | OwnedResource,
    set: (entry: Entry) => void,
    remove: (entry: Entry) => void,
  ): void => {
    const stored = { group: identity.fill(group), resource };
    const keeper = { clear: () => graph.clear(resource), set, remove };
    following.add(followObjects(streams, 'node-authorizer', stored, keeper));
  };
  const owned = (group: string, resource: OwnedResource): void =>
    follow(
      group,
      resource,
      (entry) => graph.setOwner(resource, entry.name, specNode(entry)),
      ({ name }) => graph.setOwner(resource, name, ''),
    );
  follow(
    '',
    'pods',
    ({ namespace, name, bytes }) => {
      const pod = decodeObject(bytes);
      graph.setPod(namespace, name, nodeOfPod(pod), podReferences(pod, mirror));
    },
    ({ namespace, name }) => graph.removePod(namespace, name),
  );
  follow(
    '',
    'persistentvolumes',
    ({ name, bytes }) => graph.setVolume(name, volumeReferences(decodeObject(bytes))),
    ({ name }) => graph.removeVolume(name),
  );
  owned('storage.{domain}', 'volumeattachments');
  owned('resource.{domain}', 'resourceslices');
  return following;
}

function specNode(entry: Entry): string {
  return text(part(decodeObject(entry.bytes), 'spec'), 'nodeName');
}
