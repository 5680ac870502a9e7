/**
 * Maintains ServiceCIDRs: the one of the server's flags, and the status of all of them.
 *
 *     kubernetes            made when it is not there
 *     each                  Ready True: addresses are given out of it
 *     deleted, in use       stays, Ready False: some address in it is in no other range
 *     deleted, not in use   goes
 *
 * Elsewhere: giving out addresses (src/admission/addresses). Out of a range that is being deleted
 * none is, from the moment that it is: services test that in their transaction.
 *
 * Invariants: a range has the finalizer that keeps it until its addresses are gone. Conditions'
 * times change with their status only; nothing is written that says the same.
 * Bounds: a look at all addresses for each range that is being deleted, at most `deletingMax` a
 * pass; a commit, and so a turn of the event loop, lies between two ranges that change.
 */
import { BlockList, isIPv6 } from 'node:net';
import { parseCidr, rangeText } from '../../apimachinery/ip-address.ts';
import { part, texts } from '../../apimachinery/members.ts';
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import type { KindInfo } from '../../apimachinery/scheme.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import type { RegistryDeps } from '../../registry/registry.ts';
import { applyFinding, ensureObject, noRepair, repairObject } from './ensured-object.ts';

/** Of the range of the flags, under every identity. */
export const rangeName = 'kubernetes';
const ready = 'Ready';
const deletingMax = 16;

/** Of what a flag says, which may come in capitals. */
function canonical(given: string): string {
  const range = parseCidr(given);
  return range === undefined ? given : rangeText(range);
}

/** @throws StatusError or StorageError for the first that could not be written. */
export async function reconcileServiceCidrs(
  registry: RegistryDeps,
  ranges: readonly string[],
): Promise<void> {
  const { scheme, identity } = registry;
  const group = identity.fill('networking.{domain}');
  const cidrs = scheme.findStorage({ group, resource: 'servicecidrs' });
  const addresses = scheme.findStorage({ group, resource: 'ipaddresses' });
  if (cidrs === undefined || addresses === undefined) return;
  const wanted: ApiObject = {
    apiVersion: `${cidrs.group}/${cidrs.version}`,
    kind: cidrs.kind,
    metadata: { name: rangeName, finalizers: [finalizerOf(registry)] },
    spec: { cidrs: ranges.map(canonical) },
  };
  await ensureObject(registry, cidrs, wanted, noRepair);
  let deleting = 0;
  for (const entry of registry.streams.snapshot(cidrs.storage).entries(undefined)) {
    const range = decodeObject(entry.bytes);
    const going = range.metadata.deletionTimestamp !== undefined;
    if (going && (deleting += 1) > deletingMax) continue;
    await keepRange(registry, { cidrs, addresses }, range);
  }
}

interface Kinds {
  readonly cidrs: KindInfo;
  readonly addresses: KindInfo;
}

async function keepRange(
  registry: RegistryDeps,
  { cidrs, addresses }: Kinds,
  range: ApiObject,
): Promise<void> {
  const target = { kind: cidrs, namespace: '', name: range.metadata.name ?? '' };
  const finalizer = finalizerOf(registry);
  if (range.metadata.deletionTimestamp === undefined) {
    const repaired = (now: ApiObject): ApiObject | undefined => withFinalizer(now, finalizer);
    if (repaired(range) !== undefined) await repairObject(registry, target, repaired);
  } else if (!isNeeded(registry, { cidrs, addresses }, range)) {
    await repairObject(registry, target, (now) => withoutFinalizer(now, finalizer));
    return;
  }
  const finding = { type: ready, says: findingOf(range) };
  const manager = target.name === rangeName ? managers.ofFlags : managers.ofOthers;
  await applyFinding(registry, target, range, finding, manager);
}

/** As the reference's controllers say: of the API server, and of the controller manager. */
const managers = {
  ofFlags: 'kubernetes-service-cidr-controller',
  ofOthers: 'service-cidr-controller',
} as const;

function finalizerOf({ identity }: RegistryDeps): string {
  return identity.fill('networking.{domain}/service-cidr-finalizer');
}

function withFinalizer(range: ApiObject, finalizer: string): ApiObject | undefined {
  const { finalizers = [], deletionTimestamp } = range.metadata;
  if (finalizers.includes(finalizer) || deletionTimestamp !== undefined) return undefined;
  return { ...range, metadata: { ...range.metadata, finalizers: [...finalizers, finalizer] } };
}

function withoutFinalizer(range: ApiObject, finalizer: string): ApiObject | undefined {
  const { finalizers = [] } = range.metadata;
  if (!finalizers.includes(finalizer)) return undefined;
  const others = finalizers.filter((each) => each !== finalizer);
  return { ...range, metadata: { ...range.metadata, finalizers: others } };
}

function findingOf(range: ApiObject): JsonObject {
  if (range.metadata.deletionTimestamp !== undefined) {
    return {
      status: 'False',
      reason: 'Terminating',
      message:
        'There are still IPAddresses referencing the ServiceCIDR, please remove them or create ' +
        'a new ServiceCIDR',
    };
  }
  return { status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready' };
}

/** Whether an address lies in this range and in no other that stays. */
function isNeeded(registry: RegistryDeps, { cidrs, addresses }: Kinds, range: ApiObject): boolean {
  const own = blockOf([range]);
  const others: ApiObject[] = [];
  for (const entry of registry.streams.snapshot(cidrs.storage).entries(undefined)) {
    const each = decodeObject(entry.bytes);
    const stays = each.metadata.deletionTimestamp === undefined;
    if (stays && entry.name !== range.metadata.name) others.push(each);
  }
  const covered = blockOf(others);
  for (const { name } of registry.streams.snapshot(addresses.storage).entries(undefined)) {
    const family = isIPv6(name) ? 'ipv6' : 'ipv4';
    if (own.check(name, family) && !covered.check(name, family)) return true;
  }
  return false;
}

function blockOf(ranges: readonly ApiObject[]): BlockList {
  const block = new BlockList();
  for (const cidr of ranges.flatMap((range) => texts(part(range, 'spec'), 'cidrs'))) {
    const [address = '', bits = ''] = cidr.split('/');
    block.addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4');
  }
  return block;
}
