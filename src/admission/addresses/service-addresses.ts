/**
 * Chooses what a service needs and does not name: families, cluster IPs, node ports, a health check
 * port. It is the last plugin that changes a service before validation.
 *
 *     ranges (objects, else flags) ─┐
 *     what is taken (records)      ─┼▶ families ▶ addresses ▶ ports ▶ the service with them
 *     what the service had         ─┘     └──────────┴──────────┴▶ refused
 *
 * It only chooses. The addresses are claimed in the transaction that writes the service
 * (service-claims.ts), and a writer that loses that race chooses again. So a dry run and a failed
 * write claim nothing. As in the reference, a dry run shows the base address of the range, which is
 * never assigned.
 *
 * Other plugins cannot change the choice. As in the reference, mutating plugins see the addresses
 * that the service names, also in the second round; validating ones see those that it has.
 *
 * Invariants: a service keeps what it has while its type allows it. A value that cannot be read is
 * left to the validation of the kind. What was chosen a moment ago is not chosen again, so that
 * writers at one server do not collide (recent-choices.ts).
 * Bounds: a few random tries, then one walk through the range, in steps. Where it has shown that
 * all addresses are taken, nobody walks until one is given back.
 */
import { isIPv6 } from 'node:net';
import { invalid, invalidTexts } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import { ipText, parseIp } from '../../apimachinery/ip-address.ts';
import { objects, part, text, texts } from '../../apimachinery/members.ts';
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import type { GroupResource } from '../../apimachinery/schema.ts';
import { newInternalError, newInvalid, StatusError } from '../../apimachinery/status-error.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import type { Clock, Timers } from '../../stdx/clock.ts';
import type { Prng } from '../../stdx/prng.ts';
import { objectKey, storeKey } from '../../storage/keys.ts';
import type { StoreKey } from '../../storage/storage.ts';
import type { Streams } from '../../../streams/streams.ts';
import type { AdmissionPlugin, Proposed } from '../admission.ts';
import { ipAddresses, nodePortsResource, ownerOf } from '../companions/allocation-records.ts';
import { withFamilies } from './families.ts';
import type { Family, FamilyPorts } from './families.ts';
import {
  addressAt,
  addressRange,
  baseAddress,
  freePosition,
  inRange,
  portRangeText,
  portsOf,
  portStaticSize,
} from './ranges.ts';
import type { AddressRange, PortRange } from './ranges.ts';
import { followAllocations, uncounted } from './allocation-counts.ts';
import type { AllocationCounts, ChoiceCounts } from './allocation-counts.ts';
import { createRecentChoices } from './recent-choices.ts';
import type { RecentChoices } from './recent-choices.ts';
import { allocatedTo, nodePortsMax } from './service-claims.ts';

export interface ServiceAddressDeps extends Pick<FamilyPorts, 'problems'> {
  readonly identity: Identity;
  readonly streams: Streams;
  readonly prng: Prng;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Pick<Timers, 'after'>;
  /** CIDRs of the flags; the first one's family is the cluster's. */
  readonly ranges: readonly string[];
  readonly nodePorts: PortRange;
  /** The service with what the one before it had been given, where its writer is silent. */
  readonly withAllocated: (next: ApiObject, current: ApiObject) => ApiObject;
  /** Resolves in a later turn. */
  readonly pause: () => Promise<void>;
}

interface KnownRange extends AddressRange {
  /** Of the object that says so; undefined: the flags do. */
  readonly key: StoreKey | undefined;
}

export interface ServiceAddresses {
  readonly plugin: AdmissionPlugin;
  readonly counts: AllocationCounts;
  /** The record of a range that has the address. */
  rangeOf(address: string): StoreKey | undefined;
}

export function serviceAddresses(deps: ServiceAddressDeps): ServiceAddresses {
  const { identity, streams } = deps;
  const cidrs: GroupResource = {
    group: identity.fill('networking.{domain}'),
    resource: 'servicecidrs',
  };
  const fromFlags = deps.ranges.flatMap((cidr): readonly KnownRange[] => {
    const range = addressRange(cidr);
    return range === undefined ? [] : [{ ...range, key: undefined }];
  });
  let known: readonly KnownRange[] | undefined;
  const ranges = (): readonly KnownRange[] => {
    known ??= rangesOf(streams, cidrs);
    return known.length > 0 ? known : fromFlags;
  };
  const addresses = ipAddresses(identity);
  const counts = followAllocations({ streams, addresses, ports: nodePortsResource, ranges });
  streams.followers.follow('service-ranges', streams.resourceEvents(cidrs), () => {
    known = undefined;
    return counts.countAgain();
  });
  const chosenAddresses = createRecentChoices(deps, addresses);
  const chosenPorts = createRecentChoices(deps, nodePortsResource);
  const families = fromFlags.map(({ family }) => (family === 6 ? 'IPv6' : 'IPv4')) as Family[];
  const chosen = { chosenAddresses, chosenPorts, counts };
  const seenFull = { full: new Map(), portsFull: { givenBack: undefined } };
  const parts: Parts = { ...deps, ...chosen, dryRun: false, families, known: ranges, ...seenFull };
  const trying: Parts = {
    ...parts,
    chosenAddresses: unchanged(chosenAddresses),
    chosenPorts: unchanged(chosenPorts),
    counts: uncounted(),
    dryRun: true,
  };
  return {
    plugin: {
      name: 'ServiceAddresses',
      resources: ['/services'],
      concerns: () => true,
      admits: ['CREATE', 'UPDATE'],
      completes: true,
      admit: (proposed) => withAddresses(proposed.dryRun ? trying : parts, proposed),
    },
    counts,
    rangeOf: (address) => ranges().find((range) => inRange(range, address))?.key,
  };
}

function rangesOf(streams: Streams, cidrs: GroupResource): readonly KnownRange[] {
  const found: KnownRange[] = [];
  for (const { bytes, name } of streams.snapshot(cidrs).entries(undefined)) {
    const object = decodeObject(bytes);
    if (object.metadata.deletionTimestamp !== undefined) continue;
    for (const cidr of texts(part(object, 'spec'), 'cidrs')) {
      const range = addressRange(cidr);
      if (range !== undefined) found.push({ ...range, key: storeKey(objectKey(cidrs, '', name)) });
    }
  }
  return found;
}

/** Of a dry run: what it chooses is free for others, and it waits for nothing. */
function unchanged(choices: RecentChoices): RecentChoices {
  return {
    get givenBack() {
      return choices.givenBack;
    },
    has: choices.has,
    add: () => undefined,
    nextFree: () => Promise.resolve(false),
  };
}

interface Parts extends ServiceAddressDeps {
  readonly chosenAddresses: RecentChoices;
  readonly chosenPorts: RecentChoices;
  readonly counts: ChoiceCounts;
  readonly dryRun: boolean;
  /** Of the cluster, the main one first. */
  readonly families: readonly Family[];
  readonly known: () => readonly KnownRange[];
  /** Families of which nothing was free, and when: these ranges, with so much given back. */
  readonly full: Map<4 | 6, { readonly ranges: readonly KnownRange[]; readonly givenBack: number }>;
  /** With so much given back no node port was free; undefined: that has not been seen. */
  readonly portsFull: { givenBack: number | undefined };
}

class Refused extends Error {
  readonly refusal: StatusError | readonly FieldError[];
  constructor(refusal: StatusError | readonly FieldError[]) {
    super('refused');
    this.refusal = refusal;
  }
}

async function withAddresses(
  parts: Parts,
  { current, next: said }: Proposed,
): Promise<ApiObject | StatusError> {
  const next = current === undefined ? said : parts.withAllocated(said, current);
  const spec = part(next, 'spec');
  if (text(spec, 'type') === 'ExternalName') return next;
  try {
    const familied = withFamiliesOf(parts, spec, current);
    const addressed = await withClusterIps(parts, next, familied, current);
    const wanted = await withPorts(parts, next, addressed, current);
    return wanted === spec ? next : { ...next, spec: wanted };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { refusal } = error;
    if (refusal instanceof StatusError) return refusal;
    const kind = { group: '', resource: 'services', kind: 'Service' };
    return newInvalid(kind, next.metadata.name ?? '', refusal);
  }
}

const none = 'None';

/** The newer field has what the older one alone says. */
function withAddressList(spec: JsonObject): JsonObject {
  const first = text(spec, 'clusterIP');
  if (first === '' || texts(spec, 'clusterIPs').length > 0) return spec;
  return { ...spec, clusterIPs: [first] };
}

function withFamiliesOf(
  { families, problems }: Parts,
  spec: JsonObject,
  current: ApiObject | undefined,
): JsonObject {
  const before = current === undefined ? undefined : part(current, 'spec');
  const ports = { cluster: families, problems };
  const found = withFamilies(withAddressList(spec), before, ports);
  if (isProblems(found)) throw new Refused(found);
  return found;
}

function isProblems(found: JsonObject | readonly FieldError[]): found is readonly FieldError[] {
  return Array.isArray(found);
}

async function withClusterIps(
  parts: Parts,
  service: ApiObject,
  spec: JsonObject,
  current: ApiObject | undefined,
): Promise<JsonObject> {
  const given = texts(spec, 'clusterIPs');
  if (given[0] === none) return { ...spec, clusterIP: none, clusterIPs: [...given] };
  const had = allocatedTo(current).addresses;
  const all: string[] = [];
  for (const [at, family] of texts(spec, 'ipFamilies').entries()) {
    const named = given[at];
    if (named === undefined) {
      all.push(await chooseAddress(parts, family === 'IPv6' ? 6 : 4));
      continue;
    }
    const parsed = parseIp(named);
    const address = parsed && ipText(parsed);
    if (address !== undefined && !had.includes(address)) {
      checkAddress(parts, service, given, address);
    }
    all.push(named);
  }
  // What is one too many is left to the rules of the kind.
  all.push(...given.slice(all.length));
  return { ...spec, clusterIP: all[0] ?? '', clusterIPs: all };
}

function checkAddress(
  { counts, identity, known, streams }: Parts,
  service: ApiObject,
  given: readonly string[],
  address: string,
): void {
  const family = isIPv6(address) ? 6 : 4;
  const ofFamily = known().filter((range) => range.family === family);
  const refuse = (why: string): never => {
    const detail = `failed to allocate IP ${address}: ${why}`;
    throw new Refused([invalidTexts('spec.clusterIPs', given, detail)]);
  };
  const range = ofFamily.find((each) => inRange(each, address));
  if (range === undefined) {
    const valid = ofFamily.map(({ cidr }) => cidr).join(', ');
    return refuse(
      `the provided IP (${address}) is not in the valid range. The range of valid IPs is ${valid}`,
    );
  }
  const { failed, given: named, seconds } = counts.ofRange(range);
  const taken = streams.snapshot(ipAddresses(identity)).get('', address);
  if (taken !== undefined && !isOwn(service, taken.bytes)) {
    failed.static += 1;
    refuse('provided IP is already allocated');
  }
  named.static += 1;
  // Nothing is looked for.
  seconds.observe(0);
}

function isOwn({ metadata }: ApiObject, bytes: Uint8Array): boolean {
  const { name = '', namespace = '' } = metadata;
  return ownerOf(decodeObject(bytes)) === `services/${namespace}/${name}`;
}

async function chooseAddress(parts: Parts, family: 4 | 6): Promise<string> {
  const { chosenAddresses, clock, counts, dryRun, identity, known, streams } = parts;
  const resource = ipAddresses(identity);
  const all = known();
  const ranges = all.filter((range) => range.family === family);
  const [first] = ranges;
  if (dryRun && first !== undefined) return baseAddress(first);
  const { givenBack } = chosenAddresses;
  const full = parts.full.get(family);
  if (full?.ranges === all && full.givenBack === givenBack) throw rangesAreFull(counts, ranges);
  const sinceMs = clock.monotonicMs();
  const look = async (isFree: IsFree): Promise<string | undefined> => {
    for (const range of ranges) {
      const at = await runInTurns(
        parts,
        freePosition(
          range.size,
          range.staticSize,
          (at) => isFree(addressAt(range, at)),
          parts.prng,
        ),
      );
      if (at !== undefined) return addressAt(range, at);
    }
    return undefined;
  };
  const isTaken = (address: string): boolean =>
    streams.snapshot(resource).get('', address) !== undefined;
  const address = await chooseOne(parts, chosenAddresses, look, isTaken);
  if (address !== undefined) {
    const range = ranges.find((each) => inRange(each, address)) ?? first;
    if (range !== undefined) {
      const { given, seconds } = counts.ofRange(range);
      given.dynamic += 1;
      seconds.observe((clock.monotonicMs() - sinceMs) / 1000);
    }
    return address;
  }
  parts.full.set(family, { ranges: all, givenBack });
  throw rangesAreFull(counts, ranges);
}

function rangesAreFull(counts: ChoiceCounts, ranges: readonly AddressRange[]): Refused {
  for (const range of ranges) counts.ofRange(range).failed.dynamic += 1;
  return new Refused(newInternalError('failed to allocate a serviceIP: range is full'));
}

type IsFree = (name: string) => boolean;

/** Of what is not taken, something that nobody else has chosen: if others have chosen all of it,
 * when one of them has not claimed it after all, or gives it back; at last any. Undefined: all is
 * taken. */
async function chooseOne(
  { clock }: Parts,
  chosen: RecentChoices,
  look: (isFree: IsFree) => Promise<string | undefined>,
  isTaken: (name: string) => boolean,
): Promise<string | undefined> {
  const sinceMs = clock.monotonicMs();
  for (;;) {
    const own = await look((name) => !isTaken(name) && !chosen.has(name));
    // Another writer may have looked in the same turn.
    if (own !== undefined && chosen.has(own)) continue;
    const any = own ?? (await look((name) => !isTaken(name)));
    if (any === undefined) return undefined;
    if (own === undefined && (await chosen.nextFree(sinceMs))) continue;
    chosen.add(any);
    return any;
  }
}

async function runInTurns(
  { pause }: Parts,
  looking: Generator<undefined, number | undefined>,
): Promise<number | undefined> {
  for (;;) {
    const part = looking.next();
    if (part.done === true) return part.value;
    await pause();
  }
}

/** Node ports, and the port for health checks. One number may serve two protocols of a service. */
async function withPorts(
  parts: Parts,
  service: ApiObject,
  spec: JsonObject,
  current: ApiObject | undefined,
): Promise<JsonObject> {
  const type = text(spec, 'type');
  const balanced = type === 'LoadBalancer';
  const isNode = type === 'NodePort' || balanced;
  if (!isNode) return spec;
  const had = new Set(allocatedTo(current).ports);
  const own = new Set(had);
  const chooses = type === 'NodePort' || spec['allocateLoadBalancerNodePorts'] !== false;
  const ports: JsonObject[] = [];
  const given = objects(spec, 'ports');
  for (const [at, port] of given.entries()) {
    const number = port['nodePort'];
    if (typeof number === 'number' && number !== 0) {
      const field = `spec.ports[${at}].nodePort`;
      if (!own.has(number)) checkPort(parts, service, field, number);
      // A new service shares a number among the protocols of one port only.
      else if (current === undefined && !sharesNumber(port, ports))
        throw portIsTaken(field, number);
      own.add(number);
      ports.push(port);
    } else if (!chooses) ports.push(port);
    else {
      const shared = sharedPort(port, [...ports, ...given.slice(at)]);
      const nodePort = shared ?? (await choosePort(parts, own));
      own.add(nodePort);
      ports.push({ ...port, nodePort });
    }
  }
  if (ports.filter(({ nodePort }) => typeof nodePort === 'number').length > nodePortsMax) {
    const detail = `must have at most ${nodePortsMax} items with a node port`;
    throw new Refused([invalid('spec.ports', ports.length, detail)]);
  }
  const next: JsonObject = { ...spec, ports };
  if (!balanced || text(spec, 'externalTrafficPolicy') !== 'Local') return next;
  const health = spec['healthCheckNodePort'];
  if (typeof health === 'number' && health !== 0) {
    if (!own.has(health)) checkPort(parts, service, 'spec.healthCheckNodePort', health);
    return next;
  }
  return { ...next, healthCheckNodePort: await choosePort(parts, own) };
}

/** Whether those before it that have its node port are the same port. */
function sharesNumber(port: JsonObject, before: readonly JsonObject[]): boolean {
  return before.every(
    (each) => each['nodePort'] !== port['nodePort'] || each['port'] === port['port'],
  );
}

function portIsTaken(field: string, port: number): Refused {
  return new Refused([invalid(field, port, 'provided port is already allocated')]);
}

/** The node port of the same port under another protocol. */
function sharedPort(port: JsonObject, others: readonly JsonObject[]): number | undefined {
  const same = others.find(
    (each) =>
      each['port'] === port['port'] &&
      each['protocol'] !== port['protocol'] &&
      typeof each['nodePort'] === 'number' &&
      each['nodePort'] !== 0,
  );
  return same?.['nodePort'] as number | undefined;
}

function checkPort(
  { counts, nodePorts, streams }: Parts,
  service: ApiObject,
  field: string,
  port: number,
): void {
  const { failed, given } = counts.ports;
  const refuse = (refused: Refused): never => {
    failed.static += 1;
    throw refused;
  };
  if (port < nodePorts.first || port > nodePorts.last) {
    const valid = portRangeText(nodePorts);
    const why = `provided port is not in the valid range. The range of valid ports is ${valid}`;
    refuse(new Refused([invalid(field, port, why)]));
  }
  const taken = streams.snapshot(nodePortsResource).get('', String(port));
  if (taken !== undefined && !isOwn(service, taken.bytes)) refuse(portIsTaken(field, port));
  given.static += 1;
}

async function choosePort(parts: Parts, own: ReadonlySet<number>): Promise<number> {
  const { chosenPorts, counts, nodePorts, portsFull, prng, streams } = parts;
  const { givenBack } = chosenPorts;
  if (portsFull.givenBack === givenBack) throw portRangeIsFull(counts);
  const { first } = nodePorts;
  const size = portsOf(nodePorts);
  const look = async (isFree: IsFree): Promise<string | undefined> => {
    const isFreeAt = (at: number): boolean => !own.has(first + at) && isFree(String(first + at));
    const band = portStaticSize(nodePorts);
    const at = await runInTurns(parts, freePosition(size, band, isFreeAt, prng));
    return at === undefined ? undefined : String(first + at);
  };
  const isTaken = (port: string): boolean =>
    streams.snapshot(nodePortsResource).get('', port) !== undefined;
  const found = await chooseOne(parts, chosenPorts, look, isTaken);
  if (found !== undefined) {
    counts.ports.given.dynamic += 1;
    return Number(found);
  }
  // What this service is about to take besides may be free for others, if it is refused.
  if ([...own].every((port) => isTaken(String(port)))) portsFull.givenBack = givenBack;
  throw portRangeIsFull(counts);
}

function portRangeIsFull({ ports }: ChoiceCounts): Refused {
  ports.failed.dynamic += 1;
  return new Refused(newInternalError('failed to allocate a nodePort: range is full'));
}
