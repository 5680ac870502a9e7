/**
 * Repairs the records of service addresses: after an older version has written services, or after
 * somebody has deleted an IPAddress by hand or made one without a service.
 *
 *     a service has it, no record      ▶ the record is made
 *     a service has it, another's      ▶ logged: one of the two has to change
 *     a record for a service without   ▶ the record goes
 *     an IPAddress that a client made  ▶ stays: it does not say that it is managed here
 *
 * A service's own write claims and gives back in its transaction
 * (admission/addresses/service-claims.ts), so after a crash there is nothing to put right.
 *
 * Invariants: what looks wrong is looked at again when the caches are current: a service and its
 * record may be seen one before the other. A record is made only where none is, and removed only at
 * the revision that was seen: a service that claims it meanwhile is not robbed.
 * Bounds: one key at a time, each looked up: who has an address or a port is remembered, a name for
 * each.
 */
import { allocatedTo } from '../admission/addresses/service-claims.ts';
import {
  addressClaim,
  ipAddresses,
  isManaged,
  nodePortsResource,
  ownerOf,
  portClaim,
  serviceParent,
} from '../admission/companions/allocation-records.ts';
import type { Birth } from '../admission/companions/allocation-records.ts';
import { decodeObject } from '../apimachinery/object-encoding.ts';
import type { GroupResource } from '../apimachinery/schema.ts';
import { formatRfc3339 } from '../apimachinery/time.ts';
import type { RegistryDeps } from '../registry/registry.ts';
import type { Timers } from '../stdx/clock.ts';
import type { Companion, Mutation, StoreKey } from '../storage/storage.ts';
import type { Entry } from '../../streams/streams.ts';
import { createAddressHolders } from './address-holders.ts';
import type { AddressHolders } from './address-holders.ts';
import type { Controller } from './controller.ts';
import { createKeyQueue } from './key-queue.ts';
import type { QueueMeters } from './queue-meters.ts';

const services: GroupResource = { group: '', resource: 'services' };

export interface AddressRepairDeps {
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  readonly queues: QueueMeters;
  readonly encodeRecord: Birth['encodeRecord'];
  /** Commits one mutation; whether it was applied. */
  readonly write: (mutation: Mutation) => Promise<boolean>;
  /** Two services have the same. */
  readonly onTwice: (what: string, service: string, owner: string) => void;
  readonly onError: (key: string, error: unknown) => void;
}

/** What a service has, with the record that should say so. */
interface Wanted {
  readonly resource: GroupResource;
  readonly name: string;
  readonly claim: () => Extract<Companion, { kind: 'claim' }>;
}

export function createAddressRepair(deps: AddressRepairDeps): Controller {
  const { onError, queues, registry, timers } = deps;
  const addresses = ipAddresses(registry.identity);
  const holders = createAddressHolders();
  return createKeyQueue({
    name: 'service-addresses',
    streams: registry.streams,
    turns: registry.turns,
    timers,
    queues,
    sources: [
      { resource: services, keysOf: (namespace, name) => [`service/${namespace}/${name}`] },
      { resource: addresses, keysOf: (_namespace, name) => [`address//${name}`] },
      { resource: nodePortsResource, keysOf: (_namespace, name) => [`port//${name}`] },
    ],
    async work(key) {
      const [what = '', namespace = '', name = ''] = key.split('/');
      if (what === 'service') return repairService(deps, holders, namespace, name);
      await repairRecord(deps, holders, what === 'port' ? nodePortsResource : addresses, name);
    },
    onError,
  });
}

function wantedBy(
  { encodeRecord, registry }: AddressRepairDeps,
  service: Entry,
): readonly Wanted[] {
  const { clock, identity, prng } = registry;
  const { addresses, ports } = allocatedTo(decodeObject(service.bytes));
  const parent = serviceParent(service.namespace, service.name);
  const birth = () => ({
    identity,
    encodeRecord,
    uid: prng.uuid(),
    creationTimestamp: formatRfc3339(clock.nowMs()),
  });
  type Claim = Extract<Companion, { kind: 'claim' }>;
  return [
    ...addresses.map((name) => ({
      resource: ipAddresses(identity),
      name,
      claim: () => addressClaim(name, parent, birth()) as Claim,
    })),
    ...ports.map((port) => ({
      resource: nodePortsResource,
      name: String(port),
      claim: () => portClaim(port, parent, birth()) as Claim,
    })),
  ];
}

async function repairService(
  deps: AddressRepairDeps,
  holders: AddressHolders,
  namespace: string,
  name: string,
): Promise<void> {
  const { streams } = deps.registry;
  const look = (): readonly Wanted[] => {
    const service = streams.snapshot(services).get(namespace, name);
    const wanted = service === undefined ? [] : wantedBy(deps, service);
    holders.learn(`${namespace}/${name}`, wanted.map(whatOf));
    return wanted.filter((each) => ownerAt(deps, each) !== `services/${namespace}/${name}`);
  };
  if (look().length === 0) return;
  await streams.waitUntilCurrent();
  for (const each of look()) {
    const owner = ownerAt(deps, each);
    if (owner !== undefined) {
      deps.onTwice(each.name, `${namespace}/${name}`, owner);
      continue;
    }
    const { key, state, value } = each.claim();
    const operation = { kind: 'put', state, value } as const;
    await deps.write({ key, expect: { kind: 'absent' }, conditions: [], operation });
  }
}

/** '': of a record that nobody can claim. */
function ownerAt({ registry }: AddressRepairDeps, { name, resource }: Wanted): string | undefined {
  const entry = registry.streams.snapshot(resource).get('', name);
  return entry && (ownerOf(decodeObject(entry.bytes)) ?? '');
}

function whatOf({ name, resource }: Pick<Wanted, 'name' | 'resource'>): string {
  return `${resource.resource}/${name}`;
}

async function repairRecord(
  deps: AddressRepairDeps,
  holders: AddressHolders,
  resource: GroupResource,
  name: string,
): Promise<void> {
  const { streams } = deps.registry;
  const entry = streams.snapshot(resource).get('', name);
  if (entry === undefined) return repairHolders(deps, holders, whatOf({ name, resource }));
  if (!isOrphan(deps, resource, entry)) return;
  await streams.waitUntilCurrent();
  const now = streams.snapshot(resource).get('', name);
  if (now?.revision !== entry.revision || !isOrphan(deps, resource, now)) return;
  await deps.write({
    key: `${resource.group}/${resource.resource}//${name}` as StoreKey,
    expect: { kind: 'revision', revision: now.revision },
    conditions: [],
    operation: { kind: 'delete' },
  });
}

/** One of ours whose service is not there, or has it no longer. */
function isOrphan(deps: AddressRepairDeps, resource: GroupResource, entry: Entry): boolean {
  const object = decodeObject(entry.bytes);
  // Ports are not served: nobody else makes them.
  if (resource !== nodePortsResource && !isManaged(object, deps.registry.identity)) return false;
  // A finalizer holds it, so its owner has more to do.
  if ((object.metadata.finalizers ?? []).length > 0) return false;
  const [kind, namespace = '', name = ''] = (ownerOf(object) ?? '').split('/');
  if (kind !== 'services') return true;
  const service = deps.registry.streams.snapshot(services).get(namespace, name);
  if (service === undefined) return true;
  return !wantedBy(deps, service).some(
    (each) => each.name === entry.name && each.resource.resource === resource.resource,
  );
}

/** A record is gone: whoever has what it stood for gets it again. */
async function repairHolders(
  deps: AddressRepairDeps,
  holders: AddressHolders,
  what: string,
): Promise<void> {
  for (const service of holders.of(what)) {
    const [namespace = '', name = ''] = service.split('/');
    await repairService(deps, holders, namespace, name);
  }
}
