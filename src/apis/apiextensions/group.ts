/** The API group apiextensions: CustomResourceDefinitions, the kinds that clients define. */
import type { GroupDefinition } from '../kind-definition.ts';
import { customResourceDefinitions } from './custom-resource-definitions.ts';
import { apiextensionsDescriptions } from './descriptions.ts';

export const apiextensionsGroup: GroupDefinition = {
  group: 'apiextensions.{domain}',
  types: 'apiextensions',
  priority: 16_700,
  versions: { v1: { priority: 15 }, v1beta1: { priority: 9 } },
  kinds: [customResourceDefinitions],
  descriptions: apiextensionsDescriptions,
};
