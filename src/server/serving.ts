/**
 * From the composed parts to what listens: the handler chain, health, metrics, requests in flight.
 *
 * Chain, outer to inner: count in flight ▶ answer even if something throws ▶ the API handler.
 * Authentication, audit, impersonation and authorization take their places in it later.
 */
import { createApiHandler } from '../endpoints/api-handler.ts';
import { makeDiscovery } from '../endpoints/discovery/discovery.ts';
import type { Discovery } from '../endpoints/discovery/discovery.ts';
import { makeOpenApi } from '../endpoints/openapi/openapi.ts';
import type { OpenApi } from '../endpoints/openapi/openapi.ts';
import { versionInfo } from '../endpoints/discovery/version.ts';
import type { HealthCheck } from '../endpoints/health.ts';
import type { EndpointDeps, EndpointFeatures, EndpointLimits } from '../endpoints/request.ts';
import type { Identity } from '../apimachinery/identity.ts';
import type { JsonObject } from '../apimachinery/unstructured.ts';
import { openApiDocuments } from '../apimachinery/openapi/documents.ts';
import { currentRelease } from '../apis/served-versions.ts';
import { schemaExemptions } from '../apis/validation/schema-exemptions.ts';
import type { Clock, Timers } from '../stdx/clock.ts';
import { defaultTransportLimits } from '../transport/http-exchange.ts';
import type { ExchangeHandler, ListenOptions } from '../transport/http-exchange.ts';
import type { Log } from './log.ts';
import { createMetricsPage } from './metrics.ts';
import { lagMeasured, measuredOf } from './measured.ts';
import type { Background } from './background.ts';
import type { LogFollow } from './log-follow.ts';
import type { CompletedConfig } from './options.ts';
import type { ServerParts } from './server-parts.ts';
import { programVersion } from './program-version.ts';

export interface Serving {
  readonly listenOptions: ListenOptions;
  readonly handler: ExchangeHandler;
  /** host:port, once it is known: discovery shows it. */
  setAddress(address: string): void;
  /** /readyz fails from now on. */
  startShutdown(): void;
  /** Resolves when no request is in flight, or after the timeout. */
  drained(timers: Timers, timeoutMs: number): Promise<void>;
}

export interface ServingDeps {
  readonly parts: ServerParts;
  readonly identity: Identity;
  readonly log: Log;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly background: Pick<Background, 'measured'>;
  readonly logFollow: LogFollow;
  /** Which of several servers this is; undefined: the only one. */
  readonly worker: number | undefined;
}

export function createServing(config: CompletedConfig, deps: ServingDeps): Serving {
  const { parts, identity, log } = deps;
  let shuttingDown = false;
  let inFlight = 0;
  let onDrained: (() => void) | undefined;
  let discovery: Discovery | undefined;
  const measured = [
    ...measuredOf(parts, () => inFlight),
    ...lagMeasured(parts.streams, deps.logFollow),
    ...deps.background.measured,
  ];
  const metrics = createMetricsPage(measured, {
    view: { release: config.release, showHidden: config.showHiddenMetrics },
    worker: deps.worker,
    warn: (text) => log.warn({}, text),
  });
  const version = versionOf(config);
  const api = createApiHandler({
    endpoints: {
      registry: parts.registry,
      identity,
      release: config.release,
      onDeprecatedUse: (use) => metrics.deprecatedUse(use),
      clock: deps.clock,
      prng: parts.registry.prng,
      features: featuresOf(config),
      limits: limitsOf(config),
      unsafeDelete: unsafeDeleteOf(config),
    },
    discovery: { find: (path, accept) => discovery?.find(path, accept) ?? { kind: 'not-found' } },
    openapi: openApiOf(config, deps, String(version['gitVersion'])),
    version,
    healthChecks: healthChecks(deps, () => shuttingDown),
    metrics: () => metrics.render(),
    onFailure: (path, error) => log.error({ err: error, path }, 'a request failed'),
  });
  return {
    listenOptions: listenOptionsOf(config),
    handler(exchange) {
      inFlight += 1;
      void api(exchange).finally(() => {
        inFlight -= 1;
        if (inFlight === 0) onDrained?.();
      });
    },
    setAddress(address) {
      const { scheme } = parts.registry;
      discovery = makeDiscovery({ scheme, identity, serverAddress: address });
    },
    startShutdown() {
      shuttingDown = true;
    },
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

function versionOf(config: CompletedConfig): JsonObject {
  return versionInfo({
    release: currentRelease,
    emulated: config.release,
    programVersion: programVersion(),
    runtimeVersion: process.version,
    platform: `${process.platform}/${process.arch}`,
  });
}

/** Off unless its gate is on; then whoever may delete may do it. */
function unsafeDeleteOf({ featureGates }: CompletedConfig): EndpointDeps['unsafeDelete'] {
  if (!featureGates.get('AllowUnsafeMalformedObjectDeletion')) return undefined;
  return { refusal: () => Promise.resolve(undefined) };
}

function openApiOf(
  config: CompletedConfig,
  { parts, identity, timers }: ServingDeps,
  version: string,
): OpenApi {
  return makeOpenApi({
    documents: openApiDocuments({
      scheme: parts.registry.scheme,
      domain: identity.domain,
      protobufMediaType: identity.mediaTypes.protobuf,
      cbor: cborEnabled(config),
      openValues: schemaExemptions.openValues,
      version,
    }),
    pause: () => new Promise((resolve) => void timers.nextTurn(resolve)),
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

function listenOptionsOf(config: CompletedConfig): ListenOptions {
  return {
    address: config.bindAddress,
    port: config.httpPort,
    limits: {
      ...defaultTransportLimits,
      idleTimeoutMs: config.idleTimeoutMs,
      requestTimeoutMs: config.requestTimeoutMs,
      connectionsMax: config.connectionsMax,
    },
  };
}

/** A server that lags is alive: it is not to be restarted, but not to be asked either. */
function healthChecks(
  { parts: { storage }, logFollow }: ServingDeps,
  shuttingDown: () => boolean,
): readonly HealthCheck[] {
  const all = ['livez', 'readyz', 'healthz'] as const;
  return [
    { name: 'ping', endpoints: all, healthy: () => true },
    { name: 'log', endpoints: all, healthy: () => true },
    { name: 'storage', endpoints: all, healthy: () => storage.failure() === undefined },
    { name: 'log-follow', endpoints: ['readyz'], healthy: () => logFollow.isCurrent() },
    { name: 'shutdown', endpoints: ['readyz'], healthy: () => !shuttingDown() },
  ];
}
