/**
 * The trace of a request, from its head to the last byte of its answer, with the names and
 * attributes of the reference.
 *
 *     GET /api/v1/namespaces/{:namespace}/pods/{:name}      startMs ─▶ answered, or the watch ended
 *     ├─ access                                             startMs ─▶ who may is known
 *     ├─ Get                                                what the verb does
 *     └─ SerializeObject                                    the answer is written and sent
 *
 * Elsewhere: which requests are traced (src/tracing/tracer.ts), and the steps below these, which
 * those add who do the work (stdx/trace.ts).
 *
 * Invariants: what is not traced costs one look at a header at most. A caller without a name, and
 * one whose credentials are wrong, does not go on with a trace of others.
 */
import { wellKnownGroups } from '../../apimachinery/user-info.ts';
import type { UserInfo } from '../../apimachinery/user-info.ts';
import type { Clock } from '../../stdx/clock.ts';
import { lookup } from '../../stdx/lookup.ts';
import type { Step } from '../../stdx/trace.ts';
import type { Tracer } from '../../tracing/tracer.ts';
import type { HttpExchange } from '../../transport/http-exchange.ts';
import type { Answer } from '../answer.ts';
import type { RequestInfo, ResourceInfo } from '../request-info.ts';

export interface TracingDeps {
  readonly tracer: Pick<Tracer, 'samples' | 'begin'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

interface TracedTarget {
  readonly auditId: string;
  readonly info: RequestInfo;
  readonly startMs: number;
}

/** Whether the request may be traced: asked first, for nearly none is. */
export function mayTrace({ tracer }: TracingDeps, exchange: HttpExchange): boolean {
  return tracer.samples || exchange.header('traceparent') !== undefined;
}

/** It is known who asks; undefined: nobody who may. What comes back is ended when all is over. */
export function beginTrace(
  { clock, tracer }: TracingDeps,
  exchange: HttpExchange,
  { auditId, info, startMs }: TracedTarget,
  user: UserInfo | undefined,
): Step | undefined {
  const { method, path, query, remoteAddress, scheme } = exchange;
  const step = tracer.begin({
    name: nameOf(method, info.resource),
    attributes: {
      'http.request.method': method,
      'url.scheme': scheme,
      'url.path': path,
      'http.target': query === '' ? path : `${path}?${query}`,
      'user_agent.original': exchange.header('user-agent') ?? '',
      'client.address': remoteAddress,
      'network.peer.address': remoteAddress,
      'audit-id': auditId,
    },
    startMs,
    isTrusted: user?.groups.some((group) => trusted.has(group)) ?? false,
    header: (name) => exchange.header(name),
  });
  step?.add('access', startMs, clock.monotonicMs());
  exchange.trace = step;
  return step;
}

const trusted: ReadonlySet<string> = new Set([wellKnownGroups.masters, wellKnownGroups.monitoring]);

/** The request is over. */
export function endTrace(step: Step, { sentBytes, status }: HttpExchange): void {
  step.note({ 'http.response.status_code': status, 'http.response.body.size': sentBytes });
  const gone = status === 0 ? 'the client has gone' : undefined;
  step.end(status >= 500 ? `answered with status ${status}` : gone);
}

/** What the verb does, as a step of its own. */
export async function tracedWork(
  exchange: HttpExchange,
  { auditId, info }: TracedTarget,
  work: () => Promise<Answer> | Answer,
): Promise<Answer> {
  const { trace } = exchange;
  const { resource, verb } = info;
  if (trace === undefined || resource === undefined) return work();
  const step = trace.begin(stepNames[verb] ?? verb, fieldsOf(exchange, resource, auditId));
  exchange.trace = step;
  try {
    return await work();
  } finally {
    exchange.trace = trace;
    step.end();
  }
}

/** By the verb. */
const stepNames: Readonly<Record<string, string>> = lookup({
  create: 'Create',
  get: 'Get',
  list: 'List',
  watch: 'Watch',
  update: 'Update',
  patch: 'Patch',
  delete: 'Delete',
  deletecollection: 'Delete',
});

function fieldsOf(
  exchange: HttpExchange,
  { group, inNamespace, name, namespace, resource, subresource, version }: ResourceInfo,
  auditId: string,
) {
  return {
    accept: exchange.header('accept') ?? '',
    'audit-id': auditId,
    client: exchange.remoteAddress,
    'api-group': group,
    'api-version': version,
    resource,
    subresource,
    namespace,
    name,
    scope: name !== '' ? 'resource' : inNamespace ? 'namespace' : 'cluster',
    url: exchange.path,
    'user-agent': exchange.header('user-agent') ?? '',
    verb: exchange.method,
  };
}

/** Without what differs from object to object. */
function nameOf(method: string, resource: ResourceInfo | undefined): string {
  if (resource === undefined) return method;
  const { group, name, namespace, subresource, version } = resource;
  const root = group === '' ? '/api' : `/apis/${group}`;
  const place = namespace === '' ? '' : '/namespaces/{:namespace}';
  const object = name === '' ? '' : '/{:name}';
  const below = subresource === '' ? '' : `/${subresource}`;
  return `${method} ${root}/${version}${place}/${resource.resource}${object}${below}`;
}
