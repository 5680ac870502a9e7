/** The API group autoscaling: HorizontalPodAutoscalers. */
import type { GroupDefinition } from '../kind-definition.ts';
import { horizontalPodAutoscalers } from './horizontal-pod-autoscalers.ts';
import { autoscalingDescriptions } from './descriptions.ts';

export const autoscalingGroup: GroupDefinition = {
  group: 'autoscaling',
  types: 'autoscaling',
  priority: 17_500,
  versions: {
    v2: { priority: 30 },
    v1: { priority: 15 },
    v2beta1: { priority: 9 },
    v2beta2: { priority: 1 },
  },
  kinds: [horizontalPodAutoscalers],
  descriptions: autoscalingDescriptions,
};
