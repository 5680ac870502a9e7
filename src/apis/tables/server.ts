/** What configures the server itself: admission, flow control, storage versions; and devices. */
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { ageColumn, column, firstOf, integer, nameColumn, selectorText, table } from './columns.ts';
import { conditionOf, countAt, objectsAt, printedAt, valueAt } from './fields.ts';

export const webhookConfigurations = table([
  nameColumn,
  integer(
    'Webhooks',
    'Number of webhooks in it.',
    (object) => objectsAt(object, 'webhooks').length,
  ),
  ageColumn,
]);

const paramKindColumn = column('ParamKind', 'Kind of the objects that set it up.', (object) => {
  const kind = valueAt(object, 'spec', 'paramKind');
  return kind === undefined
    ? '<unset>'
    : `${printedAt(kind, 'apiVersion')}/${printedAt(kind, 'kind')}`;
});

export const validatingAdmissionPolicies = table([
  nameColumn,
  integer(
    'Validations',
    'Number of rules.',
    (object) => objectsAt(object, 'spec', 'validations').length,
  ),
  paramKindColumn,
  ageColumn,
]);

export const mutatingAdmissionPolicies = table([
  nameColumn,
  integer(
    'Mutations',
    'Number of changes.',
    (object) => objectsAt(object, 'spec', 'mutations').length,
  ),
  paramKindColumn,
  ageColumn,
]);

function paramRef(binding: JsonObject): string {
  const reference = valueAt(binding, 'spec', 'paramRef');
  const name = printedAt(reference, 'name');
  if (name !== '') return `${printedAt(reference, 'namespace') || '*'}/${name}`;
  const selector = valueAt(reference, 'selector');
  return selector === undefined ? '<unset>' : selectorText(selector);
}

export const admissionPolicyBindings = table([
  nameColumn,
  column('PolicyName', 'The policy.', (object) => printedAt(object, 'spec', 'policyName')),
  column('ParamRef', 'The object that sets it up.', paramRef),
  ageColumn,
]);

export const apiServices = table([
  nameColumn,
  column('Service', 'The service that answers for it; Local is this server.', (object) => {
    const service = valueAt(object, 'spec', 'service');
    if (service === undefined) return 'Local';
    return `${printedAt(service, 'namespace')}/${printedAt(service, 'name')}`;
  }),
  column('Available', 'Whether anybody answers for it.', (object) => {
    const condition = conditionOf(object, 'Available');
    const [status, reason] = [printedAt(condition, 'status'), printedAt(condition, 'reason')];
    return status === 'True' || reason === '' ? status || 'Unknown' : `${status} (${reason})`;
  }),
  ageColumn,
]);

export const flowSchemas = table([
  nameColumn,
  column('PriorityLevel', 'Where its requests wait.', (object) =>
    printedAt(object, 'spec', 'priorityLevelConfiguration', 'name'),
  ),
  column('MatchingPrecedence', 'The lowest that fits a request is taken.', (object) =>
    countAt(object, 'spec', 'matchingPrecedence'),
  ),
  column(
    'DistinguisherMethod',
    'What makes requests of one flow.',
    (object) => printedAt(object, 'spec', 'distinguisherMethod', 'type') || '<none>',
  ),
  ageColumn,
  column(
    'MissingPL',
    'Whether there is no such priority level.',
    (object) => printedAt(conditionOf(object, 'Dangling'), 'status') || '?',
  ),
]);

const queuing = ['spec', 'limited', 'limitResponse', 'queuing'];

function queuingColumn(name: string, description: string, member: string) {
  return column(name, description, (object) => {
    const isThere = valueAt(object, ...queuing) !== undefined;
    return isThere ? countAt(object, ...queuing, member) : '<none>';
  });
}

/** The member had another name in older versions. */
function shares(level: JsonObject): number | string {
  const limited = valueAt(level, 'spec', 'limited');
  if (limited === undefined) return '<none>';
  return (
    countAt(limited, 'nominalConcurrencyShares') || countAt(limited, 'assuredConcurrencyShares')
  );
}

export const priorityLevels = table([
  nameColumn,
  column('Type', 'Whether requests are limited.', (object) => printedAt(object, 'spec', 'type')),
  column('NominalConcurrencyShares', 'Its part of what the server can do at once.', shares),
  queuingColumn('Queues', 'Number of queues.', 'queues'),
  queuingColumn('HandSize', 'Queues a flow may use.', 'handSize'),
  queuingColumn('QueueLengthLimit', 'Most requests in a queue.', 'queueLengthLimit'),
  ageColumn,
]);

const shownMax = 3;

export const storageVersions = table([
  nameColumn,
  column(
    'CommonEncodingVersion',
    'Version that all servers write.',
    (object) => printedAt(object, 'status', 'commonEncodingVersion') || '<unset>',
  ),
  column('StorageVersions', 'Version that each server writes.', (object) =>
    firstOf(
      objectsAt(object, 'status', 'storageVersions').map(
        (each) => `${printedAt(each, 'apiServerID')}=${printedAt(each, 'encodingVersion')}`,
      ),
      shownMax,
      '<unset>',
    ),
  ),
  ageColumn,
]);

export const storageVersionMigrations = table([
  nameColumn,
  column('Resource', 'What is written anew.', (object) => {
    const { resource, version, group } = {
      resource: printedAt(object, 'spec', 'resource', 'resource'),
      version: printedAt(object, 'spec', 'resource', 'version'),
      group: printedAt(object, 'spec', 'resource', 'group'),
    };
    return `${resource}.${version}.${group}`;
  }),
]);

export const nameAndAge = table([nameColumn, ageColumn]);

function claimState(claim: JsonObject): string {
  const isDeleted = valueAt(claim, 'metadata', 'deletionTimestamp') !== undefined;
  const states = isDeleted ? ['deleted'] : [];
  if (valueAt(claim, 'status', 'allocation') === undefined) {
    if (!isDeleted) states.push('pending');
    return states.join(',');
  }
  states.push('allocated');
  if (objectsAt(claim, 'status', 'reservedFor').length > 0) states.push('reserved');
  return states.join(',');
}

export const resourceClaims = table([
  nameColumn,
  column('State', 'Whether devices have been allocated, and for somebody.', claimState),
  ageColumn,
]);

export const resourceSlices = table([
  nameColumn,
  column('Node', 'Node that has the devices.', (object) => printedAt(object, 'spec', 'nodeName')),
  column('Driver', 'Who manages them.', (object) => printedAt(object, 'spec', 'driver')),
  column('Pool', 'Pool they are part of.', (object) => printedAt(object, 'spec', 'pool', 'name')),
  ageColumn,
]);
