/**
 * connect: what would be a stream to a container or a proxied request (spec 1, section 4.1).
 *
 *     pods/<name>/log                                    get
 *     pods/<name>/{attach,exec,portforward}              get and create, as upgrades
 *     {pods,services,nodes}/[scheme:]<name>[:port]/proxy[/<path>]    any method
 *
 * What it is not: a connection. The kind's definition says where it would lead, and why it leads
 * nowhere.
 *
 * Invariants: a body is for whoever is behind, and is not read; an upgrade is answered as the
 * plain request that it also is, so every client can read the Status.
 */
import { assert } from '../../stdx/assert.ts';
import type { Answer, EndpointDeps, ResourceRequest } from '../request.ts';

export async function handleConnect(
  { registry }: EndpointDeps,
  { exchange, kind, query, resource }: ResourceRequest,
): Promise<Answer> {
  const { name, namespace, subresource } = resource;
  const connection = registry.connectionOf?.(kind, subresource);
  assert(connection !== undefined, `a kind says where ${subresource} leads`);
  const isUpgrade = /\bupgrade\b/i.test(exchange.header('connection') ?? '');
  return connection(registry, { kind, namespace, name }, { query, isUpgrade });
}
