/**
 * Flags for what the server publishes about itself in the cluster: its address, and the address
 * range of services.
 *
 * Invariants: an address that others cannot reach is never published: not given, a loopback address
 * or one that stands for all publishes nothing or the address of this host.
 */
import { BlockList, isIP, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { fail, list } from './option-values.ts';
import type { OptionSpec, RawValues } from './option-values.ts';

export interface SystemConfig {
  /** Undefined: nobody but this machine reaches the server. */
  readonly advertisedAddress: string | undefined;
  /** One of each family at most; the first one's first address is the service's. */
  readonly serviceRanges: readonly string[];
  readonly serviceAddress: string;
  readonly nodePorts: { readonly first: number; readonly last: number };
}

export const systemOptionTable = [
  {
    flag: 'advertise-address',
    value: 'ADDRESS',
    default: '',
    help: 'IP address at which others reach this server; empty: the one it is bound to.',
  },
  {
    flag: 'service-cluster-ip-range',
    value: 'CIDR,...',
    default: '10.0.0.0/24',
    help: 'Addresses of services; the first one is that of default/kubernetes.',
  },
  {
    flag: 'service-node-port-range',
    value: 'FIRST-LAST',
    default: '30000-32767',
    help: 'Ports of nodes that services are given; also FIRST+COUNT.',
  },
] as const satisfies readonly OptionSpec[];

type Flag = (typeof systemOptionTable)[number]['flag'];

/** @throws OptionsError. */
export function completeSystem(raw: RawValues<Flag>, bindAddress: string): SystemConfig {
  const serviceRanges = list(raw, 'service-cluster-ip-range');
  checkRanges(serviceRanges, raw['service-cluster-ip-range']);
  const given = raw['advertise-address'];
  if (given !== '' && (isIP(given) === 0 || !isReachable(given))) {
    fail('advertise-address', given, 'an IP address that other machines can reach');
  }
  return {
    advertisedAddress: given === '' ? reachableAddress(bindAddress) : given,
    serviceRanges,
    serviceAddress: firstAddress(serviceRanges[0] ?? ''),
    nodePorts: portRange(raw['service-node-port-range']),
  };
}

function portRange(given: string): SystemConfig['nodePorts'] {
  const match = /^(\d{1,5})(?:([-+])(\d{1,5}))?$/.exec(given);
  const first = Number(match?.[1] ?? NaN);
  const second = Number(match?.[3] ?? first);
  const last = match?.[2] === '+' ? first + second : second;
  if (!(first >= 1 && first <= last && last <= 65_535)) {
    fail('service-node-port-range', given, 'ports from 1 to 65535, as 30000-32767');
  }
  return { first, last };
}

const unreachable = new BlockList();
unreachable.addSubnet('127.0.0.0', 8, 'ipv4');
unreachable.addAddress('0.0.0.0', 'ipv4');
unreachable.addSubnet('169.254.0.0', 16, 'ipv4');
unreachable.addSubnet('224.0.0.0', 4, 'ipv4');
unreachable.addAddress('::', 'ipv6');
unreachable.addAddress('::1', 'ipv6');
unreachable.addSubnet('fe80::', 10, 'ipv6');
unreachable.addSubnet('ff00::', 8, 'ipv6');

function isReachable(address: string): boolean {
  return !address.includes('%') && !unreachable.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** What listens everywhere is reached at the host's first address, of either family. */
function reachableAddress(bindAddress: string): string | undefined {
  if (isIP(bindAddress) === 0) return undefined;
  if (!['0.0.0.0', '::'].includes(bindAddress)) {
    return isReachable(bindAddress) ? bindAddress : undefined;
  }
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const usable = all.filter(({ internal, address }) => !internal && isReachable(address));
  const found = usable.find(({ address }) => !isIPv6(address)) ?? usable[0];
  return found?.address;
}

/** Least and greatest length of the prefix: enough addresses to be one, few enough to be kept. */
const prefixBits = { ipv4: [12, 29], ipv6: [64, 125] } as const;

function checkRanges(ranges: readonly string[], given: string): void {
  const flag = 'service-cluster-ip-range';
  const families = ranges.map((range) => isIP(range.split('/')[0] ?? ''));
  if (ranges.length === 0 || ranges.length > 2 || new Set(families).size !== ranges.length) {
    fail(flag, given, 'one CIDR, or one of each address family');
  }
  for (const range of ranges) {
    const [address = '', bits = ''] = range.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    const [least, most] = prefixBits[family];
    const length = /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
    if (isIP(address) === 0 || length < least || length > most) {
      fail(flag, range, `a CIDR with a prefix of ${least} to ${most} bits (as 10.0.0.0/24)`);
    }
    if (valueOf(address) !== networkOf(address, length)) {
      fail(flag, range, 'the address of a network: bits behind the prefix are set');
    }
  }
}

/** Of the range of this CIDR: the one after the network's own. */
function firstAddress(range: string): string {
  const [address = ''] = range.split('/');
  return isIPv6(address) ? textOfIpv6(valueOf(address) + 1n) : textOfIpv4(valueOf(address) + 1n);
}

function networkOf(address: string, length: number): bigint {
  const rest = BigInt((isIPv6(address) ? 128 : 32) - length);
  return (valueOf(address) >> rest) << rest;
}

function valueOf(address: string): bigint {
  if (!isIPv6(address)) {
    return address.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n);
  }
  // URLs hold addresses in their shortest form, without dots.
  const shortest = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = shortest.split('::');
  const groups = (text: string): readonly string[] => (text === '' ? [] : text.split(':'));
  const [front, back] = [groups(head), groups(tail ?? '')];
  const zeros = Array<string>(tail === undefined ? 0 : 8 - front.length - back.length).fill('0');
  const all = [...front, ...zeros, ...back];
  return all.reduce((value, part) => (value << 16n) | BigInt(`0x${part}`), 0n);
}

function textOfIpv4(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.');
}

function textOfIpv6(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, at) =>
    ((value >> BigInt(16 * (7 - at))) & 0xffffn).toString(16),
  );
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
