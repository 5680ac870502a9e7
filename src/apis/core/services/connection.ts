/** The proxy to a service: checks the requested port. */
import { items, objects, part, text } from '../../../apimachinery/members.ts';
import { isNotFound, newServiceUnavailable } from '../../../apimachinery/status-error.ts';
import type { ApiObject, JsonObject } from '../../../apimachinery/unstructured.ts';
import { assert } from '../../../stdx/assert.ts';
import type { ObjectTarget, RegistryDeps, Result } from '../../../registry/registry.ts';
import { ok } from '../../../registry/registry.ts';
import { newNotProxied, readConnected } from '../../connections.ts';
import type { ProxyRefusal } from '../../connections.ts';

export const serviceProxyRefusal: ProxyRefusal = async (deps, target, service, port) => {
  const { name } = target;
  const endpoints = await endpointsOf(deps, target);
  if (endpoints.kind === 'refused') return endpoints.error;
  const wanted = portName(service, port);
  if (wanted === undefined) {
    return newServiceUnavailable(`no service port ${port} found for service "${name}"`);
  }
  const subsets = items(endpoints.value, 'subsets');
  if (!subsets.some((subset) => serves(subset as JsonObject, wanted))) {
    return newServiceUnavailable(`no endpoints available for service "${name}"`);
  }
  return newNotProxied(`the proxy to service ${name}`, 'the network of pods');
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

function serves(subset: JsonObject, port: string): boolean {
  if (items(subset, 'addresses').length === 0) return false;
  return objects(subset, 'ports').some((each) => text(each, 'name') === port);
}
