/**
 * Reads IP addresses and ranges in expressions strictly: one form only, errors name the place.
 *
 *     192.168.0.1    2001:db8::1    10.0.0.0/8    2001:db8::/32
 *
 * It is stricter than the reader of addresses in objects (`apimachinery/ip-address.ts`), which
 * takes what old clients wrote: here a leading zero, a zone and an IPv4 address in IPv6 form are
 * errors.
 *
 * Invariants: nothing throws; a text that is read and written again is canonical (RFC 5952).
 * Bounds: linear in the text; the text of an error holds the input once, quoted.
 */
import { byteMask, formatIpv6 } from '../../apimachinery/ip-address.ts';
import { quote } from '../../apimachinery/quote.ts';

/** Shown to whoever wrote the rule. */
export interface Unreadable {
  readonly problem: string;
}

export interface Address {
  /** 4 or 16. */
  readonly bytes: Uint8Array;
}

export interface Prefix {
  readonly address: Address;
  /** How many bits of the address name the network. */
  readonly bits: number;
}

/** Longer ones are none, and messages quote what they are about. */
const textMax = 1024;

/** The form of the text is wrong; `at` is the rest where that was noticed. */
class WrongForm extends Error {
  constructor(message: string, at = '') {
    super(at === '' ? message : `${message} (at ${quote(at)})`);
  }
}

/** An address for a rule: no zone, and not IPv4 in IPv6 form. */
export function parseAddress(text: string): Address | Unreadable {
  if (text.length > textMax) return { problem: 'IP Address parse error: the text is too long' };
  const read = readAddress(text);
  if ('problem' in read) {
    const problem = `IP Address ${quote(text)} parse error during conversion from string`;
    return { problem: `${problem}: ${read.problem}` };
  }
  if (text.includes('%')) {
    return { problem: `IP address ${quote(text)} with zone value is not allowed` };
  }
  return isMapped(read) ? mappedRefused(text) : read;
}

export function parsePrefix(text: string): Prefix | Unreadable {
  if (text.length > textMax)
    return { problem: 'network address parse error: the text is too long' };
  const read = readPrefix(text);
  if ('problem' in read) {
    const where = 'network address parse error during conversion from string';
    return { problem: `${where}: netip.ParsePrefix(${quote(text)}): ${read.problem}` };
  }
  return isMapped(read.address) ? mappedRefused(text) : read;
}

function mappedRefused(text: string): Unreadable {
  return { problem: `IPv4-mapped IPv6 address ${quote(text)} is not allowed` };
}

function isMapped({ bytes }: Address): boolean {
  if (bytes.length !== 16) return false;
  return (
    bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
  );
}

function readPrefix(text: string): Prefix | Unreadable {
  const slash = text.lastIndexOf('/');
  if (slash < 0) return { problem: "no '/'" };
  const address = readAddress(text.slice(0, slash));
  if ('problem' in address) return address;
  if (address.bytes.length === 16 && text.slice(0, slash).includes('%')) {
    return { problem: 'IPv6 zones cannot be present in a prefix' };
  }
  const bits = text.slice(slash + 1);
  if (!/^(?:\d|[1-9]\d{1,17})$/.test(bits)) {
    return { problem: `bad bits after slash: ${quote(bits)}` };
  }
  if (Number(bits) > address.bytes.length * 8) return { problem: 'prefix length out of range' };
  return { address, bits: Number(bits) };
}

function readAddress(text: string): Address | Unreadable {
  try {
    const mark = /[.:%]/.exec(text)?.[0];
    if (mark === undefined) throw new WrongForm('unable to parse IP');
    if (mark === '%') throw new WrongForm('missing IPv6 address');
    return { bytes: mark === '.' ? Uint8Array.from(readFour(text)) : readSix(text) };
  } catch (error) {
    if (!(error instanceof WrongForm)) throw error;
    return { problem: `ParseAddr(${quote(text)}): ${error.message}` };
  }
}

function readFour(text: string): number[] {
  const fields: number[] = [];
  let value = 0;
  let digits = 0;
  for (let i = 0; i < text.length; i += 1) {
    const char = text.charAt(i);
    if (char >= '0' && char <= '9') {
      if (digits === 1 && value === 0) {
        throw new WrongForm('IPv4 field has octet with leading zero');
      }
      value = value * 10 + Number(char);
      digits += 1;
      if (value > 255) throw new WrongForm('IPv4 field has value >255');
    } else if (char === '.') {
      if (digits === 0 || i === text.length - 1) {
        throw new WrongForm('IPv4 field must have at least one digit', text.slice(i));
      }
      if (fields.length === 3) throw new WrongForm('IPv4 address too long');
      fields.push(value);
      value = 0;
      digits = 0;
    } else throw new WrongForm('unexpected character', text.slice(i));
  }
  if (fields.length < 3) throw new WrongForm('IPv4 address too short');
  return [...fields, value];
}

function readSix(text: string): Uint8Array {
  const zone = text.indexOf('%');
  if (zone === text.length - 1) throw new WrongForm('zone must be a non-empty string');
  let rest = zone < 0 ? text : text.slice(0, zone);
  const bytes: number[] = [];
  let ellipsis = -1;
  if (rest.startsWith('::')) {
    ellipsis = 0;
    rest = rest.slice(2);
    if (rest === '') return new Uint8Array(16);
  }
  while (bytes.length < 16) {
    const digits = groupAt(rest);
    if (rest.charAt(digits) === '.') {
      bytes.push(...embeddedFour(rest, bytes.length, ellipsis));
      rest = '';
      break;
    }
    const value = Number.parseInt(rest.slice(0, digits), 16);
    bytes.push(value >> 8, value & 255);
    rest = rest.slice(digits);
    if (rest === '') break;
    if (!rest.startsWith(':')) throw new WrongForm('unexpected character, want colon', rest);
    if (rest === ':') throw new WrongForm('colon must be followed by more characters', rest);
    rest = rest.slice(1);
    if (rest.startsWith(':')) {
      if (ellipsis >= 0) throw new WrongForm('multiple :: in address', rest);
      ellipsis = bytes.length;
      rest = rest.slice(1);
      if (rest === '') break;
    }
  }
  if (rest !== '') throw new WrongForm('trailing garbage after address', rest);
  return expanded(bytes, ellipsis);
}

/** How many hexadecimal digits the text starts with: 1 to 4. */
function groupAt(rest: string): number {
  let digits = 0;
  while (/[0-9a-fA-F]/.test(rest.charAt(digits))) {
    if (digits > 3) throw new WrongForm('each group must have 4 or less digits', rest);
    digits += 1;
  }
  if (digits > 0) return digits;
  throw new WrongForm('each colon-separated field must have at least one digit', rest);
}

function embeddedFour(rest: string, have: number, ellipsis: number): number[] {
  if (ellipsis < 0 && have !== 12) {
    const place = 'embedded IPv4 address must replace the final 2 fields of the address';
    throw new WrongForm(place, rest);
  }
  if (have + 4 > 16) {
    const room = 'too many hex fields to fit an embedded IPv4 at the end of the address';
    throw new WrongForm(room, rest);
  }
  return readFour(rest);
}

function expanded(bytes: readonly number[], ellipsis: number): Uint8Array {
  if (bytes.length === 16) {
    if (ellipsis < 0) return Uint8Array.from(bytes);
    throw new WrongForm('the :: must expand to at least one field of zeros');
  }
  if (ellipsis < 0) throw new WrongForm('address string too short');
  const whole = new Uint8Array(16);
  whole.set(bytes.slice(0, ellipsis));
  whole.set(bytes.slice(ellipsis), 16 - (bytes.length - ellipsis));
  return whole;
}

export function formatAddress({ bytes }: Address): string {
  return bytes.length === 4 ? bytes.join('.') : formatIpv6(bytes);
}

export function formatPrefix({ address, bits }: Prefix): string {
  return `${formatAddress(address)}/${bits}`;
}

export function sameAddress(a: Address, b: Address): boolean {
  return a.bytes.length === b.bytes.length && a.bytes.every((byte, at) => byte === b.bytes[at]);
}

/** The first address of the network. */
export function maskPrefix({ address, bits }: Prefix): Prefix {
  const bytes = address.bytes.map((byte, at) => byte & byteMask(bits - at * 8));
  return { address: { bytes }, bits };
}

/** An address of the other family is never inside. */
export function containsAddress(prefix: Prefix, address: Address): boolean {
  if (prefix.address.bytes.length !== address.bytes.length) return false;
  return address.bytes.every((byte, at) => {
    const mask = byteMask(prefix.bits - at * 8);
    return (byte & mask) === ((prefix.address.bytes[at] ?? 0) & mask);
  });
}

export function containsPrefix(outer: Prefix, inner: Prefix): boolean {
  return outer.bits <= inner.bits && containsAddress(outer, inner.address);
}

export function isUnspecified({ bytes }: Address): boolean {
  return bytes.every((byte) => byte === 0);
}

export function isLoopback({ bytes }: Address): boolean {
  if (bytes.length === 4) return bytes[0] === 127;
  return bytes[15] === 1 && bytes.subarray(0, 15).every((byte) => byte === 0);
}

export function isLinkLocalMulticast({ bytes }: Address): boolean {
  const [first = 0, second = 0, third = 0] = bytes;
  if (bytes.length === 4) return first === 224 && second === 0 && third === 0;
  return first === 255 && (second & 15) === 2;
}

export function isLinkLocalUnicast({ bytes }: Address): boolean {
  const [first = 0, second = 0] = bytes;
  if (bytes.length === 4) return first === 169 && second === 254;
  return first === 254 && (second & 192) === 128;
}

/** Private addresses are among them. */
export function isGlobalUnicast(address: Address): boolean {
  const { bytes } = address;
  const first = bytes[0] ?? 0;
  const four = bytes.length === 4;
  if (four ? (first & 240) === 224 : first === 255) return false;
  if (four && bytes.every((byte) => byte === 255)) return false;
  return !isUnspecified(address) && !isLoopback(address) && !isLinkLocalUnicast(address);
}
