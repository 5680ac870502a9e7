/**
 * The quality-of-service class of a pod, which follows from its requests and limits.
 *
 *     Guaranteed   every container limits cpu and memory, and requests exactly that
 *     BestEffort   no container requests or limits either
 *     Burstable    everything else
 */
import { part } from '../../../apimachinery/members.ts';
import { compareQuantities, parseQuantity } from '../../../apimachinery/quantity.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../../apimachinery/unstructured.ts';
import { objectsAt } from './pod-parts.ts';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

const counted = ['cpu', 'memory'] as const;

export function qosClassOf(pod: ApiObject): QosClass {
  const containers = [...objectsAt(pod, 'containers'), ...objectsAt(pod, 'initContainers')];
  const resources = containers.map((container) => part(container, 'resources'));
  if (resources.every((each) => !asksForAnything(each))) return 'BestEffort';
  return resources.every(isGuaranteed) ? 'Guaranteed' : 'Burstable';
}

function asksForAnything(resources: JsonObject): boolean {
  return ['requests', 'limits'].some((list) =>
    counted.some((name) => isAmount(part(resources, list)[name])),
  );
}

function isGuaranteed(resources: JsonObject): boolean {
  const limits = part(resources, 'limits');
  const requests = part(resources, 'requests');
  return counted.every((name) => {
    const [limit, request] = [limits[name], requests[name]];
    // What is limited and not requested is requested in full.
    return isAmount(limit) && (request === undefined || sameAmount(limit, request));
  });
}

function isAmount(value: JsonValue | undefined): boolean {
  const quantity = value === undefined ? undefined : parseQuantity(String(value));
  return quantity !== undefined && quantity.unscaled > 0n;
}

function sameAmount(a: JsonValue | undefined, b: JsonValue): boolean {
  const [first, second] = [parseQuantity(String(a)), parseQuantity(String(b))];
  return first !== undefined && second !== undefined && compareQuantities(first, second) === 0;
}
