/** The API group events: Events, under the field names of their own group. */
import type { GroupDefinition } from '../kind-definition.ts';
import { eventsOfGroup } from './events.ts';
import { eventDescriptions } from './descriptions.ts';

export const eventsGroup: GroupDefinition = {
  group: 'events.{domain}',
  types: 'events',
  priority: 17_750,
  versions: { v1: { priority: 15 }, v1beta1: { priority: 5 } },
  kinds: [eventsOfGroup],
  descriptions: eventDescriptions,
};
