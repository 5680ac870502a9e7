/** The API group policy: disruption budgets, evictions, and the old pod security policies. */
import type { GroupDefinition } from '../kind-definition.ts';
import { evictions } from './evictions.ts';
import { podDisruptionBudgets } from './pod-disruption-budgets.ts';
import { podSecurityPolicies } from './pod-security-policies.ts';
import { policyDescriptions } from './descriptions.ts';

export const policyGroup: GroupDefinition = {
  group: 'policy',
  types: 'policy',
  priority: 17_100,
  versions: { v1: { priority: 15 }, v1beta1: { priority: 9 } },
  kinds: [evictions, podDisruptionBudgets, podSecurityPolicies],
  descriptions: policyDescriptions,
};
