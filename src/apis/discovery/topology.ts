/**
 * The topology of endpoints: the stable version has fields for it. What an older one has written
 * stays to be read; nothing new is written through the stable one (spec 2, section 9.3).
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { objects, part } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { FieldMaps } from '../conversion/conversion.ts';
import { defined, eachOf, without } from '../conversion/fields.ts';
import type { KindStrategy } from '../../registry/strategy.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';

const topology = 'deprecatedTopology';

/** For requests through the stable version; the older ones write what they like. */
export function stableSliceStrategy(identity: Identity): Partial<KindStrategy> {
  const { hostname } = identity.labels;
  return {
    prepareForCreate: (slice) => withoutTopology(slice, new Set(), hostname),
    prepareForUpdate(next, current) {
      if (deepEqual(next['endpoints'], current['endpoints'])) return next;
      const known = objects(current, 'endpoints').map((each) => part(each, topology)[hostname]);
      return withoutTopology(next, new Set(known), hostname);
    },
  };
}

/** A node that older clients had named in the topology gets the field for it. */
function withoutTopology(
  slice: ApiObject,
  known: ReadonlySet<unknown>,
  hostname: string,
): ApiObject {
  const all = objects(slice, 'endpoints');
  if (all.every((each) => each[topology] === undefined)) return slice;
  const endpoints = all.map((endpoint): JsonObject => {
    const { [topology]: _dropped, ...rest } = endpoint;
    const node = part(endpoint, topology)[hostname];
    const lost = rest['nodeName'] === undefined && node !== undefined && known.has(node);
    return lost ? { ...rest, nodeName: node } : rest;
  });
  return { ...slice, endpoints };
}

/** EndpointSlice of discovery/v1beta1: zone and node were keys of a topology map. */
export function endpointSliceMaps(zoneKey: string, hostKey: string): FieldMaps {
  return {
    toHub: (slice) =>
      eachOf(slice, 'endpoints', (endpoint) => {
        const { topology, ...rest } = endpoint;
        if (!isJsonObject(topology)) return endpoint;
        const zone = topology[zoneKey];
        const repeated = topology[hostKey] === endpoint['nodeName'] ? [hostKey] : [];
        const deprecatedTopology = without(topology, zoneKey, ...repeated);
        return { ...rest, ...defined({ zone, ...unlessEmpty({ deprecatedTopology }) }) };
      }),
    fromHub: (slice) =>
      eachOf(slice, 'endpoints', (endpoint) => {
        const { deprecatedTopology, zone, ...rest } = endpoint;
        const old = isJsonObject(deprecatedTopology) ? deprecatedTopology : {};
        const node = endpoint['nodeName'];
        const topology = defined({
          ...old,
          ...(zone === undefined ? {} : { [zoneKey]: zone }),
          ...(node === undefined || hostKey in old ? {} : { [hostKey]: node }),
        });
        return { ...rest, ...unlessEmpty({ topology }) };
      }),
  };
}

function unlessEmpty(object: JsonObject): JsonObject {
  const [value] = Object.values(object);
  return isJsonObject(value) && Object.keys(value).length > 0 ? object : {};
}
