/** The API group scheduling: PriorityClasses, which pods are scheduled before others. */
import type { GroupDefinition } from '../kind-definition.ts';
import { priorityClasses } from './priority-classes.ts';

const descriptions = `
scheduling.PriorityClass How important pods are, under a name.
  value The number; higher is more important.
  globalDefault It is that of pods which name none. One class may be.
  description What it is for.
  preemptionPolicy Whether less important pods may go for these: PreemptLowerPriority or Never.
`;

export const schedulingGroup: GroupDefinition = {
  group: 'scheduling.{domain}',
  types: 'scheduling',
  priority: 16_600,
  versions: {
    v1: { priority: 15 },
    v1beta1: { priority: 12 },
    v1alpha1: { priority: 9, introduced: 9, removed: 23 },
  },
  kinds: [priorityClasses],
  descriptions: descriptions,
};
