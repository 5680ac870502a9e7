/**
 * Requests for versions that other servers answer for (APIServices): they are passed on.
 *
 * Elsewhere: to whom, and as what (src/aggregation); access, which has been decided before.
 */
import type { Aggregation } from '../../aggregation/aggregation.ts';
import type { RemoteService } from '../../aggregation/api-service.ts';
import type { ApiServices } from '../../aggregation/api-services.ts';
import type { AskedOfRemote } from '../../aggregation/passed-on.ts';
import { isTokenProtocol } from '../../authentication/web-socket-token.ts';
import type { Answer } from '../answer.ts';
import type { ApiRequest, EndpointDeps } from '../request.ts';
import { isLongRunning } from '../request-info.ts';
import type { RequestInfo } from '../request-info.ts';
import { readPassedBody } from '../submitted-object.ts';

/** Who answers; undefined: this server, or nobody. */
export function remoteOf(
  { services }: { readonly services: Pick<ApiServices, 'isEmpty' | 'findRemote'> },
  { path, resource }: RequestInfo,
): RemoteService | undefined {
  if (services.isEmpty) return undefined;
  if (resource !== undefined) return services.findRemote(resource.group, resource.version);
  // Its document of OpenAPI is at the same path, behind another one.
  const own = isOpenApi(path) ? path.slice(openApiPath.length) : path;
  const [, root, group = '', version = ''] = own.split('/', 5);
  if (root === 'apis') return services.findRemote(group, version);
  return root === 'api' ? services.findRemote('', group) : undefined;
}

const openApiPath = '/openapi/v3';

function isOpenApi(path: string): boolean {
  return path.startsWith(`${openApiPath}/`);
}

export async function handleRemote(
  { aggregation, ...deps }: EndpointDeps & { readonly aggregation: Aggregation },
  request: ApiRequest,
  service: RemoteService,
): Promise<Answer> {
  const { exchange, info, user } = request;
  const reads = exchange.method === 'GET' || exchange.method === 'HEAD';
  const body = reads ? undefined : await readPassedBody(deps, request);
  if (body?.kind === 'refused') return body.error;
  // It is followed there, not here.
  if (info.verb === 'watch') request.seat.begun();
  const { auditId } = request;
  const nature = natureOf(request);
  const subpath = info.resource?.subpath ?? '';
  const protocols = (exchange.webSocketProtocols ?? []).filter((each) => !isTokenProtocol(each));
  const asked = { exchange, user, body: body?.value, auditId, subpath, protocols, nature };
  const passed = aggregation.pass(service, asked);
  return typeof passed === 'function' ? { kind: 'passed', pass: passed } : passed;
}

function natureOf({ exchange, info }: ApiRequest): AskedOfRemote['nature'] {
  if (info.verb === 'watch') return 'watch';
  if (isLongRunning(info) || exchange.header('upgrade') !== undefined) return 'lasting';
  return info.resource === undefined && !isOpenApi(info.path) ? 'discovery' : 'brief';
}
