/** The API group resource: devices that nodes have and pods request. */
import type { GroupDefinition } from '../kind-definition.ts';
import { deviceClasses, deviceTaintRules } from './device-classes.ts';
import { resourceClaims, resourceClaimTemplates } from './resource-claims.ts';
import { resourceSlices } from './resource-slices.ts';
import { resourceDescriptions } from './descriptions.ts';

export const resourceGroup: GroupDefinition = {
  group: 'resource.{domain}',
  types: 'resource',
  priority: 16_200,
  versions: {
    v1beta2: { priority: 15, preferredAtOnce: true },
    v1beta1: { priority: 9 },
    v1alpha3: { priority: 1 },
  },
  kinds: [deviceClasses, deviceTaintRules, resourceClaims, resourceClaimTemplates, resourceSlices],
  descriptions: resourceDescriptions,
  validatesEachVersion: true,
};
