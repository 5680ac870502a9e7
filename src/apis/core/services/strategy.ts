/**
 * Services: keeps the two address fields consistent, and allocated addresses unchanged.
 * `clusterIP` is the older field; `clusterIPs` holds an address of each family, that one first.
 *
 *     written                       before       stored
 *     clusterIP: A                  -            A, [A]
 *     clusterIP: A                  A, [A, B]    A, [A, B]    by an older client
 *     clusterIP: C, clusterIPs: L   A, L         C, [C]       likewise; the rules refuse it
 *     clusterIPs: L, or neither     A, L         A, L
 *     clusterIP: A, clusterIPs: L   A, L         neither, if the service has become an ExternalName
 *
 * When the type changes, fields of the old type are removed if the writer has not changed them:
 * node ports, the health check port, fields of load balancers, the external traffic policy, IP
 * families. A node port that the writer has left out stays with the port of its name, as long as
 * node ports are given out: a load balancer may want none. An ExternalName never has an internal
 * traffic policy.
 *
 * Elsewhere: giving out addresses and the rules for what clients write (validation.ts).
 *
 * Invariants: pure; contradictory input is left for the rules to refuse.
 */
import { items, objects, part, text } from '../../../apimachinery/members.ts';
import { without } from '../../../apimachinery/unstructured.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../../apimachinery/unstructured.ts';
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
    prepareForCreate: (service, user) =>
      withUsedPolicy(withAddressList(generic.prepareForCreate(service, user))),
    prepareForUpdate: (next, current, nowMs) =>
      withUsedPolicy(withAllocated(generic.prepareForUpdate(next, current, nowMs), current)),
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
  if (!isExternalName(before)) {
    if (!isExternalName(spec)) result = kept(wanted, was);
    else if (deepEqual(wanted, was)) result = { first: '', all: [] };
  }
  return deepEqual(result, given) ? next : withAddresses(next, result);
}

function isExternalName(spec: JsonObject): boolean {
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

/** With what the service has been given, where its writer says nothing of it. */
export function withAllocated(next: ApiObject, current: ApiObject): ApiObject {
  return withTypeOf(withAddressesOf(next, current), current);
}

/** What one type has and another one does not. */
const dependent: readonly {
  readonly field: string;
  readonly has: (spec: JsonObject) => boolean;
}[] = [
  { field: 'healthCheckNodePort', has: hasHealthCheck },
  { field: 'allocateLoadBalancerNodePorts', has: isBalanced },
  { field: 'loadBalancerClass', has: isBalanced },
  { field: 'externalTrafficPolicy', has: isReachedFromOutside },
  { field: 'ipFamilies', has: (spec) => !isExternalName(spec) },
  { field: 'ipFamilyPolicy', has: (spec) => !isExternalName(spec) },
];

/** A name elsewhere has no traffic here, whatever its writer says of it. */
function withUsedPolicy(service: ApiObject): ApiObject {
  const spec = part(service, 'spec');
  if (!isExternalName(spec) || spec['internalTrafficPolicy'] === undefined) return service;
  return { ...service, spec: without(spec, 'internalTrafficPolicy') };
}

function withTypeOf(next: ApiObject, current: ApiObject): ApiObject {
  const [spec, before] = [part(next, 'spec'), part(current, 'spec')];
  let result = withNodePortsOf(spec, before);
  for (const { field, has } of dependent) {
    if (has(before) && !has(spec) && result[field] !== undefined) {
      if (deepEqual(result[field], before[field])) result = without(result, field);
    } else if (has(before) && has(spec) && isLeftOut(field, result[field])) {
      const was = before[field];
      if (was !== undefined) result = { ...result, [field]: was };
    }
  }
  return result === spec ? next : { ...next, spec: result };
}

/** Whether a client does not know what is kept for it: an empty policy is one that there is not. */
function isLeftOut(field: string, value: JsonValue | undefined): boolean {
  if (field === 'ipFamilyPolicy') return value === undefined;
  return (field === 'healthCheckNodePort' || field === 'ipFamilies') && !isGiven(value);
}

function withNodePortsOf(spec: JsonObject, before: JsonObject): JsonObject {
  if (getsNodePorts(before) && getsNodePorts(spec)) return withKeptNodePorts(spec, before);
  if (!hasNodePorts(before) || hasNodePorts(spec)) return spec;
  const [given, had] = [nodePortsOf(spec), nodePortsOf(before)];
  const isSame = given.size === had.size && [...given].every((port) => had.has(port));
  if (!isSame || given.size === 0) return spec;
  return { ...spec, ports: objects(spec, 'ports').map((port) => without(port, 'nodePort')) };
}

/** A port keeps what the one of its name had, unless another one says that it has it now. */
function withKeptNodePorts(spec: JsonObject, before: JsonObject): JsonObject {
  const given = nodePortsOf(spec);
  const hadByName = new Map(
    objects(before, 'ports').map((port) => [text(port, 'name'), port['nodePort']]),
  );
  let changed = false;
  const ports = objects(spec, 'ports').map((port): JsonObject => {
    const had = hadByName.get(text(port, 'name'));
    if (isGiven(port['nodePort']) || had === undefined || given.has(had)) return port;
    changed = true;
    return { ...port, nodePort: had };
  });
  return changed ? { ...spec, ports } : spec;
}

function nodePortsOf(spec: JsonObject): ReadonlySet<JsonValue> {
  const ports = objects(spec, 'ports').map(({ nodePort = 0 }) => nodePort);
  return new Set(ports.filter(isGiven));
}

function isGiven(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== 0 && value !== '' && !deepEqual(value, []);
}

/** Whether they are chosen for those ports that have none. */
function getsNodePorts(spec: JsonObject): boolean {
  if (spec['type'] === 'NodePort') return true;
  return isBalanced(spec) && spec['allocateLoadBalancerNodePorts'] !== false;
}

function hasNodePorts({ type }: JsonObject): boolean {
  return type === 'NodePort' || type === 'LoadBalancer';
}

function isBalanced({ type }: JsonObject): boolean {
  return type === 'LoadBalancer';
}

function hasHealthCheck(spec: JsonObject): boolean {
  return isBalanced(spec) && spec['externalTrafficPolicy'] === 'Local';
}

function isReachedFromOutside(spec: JsonObject): boolean {
  return hasNodePorts(spec) || items(spec, 'externalIPs').length > 0;
}
