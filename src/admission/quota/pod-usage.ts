/**
 * What a pod takes of its namespace's quotas.
 *
 *     all containers and sidecars together         ─┐
 *     each init container, with the sidecars before ─┴▶ the larger one, for each resource
 *     the pod's own requests replace that where it has some; its overhead is added
 *     (a sidecar is an init container that is always restarted)
 *
 * usage.ts has the other kinds, and the properties for scopes.
 *
 * Invariants: pure. A container that is being made smaller counts with its old amounts until its
 * node reports the new ones; if a resize is infeasible, only what the container has counts.
 * Bounds: linear in the pod's containers and their statuses.
 */
import { objects, part, text } from '../../apimachinery/members.ts';
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
} from '../../apimachinery/quantity.ts';
import type { Quantity } from '../../apimachinery/quantity.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { isExtendedResource } from '../../apimachinery/extended-resource-names.ts';
import { podScopes } from './scopes.ts';
import type { ScopeFacts } from './scopes.ts';

export type Amounts = Map<string, Quantity>;

export interface PodUsage {
  readonly amounts: Readonly<Record<string, string>>;
  readonly scopes: ScopeFacts;
  readonly missing: Readonly<Record<string, readonly string[]>>;
}

/** `count`: the pod as an object. Of one that has ended nothing else is left. */
export function podUsage(
  pod: ApiObject,
  count: Readonly<Record<string, string>>,
  labelDomain: string,
): PodUsage {
  const scopes = podScopes(pod);
  const phase = text(part(pod, 'status'), 'phase');
  if (phase === 'Succeeded' || phase === 'Failed') return { amounts: count, scopes, missing: {} };
  const amounts: Record<string, string> = { ...count, pods: '1' };
  for (const [name, amount] of podAmounts(pod, 'requests')) {
    const shown = formatQuantity(amount);
    if (isExtendedResource(name, labelDomain)) amounts[`requests.${name}`] = shown;
    else if (isRequestable(name)) {
      amounts[name] = shown;
      amounts[`requests.${name}`] = shown;
    }
  }
  for (const [name, amount] of podAmounts(pod, 'limits')) {
    if (limitable.has(name)) amounts[`limits.${name}`] = formatQuantity(amount);
  }
  return { amounts, scopes, missing: unsaid(part(pod, 'spec')) };
}

const limitable: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);

function isRequestable(name: string): boolean {
  return limitable.has(name) || name.startsWith('hugepages-');
}

type List = 'requests' | 'limits';

/** Containers together, or the init container that needs most where that is more, with those that
 * go on beside it; and what the pod needs for itself. */
function podAmounts(pod: ApiObject, list: List): Amounts {
  const spec = part(pod, 'spec');
  const amountsOf = containerAmounts(part(pod, 'status'), list);
  const total: Amounts = new Map();
  for (const container of objects(spec, 'containers')) add(total, amountsOf(container));
  const sidecars: Amounts = new Map();
  const most: Amounts = new Map();
  for (const container of objects(spec, 'initContainers')) {
    if (container['restartPolicy'] === 'Always') {
      const own = amountsOf(container);
      add(total, own);
      add(sidecars, own);
      raise(most, sidecars);
    } else {
      const beside = new Map(sidecars);
      add(beside, listOf(container, list));
      raise(most, beside);
    }
  }
  raise(total, most);
  for (const [name, amount] of listOf(spec, list)) {
    if (isOfPods(name)) total.set(name, amount);
  }
  for (const [name, amount] of quantities(part(spec, 'overhead'))) {
    // No limit is none, and not one of nothing.
    const isAdded = list === 'requests' || (total.get(name)?.unscaled ?? 0n) !== 0n;
    if (isAdded) add(total, new Map([[name, amount]]));
  }
  return total;
}

/** Those that a pod can ask for as a whole. */
function isOfPods(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
}

/** Of a container that goes on for as long as the pod does. */
function containerAmounts(status: JsonObject, list: List): (container: JsonObject) => Amounts {
  const running = new Map<string, JsonObject>();
  for (const kind of ['containerStatuses', 'initContainerStatuses']) {
    for (const each of objects(status, kind)) {
      if (each['resources'] !== undefined) running.set(text(each, 'name'), each);
    }
  }
  const isImpossible = running.size > 0 && isInfeasible(status);
  return (container) => {
    const asked = listOf(container, list);
    const own = running.get(text(container, 'name'));
    if (own === undefined) return asked;
    const found: Amounts = isImpossible ? new Map() : asked;
    raise(found, listOf(own, list));
    if (list === 'requests') raise(found, quantities(part(own, 'allocatedResources')));
    return found;
  };
}

/** A resize that no node can do. */
function isInfeasible(status: JsonObject): boolean {
  const pending = objects(status, 'conditions').find(({ type }) => type === 'PodResizePending');
  return pending !== undefined && pending['reason'] === 'Infeasible';
}

function listOf(holder: JsonObject, list: List): Amounts {
  return quantities(part(part(holder, 'resources'), list));
}

export function quantities(amounts: JsonObject): Amounts {
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
const requiredResources = [
  ['cpu', 'requests', 'cpu'],
  ['memory', 'requests', 'memory'],
  ['requests.cpu', 'requests', 'cpu'],
  ['requests.memory', 'requests', 'memory'],
  ['limits.cpu', 'limits', 'cpu'],
  ['limits.memory', 'limits', 'memory'],
] as const;

/** A pod that says anything for all of its containers is asked for nothing more. */
function unsaid(spec: JsonObject): PodUsage['missing'] {
  const missing: Record<string, string[]> = {};
  const lists: readonly List[] = ['requests', 'limits'];
  if (lists.some((list) => [...listOf(spec, list).keys()].some(isOfPods))) return missing;
  const containers = [...objects(spec, 'containers'), ...objects(spec, 'initContainers')];
  for (const [name, list, resource] of requiredResources) {
    const silent = containers.filter(
      (each) => part(part(each, 'resources'), list)[resource] === undefined,
    );
    if (silent.length > 0) missing[name] = silent.map((each) => text(each, 'name')).sort();
  }
  return missing;
}
