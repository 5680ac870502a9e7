/**
 * LimitPodHardAntiAffinityTopology: a pod may require a node without certain other pods, but not a
 * whole zone or cluster without them.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { objects, part, text } from '../../apimachinery/members.ts';
import type { AdmissionPlugin } from '../admission.ts';

export function hardAntiAffinity({ labels: { hostname } }: Identity): AdmissionPlugin {
  return {
    name: 'LimitPodHardAntiAffinityTopology',
    resources: ['/pods'],
    concerns: (_user, { operations }) => !operations.includes('DELETE'),
    validate({ next }) {
      const affinity = part(part(part(next, 'spec'), 'affinity'), 'podAntiAffinity');
      for (const term of objects(affinity, 'requiredDuringSchedulingIgnoredDuringExecution')) {
        const key = text(term, 'topologyKey');
        if (key === hostname) continue;
        const list = 'affinity.PodAntiAffinity.RequiredDuringScheduling';
        return `${list} has TopologyKey ${key} but only key ${hostname} is allowed`;
      }
      return undefined;
    },
  };
}
