/** The API group networking: ingresses, network policies, and the addresses of services. */
import type { GroupDefinition } from '../kind-definition.ts';
import { ingressClasses } from './ingress-classes.ts';
import { ingresses } from './ingresses.ts';
import { ipAddresses, serviceCidrs } from './service-addresses.ts';
import { networkPolicies } from './network-policies.ts';
import { networkingDescriptions } from './descriptions.ts';

export const networkingGroup: GroupDefinition = {
  group: 'networking.{domain}',
  types: 'networking',
  priority: 17_200,
  versions: { v1: { priority: 15 }, v1beta1: { priority: 9 }, v1alpha1: { priority: 1 } },
  kinds: [ingressClasses, ingresses, ipAddresses, networkPolicies, serviceCidrs],
  descriptions: networkingDescriptions,
};
