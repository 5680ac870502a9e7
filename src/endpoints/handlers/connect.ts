/**
 * connect: what would be a stream to a container or a proxied request (spec 1, section 4.1).
 *
 *     pods/<name>/log                                    get
 *     pods/<name>/{attach,exec,portforward}              get and create, as upgrades
 *     {pods,services,nodes}/[scheme:]<name>[:port]/proxy[/<path>]    any method
 *
 * What it is not: a connection. Each request is judged as far as the objects tell, and then
 * refused with the reason (registry/subresources/connection.ts).
 *
 * Invariants: a body is for whoever is behind, and is not read; an upgrade is answered as the
 * plain request that it also is, so every client can read the Status.
 */
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import { readLogOptions } from '../../apimachinery/log-options.ts';
import { quote } from '../../apimachinery/quote.ts';
import { queryValue } from '../../apimachinery/query.ts';
import { isNotFound, newBadRequest, StatusError } from '../../apimachinery/status-error.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { getObject } from '../../registry/read.ts';
import type { Result } from '../../registry/registry.ts';
import { ok } from '../../registry/registry.ts';
import {
  nodeProxyRefusal,
  parseProxyTarget,
  podConnectionRefusal,
  podProxyRefusal,
  serviceProxyRefusal,
} from '../../registry/subresources/connection.ts';
import { assert } from '../../stdx/assert.ts';
import type { Answer, EndpointDeps, ResourceRequest } from '../request.ts';

export async function handleConnect(deps: EndpointDeps, request: ResourceRequest): Promise<Answer> {
  const { query, resource } = request;
  if (resource.subresource !== 'log' && query.has('dryRun')) {
    return newBadRequest('dryRun is not supported');
  }
  const isProxy = resource.subresource === 'proxy';
  const refusal = await (isProxy ? proxyRefusal : streamRefusal)(deps, request);
  return refusal;
}

async function streamRefusal(deps: EndpointDeps, request: ResourceRequest): Promise<StatusError> {
  const { exchange, query, resource } = request;
  const { subresource, name } = resource;
  if (subresource === 'log') {
    const options = readLogOptions(query, name);
    if (options instanceof StatusError) return options;
  }
  const pod = await read(deps, request, name);
  if (pod.kind === 'refused') return pod.error;
  const container =
    subresource === 'portforward' ? undefined : (queryValue(query, 'container') ?? '');
  return podConnectionRefusal(pod.value, subresource, container, asksForUpgrade(exchange));
}

function asksForUpgrade(exchange: ResourceRequest['exchange']): boolean {
  return /\bupgrade\b/i.test(exchange.header('connection') ?? '');
}

async function proxyRefusal(deps: EndpointDeps, request: ResourceRequest): Promise<StatusError> {
  const { resource, kind } = request;
  const target = parseProxyTarget(resource.name);
  if (target === undefined) {
    return newBadRequest(`invalid ${kind.singular} request ${quote(resource.name)}`);
  }
  const object = await read(deps, request, target.name);
  if (object.kind === 'refused') return object.error;
  switch (kind.resource) {
    case 'pods':
      return podProxyRefusal(object.value);
    case 'services': {
      const endpoints = await endpointsOf(deps, request, target.name);
      if (endpoints.kind === 'refused') return endpoints.error;
      return serviceProxyRefusal(object.value, target, endpoints.value);
    }
    default:
      return nodeProxyRefusal(object.value);
  }
}

async function endpointsOf(
  deps: EndpointDeps,
  request: ResourceRequest,
  name: string,
): Promise<Result<ApiObject | undefined>> {
  const kind = deps.registry.scheme.findResource('', 'v1', 'endpoints');
  assert(kind !== undefined, 'where services are served, endpoints are');
  const found = await read(deps, { ...request, kind }, name);
  return found.kind === 'refused' && isNotFound(found.error) ? ok(undefined) : found;
}

async function read(
  deps: EndpointDeps,
  { kind, resource }: Pick<ResourceRequest, 'kind' | 'resource'>,
  name: string,
): Promise<Result<ApiObject>> {
  const target = { kind, namespace: resource.namespace, name };
  const found = await getObject(deps.registry, target, { kind: 'most-recent' });
  return found.kind === 'refused' ? found : ok(decodeObject(found.value.bytes));
}
