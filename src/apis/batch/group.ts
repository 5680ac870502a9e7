/** The API group batch: Jobs and CronJobs, whose pods run to completion. */
import type { GroupDefinition } from '../kind-definition.ts';
import { cronJobs } from './cron-jobs.ts';
import { jobs } from './jobs.ts';
import { batchDescriptions } from './descriptions.ts';

export const batchGroup: GroupDefinition = {
  group: 'batch',
  types: 'batch',
  priority: 17_400,
  versions: { v1: { priority: 15 }, v1beta1: { priority: 9 } },
  kinds: [cronJobs, jobs],
  descriptions: batchDescriptions,
};
