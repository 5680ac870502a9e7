/**
 * The addresses and ports of a service, and which of them a write claims or releases.
 *
 *     has   spec.clusterIPs (not `None`), spec.ports[].nodePort, spec.healthCheckNodePort
 *
 * Invariants: pure. A write claims what it adds and releases what it drops, in its own transaction.
 * If the range of an address is an object, the claim has the condition that the range is not being
 * deleted.
 * Bounds: a service has at most `nodePortsMax` node ports, because each is a record.
 */
import { objects, part, text, texts } from '../../apimachinery/members.ts';
import { ipText, parseIp } from '../../apimachinery/ip-address.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import type { Prng } from '../../stdx/prng.ts';
import type { Companion, Condition, StoreKey } from '../../storage/storage.ts';
import {
  addressClaim,
  addressRelease,
  portClaim,
  portRelease,
  serviceParent,
} from '../companions/allocation-records.ts';
import type { Birth } from '../companions/allocation-records.ts';
import type { ServiceCompanions } from '../companions/companions.ts';

export const nodePortsMax = 40;

export interface Allocated {
  /** Canonical. */
  readonly addresses: readonly string[];
  readonly ports: readonly number[];
}

export function allocatedTo(service: ApiObject | undefined): Allocated {
  const spec = part(service, 'spec');
  if (text(spec, 'type') === 'ExternalName') return { addresses: [], ports: [] };
  const listed = texts(spec, 'clusterIPs');
  const first = text(spec, 'clusterIP');
  const given = listed.length > 0 ? listed : first === '' ? [] : [first];
  const addresses = given.flatMap((each) => {
    const address = parseIp(each);
    return address === undefined ? [] : [ipText(address)];
  });
  const numbers = [
    ...objects(spec, 'ports').map(({ nodePort }) => nodePort),
    spec['healthCheckNodePort'],
  ];
  const ports = numbers.filter((each): each is number => typeof each === 'number' && each !== 0);
  return { addresses: [...new Set(addresses)], ports: [...new Set(ports)] };
}

export interface ServiceCompanionsDeps extends Pick<Birth, 'identity' | 'encodeRecord'> {
  readonly prng: Prng;
  /** The record of a range that the address is in; undefined: it is in none of the store. */
  readonly rangeOf: (address: string) => StoreKey | undefined;
}

export function serviceCompanions({
  encodeRecord,
  identity,
  prng,
  rangeOf,
}: ServiceCompanionsDeps): ServiceCompanions {
  return ({ name, namespace }, next, current, creationTimestamp) => {
    const [has, had] = [allocatedTo(next), allocatedTo(current)];
    const parent = serviceParent(namespace, name);
    const birth = () => ({ identity, encodeRecord, uid: prng.uuid(), creationTimestamp });
    const newAddresses = has.addresses.filter((each) => !had.addresses.includes(each));
    const companions: Companion[] = [
      ...newAddresses.map((each) => addressClaim(each, parent, birth())),
      ...has.ports
        .filter((each) => !had.ports.includes(each))
        .map((each) => portClaim(each, parent, birth())),
      ...had.addresses
        .filter((each) => !has.addresses.includes(each))
        .map((each) => addressRelease(each, parent, identity)),
      ...had.ports
        .filter((each) => !has.ports.includes(each))
        .map((each) => portRelease(each, parent)),
    ];
    const conditions = newAddresses.flatMap((each): readonly Condition[] => {
      const key = rangeOf(each);
      return key === undefined ? [] : [{ key, state: 'live' }];
    });
    return { companions: companions.slice(0, companionsOfServiceMax), conditions };
  };
}

/** Two addresses and a port for health checks beside; what an older version has let grow beyond is
 * given back by the repair. */
const companionsOfServiceMax = nodePortsMax + 3;
