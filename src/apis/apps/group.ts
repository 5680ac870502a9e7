/** The API group apps: workloads that keep pods running. */
import type { GroupDefinition } from '../kind-definition.ts';
import { controllerRevisions } from './controller-revisions.ts';
import { daemonSets } from './daemon-sets.ts';
import { deployments } from './deployments.ts';
import { replicaSets } from './replica-sets.ts';
import { statefulSets } from './stateful-sets.ts';
import { appsDescriptions } from './descriptions.ts';

export const appsGroup: GroupDefinition = {
  group: 'apps',
  types: 'apps',
  priority: 17_800,
  versions: { v1: { priority: 15 }, v1beta2: { priority: 9 }, v1beta1: { priority: 1 } },
  kinds: [controllerRevisions, daemonSets, deployments, replicaSets, statefulSets],
  descriptions: appsDescriptions,
};
