/**
 * IP addresses and CIDR ranges (release 1.30): `ip("10.0.0.1")`, `cidr("10.0.0.0/8")`.
 *
 * Invariants: texts are read strictly (`netip.ts`); an address of one family is never
 * in a range of the other.
 */
import { addRanges, scaleRange } from '../cost.ts';
import type { OverloadCost } from '../cost.ts';
import type { Library } from '../declaration.ts';
import { evaluationError, noSuchOverload } from '../evaluation-error.ts';
import { boolType, intType, opaqueType, stringType } from '../type.ts';
import { OpaqueValue } from '../value.ts';
import type { Value } from '../value.ts';
import { functions, method, overload } from './declare.ts';
import * as netip from './netip.ts';
import type { Address, Prefix } from './netip.ts';
import { operandSize, sizeOfArgument, walk, walkFactor } from './prices.ts';

export const ipType = opaqueType('net.IP');
export const cidrType = opaqueType('net.CIDR');

class IpValue extends OpaqueValue {
  readonly address: Address;
  constructor(address: Address) {
    super();
    this.address = address;
  }
  override get type(): typeof ipType {
    return ipType;
  }
  override equalTo(other: Value): boolean {
    return other instanceof IpValue && netip.sameAddress(this.address, other.address);
  }
}

class CidrValue extends OpaqueValue {
  readonly prefix: Prefix;
  constructor(prefix: Prefix) {
    super();
    this.prefix = prefix;
  }
  override get type(): typeof cidrType {
    return cidrType;
  }
  override equalTo(other: Value): boolean {
    if (!(other instanceof CidrValue) || this.prefix.bits !== other.prefix.bits) return false;
    return netip.sameAddress(this.prefix.address, other.prefix.address);
  }
}

function ipOf(value: Value | undefined): Address {
  if (value instanceof IpValue) return value.address;
  throw noSuchOverload();
}

function prefixOf(value: Value | undefined): Prefix {
  if (value instanceof CidrValue) return value.prefix;
  throw noSuchOverload();
}

function readIp(text: Value | undefined): Address {
  const address = netip.parseAddress(text as string);
  if ('problem' in address) throw evaluationError(address.problem);
  return address;
}

function readCidr(text: Value | undefined): Prefix {
  const prefix = netip.parsePrefix(text as string);
  if (!('problem' in prefix)) return prefix;
  const where = 'network address parse error during conversion from string';
  throw evaluationError(`${where}: ${prefix.problem}`);
}

const answer =
  (test: (address: Address) => boolean) =>
  (value: Value): Value =>
    test(ipOf(value));

/** Bytes of an address that are compared: 4 or 16. */
const addressBytes = { min: 4, max: 16 };

/** `withCidr`: the range is masked, too. `read`: the other operand is a text. */
function containsCost(withCidr: boolean, read: boolean): OverloadCost {
  return {
    before: (args) => {
      // What is no range, because it failed, counts as a scalar.
      const [range] = args;
      const size = range instanceof CidrValue ? Math.ceil(range.prefix.bits / 8) : 1;
      const masking = withCidr ? Math.ceil(size * walkFactor) + 1 : 0;
      const reading = read ? Math.ceil(sizeOfArgument(args, 1) * walkFactor) : 0;
      return Math.ceil(2 * size * walkFactor) + masking + reading;
    },
    estimate: (context, target, args) => {
      let cost = scaleRange(addRanges(addressBytes, addressBytes), walkFactor);
      if (withCidr) {
        cost = addRanges(cost, scaleRange(addressBytes, walkFactor));
        cost = addRanges(cost, { min: 1, max: 1 });
      }
      if (!read) return { cost };
      const text = operandSize(context, target, args, 1);
      return { cost: addRanges(cost, scaleRange(text, walkFactor)) };
    },
  };
}

const conversions = {
  string: [
    overload('ip_to_string', [ipType], stringType, (ip) => netip.formatAddress(ipOf(ip))),
    overload('cidr_to_string', [cidrType], stringType, (cidr) =>
      netip.formatPrefix(prefixOf(cidr)),
    ),
  ],
};

export const ipLibrary: Library = {
  name: 'kubernetes.net.ip',
  types: [ipType],
  functions: functions({
    ip: [
      overload('string_to_ip', [stringType], ipType, (text) => new IpValue(readIp(text)), walk()),
    ],
    isIP: [
      overload(
        'is_ip',
        [stringType],
        boolType,
        (text) => !('problem' in netip.parseAddress(text as string)),
        walk(),
      ),
    ],
    'ip.isCanonical': [
      overload(
        'ip_is_canonical',
        [stringType],
        boolType,
        (text) => netip.formatAddress(readIp(text)) === text,
        walk({ times: 2 }),
      ),
    ],
    family: [method('ip_family', [ipType], intType, (ip) => (ipOf(ip).bytes.length === 4 ? 4 : 6))],
    isUnspecified: [method('ip_is_unspecified', [ipType], boolType, answer(netip.isUnspecified))],
    isLoopback: [method('ip_is_loopback', [ipType], boolType, answer(netip.isLoopback))],
    isLinkLocalMulticast: [
      method('ip_is_link_local_multicast', [ipType], boolType, answer(netip.isLinkLocalMulticast)),
    ],
    isLinkLocalUnicast: [
      method('ip_is_link_local_unicast', [ipType], boolType, answer(netip.isLinkLocalUnicast)),
    ],
    isGlobalUnicast: [
      method('ip_is_global_unicast', [ipType], boolType, answer(netip.isGlobalUnicast)),
    ],
    string: conversions.string.slice(0, 1),
  }),
};

const inRange = (cidr: Value, ip: Value): Value => netip.containsAddress(prefixOf(cidr), ipOf(ip));

/** A text that is no address is of the wrong type for the reference, whatever is wrong with it. */
function textInRange(cidr: Value, text: Value): Value {
  const address = netip.parseAddress(text as string);
  if ('problem' in address) throw noSuchOverload();
  return netip.containsAddress(prefixOf(cidr), address);
}

const rangeInRange = (outer: Value, inner: Value): Value =>
  netip.containsPrefix(
    prefixOf(outer),
    typeof inner === 'string' ? readCidr(inner) : prefixOf(inner),
  );

export const cidrLibrary: Library = {
  name: 'kubernetes.net.cidr',
  types: [cidrType],
  functions: functions({
    cidr: [
      overload(
        'string_to_cidr',
        [stringType],
        cidrType,
        (text) => new CidrValue(readCidr(text)),
        walk(),
      ),
    ],
    isCIDR: [
      overload(
        'is_cidr',
        [stringType],
        boolType,
        (text) => !('problem' in netip.parsePrefix(text as string)),
        walk(),
      ),
    ],
    containsIP: [
      method(
        'cidr_contains_ip_string',
        [cidrType, stringType],
        boolType,
        textInRange,
        containsCost(false, true),
      ),
      method(
        'cidr_contains_ip_ip',
        [cidrType, ipType],
        boolType,
        inRange,
        containsCost(false, false),
      ),
    ],
    containsCIDR: [
      method(
        'cidr_contains_cidr_string',
        [cidrType, stringType],
        boolType,
        rangeInRange,
        containsCost(true, true),
      ),
      method(
        'cidr_contains_cidr',
        [cidrType, cidrType],
        boolType,
        rangeInRange,
        containsCost(true, false),
      ),
    ],
    ip: [method('cidr_ip', [cidrType], ipType, (cidr) => new IpValue(prefixOf(cidr).address))],
    prefixLength: [
      method('cidr_prefix_length', [cidrType], intType, (cidr) => prefixOf(cidr).bits),
    ],
    masked: [
      method(
        'cidr_masked',
        [cidrType],
        cidrType,
        (cidr) => new CidrValue(netip.maskPrefix(prefixOf(cidr))),
      ),
    ],
    string: conversions.string.slice(1),
  }),
};
