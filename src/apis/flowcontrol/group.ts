/** The API group flowcontrol: priorities of requests. They are stored but not enforced. */
import type { GroupDefinition } from '../kind-definition.ts';
import { flowSchemas } from './flow-schemas.ts';
import { priorityLevelConfigurations } from './priority-levels.ts';
import { flowcontrolDescriptions } from './descriptions.ts';

export const flowcontrolGroup: GroupDefinition = {
  group: 'flowcontrol.{domain}',
  types: 'flowcontrol',
  priority: 16_100,
  versions: {
    v1: { priority: 21 },
    v1beta3: { priority: 18 },
    v1beta2: { priority: 15 },
    v1beta1: { priority: 12 },
  },
  kinds: [flowSchemas, priorityLevelConfigurations],
  descriptions: flowcontrolDescriptions,
};
