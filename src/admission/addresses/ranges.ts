/**
 * The ranges of service addresses and node ports, each with a static and a dynamic band.
 *
 *     10.0.0.0/24   .0 network | .1 ... .16 static band | .17 ... .254 dynamic | .255 broadcast
 *                                assigned last            assigned first
 *
 * The static band is meant for services that name their address. The server assigns from it only if
 * nothing else is free.
 *
 * Invariants: pure. Positions are numbers from 0. Of an IPv6 range only the first 2^48 addresses
 * are assigned, but a service may name any address in the range.
 */
import { formatIpv6, parseCidr, parseIp, rangeText } from '../../apimachinery/ip-address.ts';
import type { Prng } from '../../stdx/prng.ts';
import { randomBelow } from '../../stdx/prng.ts';

export interface AddressRange {
  readonly cidr: string;
  readonly family: 4 | 6;
  /** The address of the network, which is never given. */
  readonly base: bigint;
  /** Usable addresses, and how many of them the static band holds. */
  readonly size: number;
  readonly staticSize: number;
  /** The last usable address. */
  readonly last: bigint;
}

const sizeMax = 2 ** 48;

/** @returns undefined for what is no CIDR. */
export function addressRange(cidr: string): AddressRange | undefined {
  const parsed = parseCidr(cidr);
  if (parsed === undefined) return undefined;
  const { family } = parsed.address;
  const bits = BigInt(parsed.address.bytes.length * 8 - parsed.prefix);
  const base = (valueOf(parsed.address.bytes) >> bits) << bits;
  const count = 1n << bits;
  const last = base + count - (family === 4 ? 2n : 1n);
  const usable = last - base;
  const size = usable > BigInt(sizeMax) ? sizeMax : Number(usable);
  return { cidr: rangeText(parsed), family, base, size, staticSize: band(size, 16, 256), last };
}

function band(size: number, share: number, most: number): number {
  if (size < 16) return 0;
  return Math.min(Math.max(16, Math.floor(size / share)), most);
}

/** Of an IP address in its canonical form; whether it may be had. */
export function inRange({ base, family, last }: AddressRange, address: string): boolean {
  const parsed = parseIp(address);
  if (parsed?.family !== family) return false;
  const value = valueOf(parsed.bytes);
  return value > base && value <= last;
}

/** The address of the network. */
export function baseAddress({ base, family }: AddressRange): string {
  return textOf(base, family);
}

/** The `at`th usable address, from 0. */
export function addressAt({ base, family }: AddressRange, at: number): string {
  return textOf(base + 1n + BigInt(at), family);
}

function valueOf(bytes: readonly number[]): bigint {
  return bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

function textOf(value: bigint, family: 4 | 6): string {
  const count = family === 4 ? 4 : 16;
  const bytes = Array.from({ length: count }, (_, at) =>
    Number((value >> BigInt(8 * (count - 1 - at))) & 255n),
  );
  return family === 4 ? bytes.join('.') : formatIpv6(bytes);
}

export interface PortRange {
  readonly first: number;
  readonly last: number;
}

export function portRangeText({ first, last }: PortRange): string {
  return `${first}-${last}`;
}

/** How many there are. */
export function portsOf({ first, last }: PortRange): number {
  return last - first + 1;
}

export function portStaticSize(range: PortRange): number {
  return band(portsOf(range), 32, 128);
}

/** Random tries before a band is walked through. */
const triesMax = 16;
/** Positions looked at between two pauses. */
const stepPositions = 1024;

/** A free position of `size`, at random, those below `staticSize` last. Yields before each part of
 * a walk: a hundred writers who find nothing may come together. Undefined: there is none. `isFree`
 * is asked once for each position at most, but for the tries. */
export function* freePosition(
  size: number,
  staticSize: number,
  isFree: (at: number) => boolean,
  prng: Prng,
): Generator<undefined, number | undefined> {
  const bands = [
    [staticSize, size],
    [0, staticSize],
  ] as const;
  for (const [from, to] of bands) {
    const count = to - from;
    if (count <= 0) continue;
    for (let tried = 0; tried < triesMax; tried += 1) {
      const at = from + randomUpTo(prng, count);
      if (isFree(at)) return at;
    }
    const start = randomUpTo(prng, count);
    for (let looked = 0; looked < count; looked += 1) {
      if (looked % stepPositions === 0) yield;
      const at = from + ((start + looked) % count);
      if (isFree(at)) return at;
    }
  }
  return undefined;
}

/** Below 2^48. */
function randomUpTo(prng: Prng, count: number): number {
  const word = 2 ** 32;
  if (count <= word) return randomBelow(prng, count);
  return randomBelow(prng, Math.floor(count / word)) * word + prng.uint32();
}
