/**
 * The root of all paths: health, version, discovery, resources (spec 1, section 4; spec 2, 4.1).
 *
 * Elsewhere: authentication and authorization; it asks filters/access.ts before anything else.
 *
 * Invariants: every exchange gets an answer; a broken invariant in a request fails that request
 * with 500 and is reported, never more.
 */
import { encodeJson } from '../apimachinery/codecs/json.ts';
import type { JsonObject } from '../apimachinery/unstructured.ts';
import { parseQuery, queryBoolean } from '../apimachinery/query.ts';
import type { QueryParameters } from '../apimachinery/query.ts';
import { requestTimeoutProblem } from '../apimachinery/request-timeout.ts';
import {
  newBadRequest,
  newGenericNotFound,
  newInternalError,
  newMethodNotAllowed,
  newNotAcceptable,
  StatusError,
} from '../apimachinery/status-error.ts';
import { interpretStorageError } from '../registry/storage-failure.ts';
import { assert } from '../stdx/assert.ts';
import type { Prng } from '../stdx/prng.ts';
import { StorageError } from '../storage/storage.ts';
import type { HttpExchange } from '../transport/http-exchange.ts';
import { documentAnswer } from './answer.ts';
import type { Answer, DocumentAnswer } from './answer.ts';
import type { Discovery } from './discovery/discovery.ts';
import type { ActorsDebug } from './debug/actors.ts';
import { matchesEntityTag } from './entity-tags.ts';
import type { AccessFilter, AccessVerdict } from './filters/access.ts';
import { identifyRequest } from './filters/audit-id.ts';
import { auditedExchange } from './filters/audited-exchange.ts';
import type { Audited, AuditingDeps } from './filters/audited-exchange.ts';
import { noSeatAnswer } from './filters/in-flight.ts';
import type { InFlight, Seat } from './filters/in-flight.ts';
import type { Health, HealthEndpoint } from './health.ts';
import { healthEndpoints } from './health.ts';
import type { OpenApi } from './openapi/openapi.ts';
import { answerOpenApi } from './openapi/answer-openapi.ts';
import { unknownInGroup } from './other-identity.ts';
import type { AnsweredRequest, ApiRequest, EndpointDeps } from './request.ts';
import type { RequestCounts } from './request-counts.ts';
import { isLongRunning, parseRequestInfo } from './request-info.ts';
import type { RequestInfo } from './request-info.ts';
import { handleResource } from './resource-handler.ts';
import { sendAnswer } from './send-answer.ts';
import { allowCbor } from './status-response.ts';

export interface ApiHandlerDeps {
  readonly endpoints: EndpointDeps;
  /** Authentication and authorization. */
  readonly filter: AccessFilter;
  readonly inFlight: InFlight;
  /** Makes IDs for requests. */
  readonly prng: Prng;
  /** Undefined: nothing is audited. */
  readonly auditing: AuditingDeps | undefined;
  readonly discovery: Discovery;
  readonly openapi: OpenApi;
  readonly version: JsonObject;
  readonly health: Health;
  readonly actorsDebug: ActorsDebug;
  /** Further documents, by path. */
  readonly documents: ReadonlyMap<string, PlainDocument>;
  /** Text of the metrics page. */
  readonly metrics: () => Promise<MetricsBody>;
  /** Text of the page of service level indicators. */
  readonly indicators: () => Promise<MetricsBody>;
  readonly requestCounts: RequestCounts;
  /** A request failed for a reason that is not the client's. */
  readonly onFailure: (path: string, error: unknown) => void;
}

interface MetricsBody {
  readonly contentType: string;
  readonly body: Uint8Array | string;
}

export interface PlainDocument {
  readonly contentType: string;
  /** Undefined: not there yet. */
  readonly read: () => Promise<JsonObject | undefined>;
}

/** `startMs`: when the request came; `nowMs`: when it begins. Both monotonic. */
export type ApiHandler = (exchange: HttpExchange, startMs: number, nowMs: number) => Promise<void>;

export function createApiHandler(deps: ApiHandlerDeps): ApiHandler {
  const { auditing, inFlight, prng, requestCounts } = deps;
  const { features, turnWatch } = deps.endpoints;
  return async (exchange, startMs, nowMs) => {
    if (features.cbor) allowCbor(exchange);
    const auditId = identifyRequest(exchange, prng);
    const audited =
      auditing === undefined ? undefined : auditedExchange(auditing, exchange, auditId);
    const asked = readTarget(exchange, startMs);
    turnWatch.mark(asked.info, nowMs);
    const seat = inFlight.begin(asked.info);
    const seen = audited?.exchange ?? exchange;
    const { warnings } = asked;
    const answered = { exchange: seen, warnings, beforeStream: audited?.beforeStream };
    try {
      const answer = await handle(deps, seen, audited, asked, seat);
      const sending = sendAnswer(deps.endpoints, answered, answer);
      if (sending !== undefined) await sending;
      if (audited !== undefined) await audited.handled(false);
    } catch (error) {
      await failed(deps, answered, audited, error, seat);
    }
    requestCounts.handled(exchange, asked.info, asked.query, startMs, seat);
  };
}

async function failed(
  deps: ApiHandlerDeps,
  request: AnsweredRequest,
  audited: Audited | undefined,
  error: unknown,
  seat: Seat,
): Promise<void> {
  const { exchange } = request;
  try {
    deps.onFailure(exchange.path, error);
    const broken = !(error instanceof StatusError || error instanceof StorageError);
    if (broken) void audited?.handled(true);
    // After the head is sent there is no second answer: the stream has been cut by its writer.
    if (!exchange.answered) {
      await sendAnswer(deps.endpoints, { ...request, warnings: [] }, failureStatus(error));
    }
    await audited?.handled(false);
  } catch (own) {
    seat.leave();
    throw own;
  }
}

interface Asked {
  readonly info: RequestInfo;
  /** Undefined: not well formed. */
  readonly query: QueryParameters | undefined;
  /** What is wrong with the head of the request. */
  readonly problem: StatusError | undefined;
  /** When it came, monotonic. */
  readonly startMs: number;
  /** Texts for Warning headers of the answer, whatever that is. */
  readonly warnings: string[];
}

function readTarget({ method, path, query: text }: HttpExchange, startMs: number): Asked {
  const warnings: string[] = [];
  const parsedQuery = parseQuery(text);
  const query = parsedQuery instanceof StatusError ? undefined : parsedQuery;
  const watch = query !== undefined && queryBoolean(query, 'watch') === true;
  const parsed = parseRequestInfo(method, path, watch);
  if (parsed.kind === 'ok') {
    if (parsedQuery instanceof StatusError) {
      return { info: parsed.info, query, problem: parsedQuery, startMs, warnings };
    }
    const problem = isLongRunning(parsed.info) ? undefined : requestTimeoutProblem(parsedQuery);
    return { info: parsed.info, query, problem, startMs, warnings };
  }
  const info = { path, resource: undefined, verb: method.toLowerCase() };
  const problem = newBadRequest('the path holds an escape that is not UTF-8');
  return { info, query, problem, startMs, warnings };
}

function handle(
  deps: ApiHandlerDeps,
  exchange: HttpExchange,
  audited: Audited | undefined,
  { info, query, problem, startMs, warnings }: Asked,
  seat: Seat,
): Promise<Answer> | Answer {
  if (info.verb === 'watch') audited?.watching();
  const asked = deps.filter.admit(exchange, { info, query, startMs }, audited?.trail, seat);
  const serve = (admission: AccessVerdict): Promise<Answer> | Answer => {
    if (admission.kind === 'refused') return admission.error;
    if (admission.kind === 'busy') return noSeatAnswer;
    // A caller without access is not told what is wrong with the request.
    if (problem !== undefined) return problem;
    assert(query !== undefined, 'a request without a problem has its query');
    warnings.push(...(admission.warnings ?? []));
    const { user } = admission;
    return serveAdmitted(deps, exchange, audited, { info, query, user, warnings, startMs });
  };
  return asked instanceof Promise ? asked.then(serve) : serve(asked);
}

/** Of a request that may be served: what is asked for, and by whom. */
type Admitted = Pick<ApiRequest, 'info' | 'query' | 'user' | 'warnings' | 'startMs'>;

function serveAdmitted(
  deps: ApiHandlerDeps,
  exchange: HttpExchange,
  audited: Audited | undefined,
  { info, query, user, warnings, startMs }: Admitted,
): Promise<Answer> | Answer {
  const request: ApiRequest = {
    exchange,
    info,
    query,
    user,
    warnings,
    startMs,
    receivedMs: startMs,
    bodyBytes: 0,
    auditAnnotations: audited?.annotations ?? new Map<string, string>(),
    auditsBody: audited?.trail.wantsRequestObject ?? false,
  };
  if (info.resource !== undefined) {
    return handleResource(deps.endpoints, request, info.resource);
  }
  return handlePlainPath(deps, request);
}

async function handlePlainPath(deps: ApiHandlerDeps, request: ApiRequest): Promise<Answer> {
  const { exchange } = request;
  const { path } = exchange;
  const [, first = '', ...rest] = path.split('/');
  const endpoint = healthEndpoints.find((name) => name === first);
  // Documents and the version have their path with a slash behind it, too; the rest has not.
  const document = deps.documents.get(path.replace(/\/$/, ''));
  const indicators = path === '/metrics/slis';
  const known =
    indicators ||
    (endpoint !== undefined && !path.endsWith('/')) ||
    document !== undefined ||
    deps.actorsDebug.serves(path) ||
    ['api', 'apis', 'openapi'].includes(first) ||
    ['/', '/index.html', '/metrics', '/version', '/version/'].includes(path);
  if (!known) return newGenericNotFound();
  if (exchange.method !== 'GET' && exchange.method !== 'HEAD') {
    const resource = { group: '', resource: exchange.path };
    return newMethodNotAllowed(resource, exchange.method.toLowerCase());
  }
  if (document !== undefined) return answerDocument(document);
  if (deps.actorsDebug.serves(path)) return deps.actorsDebug.answer(exchange, request.query);
  if (endpoint !== undefined) return answerHealth(deps, request, endpoint, rest.join('/'));
  switch (first) {
    case 'version':
      return documentAnswer(200, jsonHeaders, encodeJson(deps.version, true));
    case 'metrics':
      return metricsAnswer(await (indicators ? deps.indicators() : deps.metrics()));
    case 'openapi':
      return answerOpenApi(deps.openapi, deps.endpoints.clock, request);
    case '':
    case 'index.html':
      return pathsAnswer(deps);
    default:
      return discoveryAnswer(deps, exchange);
  }
}

const jsonHeaders = [['Content-Type', 'application/json']] as const;

/** `name`: of one check; '' for all of them. */
export async function answerHealth(
  { health }: Pick<ApiHandlerDeps, 'health'>,
  { query }: Pick<ApiRequest, 'query'>,
  endpoint: HealthEndpoint,
  name: string,
): Promise<StatusError | DocumentAnswer> {
  const answer = await health.check(endpoint, name === '' ? undefined : name, {
    verbose: query.has('verbose'),
    exclude: query.get('exclude') ?? [],
  });
  if (answer === undefined) return newGenericNotFound();
  return documentAnswer(
    answer.status,
    [
      ['Content-Type', 'text/plain; charset=utf-8'],
      ['X-Content-Type-Options', 'nosniff'],
      ['Cache-Control', 'no-cache, private'],
    ],
    answer.text,
  );
}

/** It changes when the server is started with another configuration only. */
async function answerDocument(document: PlainDocument): Promise<Answer> {
  const content = await document.read();
  if (content === undefined) return newGenericNotFound();
  return documentAnswer(
    200,
    [
      ['Content-Type', document.contentType],
      ['Cache-Control', 'public, max-age=3600'],
    ],
    encodeJson(content),
  );
}

function metricsAnswer({ body, contentType }: MetricsBody): Answer {
  return documentAnswer(200, [['Content-Type', contentType]], body);
}

function pathsAnswer(deps: ApiHandlerDeps): Answer {
  const groups = deps.endpoints.registry.scheme.groups.flatMap((group) =>
    group.group === ''
      ? group.versions.map((v) => `/api/${v.version}`)
      : [`/apis/${group.group}`, ...group.versions.map((v) => `/apis/${group.group}/${v.version}`)],
  );
  const checks = healthEndpoints.flatMap((endpoint) => [
    `/${endpoint}`,
    ...deps.health.checks
      .filter((check) => check.endpoints.includes(endpoint))
      .map((check) => `/${endpoint}/${check.name}`),
  ]);
  const documents = [
    '/metrics',
    '/metrics/slis',
    '/openapi/v2',
    '/openapi/v3',
    '/version',
    ...deps.documents.keys(),
  ];
  const paths = ['/api', '/apis', ...groups, ...checks, ...documents].sort();
  return documentAnswer(200, jsonHeaders, encodeJson({ paths }, true));
}

async function discoveryAnswer(deps: ApiHandlerDeps, exchange: HttpExchange): Promise<Answer> {
  const found = await deps.discovery.find(exchange.path, exchange.header('accept'));
  switch (found.kind) {
    case 'not-found': {
      const { registry, identity } = deps.endpoints;
      const [, , group = ''] = exchange.path.split('/', 3);
      return unknownInGroup(identity, registry.scheme, group);
    }
    case 'not-acceptable':
      return newNotAcceptable(found.accepted);
    case 'document': {
      const { body, contentType, etag } = found.document;
      const headers: [string, string][] = [
        ['Content-Type', contentType],
        ['Vary', 'Accept'],
        ['Cache-Control', 'public'],
      ];
      if (etag !== undefined) headers.push(['ETag', etag]);
      if (etag !== undefined && matchesEntityTag(etag, exchange.header('if-none-match'))) {
        return documentAnswer(304, headers, '');
      }
      return documentAnswer(200, headers, body);
    }
  }
}

function failureStatus(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  if (error instanceof StorageError) {
    return interpretStorageError(error, { group: '', resource: 'objects' });
  }
  return newInternalError('a broken invariant; the server has a record of it');
}
