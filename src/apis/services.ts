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
 *
 * What it is not: giving out addresses, or the rules that judge what clients write
 * (validation/services.ts).
 *
 * Invariants: pure; what says two different things is left for the rules to refuse.
 */
import { items, part, text } from '../apimachinery/members.ts';
import type { ApiObject, JsonObject, JsonValue } from '../apimachinery/unstructured.ts';
import type { KindStrategy } from '../registry/strategy.ts';
import { deepEqual } from '../stdx/deep-equal.ts';

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
    prepareForCreate: (service, user) => withAddressList(generic.prepareForCreate(service, user)),
    prepareForUpdate: (next, current, nowMs) =>
      withAddressesOf(generic.prepareForUpdate(next, current, nowMs), current),
  };
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
