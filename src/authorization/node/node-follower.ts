/** Keeps the node graph as the streams say: the state first, then every change. */
import type { Identity } from '../../apimachinery/identity.ts';
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import type { Timers } from '../../stdx/clock.ts';
import { followResource } from '../../../streams/follow-resource.ts';
import type { Following } from '../../../streams/follow-resource.ts';
import type { Entry, Streams } from '../../../streams/streams.ts';
import { part, text } from '../../apimachinery/members.ts';
import type { NodeGraph, OwnedResource } from './node-graph.ts';
import { nodeOfPod, podReferences, volumeReferences } from './pod-references.ts';

export interface NodeFollowerDeps {
  readonly streams: Streams;
  readonly timers: Timers;
  readonly identity: Identity;
  readonly graph: NodeGraph;
}

/** The graph has the state when this returns. */
export function followNodes({ streams, timers, identity, graph }: NodeFollowerDeps): Following {
  const mirror = `${identity.labelDomain}/config.mirror`;
  const follow = (
    group: string,
    resource: 'pods' | 'persistentvolumes' | OwnedResource,
    set: (namespace: string, name: string, entry: Entry | undefined) => void,
  ): Following =>
    followResource(
      streams,
      timers,
      { group: identity.fill(group), resource },
      {
        name: 'node-authorizer',
        onState(snapshot) {
          graph.clear(resource);
          for (const entry of snapshot.entries(undefined)) set(entry.namespace, entry.name, entry);
        },
        onChange: set,
      },
    );
  const owned = (group: string, resource: OwnedResource): Following =>
    follow(group, resource, (_namespace, name, entry) => {
      graph.setOwner(resource, name, entry === undefined ? '' : specNode(entry));
    });
  const following = [
    follow('', 'pods', (namespace, name, entry) => {
      if (entry === undefined) return graph.removePod(namespace, name);
      const pod = decodeObject(entry.bytes);
      graph.setPod(namespace, name, nodeOfPod(pod), podReferences(pod, mirror));
    }),
    follow('', 'persistentvolumes', (_namespace, name, entry) => {
      if (entry === undefined) return graph.removeVolume(name);
      graph.setVolume(name, volumeReferences(decodeObject(entry.bytes)));
    }),
    owned('storage.{domain}', 'volumeattachments'),
    owned('resource.{domain}', 'resourceslices'),
  ];
  return {
    stop() {
      for (const each of following) each.stop();
    },
  };
}

function specNode(entry: Entry): string {
  return text(part(decodeObject(entry.bytes), 'spec'), 'nodeName');
}
