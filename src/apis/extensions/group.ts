/**
 * The API group extensions, the first one beside the core group; other groups have its kinds now.
 */
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
