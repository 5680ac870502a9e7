/** The API group discovery: EndpointSlices, the addresses of the pods behind a service. */
import type { GroupDefinition } from '../kind-definition.ts';
import { endpointSlices } from './endpoint-slices.ts';
import { discoveryDescriptions } from './descriptions.ts';

export const discoveryGroup: GroupDefinition = {
  group: 'discovery.{domain}',
  types: 'discovery',
  priority: 16_200,
  versions: { v1: { priority: 15 }, v1beta1: { priority: 12 } },
  kinds: [endpointSlices],
  descriptions: discoveryDescriptions,
};
