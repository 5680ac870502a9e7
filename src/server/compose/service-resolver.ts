/**
 * Addresses of services of the cluster, for webhooks behind a service: from the services and
 * endpoints in the log.
 *
 * Invariants: the service of this server itself (`kubernetes.default.svc`, port 443) leads to this
 * very process, without the network of the cluster, as in the reference. Nothing is followed where
 * services are called by their own address.
 */
import type { Streams } from '../../../streams/streams.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import type { Scheme } from '../../apimachinery/scheme.ts';
import type { Prng } from '../../stdx/prng.ts';
import { followEndpoints } from './service-endpoints.ts';
import { clusterResolver, endpointResolver } from '../../webhooks/service-resolver.ts';
import type {
  FindService,
  ResolveService,
  ServiceAddress,
} from '../../webhooks/service-resolver.ts';

export interface ServiceResolverDeps {
  readonly streams: Pick<Streams, 'followers' | 'resourceEvents' | 'snapshot'>;
  readonly scheme: Pick<Scheme, 'findStorage'>;
  readonly prng: Prng;
  readonly identity: Pick<Identity, 'fill' | 'name' | 'namespaces'>;
  /** Endpoints are called, not the address of the service. */
  readonly toEndpoints: boolean;
  /** Where this server takes HTTPS; undefined: nowhere, or it is not open yet. */
  readonly ownAddress: () => ServiceAddress | undefined;
}

const ownPort = 443;
const servicesResource = { group: '', resource: 'services' } as const;

export function serviceFinder(streams: Pick<Streams, 'snapshot'>): FindService {
  return (namespace, name) => {
    const entry = streams.snapshot(servicesResource).get(namespace, name);
    return entry && decodeObject(entry.bytes);
  };
}

/** What is stored is followed from when this is called. */
export function serviceResolver(deps: ServiceResolverDeps): ResolveService {
  const { identity, ownAddress, prng, streams, toEndpoints } = deps;
  const find = serviceFinder(streams);
  const resolve = toEndpoints
    ? endpointResolver(find, followEndpoints(deps)?.find ?? (() => []), prng)
    : clusterResolver(find);
  const isOwn: (...service: Parameters<ResolveService>) => boolean = (namespace, name, port) =>
    name === identity.name && namespace === identity.namespaces.default && port === ownPort;
  return (...service) => (isOwn(...service) ? ownAddress() : undefined) ?? resolve(...service);
}
