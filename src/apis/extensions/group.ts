/** The first group of kinds beside the core ones. */
import type { GroupDefinition } from '../kind-definition.ts';
import {
  daemonSets,
  deployments,
  ingresses,
  networkPolicies,
  podSecurityPolicies,
  replicaSets,
} from './extensions.ts';

export const extensionsGroup: GroupDefinition = {
  group: 'extensions',
  types: 'extensions',
  priority: 17_900,
  versions: { v1beta1: { priority: 1 } },
  kinds: [daemonSets, deployments, ingresses, networkPolicies, podSecurityPolicies, replicaSets],
};
