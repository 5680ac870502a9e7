/**
 * Services: the two fields of their addresses agree, and addresses stay with whom they were given.
 * `clusterIP` is the older field; `clusterIPs` holds an address of each family, that one first.
 *
 *     written                       before       stored
 *     clusterIP: A                  -            A, [A]
 *     clusterIP: A                  A, [A, B]    A, [A, B]    by an older client
 *     clusterIP: C, clusterIPs: L   A, L         C, [C]       likewise; the rules refuse it
 *     clusterIPs: L, or neither     A, L         A, L
 *     clusterIP: A, clusterIPs: L   A, L         neither, where the service is now a name elsewhere
 *     neither, or no node port      -            condition AddressesAllocated False
 *
 * What it is not: giving out addresses, or the rules that judge what clients write
 * (validation.ts).
 *
 * Invariants: pure; what says two different things is left for the rules to refuse.
 */
import { items, objects, part, text } from '../../../apimachinery/members.ts';
import { formatRfc3339 } from '../../../apimachinery/time.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../../apimachinery/unstructured.ts';
import { withConditions } from '../../strategy/own-condition.ts';
import type { KindStrategy } from '../../../registry/strategy.ts';
import { deepEqual } from '../../../stdx/deep-equal.ts';

interface Addresses {
  readonly first: string;
  readonly all: readonly JsonValue[];
}

function addressesOf(spec: JsonObject): Addresses {
  return { first: text(spec, 'clusterIP'), all: items(spec, 'clusterIPs') };
}

function withAddresses(service: ApiObject, { first, all }: Addresses): ApiObject {
  const { clusterIP: _first, clusterIPs: _all, ...rest } = part(service, 'spec');
  return {
    ...service,
    spec: {
      ...rest,
      ...(first === '' ? {} : { clusterIP: first }),
      ...(all.length === 0 ? {} : { clusterIPs: [...all] }),
    },
  };
}

/** Beside what is done to every kind with a status. */
export function serviceStrategy(generic: KindStrategy): Partial<KindStrategy> {
  return {
    prepareForCreate: (service, user) => {
      const { creationTimestamp = '' } = service.metadata;
      const prepared = withAddressList(generic.prepareForCreate(service, user));
      return withAllocation(prepared, undefined, creationTimestamp);
    },
    prepareForUpdate: (next, current, nowMs) => {
      const prepared = withAddressesOf(generic.prepareForUpdate(next, current, nowMs), current);
      return withAllocation(prepared, current, formatRfc3339(nowMs));
    },
    prepareForStatusUpdate: (next, current, nowMs) =>
      withAllocation(
        generic.prepareForStatusUpdate(next, current, nowMs),
        current,
        formatRfc3339(nowMs),
      ),
  };
}

/** Where an address or a port is asked for and nobody gives one, the status says so. */
function withAllocation(next: ApiObject, current: ApiObject | undefined, now: string): ApiObject {
  const missing = unallocated(part(next, 'spec'));
  const before = objects(part(next, 'status'), 'conditions');
  if (missing.length === 0 && !before.some(({ type }) => type === allocated)) return next;
  const says: JsonObject | undefined =
    missing.length === 0
      ? undefined
      : {
          status: 'False',
          reason: 'NotAllocated',
          message: `this server does not give out ${missing.join(' and ')}: name them in the spec`,
        };
  return withConditions(next, current, now, [{ type: allocated, says }]);
}

const allocated = 'AddressesAllocated';

function unallocated(spec: JsonObject): readonly string[] {
  const type = text(spec, 'type');
  if (type === 'ExternalName') return [];
  const wantsPorts =
    type === 'NodePort' ||
    (type === 'LoadBalancer' && spec['allocateLoadBalancerNodePorts'] !== false);
  const noPort = wantsPorts && objects(spec, 'ports').some((port) => !isGiven(port['nodePort']));
  const noAddress = text(spec, 'clusterIP') === '' && items(spec, 'clusterIPs').length === 0;
  return [...(noAddress ? ['cluster IPs'] : []), ...(noPort ? ['node ports'] : [])];
}

function isGiven(port: JsonValue | undefined): boolean {
  return port !== undefined && port !== 0;
}

/** Of a new service. The newer field alone does not make the older one. */
function withAddressList(service: ApiObject): ApiObject {
  const { first, all } = addressesOf(part(service, 'spec'));
  if (first === '' || all.length > 0) return service;
  return withAddresses(service, { first, all: [first] });
}

/** Of a service that changes. */
function withAddressesOf(next: ApiObject, current: ApiObject): ApiObject {
  const [spec, before] = [part(next, 'spec'), part(current, 'spec')];
  const [given, was] = [addressesOf(spec), addressesOf(before)];
  const wanted = agreed(given, was);
  let result = wanted;
  if (!isElsewhere(before)) {
    if (!isElsewhere(spec)) result = kept(wanted, was);
    else if (deepEqual(wanted, was)) result = { first: '', all: [] };
  }
  return deepEqual(result, given) ? next : withAddresses(next, result);
}

function isElsewhere(spec: JsonObject): boolean {
  return spec['type'] === 'ExternalName';
}

/** A client that knows one of the fields has left the other one out, or as it was. */
function agreed(given: Addresses, was: Addresses): Addresses {
  const { first, all } = given;
  if (first === was.first) return all.length === 0 ? { first, all: was.all } : given;
  if (!deepEqual(all, was.all)) return given;
  return { first, all: first === '' ? [] : [first] };
}

/** An address that was given stays where nothing is said of it. */
function kept({ first, all }: Addresses, was: Addresses): Addresses {
  const own = first === '' ? was.first : first;
  return { first: own, all: all.length === 0 && own === was.first ? was.all : all };
}
