/**
 * The topology of endpoints through the stable version: what an older one has written stays to be
 * read, nothing new is written (spec 2, section 9.3).
 *
 * What it is not: the conversion of the topology (src/apis/conversion/small-differences.ts).
 */
import type { Identity } from '../apimachinery/identity.ts';
import { objects, part } from '../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../apimachinery/unstructured.ts';
import type { KindStrategy } from '../registry/strategy.ts';
import { deepEqual } from '../stdx/deep-equal.ts';

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
