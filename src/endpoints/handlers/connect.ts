/**
 * connect: a stream to a container or a port, a log, or a proxied request (spec 1, section 4.1).
 *
 *     pods/<name>/log                                    get
 *     pods/<name>/{attach,exec,portforward}              get and create, as upgrades
 *     {pods,services,nodes}/[scheme:]<name>[:port]/proxy[/<path>]    any method
 *
 * The kind's definition says where it leads, or what is wrong, or what there is to read;
 * src/proxy connects.
 *
 * Invariants: a body is for the target of the connection; what is wrong with the request or the
 * object is said before anybody is asked, as a Status that every client can read.
 */
import type { Destination } from '../../apimachinery/destination.ts';
import { queryBoolean } from '../../apimachinery/query.ts';
import type { QueryParameters } from '../../apimachinery/query.ts';
import { StatusError } from '../../apimachinery/status-error.ts';
import { isTokenProtocol } from '../../authentication/web-socket-token.ts';
import { connectionTo } from '../../proxy/connections.ts';
import { admitPosted } from '../../registry/posted-object.ts';
import { ok } from '../../registry/registry.ts';
import type { Result } from '../../registry/registry.ts';
import { operations } from '../../registry/write-guard.ts';
import { assert } from '../../stdx/assert.ts';
import { connectOptions, connectQuery } from '../connect-options.ts';
import { documentAnswer } from '../answer.ts';
import type { Answer } from '../answer.ts';
import { uncached } from '../../transport/cache-policy.ts';
import type { Header } from '../../transport/http-exchange.ts';
import type { EndpointDeps, ResourceRequest } from '../request.ts';
import { readPassedBody } from '../submitted-object.ts';

const plainText: readonly Header[] = [['Content-Type', 'text/plain'], uncached];

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
  if (typeof found === 'string') return documentAnswer(200, plainText, found);
  return found instanceof StatusError ? found : passedOn(deps, request, query.value, found);
}

async function passedOn(
  deps: EndpointDeps,
  request: ResourceRequest,
  query: QueryParameters,
  destination: Destination,
): Promise<Answer> {
  const { exchange, resource, user } = request;
  const isProxy = destination.kind === 'network' || destination.kind === 'node';
  const body = isProxy ? await readPassedBody(deps, request) : ok(undefined);
  if (body.kind === 'refused') return body.error;
  const isAsked = (option: string): boolean => queryBoolean(query, option) === true;
  const pass = connectionTo(deps.connections, destination, {
    exchange,
    caller: user.name,
    subpath: behindProxy(exchange.path, resource.inNamespace),
    protocols: (exchange.webSocketProtocols ?? []).filter((each) => !isTokenProtocol(each)),
    streams: {
      stdin: isAsked('stdin'),
      stdout: isAsked('stdout'),
      stderr: isAsked('stderr'),
      tty: isAsked('tty'),
    },
    body: body.value,
  });
  return pass instanceof StatusError ? pass : { kind: 'passed', pass };
}

/** /api/v1/namespaces/{namespace}/{resource}/{name}/proxy; a node has no namespace. */
const parts = { inNamespace: 7, ofCluster: 5 } as const;

/** As it was sent: the program behind the proxy reads it. */
function behindProxy(path: string, inNamespace: boolean): string {
  let at = 0;
  const before = inNamespace ? parts.inNamespace : parts.ofCluster;
  for (let part = 0; part < before && at >= 0; part += 1) at = path.indexOf('/', at + 1);
  return at < 0 ? '' : path.slice(at);
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
