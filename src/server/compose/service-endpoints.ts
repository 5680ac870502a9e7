/**
 * The EndpointSlices of services: an index by service that follows the log.
 *
 * Invariants: whose endpoints an EndpointSlice holds is said by its label. A change costs the same
 * however many there are.
 */
import { followObjects } from '../../../streams/followed-objects.ts';
import type { Entry, Streams } from '../../../streams/streams.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import type { Scheme } from '../../apimachinery/scheme.ts';
import type { FindEndpoints } from '../../webhooks/service-resolver.ts';

export interface ServiceEndpointsDeps {
  readonly streams: Pick<Streams, 'followers' | 'resourceEvents'>;
  readonly scheme: Pick<Scheme, 'findStorage'>;
  readonly identity: Pick<Identity, 'fill'>;
}

export interface ServiceEndpoints {
  readonly find: FindEndpoints;
  /** All that there are have been seen. */
  readonly isComplete: boolean;
  stop(): void;
}

export interface EndpointListener {
  complete(): void;
  changed(namespace: string, service: string): void;
}

/** By namespace and service, then by the name of the slice. */
type Slices = Map<string, Map<string, Entry>>;

/** From when it is called. Undefined: a release that does not serve them has none. */
export function followEndpoints(
  { identity, scheme, streams }: ServiceEndpointsDeps,
  listener?: EndpointListener,
): ServiceEndpoints | undefined {
  const group = identity.fill('discovery.{domain}');
  const resource = { group, resource: 'endpointslices' };
  if (scheme.findStorage(resource) === undefined) return undefined;
  const known: Slices = new Map();
  const label = identity.fill('{labelDomain}/service-name');
  const serviceOf = ({ labels }: Entry): string => labels[label] ?? '';
  const keyOf = (entry: Entry): string => `${entry.namespace}/${serviceOf(entry)}`;
  const drop = (entry: Entry, key: string): void => {
    const slices = known.get(key);
    if (slices?.delete(entry.name) === true && slices.size === 0) known.delete(key);
  };
  const placed = new Map<string, string>();
  let isComplete = false;
  const following = followObjects(streams, 'service-endpoints', resource, {
    clear() {
      known.clear();
      placed.clear();
    },
    set(entry) {
      const id = `${entry.namespace}/${entry.name}`;
      const before = placed.get(id);
      const key = keyOf(entry);
      if (before !== undefined && before !== key) drop(entry, before);
      placed.set(id, key);
      known.set(key, (known.get(key) ?? new Map<string, Entry>()).set(entry.name, entry));
    },
    remove(entry) {
      const id = `${entry.namespace}/${entry.name}`;
      drop(entry, placed.get(id) ?? '');
      placed.delete(id);
    },
    complete() {
      isComplete = true;
      listener?.complete();
    },
    changed: (entry) => listener?.changed(entry.namespace, serviceOf(entry)),
  });
  return {
    find: (namespace, name): readonly JsonObject[] =>
      [...(known.get(`${namespace}/${name}`)?.values() ?? [])].map(({ bytes }) =>
        decodeObject(bytes),
      ),
    get isComplete() {
      return isComplete;
    },
    stop: () => following.unsubscribe(),
  };
}
