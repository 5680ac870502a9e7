/**
 * Paths that are no resource: health, version, discovery, OpenAPI, metrics, further documents, and
 * the list of all paths (spec 1, section 4.1).
 *
 * Invariants: all are read with GET or HEAD, and any other method is 405; a path that nobody knows
 * is 404, whatever its method.
 */
import type { Aggregation } from '../aggregation/aggregation.ts';
import { pathOf } from '../aggregation/api-service.ts';
import { encodeJson } from '../apimachinery/codecs/json.ts';
import type { JsonObject } from '../apimachinery/unstructured.ts';
import {
  newGenericNotFound,
  newMethodNotAllowed,
  newNotAcceptable,
} from '../apimachinery/status-error.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import { documentAnswer } from './answer.ts';
import type { Answer, DocumentAnswer } from './answer.ts';
import type { Discovery } from './discovery/discovery.ts';
import type { ActorsDebug } from './debug/actors.ts';
import type { FairnessDebug } from './debug/fairness.ts';
import { matchesEntityTag } from './entity-tags.ts';
import type { Health, HealthEndpoint } from './health.ts';
import { healthEndpoints } from './health.ts';
import type { OpenApi } from './openapi/openapi.ts';
import { answerOpenApi } from './openapi/answer-openapi.ts';
import { unknownInGroup } from './other-identity.ts';
import { prettyByRequest } from './representation.ts';
import type { ApiRequest, EndpointDeps } from './request.ts';

export interface PlainPathDeps {
  readonly endpoints: EndpointDeps;
  readonly aggregation: Pick<Aggregation, 'services'>;
  readonly discovery: Discovery;
  readonly openapi: OpenApi;
  readonly version: JsonObject;
  readonly health: Health;
  readonly actorsDebug: ActorsDebug;
  readonly fairnessDebug: FairnessDebug;
  /** Further documents, by path. */
  readonly documents: ReadonlyMap<string, PlainDocument>;
  /** Text of the metrics page. */
  readonly metrics: () => Promise<MetricsBody>;
  /** Text of the page of service level indicators. */
  readonly indicators: () => Promise<MetricsBody>;
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

export async function handlePlainPath(deps: PlainPathDeps, request: ApiRequest): Promise<Answer> {
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
    deps.fairnessDebug.serves(path) ||
    ['api', 'apis', 'openapi'].includes(first) ||
    ['/', '/index.html', '/metrics', '/version', '/version/'].includes(path);
  if (!known) return newGenericNotFound();
  if (exchange.method !== 'GET' && exchange.method !== 'HEAD') {
    if (!(await isThere(deps, path, endpoint))) return newGenericNotFound();
    const resource = { group: '', resource: exchange.path };
    return newMethodNotAllowed(resource, exchange.method.toLowerCase());
  }
  if (document !== undefined) return answerDocument(document);
  if (deps.actorsDebug.serves(path)) return deps.actorsDebug.answer(exchange, request.query);
  if (deps.fairnessDebug.serves(path)) return deps.fairnessDebug.answer(path, request.query);
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
      return discoveryAnswer(deps, request);
  }
}

/** Of paths that are known by how they begin: whether anybody could read this one. */
async function isThere(
  { discovery, health }: PlainPathDeps,
  path: string,
  endpoint: HealthEndpoint | undefined,
): Promise<boolean> {
  const [, first = '', second = '', ...rest] = path.split('/');
  if (endpoint !== undefined) {
    const name = [second, ...rest].join('/');
    const isItsOwn = (each: Health['checks'][number]): boolean =>
      each.name === name && each.endpoints.includes(endpoint);
    return name === '' || health.checks.some(isItsOwn);
  }
  if (first === 'openapi') return second === 'v2' || second === 'v3';
  if (first !== 'api' && first !== 'apis') return true;
  return (await discovery.find(path, undefined, false)).kind !== 'not-found';
}

const jsonHeaders = [['Content-Type', 'application/json']] as const;

/** `name`: of one check; '' for all of them. */
export async function answerHealth(
  { health }: Pick<PlainPathDeps, 'health'>,
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

function pathsAnswer(deps: PlainPathDeps): Answer {
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
  const others = [...deps.aggregation.services.remotes()].flatMap((service) =>
    service.group === '' ? [pathOf(service)] : [`/apis/${service.group}`, pathOf(service)],
  );
  const paths = ['/api', '/apis', ...new Set([...groups, ...others]), ...checks, ...documents];
  paths.sort();
  return documentAnswer(200, jsonHeaders, encodeJson({ paths }, true));
}

async function discoveryAnswer(
  deps: PlainPathDeps,
  request: Pick<ApiRequest, 'exchange' | 'query'>,
): Promise<Answer> {
  const { exchange } = request;
  const found = await deps.discovery.find(
    exchange.path,
    exchange.header('accept'),
    prettyByRequest(request),
  );
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
      ];
      // All groups at once are the same for everybody, and are asked for again by their tag.
      if (etag !== undefined) headers.push(['Cache-Control', 'public'], ['ETag', etag]);
      if (etag !== undefined && matchesEntityTag(etag, exchange.header('if-none-match'))) {
        return documentAnswer(304, headers, '');
      }
      return documentAnswer(200, headers, body);
    }
  }
}
