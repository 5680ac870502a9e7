/**
 * The usage of an object in its namespace's quotas: amounts by the names that quotas use, and the
 * properties that scopes test.
 *
 *     anything     count/RESOURCE.GROUP, and RESOURCE of the core kinds that quotas know by name
 *     a pod        + cpu, memory ... of its requests, limits.*     while it has not ended
 *     a service    + services.nodeports, services.loadbalancers
 *     a claim      + requests.storage, and both again for its storage class
 *
 * What it is not: a quota (charge.ts holds one against it).
 *
 * Invariants: pure, and a function of the object alone, not of the time: what was charged when an
 * object was written is what is given back when it goes. Amounts are exact. What cannot be read as
 * a quantity counts as nothing; the rules of its kind have refused it.
 * Bounds: linear in the object's containers and ports.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { objects, part, text } from '../../apimachinery/members.ts';
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  roundUpQuantity,
} from '../../apimachinery/quantity.ts';
import type { Quantity } from '../../apimachinery/quantity.ts';
import type { GroupResource } from '../../apimachinery/schema.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { podScopes } from './scopes.ts';
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
  /** Of storage classes in quotas: `storage.k8s.io`. */
  readonly storageDomain: string;
  /** The annotation of claims that was there before the field. */
  readonly classAnnotation: string;
}

export function usageNames({ fill }: Pick<Identity, 'fill'>): UsageNames {
  return {
    storageDomain: fill('storage.{domain}'),
    classAnnotation: fill('volume.beta.{labelDomain}/storage-class'),
  };
}

export function usageOf(resource: GroupResource, object: ApiObject, names: UsageNames): Usage {
  const amounts: Record<string, string> = { [countName(resource)]: '1' };
  if (resource.group !== '') return { amounts, scopes: null, missing: nothingMissing };
  switch (resource.resource) {
    case 'pods':
      return podUsage(object, amounts);
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

type Amounts = Map<string, Quantity>;

/** Of a pod that has ended only `count/pods` is left. */
function podUsage(pod: ApiObject, amounts: Record<string, string>): Usage {
  const scopes = podScopes(pod);
  const phase = text(part(pod, 'status'), 'phase');
  if (phase === 'Succeeded' || phase === 'Failed') {
    return { amounts, scopes, missing: nothingMissing };
  }
  const spec = part(pod, 'spec');
  amounts['pods'] = '1';
  for (const [name, amount] of podAmounts(spec, 'requests')) {
    const shown = formatQuantity(amount);
    if (isExtended(name)) amounts[`requests.${name}`] = shown;
    else if (isRequestable(name)) {
      amounts[name] = shown;
      amounts[`requests.${name}`] = shown;
    }
  }
  for (const [name, amount] of podAmounts(spec, 'limits')) {
    if (limitable.has(name)) amounts[`limits.${name}`] = formatQuantity(amount);
  }
  return { amounts, scopes, missing: unsaid(spec) };
}

const limitable: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);

function isRequestable(name: string): boolean {
  return limitable.has(name) || name.startsWith('hugepages-');
}

function isExtended(name: string): boolean {
  return name.includes('/') && !/(^|\.)kubernetes\.io\//.test(name);
}

/** Containers together, or the init container that needs most where that is more, with those that
 * go on beside it; and what the pod needs for itself. */
function podAmounts(spec: JsonObject, list: 'requests' | 'limits'): Amounts {
  const total: Amounts = new Map();
  for (const container of objects(spec, 'containers')) add(total, listOf(container, list));
  const sidecars: Amounts = new Map();
  const most: Amounts = new Map();
  for (const container of objects(spec, 'initContainers')) {
    const own = listOf(container, list);
    if (container['restartPolicy'] === 'Always') {
      add(total, own);
      add(sidecars, own);
      raise(most, sidecars);
    } else {
      const beside = new Map(sidecars);
      add(beside, own);
      raise(most, beside);
    }
  }
  raise(total, most);
  for (const [name, amount] of listOf(spec, list)) {
    if (name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')) {
      total.set(name, amount);
    }
  }
  for (const [name, amount] of quantities(part(spec, 'overhead'))) {
    if (list === 'requests' || total.has(name)) add(total, new Map([[name, amount]]));
  }
  return total;
}

function listOf(holder: JsonObject, list: 'requests' | 'limits'): Amounts {
  return quantities(part(part(holder, 'resources'), list));
}

function quantities(amounts: JsonObject): Amounts {
  const found: Amounts = new Map();
  for (const [name, value] of Object.entries(amounts)) {
    const quantity = parseQuantity(String(value));
    if (quantity !== undefined) found.set(name, quantity);
  }
  return found;
}

function add(to: Amounts, amounts: Amounts): void {
  for (const [name, amount] of amounts) {
    const before = to.get(name);
    to.set(name, before === undefined ? amount : addQuantities(before, amount));
  }
}

function raise(to: Amounts, amounts: Amounts): void {
  for (const [name, amount] of amounts) {
    const before = to.get(name);
    if (before === undefined || compareQuantities(before, amount) < 0) to.set(name, amount);
  }
}

/** What a quota of the name wants every container to say. */
const demanded = [
  ['cpu', 'requests', 'cpu'],
  ['memory', 'requests', 'memory'],
  ['requests.cpu', 'requests', 'cpu'],
  ['requests.memory', 'requests', 'memory'],
  ['limits.cpu', 'limits', 'cpu'],
  ['limits.memory', 'limits', 'memory'],
] as const;

function unsaid(spec: JsonObject): Usage['missing'] {
  const missing: Record<string, string[]> = {};
  const containers = [...objects(spec, 'containers'), ...objects(spec, 'initContainers')];
  const ofPod = part(spec, 'resources');
  for (const [name, list, resource] of demanded) {
    if (part(ofPod, list)[resource] !== undefined) continue;
    const silent = containers.filter(
      (each) => part(part(each, 'resources'), list)[resource] === undefined,
    );
    if (silent.length > 0) missing[name] = silent.map((each) => text(each, 'name')).sort();
  }
  return missing;
}

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
  ].filter((each) => each !== '');
  return { amounts, scopes: { volumeAttributesClasses: classes }, missing: nothingMissing };
}

function larger(a: Quantity | undefined, b: Quantity | undefined): Quantity | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareQuantities(a, b) < 0 ? b : a;
}
