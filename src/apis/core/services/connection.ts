/**
 * The proxy to a service: one of its endpoints that is a pod of its namespace, at random.
 *
 * Invariant: whoever may write endpoints leads nobody elsewhere: an address counts only while the
 * pod that it names has it.
 * Bound: `triesMax` addresses are looked at.
 */
import { objects, part, text } from '../../../apimachinery/members.ts';
import { isReachable } from '../../../apimachinery/reachable-address.ts';
import { isNotFound, newServiceUnavailable } from '../../../apimachinery/status-error.ts';
import type { ApiObject, JsonObject } from '../../../apimachinery/unstructured.ts';
import { assert } from '../../../stdx/assert.ts';
import { turned } from '../../../stdx/prng.ts';
import type { ObjectTarget, RegistryDeps, Result } from '../../../registry/registry.ts';
import { ok } from '../../../registry/registry.ts';
import { readConnected } from '../../connections.ts';
import type { FindDestination } from '../../connections.ts';

const triesMax = 100;

export const serviceProxy: FindDestination = async (deps, target, service, named) => {
  const { name, port, scheme } = named;
  const endpoints = await endpointsOf(deps, target);
  if (endpoints.kind === 'refused') return endpoints.error;
  const wanted = portName(service, port);
  if (wanted === undefined) {
    return newServiceUnavailable(`no service port ${port} found for service "${name}"`);
  }
  let tries = 0;
  for (const subset of turned(objects(endpoints.value, 'subsets'), deps.prng)) {
    const found = objects(subset, 'ports').find((each) => text(each, 'name') === wanted);
    if (found === undefined) continue;
    for (const address of turned(objects(subset, 'addresses'), deps.prng)) {
      tries += 1;
      if (tries > triesMax) break;
      const host = text(address, 'ip');
      if (!(await isPodAt(deps, target, address, host))) continue;
      return { kind: 'network', scheme, host, port: String(found['port']) };
    }
  }
  return newServiceUnavailable(`no endpoints available for service "${name}"`);
};

/** Undefined: the service has none. */
async function endpointsOf(
  deps: RegistryDeps,
  target: ObjectTarget,
): Promise<Result<ApiObject | undefined>> {
  const kind = deps.scheme.findResource('', 'v1', 'endpoints');
  assert(kind !== undefined, 'where services are served, endpoints are');
  const found = await readConnected(deps, { ...target, kind });
  return found.kind === 'refused' && isNotFound(found.error) ? ok(undefined) : found;
}

/** The name of a port that is asked for by number; undefined when there is none. */
function portName(service: ApiObject, port: string): string | undefined {
  if (!/^[0-9]+$/.test(port)) return port;
  const found = objects(part(service, 'spec'), 'ports').find(
    (each) => each['port'] === Number(port),
  );
  return found === undefined ? undefined : text(found, 'name');
}

async function isPodAt(
  deps: RegistryDeps,
  { namespace }: ObjectTarget,
  address: JsonObject,
  host: string,
): Promise<boolean> {
  const reference = part(address, 'targetRef');
  const name = text(reference, 'name');
  const isOwn = text(reference, 'kind') === 'Pod' && text(reference, 'namespace') === namespace;
  if (!isOwn || name === '' || !isReachable(host)) return false;
  const kind = deps.scheme.findResource('', 'v1', 'pods');
  assert(kind !== undefined, 'where services are served, pods are');
  const pod = await readConnected(deps, { kind, namespace, name });
  if (pod.kind === 'refused') return false;
  return objects(part(pod.value, 'status'), 'podIPs').some(({ ip }) => ip === host);
}
