/** The API group apiregistration: APIServices, which server answers for which group and version. */
import type { GroupDefinition } from '../kind-definition.ts';
import { apiServices } from './api-services.ts';
import { apiregistrationDescriptions } from './descriptions.ts';

export const apiregistrationGroup: GroupDefinition = {
  group: 'apiregistration.{domain}',
  types: 'apiregistration',
  kinds: [apiServices],
  descriptions: apiregistrationDescriptions,
};
