/**
 * Addresses of services of the cluster, for webhooks behind a service: from the services and
 * endpoints in the log.
 *
 * Invariants: the service of this server itself (`kubernetes.default.svc`, port 443) leads to this
 * very process, without the network of the cluster, as in the reference. Nothing is followed where
 * services are called by their own address. Whose endpoints an EndpointSlice holds is said by its
 * label.
 */
import { followObjects } from '../../../streams/followed-objects.ts';
import type { Entry, Streams } from '../../../streams/streams.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import type { Scheme } from '../../apimachinery/scheme.ts';
import type { Prng } from '../../stdx/prng.ts';
import { clusterResolver, endpointResolver } from '../../webhooks/service-resolver.ts';
import type {
  FindEndpoints,
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

/** What is stored is followed from when this is called. */
export function serviceResolver(deps: ServiceResolverDeps): ResolveService {
  const { identity, ownAddress, prng, streams, toEndpoints } = deps;
  const find: FindService = (namespace, name) => {
    const entry = streams.snapshot(servicesResource).get(namespace, name);
    return entry && decodeObject(entry.bytes);
  };
  const resolve = toEndpoints
    ? endpointResolver(find, endpointsOf(deps), prng)
    : clusterResolver(find);
  const isOwn: (...service: Parameters<ResolveService>) => boolean = (namespace, name, port) =>
    name === identity.name && namespace === identity.namespaces.default && port === ownPort;
  return (...service) => (isOwn(...service) ? ownAddress() : undefined) ?? resolve(...service);
}

/** By namespace and service, then by the name of the slice. */
type Slices = Map<string, Map<string, Entry>>;

function endpointsOf({ identity, scheme, streams }: ServiceResolverDeps): FindEndpoints {
  const group = identity.fill('discovery.{domain}');
  const resource = { group, resource: 'endpointslices' };
  // A release that does not serve them has none.
  if (scheme.findStorage(resource) === undefined) return () => [];
  const known: Slices = new Map();
  const label = identity.fill('{labelDomain}/service-name');
  const keyOf = ({ labels, namespace }: Entry): string => `${namespace}/${labels[label] ?? ''}`;
  const drop = (entry: Entry, key: string): void => {
    const slices = known.get(key);
    if (slices?.delete(entry.name) === true && slices.size === 0) known.delete(key);
  };
  const placed = new Map<string, string>();
  const set = (entry: Entry): void => {
    const id = `${entry.namespace}/${entry.name}`;
    const before = placed.get(id);
    const key = keyOf(entry);
    if (before !== undefined && before !== key) drop(entry, before);
    placed.set(id, key);
    known.set(key, (known.get(key) ?? new Map<string, Entry>()).set(entry.name, entry));
  };
  const clear = (): void => {
    known.clear();
    placed.clear();
  };
  const remove = (entry: Entry): void => {
    const id = `${entry.namespace}/${entry.name}`;
    drop(entry, placed.get(id) ?? '');
    placed.delete(id);
  };
  followObjects(streams, 'service-endpoints', resource, { clear, set, remove });
  return (namespace, name): readonly JsonObject[] =>
    [...(known.get(`${namespace}/${name}`)?.values() ?? [])].map(({ bytes }) =>
      decodeObject(bytes),
    );
}
