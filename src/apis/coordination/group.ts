/** The API group coordination: Leases, by which several processes agree who does something. */
import type { GroupDefinition } from '../kind-definition.ts';
import { leaseCandidates, leases } from './leases.ts';
import { coordinationDescriptions } from './descriptions.ts';

export const coordinationGroup: GroupDefinition = {
  group: 'coordination.{domain}',
  types: 'coordination',
  priority: 16_500,
  versions: { v1: { priority: 15 }, v1beta1: { priority: 13 }, v1alpha2: { priority: 12 } },
  kinds: [leaseCandidates, leases],
  descriptions: coordinationDescriptions,
};
