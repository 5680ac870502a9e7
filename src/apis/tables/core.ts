/** The core group, but for pods, services and volumes. */
import type { CellValue, TablePrinter } from '../../apimachinery/projection/printer.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { timeSince } from './duration.ts';
import {
  ageColumn,
  column,
  createdAtColumn,
  formatLabels,
  integer,
  nameColumn,
  naming,
  selectorColumn,
  table,
  templateColumns,
  wide,
} from './columns.ts';
import type { Column, Fill } from './columns.ts';
import { conditionOf, countAt, isTrue, objectsAt, partAt, printedAt, valueAt } from './fields.ts';

export const namespaces = table([
  nameColumn,
  column('Status', 'Active, or Terminating while its content goes.', (object) =>
    printedAt(object, 'status', 'phase'),
  ),
  ageColumn,
]);

function entries(object: JsonObject, ...members: string[]): number {
  return members.reduce((sum, member) => sum + Object.keys(partAt(object, member)).length, 0);
}

export const configMaps = table([
  nameColumn,
  column('Data', 'Number of entries.', (object) => entries(object, 'data', 'binaryData')),
  ageColumn,
]);

export const secrets = table([
  nameColumn,
  column('Type', 'What the secret is for.', (object) => printedAt(object, 'type')),
  column('Data', 'Number of entries.', (object) => entries(object, 'data')),
  ageColumn,
]);

export const serviceAccounts = table([
  nameColumn,
  column(
    'Secrets',
    'Number of secrets it refers to.',
    (object) => objectsAt(object, 'secrets').length,
  ),
  ageColumn,
]);

/** Desired, current, ready: for replication controllers and replica sets. */
export const replicaColumns: readonly Column[] = [
  integer('Desired', 'Pods that there shall be.', (object) => countAt(object, 'spec', 'replicas')),
  integer('Current', 'Pods that there are.', (object) => countAt(object, 'status', 'replicas')),
  integer('Ready', 'Pods that are ready.', (object) => countAt(object, 'status', 'readyReplicas')),
];

export const replicationControllers = table([
  nameColumn,
  ...replicaColumns,
  ageColumn,
  ...templateColumns,
  selectorColumn((object) => formatLabels(valueAt(object, 'spec', 'selector'))),
]);

/** Requests in one column, limits in the other: `cpu: 1/2, memory: 1Gi/4Gi`. */
function usage(object: JsonObject, limits: boolean): string {
  const used = partAt(object, 'status', 'used');
  return Object.entries(partAt(object, 'status', 'hard'))
    .filter(([resource]) => resource.startsWith('limits.') === limits)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([resource, hard]) => `${resource}: ${printedAt(used, resource) || '0'}/${String(hard)}`)
    .join(', ');
}

export const resourceQuotas = table([
  nameColumn,
  column('Request', 'What is used, of what may be used.', (object) => usage(object, false)),
  column('Limit', 'What limits add up to, of what they may.', (object) => usage(object, true)),
  ageColumn,
]);

export const limitRanges = table([nameColumn, createdAtColumn]);

function nodeStatus(node: JsonObject): string {
  const ready = conditionOf(node, 'Ready');
  const word = ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady';
  return isTrue(node, 'spec', 'unschedulable') ? `${word},SchedulingDisabled` : word;
}

function nodeRoles(node: JsonObject, fill: Fill): string {
  const roles = new Set<string>();
  const rolePrefix = fill('node-role.{labelDomain}/');
  const roleLabel = fill('{labelDomain}/role');
  for (const [key, value] of Object.entries(partAt(node, 'metadata', 'labels'))) {
    if (key.startsWith(rolePrefix)) roles.add(key.slice(rolePrefix.length));
    else if (key === roleLabel) roles.add(String(value));
  }
  roles.delete('');
  return [...roles].sort().join(',') || '<none>';
}

function nodeAddress(node: JsonObject, type: string): string {
  const found = objectsAt(node, 'status', 'addresses').find((each) => each['type'] === type);
  return printedAt(found, 'address') || '<none>';
}

function nodeInfo(name: string, description: string, member: string): Column {
  return wide(
    column(
      name,
      description,
      (node) => printedAt(node, 'status', 'nodeInfo', member) || '<unknown>',
    ),
  );
}

export const nodes = (fill: Fill): TablePrinter =>
  table([
    nameColumn,
    column('Status', 'Whether the node is ready and takes new pods.', nodeStatus),
    column('Roles', 'What the node is for, by its labels.', (node) => nodeRoles(node, fill)),
    ageColumn,
    column('Version', 'Version of the program that runs the pods.', (node) =>
      printedAt(node, 'status', 'nodeInfo', 'kubeletVersion'),
    ),
    wide(
      column('Internal-IP', 'Address in the cluster.', (node) => nodeAddress(node, 'InternalIP')),
    ),
    wide(column('External-IP', 'Address outside.', (node) => nodeAddress(node, 'ExternalIP'))),
    nodeInfo('OS-Image', 'Operating system.', 'osImage'),
    nodeInfo('Kernel-Version', 'Version of its kernel.', 'kernelVersion'),
    nodeInfo('Container-Runtime', 'What runs containers.', 'containerRuntimeVersion'),
  ]);

export const componentStatuses = table([
  nameColumn,
  column('Status', 'Whether the component is healthy.', (object) => {
    const healthy = health(object);
    if (healthy === undefined) return 'Unknown';
    return healthy['status'] === 'True' ? 'Healthy' : 'Unhealthy';
  }),
  column('Message', 'What the component says.', (object) => printedAt(health(object), 'message')),
  column('Error', 'Why it could not be asked.', (object) => printedAt(health(object), 'error')),
]);

function health(object: JsonObject): JsonObject | undefined {
  return objectsAt(object, 'conditions').find((each) => each['type'] === 'Healthy');
}

/** Of both groups: each member stands under the name of the one or the other. */
function either(event: JsonObject, ...members: string[]): JsonObject[string] {
  return members.map((member) => valueAt(event, member)).find((value) => value !== undefined);
}

function firstSeen(event: JsonObject): CellValue {
  const first = either(event, 'firstTimestamp', 'deprecatedFirstTimestamp', 'eventTime');
  return timeSince(first);
}

function lastSeen(event: JsonObject): CellValue {
  const series = valueAt(event, 'series', 'lastObservedTime');
  const last = series ?? either(event, 'lastTimestamp', 'deprecatedLastTimestamp');
  return last === undefined ? firstSeen(event) : timeSince(last);
}

function eventObject(event: JsonObject): string {
  const about = partAt(either(event, 'involvedObject', 'regarding'));
  const kind = printedAt(about, 'kind').toLowerCase();
  const name = printedAt(about, 'name');
  return name === '' ? kind : `${kind}/${name}`;
}

function eventSource(event: JsonObject): string {
  const source = partAt(either(event, 'source', 'deprecatedSource'));
  const component =
    printedAt(source, 'component') ||
    printedAt(event, 'reportingComponent') ||
    printedAt(event, 'reportingController');
  const instance = printedAt(source, 'host') || printedAt(event, 'reportingInstance');
  return instance === '' ? component : `${component}, ${instance}`;
}

function eventCount(event: JsonObject): number {
  const series = valueAt(event, 'series');
  if (series !== undefined) return countAt(series, 'count');
  return countAt(event, 'count') || countAt(event, 'deprecatedCount') || 1;
}

export const events = table([
  column('Last Seen', 'Time since it happened last.', lastSeen),
  column('Type', 'Normal, or Warning.', (event) => printedAt(event, 'type')),
  column('Reason', 'Why it happened, in one word.', (event) => printedAt(event, 'reason')),
  column('Object', 'What it happened to.', eventObject),
  wide(
    column('Subobject', 'The part of the object that it happened to.', (event) =>
      printedAt(either(event, 'involvedObject', 'regarding'), 'fieldPath'),
    ),
  ),
  wide(column('Source', 'Who says so.', eventSource)),
  column('Message', 'What happened.', (event) =>
    printedAt(either(event, 'message', 'note')).trim(),
  ),
  wide(column('First Seen', 'Time since it happened first.', firstSeen)),
  wide(column('Count', 'How often it happened.', eventCount)),
  wide(
    naming(column('Name', 'Name of the event.', (event) => printedAt(event, 'metadata', 'name'))),
  ),
]);
