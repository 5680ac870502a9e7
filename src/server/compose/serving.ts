/**
 * Builds the handler chain on the composed parts, with health, metrics and requests in flight, and
 * opens the listeners.
 *
 * Chain, outer to inner: count in flight ▶ answer even if something throws ▶ authentication ▶
 * impersonation ▶ authorization ▶ the API handler.
 *
 * Elsewhere: the parts that answer (server-parts.ts), and the ports (listeners.ts).
 */
import type { AccessChecker } from '../../authorization/authorizer.ts';
import type { CallerAuthentication } from '../../authentication/authenticator.ts';
import { createApiHandler } from '../../endpoints/api-handler.ts';
import { createRequestTurns } from '../../endpoints/filters/request-turns.ts';
import type { BeginRequest } from '../../endpoints/filters/request-turns.ts';
import type { ApiHandler } from '../../endpoints/api-handler.ts';
import type { PlainDocument, PlainPathDeps } from '../../endpoints/plain-paths.ts';
import type { ReviewAnswerers } from '../../endpoints/request.ts';
import { makeDiscovery } from '../../endpoints/discovery/discovery.ts';
import type { Discovery } from '../../endpoints/discovery/discovery.ts';
import { makeOpenApi } from '../../endpoints/openapi/openapi.ts';
import type { OpenApi } from '../../endpoints/openapi/openapi.ts';
import { verbRefusalOf } from '../../endpoints/verb-refusal.ts';
import { createAccessFilter } from '../../endpoints/filters/access.ts';
import type { AccessFilter } from '../../endpoints/filters/access.ts';
import { createFlowSeats } from '../../endpoints/filters/flow-seats.ts';
import { createInFlight } from '../../endpoints/filters/in-flight.ts';
import { createSlowReaders } from '../../endpoints/filters/slow-readers.ts';
import type { Seats } from '../../endpoints/filters/in-flight.ts';
import { createBodyLanes } from '../../endpoints/body-lanes.ts';
import type { AuditingDeps } from '../../endpoints/filters/audited-exchange.ts';
import { versionInfo } from '../../endpoints/discovery/version.ts';
import { createSharedEvents } from '../../endpoints/shared-events.ts';
import { createHealth } from '../../endpoints/health.ts';
import type { Health } from '../../endpoints/health.ts';
import type {
  EndpointDeps,
  EndpointFeatures,
  EndpointLimits,
  ResourceViews,
} from '../../endpoints/request.ts';
import { createLargeStates } from '../../apimachinery/large-states.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import type { SchemaOf } from '../../apimachinery/codecs/protobuf.ts';
import { formatGroupVersion } from '../../apimachinery/schema.ts';
import type { Scheme } from '../../apimachinery/scheme.ts';
import type { ObjectSchema } from '../../apimachinery/typed/type-schema.ts';
import type { Aggregation } from '../../aggregation/aggregation.ts';
import { isRemote } from '../../aggregation/api-service.ts';
import { createActorsDebug } from '../../endpoints/debug/actors.ts';
import { createFairnessDebug } from '../../endpoints/debug/fairness.ts';
import { actorsDebugging } from './actors-debugging.ts';
import { openApiDocuments } from '../../apimachinery/openapi/documents.ts';
import { describeGroups } from '../../apis/descriptions/descriptions.ts';
import type { KindSet } from '../../apis/kind-set.ts';
import { currentRelease } from '../../apis/served-versions.ts';
import { schemaExemptionsOf } from '../../apis/schema-exemptions.ts';
import type { Clock, Timers } from '../../stdx/clock.ts';
import { createLimiter } from '../../stdx/limiter.ts';
import type { ConnectionDeps } from '../../proxy/connections.ts';
import type { StoreTimes } from '../../storage/timed-storage.ts';
import { defaultTransportLimits } from '../../transport/http-exchange.ts';
import type {
  ExchangeHandler,
  HttpExchange,
  TransportLimits,
} from '../../transport/http-exchange.ts';
import type { TransportLoad } from '../../transport/load.ts';
import { notAudited } from './audit.ts';
import type { AuditPart } from './audit.ts';
import type { Log } from './log.ts';
import type { FlowControl } from '../../flowcontrol/flow-control.ts';
import { healthChecks } from './health-checks.ts';
import { StorageError } from '../../storage/storage.ts';
import type { Storage } from '../../storage/storage.ts';
import type { MetricSeries } from '../metrics/metrics.ts';
import { lagMeasured, loadMeasured, measuredOf, storeSizeMeasured } from '../metrics/measured.ts';
import type { Background } from './background.ts';
import { componentStatuses } from './component-statuses.ts';
import type { LogFollow } from './log-follow.ts';
import type { CompletedConfig } from '../config/options.ts';
import { featureSeries } from '../metrics/feature-series.ts';
import { flowSeries } from '../metrics/flow-series.ts';
import { createServerMetrics, indicatorsText } from '../metrics/server-metrics.ts';
import type { ServerMetrics } from '../metrics/server-metrics.ts';
import type { ServerParts } from './server-parts.ts';
import { refuseDuringShutdown } from './shutdown-refusal.ts';
import { programVersion } from '../config/program-version.ts';
import type { TracingPart } from './tracing.ts';

/** Beside `delete`: objects that cannot be read may be gone for more than their reader. */
const unsafeDeleteVerb = 'unsafe-delete-ignore-read-errors';

export interface Serving {
  readonly handler: ExchangeHandler;
  /** host:port, once it is known: discovery shows it. */
  setAddress(address: string): void;
  /** /readyz fails from now on. */
  startShutdown(): void;
  /** From now on whoever comes is told to come back, and to connect anew. */
  startRefusing(): void;
  /** A client did not come to terms over TLS. */
  handshakeFailed(): void;
  /** Requests that wait for seats are told to come again, now and from now on. */
  stopWaiting(): void;
  /** Nothing of it goes on. */
  stop(): void;
  /** Resolves when no request is in flight, or after the timeout. */
  drained(timers: Timers, timeoutMs: number): Promise<void>;
}

type Documents = ReadonlyMap<string, PlainDocument>;

export interface ServingDeps {
  readonly parts: ServerParts;
  readonly identity: Identity;
  readonly kinds: KindSet;
  readonly log: Log;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly background: Pick<Background, 'measured' | 'serverId' | 'controllersHealth' | 'hooks'>;
  readonly logFollow: LogFollow;
  /** Undefined: there are no priority levels. */
  readonly flow: FlowControl | undefined;
  readonly authentication: CallerAuthentication;
  readonly reviews: ReviewAnswerers;
  readonly aggregation: Aggregation;
  /** Of authentication. */
  readonly accessSeries: readonly MetricSeries[];
  readonly storeTimes: () => readonly StoreTimes[];
  /** Undefined: there are no key services. */
  readonly servicesHealthy: (() => Promise<boolean>) | undefined;
  /** Of all ports. */
  readonly transportLoad: TransportLoad;
  readonly connections: ConnectionDeps;
  /** Undefined: nothing is audited. */
  readonly audit: AuditPart | undefined;
  /** Undefined: nothing is traced. */
  readonly tracing: TracingPart | undefined;
  /** The documents of the issuer of tokens; `address` is undefined until it is known. */
  readonly issuerDocuments: (address: () => string | undefined) => Documents;
  /** Which of several servers this is; undefined: the only one. */
  readonly worker: number | undefined;
}

export function createServing(config: CompletedConfig, deps: ServingDeps): Serving {
  const { flow, parts, identity, log } = deps;
  let shuttingDown = false;
  let refusing = false;
  let inFlight = 0;
  let onDrained: (() => void) | undefined;
  let discovery: Discovery | undefined;
  let servedAddress: string | undefined;
  const version = versionOf(config);
  const seats = seatsOf(config, identity, deps);
  const metrics = metricsOf(config, deps, version, seats);
  const health = healthOf(config, deps, () => shuttingDown);
  const endpoints = endpointsOf(config, deps, metrics);
  const api = createApiHandler({
    aggregation: deps.aggregation,
    filter: filterOf(deps, metrics),
    seats,
    prng: parts.registry.prng,
    auditing: auditingOf(deps, endpoints),
    tracing: deps.tracing && { tracer: deps.tracing.tracer, clock: deps.clock },
    strictTransport: config.strictTransport,
    endpoints,
    discovery: { find: (...asked) => discovery?.find(...asked) ?? { kind: 'not-found' } },
    openapi: openApiOf(config, deps, String(version['gitVersion'])),
    version,
    health,
    ...debugPages(config, deps),
    documents: deps.issuerDocuments(() => servedAddress),
    metrics: () => metrics.page.render(),
    indicators: () => Promise.resolve(indicatorsText(health, deps.worker)),
    requestCounts: metrics.requests,
    onFailure: failureLogger(log, parts.storage, () => shuttingDown),
  });
  const begin = inRequestTurns(deps, api, ({ method }) => {
    metrics.ended(method);
    inFlight -= 1;
    if (inFlight === 0) onDrained?.();
  });
  return {
    handler(exchange) {
      if (refusing && refuseDuringShutdown(exchange)) return;
      metrics.began(exchange.method);
      inFlight += 1;
      begin(exchange);
    },
    handshakeFailed: () => metrics.handshakeFailed(),
    setAddress(address) {
      servedAddress = address;
      discovery = discoveryAt(address, deps);
    },
    startShutdown() {
      shuttingDown = true;
    },
    startRefusing() {
      refusing = true;
    },
    stopWaiting: () => flow?.stopWaiting(),
    stop: () => flow?.stop(),
    drained(timers, timeoutMs) {
      if (inFlight === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = timers.after(timeoutMs, resolve);
        onDrained = () => {
          timer.cancel();
          resolve();
        };
      });
    },
  };
}

function discoveryAt(
  serverAddress: string,
  { aggregation, identity, parts }: ServingDeps,
): Discovery {
  return makeDiscovery({ ...parts.registry, aggregation, identity, serverAddress });
}

function debugPages(
  config: CompletedConfig,
  { clock, flow, parts }: ServingDeps,
): Pick<PlainPathDeps, 'actorsDebug' | 'fairnessDebug'> {
  return {
    actorsDebug: createActorsDebug(actorsDebugging(config, parts, clock)),
    fairnessDebug: createFairnessDebug(flow, clock, parts.registry.turns),
  };
}

function seatsOf(
  { load }: CompletedConfig,
  identity: Identity,
  { clock, flow, timers }: Pick<ServingDeps, 'clock' | 'flow' | 'timers'>,
): Seats {
  const limits = load.inFlight;
  if (flow === undefined) return createInFlight(limits, identity);
  const streams = createInFlight({ ...limits, readOnlyMax: 0, mutatingMax: 0 }, identity);
  return createFlowSeats(flow, streams, createSlowReaders(clock, timers), identity);
}

/** `ended` is called once for each. */
function inRequestTurns(
  { clock, timers }: Pick<ServingDeps, 'clock' | 'timers'>,
  api: ApiHandler,
  ended: (exchange: HttpExchange) => void,
): ExchangeHandler {
  const begin: BeginRequest = (exchange, startMs, nowMs) => {
    const end = (): void => ended(exchange);
    // Not finally(), which makes three more promises for each request.
    void api(exchange, startMs, nowMs).then(end, (error: unknown) => {
      end();
      throw error;
    });
  };
  return createRequestTurns({ clock, timers }, begin, ended);
}

function healthOf(config: CompletedConfig, deps: ServingDeps, shuttingDown: () => boolean): Health {
  const { admissionReadiness, authorization, registry, storage } = deps.parts;
  return createHealth(
    healthChecks({
      ...deps,
      storage,
      registry,
      admissionReadiness,
      usesRbac: authorization.usesRbac,
      controllers: config.tokens.controllers,
      livezGraceMs: config.livezGraceMs,
      shuttingDown,
    }),
  );
}

function metricsOf(
  config: CompletedConfig,
  deps: ServingDeps,
  version: JsonObject,
  seats: Seats,
): ServerMetrics {
  const { audit, clock, flow, log, parts, storeTimes, timers, worker } = deps;
  return createServerMetrics({
    parts,
    services: deps.aggregation.services,
    clock,
    timers,
    view: { release: config.release, showHidden: config.showHiddenMetrics },
    worker,
    serverId: () => deps.background.serverId(),
    version,
    storeTimes,
    measured: [
      ...measuredOf(parts),
      ...loadMeasured(seats, deps.transportLoad),
      ...lagMeasured(parts.streams, deps.logFollow),
      ...deps.background.measured,
      ...(config.store === 'lmdb' ? [storeSizeMeasured(config.dataDir)] : []),
      ...(audit?.measured ?? notAudited),
    ],
    series: [
      featureSeries(config.featureGates, config.release),
      ...parts.authorization.series,
      ...parts.allocations,
      ...(flow === undefined ? [] : flowSeries(flow)),
      ...deps.accessSeries,
      ...(audit?.series ?? []),
      ...(deps.tracing?.series ?? []),
    ],
    warn: (text) => log.warn({}, text),
  });
}

function failureLogger(
  log: Log,
  storage: Pick<Storage, 'failure'>,
  shuttingDown: () => boolean,
): (path: string, error: unknown) => void {
  let saidOfStore = false;
  return (path, error) => {
    const code = error instanceof StorageError ? error.code : undefined;
    // The store has said so, once; here it would be a line for each write that is refused.
    if (code === 'full') return;
    // Whoever waits longer than the shutdown may take.
    if (code === 'closed' && shuttingDown()) return;
    const isStores = (code === 'io' || code === 'unknown') && isBroken(storage);
    if (isStores && saidOfStore) return;
    saidOfStore ||= isStores;
    const what = isStores ? 'the store takes no more writes: a request failed' : 'a request failed';
    log.error({ err: error, path }, what);
  };
}

/** Every write fails, until a restart. */
function isBroken(storage: Pick<Storage, 'failure'>): boolean {
  const failure = storage.failure();
  return failure !== undefined && failure.code !== 'full';
}

function versionOf(config: CompletedConfig): JsonObject {
  return versionInfo({
    release: currentRelease,
    emulated: config.release,
    programVersion: programVersion(),
    runtimeVersion: process.version,
    platform: `${process.platform}/${process.arch}`,
  });
}

/** Off unless its gate is on; then whoever has the verb for it may do it. */
function unsafeDeleteOf(
  { featureGates }: CompletedConfig,
  access: AccessChecker,
): EndpointDeps['unsafeDelete'] {
  if (!featureGates.get('AllowUnsafeMalformedObjectDeletion')) return undefined;
  return { refusal: (request) => verbRefusalOf(access, request, unsafeDeleteVerb) };
}

function endpointsOf(
  config: CompletedConfig,
  deps: ServingDeps,
  metrics: ServerMetrics,
): EndpointDeps {
  const { parts, identity } = deps;
  return {
    registry: parts.registry,
    encodings: parts.encodings,
    largeStates: createLargeStates(),
    largeObjects: createLimiter(1),
    bodyLanes: createBodyLanes(),
    sharedEvents: createSharedEvents(deps.clock),
    identity,
    access: parts.authorization,
    connections: deps.connections,
    release: config.release,
    onDeprecatedUse: (use) => metrics.page.deprecatedUse(use),
    watchCounts: metrics.watches,
    turnWatch: parts.turnWatch,
    clock: deps.clock,
    prng: parts.registry.prng,
    reviews: deps.reviews,
    views: viewsOf(deps),
    features: featuresOf(config),
    limits: limitsOf(config),
    unsafeDelete: unsafeDeleteOf(config, parts.authorization),
  };
}

/** What is worked out instead of stored, and by whom. */
function viewsOf({ parts, logFollow, background }: ServingDeps): ResourceViews {
  const components = componentStatuses({
    storage: parts.storage,
    logFollow,
    controllers: () => background.controllersHealth(),
  });
  return new Map([['/componentstatuses', components]]);
}

function filterOf(
  { authentication, clock, parts, identity, log }: ServingDeps,
  { access }: ServerMetrics,
): AccessFilter {
  return createAccessFilter({
    clock,
    counts: access,
    authentication,
    access: parts.authorization,
    turns: parts.registry.turns,
    identity,
    onRejected: (path, why) => log.debug({ path, why }, 'credentials were refused'),
    onAuthorizationError: ({ kind, error }, { path, verb }) =>
      log.warn({ path, verb, decision: kind, why: error }, 'an authorizer failed'),
  });
}

function auditingOf(
  { audit, clock, parts }: ServingDeps,
  { bodyLanes }: EndpointDeps,
): AuditingDeps | undefined {
  if (audit === undefined) return undefined;
  const { scheme, turns } = parts.registry;
  return { auditor: audit.auditor, clock, schemaOf: schemasOf(scheme), turns, bodyLanes };
}

/** Of all kinds and their lists, by what an object says it is. */
function schemasOf({ groups }: Scheme): SchemaOf {
  const schemas = new Map<string, ObjectSchema | undefined>();
  for (const { group, versions } of groups) {
    for (const { kinds, version } of versions) {
      const apiVersion = formatGroupVersion({ group, version });
      for (const { kind, listKind, listSchema, schema } of kinds) {
        schemas.set(`${apiVersion} ${kind}`, schema);
        schemas.set(`${apiVersion} ${listKind}`, listSchema);
      }
    }
  }
  return (apiVersion, kind) => schemas.get(`${apiVersion} ${kind}`);
}

function openApiOf(
  config: CompletedConfig,
  { aggregation, parts, identity, kinds }: ServingDeps,
  version: string,
): OpenApi {
  const { services } = aggregation;
  return makeOpenApi({
    aggregation,
    documents: openApiDocuments({
      scheme: parts.registry.scheme,
      domain: identity.domain,
      protobufMediaType: identity.mediaTypes.protobuf,
      cbor: cborEnabled(config),
      openValues: schemaExemptionsOf(kinds).openValues,
      texts: describeGroups(kinds.groups),
      otherGroups: {
        has: (group) => [...services.ofGroup(group)].some(isRemote),
        all: () => services.remoteGroups(),
      },
      version,
    }),
    turns: parts.registry.turns,
  });
}

function featuresOf(config: CompletedConfig): EndpointFeatures {
  const { featureGates } = config;
  return {
    responseCompression: featureGates.get('APIResponseCompression') ?? true,
    watchList: featureGates.get('WatchList') ?? true,
    cbor: cborEnabled(config),
  };
}

function limitsOf(config: CompletedConfig): EndpointLimits {
  const { requestBodyBytesMax, minRequestTimeoutMs } = config;
  return { requestBodyBytesMax, minRequestTimeoutMs };
}

function cborEnabled(config: CompletedConfig): boolean {
  return config.featureGates.get('CBORServingAndStorage') ?? false;
}

/** Of each port. */
export function transportLimits(config: CompletedConfig): TransportLimits {
  return {
    ...defaultTransportLimits,
    idleTimeoutMs: config.idleTimeoutMs,
    requestTimeoutMs: config.requestTimeoutMs,
    connectionsMax: config.connectionsMax,
    bodyBytesMax: config.load.bodyBytesMax,
    unreadBytesMax: config.load.unreadBytesMax,
    unreadBytesPerConnectionMax: config.load.unreadBytesPerConnectionMax,
    http2StreamsMax: config.load.http2StreamsMax,
    clientCertificateBytesMax: config.load.clientCertificateBytesMax,
  };
}
