/**
 * The aggregation layer put together: which versions other servers answer for, the way to them,
 * and what is kept of what they say.
 *
 *     on every server         the index of APIServices, connections, documents of those servers
 *     where controllers run   whether they are there
 */
import type { Aggregation } from '../../aggregation/aggregation.ts';
import type { RemoteAccess } from '../../aggregation/remote-access.ts';
import { followApiServices, noApiServices } from '../../aggregation/api-services.ts';
import { createBackends } from '../../aggregation/backends.ts';
import type { ClientPair } from '../../aggregation/backends.ts';
import { passTo } from '../../aggregation/passed-on.ts';
import { followRemoteDocuments } from '../../aggregation/remote-documents.ts';
import { createRemoteLanes } from '../../aggregation/remote-lanes.ts';
import { createRemoteObjects } from '../../aggregation/remote-objects.ts';
import { createFollowRemote } from '../../aggregation/remote-watch.ts';
import { remoteResources } from '../../aggregation/remote-resources.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { apiServicesGroup } from '../../apis/local-api-services.ts';
import {
  createApiServiceAvailability,
  NotThereYet,
} from '../../controllers/api-service-availability.ts';
import { controllerManager } from '../../controllers/controller.ts';
import type { Controller } from '../../controllers/controller.ts';
import type { KeyPair } from '../../pki/certificate-authority.ts';
import type { RegistryDeps } from '../../registry/registry.ts';
import type { Timers } from '../../stdx/clock.ts';
import { messageOf } from '../../stdx/message-of.ts';
import type { CompletedConfig } from '../config/options.ts';
import type { MetricSeries } from '../metrics/metrics.ts';
import { availabilitySeries, createLostCounts } from '../metrics/availability-series.ts';
import { followProxyClient } from './front-proxy.ts';
import type { Log } from './log.ts';
import type { ServerParts } from './server-parts.ts';
import { followEndpoints } from './service-endpoints.ts';
import { serviceFinder } from './service-resolver.ts';

export interface AggregationDeps {
  readonly parts: Pick<ServerParts, 'queues' | 'registry' | 'resolveService' | 'streams'>;
  readonly identity: Identity;
  readonly timers: Timers;
  readonly log: Log;
  /** What servers of APIServices are shown. */
  readonly proxyClient: KeyPair | undefined;
}

export interface AggregationPart {
  readonly aggregation: Aggregation;
  /** For this server's own controllers. */
  readonly remote: RemoteAccess;
  readonly series: readonly MetricSeries[];
  controllers(registry: RegistryDeps): Controller;
  stop(): void;
}

/** What is stored is known when this resolves. */
export async function startAggregation(
  config: CompletedConfig,
  deps: AggregationDeps,
): Promise<AggregationPart> {
  const { identity, log, parts, timers } = deps;
  const { registry, resolveService: resolve, streams } = parts;
  const resource = { group: identity.fill(apiServicesGroup), resource: 'apiservices' };
  const kind = registry.scheme.findStorage(resource);
  const services = kind === undefined ? noApiServices : followApiServices(streams, kind.storage);
  await streams.followers.settled();
  let shown = pairOf(deps.proxyClient);
  const files = followProxyClient(config.access, deps.proxyClient, deps, (pair) => {
    shown = pairOf(pair);
  });
  const backends = createBackends({ resolve, certificate: () => shown, timers });
  const documents = followRemoteDocuments({
    services,
    backends,
    identity,
    timers,
    turns: registry.turns,
    onError: (service, error) =>
      log.warn({ service, why: messageOf(error) }, 'a server does not say what it serves'),
  });
  const pseudonym = registry.prng.uuid();
  const lanes = createRemoteLanes(registry.clock);
  const objects = createRemoteObjects({ ...registry, backends, lanes });
  const lost = createLostCounts();
  return {
    aggregation: {
      services,
      documents,
      pass: (service, asked) => passTo(service, asked, { backends, pseudonym, timers }),
    },
    remote: {
      resources: remoteResources({ services, documents, turns: registry.turns }),
      objects,
      follow: createFollowRemote({ ...registry, backends, objects, timers }),
    },
    series: availabilitySeries(services, lost),
    controllers(own) {
      if (kind === undefined || !config.tokens.controllers.has('apiserviceavailability')) {
        return controllerManager([]);
      }
      return createApiServiceAvailability({
        registry: own,
        timers,
        queues: parts.queues,
        kind,
        services,
        backends,
        findService: serviceFinder(streams),
        followEndpoints: (listener) => followEndpoints(registry, listener),
        onLost: (name, reason) => lost.count(name, reason),
        onError: (name, error) => {
          const what = 'the server of an APIService was not found to be there; it is tried again';
          if (error instanceof NotThereYet) log.debug({ name, why: error.message }, what);
          else log.warn({ err: error, name }, what);
        },
      });
    },
    stop() {
      services.stop();
      documents.stop();
      files.stop();
    },
  };
}

function pairOf(pair: KeyPair | undefined): ClientPair | undefined {
  return pair && { cert: pair.certificatePem, key: pair.keyPem };
}
