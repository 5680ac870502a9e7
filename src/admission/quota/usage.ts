/**
 * The usage of an object in its namespace's quotas: amounts by the names that quotas use, and the
 * properties that scopes test.
 *
 *     anything     count/RESOURCE.GROUP, and RESOURCE for the core kinds that quotas know by name
 *     a pod        + cpu, memory ... of its requests, limits.*     until it has ended
 *     a service    + services.nodeports, services.loadbalancers
 *     a claim      + requests.storage, and both again for its storage class
 *     a claim of devices      + CLASS.deviceclass.resource.DOMAIN/devices
 *
 * charge.ts compares the usage with a quota.
 *
 * Invariants: pure, and a function of the object alone, not of time, so what was charged for an
 * object is what its deletion gives back. Amounts are exact. A value that is no quantity counts as
 * nothing; validation has refused it.
 * Bounds: linear in the object's containers and ports.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { objects, part, text } from '../../apimachinery/members.ts';
import { compareQuantities, formatQuantity, roundUpQuantity } from '../../apimachinery/quantity.ts';
import type { Quantity } from '../../apimachinery/quantity.ts';
import type { GroupResource } from '../../apimachinery/schema.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { podUsage, quantities } from './pod-usage.ts';
import type { ScopeFacts } from './scopes.ts';

export interface Usage {
  /** Canonical quantities by the names of quotas. */
  readonly amounts: Readonly<Record<string, string>>;
  /** Null: it has nothing that a scope asks about. */
  readonly scopes: ScopeFacts | null;
  /** Names that a quota demands of every container, and the containers that do not say them. */
  readonly missing: Readonly<Record<string, readonly string[]>>;
}

/** Kinds whose writes can take more after their creation; all others take what they take. */
export function mayGrow({ group, resource }: GroupResource): boolean {
  return group === '' && growing.has(resource);
}

const growing: ReadonlySet<string> = new Set(['pods', 'services', 'persistentvolumeclaims']);

/** Core kinds that quotas count by their plain names. */
export const plainlyCounted: ReadonlySet<string> = new Set([
  'pods',
  'services',
  'configmaps',
  'secrets',
  'replicationcontrollers',
  'resourcequotas',
  'persistentvolumeclaims',
]);

/** What comes and goes by itself is not counted. */
export function isCounted({ group, resource }: GroupResource): boolean {
  return resource !== 'events' || (group !== '' && !group.startsWith('events.'));
}

/** `count/pods`, `count/deployments.apps`. */
export function countName({ group, resource }: GroupResource): string {
  return group === '' ? `count/${resource}` : `count/${resource}.${group}`;
}

/** Names that differ with the identity. */
export interface UsageNames {
  readonly labelDomain: string;
  /** Of storage classes in quotas: `storage.k8s.io`. */
  readonly storageDomain: string;
  /** Behind the name of a device class in quotas. */
  readonly devicesOfClass: string;
  readonly resourceGroup: string;
  /** The annotation of claims that was there before the field. */
  readonly classAnnotation: string;
}

type UsedOfIdentity = 'fill' | 'labelDomain';

export function usageNames({ fill, labelDomain }: Pick<Identity, UsedOfIdentity>): UsageNames {
  return {
    labelDomain,
    storageDomain: fill('storage.{domain}'),
    devicesOfClass: fill('.deviceclass.resource.{domain}/devices'),
    resourceGroup: fill('resource.{domain}'),
    classAnnotation: fill('volume.beta.{labelDomain}/storage-class'),
  };
}

export function usageOf(resource: GroupResource, object: ApiObject, names: UsageNames): Usage {
  const amounts: Record<string, string> = { [countName(resource)]: '1' };
  if (resource.group !== '') {
    const isOfDevices = resource.resource === 'resourceclaims';
    if (isOfDevices && resource.group === names.resourceGroup) {
      deviceAmounts(part(part(object, 'spec'), 'devices'), amounts, names);
    }
    return { amounts, scopes: null, missing: nothingMissing };
  }
  switch (resource.resource) {
    case 'pods':
      return podUsage(object, amounts, names.labelDomain);
    case 'services':
      serviceAmounts(part(object, 'spec'), amounts);
      break;
    case 'persistentvolumeclaims':
      return claimUsage(object, amounts, names);
    default:
      if (plainlyCounted.has(resource.resource)) amounts[resource.resource] = '1';
  }
  return { amounts, scopes: null, missing: nothingMissing };
}

const nothingMissing: Usage['missing'] = {};

function serviceAmounts(spec: JsonObject, amounts: Record<string, string>): void {
  amounts['services'] = '1';
  const type = text(spec, 'type');
  const balanced = type === 'LoadBalancer';
  if (balanced) amounts['services.loadbalancers'] = '1';
  if (!balanced && type !== 'NodePort') return;
  const ports = objects(spec, 'ports');
  const allocated = !balanced || spec['allocateLoadBalancerNodePorts'] !== false;
  const given = allocated
    ? ports
    : ports.filter(({ nodePort }) => nodePort !== undefined && nodePort !== 0);
  if (given.length > 0) amounts['services.nodeports'] = String(given.length);
}

/** Where a request may be met in one of several ways, a class counts as often as it can come.
 * Before v1beta2 the only way is the request itself. */
function deviceAmounts(
  devices: JsonObject,
  amounts: Record<string, string>,
  { devicesOfClass }: UsageNames,
): void {
  const sums = new Map<string, number>();
  for (const request of objects(devices, 'requests')) {
    const most = new Map<string, number>();
    const ways = [request, part(request, 'exactly'), ...objects(request, 'firstAvailable')];
    for (const way of ways) {
      const name = text(way, 'deviceClassName');
      if (name !== '') most.set(name, Math.max(most.get(name) ?? 0, deviceCount(way)));
    }
    for (const [name, count] of most) sums.set(name, (sums.get(name) ?? 0) + count);
  }
  for (const [name, count] of sums) amounts[`${name}${devicesOfClass}`] = String(count);
}

/** All devices that there are: at most as many as a claim can get. */
const devicesOfClaimMax = 32;

function deviceCount({ allocationMode = 'ExactCount', count = 1 }: JsonObject): number {
  if (allocationMode === 'All') return devicesOfClaimMax;
  return allocationMode === 'ExactCount' && typeof count === 'number' ? count : 0;
}

function claimUsage(
  claim: ApiObject,
  amounts: Record<string, string>,
  { classAnnotation, storageDomain }: UsageNames,
): Usage {
  const spec = part(claim, 'spec');
  amounts['persistentvolumeclaims'] = '1';
  const asked = quantities(part(part(spec, 'resources'), 'requests')).get('storage');
  const given = quantities(part(part(claim, 'status'), 'allocatedResources')).get('storage');
  const most = larger(asked, given);
  // A quota counts whole bytes.
  const storage = most && roundUpQuantity(most, 0);
  if (storage !== undefined) amounts['requests.storage'] = formatQuantity(storage);
  const old = claim.metadata.annotations?.[classAnnotation];
  const name = old ?? text(spec, 'storageClassName');
  if (name !== '') {
    const prefix = `${name}.storageclass.${storageDomain}/`;
    amounts[`${prefix}persistentvolumeclaims`] = '1';
    if (storage !== undefined) amounts[`${prefix}requests.storage`] = formatQuantity(storage);
  }
  const status = part(claim, 'status');
  const classes = [
    text(spec, 'volumeAttributesClassName'),
    text(status, 'currentVolumeAttributesClassName'),
    text(part(status, 'modifyVolumeStatus'), 'targetVolumeAttributesClassName'),
  ].filter((each) => each !== '');
  return { amounts, scopes: { volumeAttributesClasses: classes }, missing: nothingMissing };
}

function larger(a: Quantity | undefined, b: Quantity | undefined): Quantity | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareQuantities(a, b) < 0 ? b : a;
}
