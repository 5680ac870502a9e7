/** What runs pods and how many there may be: apps, batch, autoscaling, policy, scheduling, node. */
import { humanDuration } from '../../apimachinery/projection/human-duration.ts';
import type { CellValue } from '../../apimachinery/projection/printer.ts';
import { ageSince } from '../../apimachinery/projection/printer.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { timeOf, timeSince } from './duration.ts';
import {
  ageColumn,
  boolean,
  column,
  containerColumns,
  formatLabels,
  formatSelector,
  integer,
  nameColumn,
  selectorColumn,
  selectorText,
  table,
  templateColumns,
  wide,
  yesNo,
} from './columns.ts';
import { replicaColumns } from './core.ts';
import { countAt, hasCondition, isTrue, objectsAt, printedAt, valueAt } from './fields.ts';

const specSelector = selectorColumn((object) =>
  formatSelector(valueAt(object, 'spec', 'selector')),
);

const readyColumn = column(
  'Ready',
  'Pods that are ready, of those that there shall be.',
  (object) => {
    return `${countAt(object, 'status', 'readyReplicas')}/${countAt(object, 'spec', 'replicas')}`;
  },
);

export const deployments = table([
  nameColumn,
  readyColumn,
  column('Up-to-date', 'Pods that are made from the template as it is now.', (object) =>
    countAt(object, 'status', 'updatedReplicas'),
  ),
  column('Available', 'Pods that have been ready for long enough.', (object) =>
    countAt(object, 'status', 'availableReplicas'),
  ),
  ageColumn,
  ...templateColumns,
  selectorColumn((object) => selectorText(valueAt(object, 'spec', 'selector'))),
]);

export const replicaSets = table([
  nameColumn,
  ...replicaColumns,
  ageColumn,
  ...templateColumns,
  specSelector,
]);

export const statefulSets = table([nameColumn, readyColumn, ageColumn, ...templateColumns]);

function statusCount(name: string, description: string, member: string) {
  return integer(name, description, (object) => countAt(object, 'status', member));
}

export const daemonSets = table([
  nameColumn,
  statusCount('Desired', 'Nodes that shall have a pod.', 'desiredNumberScheduled'),
  statusCount('Current', 'Nodes that have one.', 'currentNumberScheduled'),
  statusCount('Ready', 'Nodes whose pod is ready.', 'numberReady'),
  statusCount(
    'Up-to-date',
    'Nodes whose pod is of the current template.',
    'updatedNumberScheduled',
  ),
  statusCount('Available', 'Nodes whose pod has been ready for long enough.', 'numberAvailable'),
  column('Node Selector', 'Labels of the nodes that are meant.', (object) =>
    formatLabels(valueAt(object, 'spec', 'template', 'spec', 'nodeSelector')),
  ),
  ageColumn,
  ...templateColumns,
  specSelector,
]);

function controllerOf(object: JsonObject): string {
  const owner = objectsAt(object, 'metadata', 'ownerReferences').find((each) =>
    isTrue(each, 'controller'),
  );
  if (owner === undefined) return '<none>';
  const [group, version] = printedAt(owner, 'apiVersion').split('/');
  const kind = printedAt(owner, 'kind') + (version === undefined ? '' : `.${group ?? ''}`);
  return `${kind.toLowerCase()}/${printedAt(owner, 'name')}`;
}

export const controllerRevisions = table([
  nameColumn,
  column('Controller', 'Whose revision it is.', controllerOf),
  column('Revision', 'Its number.', (object) => countAt(object, 'revision')),
  ageColumn,
]);

function jobStatus(job: JsonObject): string {
  if (hasCondition(job, 'Complete')) return 'Complete';
  if (hasCondition(job, 'Failed')) return 'Failed';
  if (valueAt(job, 'metadata', 'deletionTimestamp') !== undefined) return 'Terminating';
  const word = ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find((type) =>
    hasCondition(job, type),
  );
  return word ?? 'Running';
}

function jobCompletions(job: JsonObject): string {
  const succeeded = countAt(job, 'status', 'succeeded');
  if (valueAt(job, 'spec', 'completions') !== undefined) {
    return `${succeeded}/${countAt(job, 'spec', 'completions')}`;
  }
  const parallelism = countAt(job, 'spec', 'parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: JsonObject): CellValue {
  const start = timeOf(valueAt(job, 'status', 'startTime'));
  if (start === undefined) return '';
  const end = timeOf(valueAt(job, 'status', 'completionTime'));
  return end === undefined ? ageSince(start) : humanDuration(end - start);
}

export const jobs = table([
  nameColumn,
  column('Status', 'Whether the job runs, and how it ended.', jobStatus),
  column('Completions', 'Pods that ended well, of those that shall.', jobCompletions),
  column('Duration', 'Time that the job has taken.', jobDuration),
  ageColumn,
  ...templateColumns,
  specSelector,
]);

const jobTemplate = ['spec', 'jobTemplate', 'spec'];

export const cronJobs = table([
  nameColumn,
  column('Schedule', 'When jobs start.', (object) => printedAt(object, 'spec', 'schedule')),
  column(
    'Timezone',
    'Where that time is meant.',
    (object) => printedAt(object, 'spec', 'timeZone') || '<none>',
  ),
  boolean('Suspend', 'Whether no job starts.', (object) =>
    yesNo(valueAt(object, 'spec', 'suspend')),
  ),
  integer('Active', 'Jobs that run.', (object) => objectsAt(object, 'status', 'active').length),
  column('Last Schedule', 'Time since a job started.', (object) => {
    const last = valueAt(object, 'status', 'lastScheduleTime');
    return last === undefined ? '<none>' : timeSince(last);
  }),
  ageColumn,
  ...containerColumns(...jobTemplate, 'template', 'spec').map(wide),
  selectorColumn((object) => formatSelector(valueAt(object, ...jobTemplate, 'selector'))),
]);

export const podDisruptionBudgets = table([
  nameColumn,
  column(
    'Min Available',
    'Pods that must stay.',
    (object) => printedAt(object, 'spec', 'minAvailable') || 'N/A',
  ),
  column(
    'Max Unavailable',
    'Pods that may go.',
    (object) => printedAt(object, 'spec', 'maxUnavailable') || 'N/A',
  ),
  integer('Allowed Disruptions', 'Pods that may go now.', (object) =>
    countAt(object, 'status', 'disruptionsAllowed'),
  ),
  ageColumn,
]);

/** Of the scale subresource. */
export const scales = table([
  column('Name', 'Name of the object that is scaled.', (object) =>
    printedAt(object, 'metadata', 'name'),
  ),
  integer('Desired', 'Pods that there shall be.', (object) => countAt(object, 'spec', 'replicas')),
  integer('Available', 'Pods that there are.', (object) => countAt(object, 'status', 'replicas')),
  ageColumn,
]);

export const priorityClasses = table([
  nameColumn,
  integer('Value', 'The priority.', (object) => countAt(object, 'value')),
  boolean('Global-Default', 'Whether pods without a class have it.', (object) =>
    isTrue(object, 'globalDefault'),
  ),
  ageColumn,
  column('PreemptionPolicy', 'Whether others make room.', (object) =>
    printedAt(object, 'preemptionPolicy'),
  ),
]);

export const runtimeClasses = table([
  nameColumn,
  column(
    'Handler',
    'What runs the containers of such pods.',
    (object) => printedAt(object, 'handler') || printedAt(object, 'spec', 'runtimeHandler'),
  ),
  ageColumn,
]);
