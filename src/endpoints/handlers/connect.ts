/**
 * connect: what would be a stream to a container or a proxied request (spec 1, section 4.1).
 *
 *     pods/<name>/log                                    get
 *     pods/<name>/{attach,exec,portforward}              get and create, as upgrades
 *     {pods,services,nodes}/[scheme:]<name>[:port]/proxy[/<path>]    any method
 *
 * The kind's definition says where it would lead, and why it leads nowhere, or what there is to
 * read.
 *
 * Invariants: a body is for the target of the connection and is not read; an upgrade request is
 * answered like a plain request, so every client can read the Status.
 */
import type { QueryParameters } from '../../apimachinery/query.ts';
import { admitPosted } from '../../registry/posted-object.ts';
import { ok } from '../../registry/registry.ts';
import type { Result } from '../../registry/registry.ts';
import { operations } from '../../registry/write-guard.ts';
import { assert } from '../../stdx/assert.ts';
import { connectOptions, connectQuery } from '../connect-options.ts';
import { documentAnswer } from '../answer.ts';
import type { Answer } from '../answer.ts';
import type { Header } from '../../transport/http-exchange.ts';
import type { EndpointDeps, ResourceRequest } from '../request.ts';

const plainText: readonly Header[] = [
  ['Content-Type', 'text/plain'],
  ['Cache-Control', 'no-cache, private'],
];

export async function handleConnect(deps: EndpointDeps, request: ResourceRequest): Promise<Answer> {
  const { registry } = deps;
  const { exchange, kind, resource } = request;
  const { name, namespace, subresource } = resource;
  const connection = registry.connectionOf?.(kind, subresource);
  assert(connection !== undefined, `a kind says where ${subresource} leads`);
  const query = await admittedQuery(deps, request);
  if (query.kind === 'refused') return query.error;
  const isUpgrade = /\bupgrade\b/i.test(exchange.header('connection') ?? '');
  const asked = { query: query.value, isUpgrade };
  const found = await connection(registry, { kind, namespace, name }, asked);
  return typeof found === 'string' ? documentAnswer(200, plainText, found) : found;
}

/** The options of the connection after mutating admission. A log is read, not connected to, and has
 * no options of its own kind. */
async function admittedQuery(
  { registry }: EndpointDeps,
  request: ResourceRequest,
): Promise<Result<QueryParameters>> {
  const { kind, query, resource, user } = request;
  const { name, namespace, subresource } = resource;
  const info = kind.subresources.find((each) => each.name === subresource);
  if (info === undefined || info.kind.kind === kind.kind) return ok(query);
  const write = { kind, namespace, name, subresource };
  if (registry.guardOf?.(user, write, operations.connect) === undefined) return ok(query);
  const options = connectOptions(info, query, resource.subpath);
  const posting = { dryRun: false, user, request };
  const admitted = await admitPosted(registry, write, operations.connect, options, posting);
  if (admitted.kind === 'refused') return admitted;
  return ok(admitted.value === options ? query : connectQuery(info, query, admitted.value));
}
