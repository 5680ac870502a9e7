/**
 * Addresses and ranges as objects name them, and how they should be written.
 *
 *     010.0.0.1 -> 10.0.0.1        ::ffff:10.0.0.1 -> 10.0.0.1        2001:DB8::0:1 -> 2001:db8::1
 *
 * One body may hold thousands: a text is read in one pass, and written anew only when asked for.
 *
 * Invariants: what a long line of clients has written is read: leading zeros are decimal, an IPv4
 * address may come in its IPv6 form; zones are for one host only and are not read. Nothing throws.
 */

export interface IpAddress {
  readonly family: 4 | 6;
  /** 4 or 16; an IPv4 address in its IPv6 form has 4. */
  readonly bytes: readonly number[];
  /** Whether it was written in a form that everybody reads alike. */
  readonly standard: boolean;
}

export interface IpRange {
  readonly address: IpAddress;
  /** Of `address.bytes`. */
  readonly prefix: number;
  /** Whether the address is the first one of the range. */
  readonly aligned: boolean;
  readonly standard: boolean;
}

/** As long as an address may be; longer ones have zeros that nobody needs. */
const textMax = 64;

const char = { dot: 0x2e, zero: 0x30, nine: 0x39, colon: 0x3a, a: 0x61, f: 0x66 } as const;

/** The text that was read last, and what it is: checks of an address ask one after the other. */
let lastText = '';
let lastFound: IpAddress | undefined;

export function parseIp(text: string): IpAddress | undefined {
  if (text === lastText) return lastFound;
  lastFound = readIp(text);
  lastText = text;
  return lastFound;
}

function readIp(text: string): IpAddress | undefined {
  if (text.length > textMax) return undefined;
  if (!text.includes(':')) return parseIpv4(text, 0);
  const six = parseIpv6(text);
  if (six === undefined || !isMapped(six.bytes)) return six;
  return { family: 4, bytes: six.bytes.slice(12), standard: false };
}

/** An IPv4 address in its IPv6 form. */
function isMapped(bytes: readonly number[]): boolean {
  for (let at = 0; at < 10; at += 1) if (bytes[at] !== 0) return false;
  return bytes[10] === 255 && bytes[11] === 255;
}

/** As RFC 5952 writes it, or with four decimal numbers. */
export function ipText({ bytes, family }: Pick<IpAddress, 'bytes' | 'family'>): string {
  return family === 4 ? bytes.join('.') : formatIpv6(bytes);
}

export function parseCidr(text: string): IpRange | undefined {
  const slash = text.indexOf('/');
  const bits = text.slice(slash + 1);
  const bitsCount = slash < 0 ? undefined : prefixOf(bits);
  if (bitsCount === undefined) return undefined;
  const address = parseIp(text.slice(0, slash));
  if (address === undefined) return undefined;
  // The prefix of an address in IPv6 form counts from the start of that form.
  const asSix = address.family === 4 && text.lastIndexOf(':', slash) >= 0;
  const prefix = bitsCount - (asSix ? 96 : 0);
  if (bitsCount > (asSix ? 128 : address.bytes.length * 8)) return undefined;
  const kept = Math.max(prefix, 0);
  return {
    address,
    prefix: kept,
    aligned: isAligned(address.bytes, kept),
    standard: address.standard && (bits === '0' || !bits.startsWith('0')),
  };
}

/** Up to eight digits. */
function prefixOf(text: string): number | undefined {
  if (text.length === 0 || text.length > 8) return undefined;
  let value = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < char.zero || code > char.nine) return undefined;
    value = value * 10 + code - char.zero;
  }
  return value;
}

function isAligned(bytes: readonly number[], prefix: number): boolean {
  for (let at = prefix >> 3; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if ((byte & byteMask(prefix - at * 8)) !== byte) return false;
  }
  return true;
}

/** The range by its first address: `10.0.0.0/8`. */
export function rangeText({ address, prefix }: IpRange): string {
  const bytes = address.bytes.map((byte, at) => byte & byteMask(prefix - at * 8));
  return `${ipText({ bytes, family: address.family })}/${prefix}`;
}

export function isInRange({ address, prefix }: IpRange, { bytes, family }: IpAddress): boolean {
  if (family !== address.family) return false;
  for (let at = 0; at * 8 < prefix; at += 1) {
    const differs = (bytes[at] as number) ^ (address.bytes[at] as number);
    if ((differs & byteMask(prefix - at * 8)) !== 0) return false;
  }
  return true;
}

/** The bits of one byte that a prefix with this many bits from its start keeps. */
export function byteMask(bits: number): number {
  return bits >= 8 ? 255 : bits <= 0 ? 0 : (255 << (8 - bits)) & 255;
}

/** Four numbers from `start` to the end. */
function parseIpv4(text: string, start: number): IpAddress | undefined {
  const bytes: number[] = [];
  let standard = true;
  let value = 0;
  let digits = 0;
  for (let at = start; at <= text.length; at += 1) {
    const code = at === text.length ? char.dot : text.charCodeAt(at);
    if (code === char.dot) {
      if (digits === 0) return undefined;
      bytes.push(value);
      value = 0;
      digits = 0;
      continue;
    }
    if (code < char.zero || code > char.nine) return undefined;
    if (digits > 0 && value === 0) standard = false;
    value = value * 10 + code - char.zero;
    digits += 1;
    if (value > 255) return undefined;
  }
  return bytes.length === 4 ? { family: 4, bytes, standard } : undefined;
}

/** Groups of up to four digits, `::` at most once, at the end perhaps an IPv4 address. */
function parseIpv6(text: string): IpAddress | undefined {
  const fourAt = text.includes('.') ? text.lastIndexOf(':') + 1 : -1;
  const bytes: number[] = [];
  let standard = true;
  let gap = text.startsWith('::') ? 0 : -1;
  for (let at = gap === 0 ? 2 : 0; at < text.length;) {
    if (at === fourAt) {
      const four = parseIpv4(text, at);
      if (four === undefined) return undefined;
      bytes.push(...four.bytes);
      standard = four.standard;
      break;
    }
    let value = 0;
    let end = at;
    for (let digit = hexDigit(text.charCodeAt(end)); digit >= 0;) {
      value = value * 16 + digit;
      end += 1;
      digit = hexDigit(text.charCodeAt(end));
    }
    if (end === at || end > at + 4) return undefined;
    bytes.push(value >> 8, value & 255);
    if (end === text.length) break;
    at = end + 1;
    if (text.charCodeAt(end) !== char.colon || at === text.length) return undefined;
    if (text.charCodeAt(at) !== char.colon) continue;
    if (gap >= 0) return undefined;
    gap = bytes.length;
    at += 1;
  }
  const missing = 16 - bytes.length;
  if (gap < 0 ? missing !== 0 : missing < 2) return undefined;
  for (let added = 0; added < missing; added += 1) bytes.push(0);
  if (gap >= 0) bytes.copyWithin(gap + missing, gap).fill(0, gap, gap + missing);
  return { family: 6, bytes, standard };
}

/** The digit's value; -1: the character is not a hexadecimal digit. */
function hexDigit(code: number): number {
  if (code >= char.zero && code <= char.nine) return code - char.zero;
  const letter = code | 0x20;
  return letter >= char.a && letter <= char.f ? letter - char.a + 10 : -1;
}

/** The longest run of two or more zero groups, the first one of several, becomes `::`. */
export function formatIpv6(bytes: ArrayLike<number>): string {
  const groups = Array.from({ length: 8 }, (_none, at) => groupOf(bytes, at).toString(16));
  const [start, length] = zeroRun(bytes);
  if (length < 2) return groups.join(':');
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`;
}

/** Whether a text is the one of `formatIpv6`, which is not made for it. */
export function isFormattedIpv6(bytes: ArrayLike<number>, text: string): boolean {
  const [start, length] = zeroRun(bytes);
  let at = 0;
  // Behind each group but the last stands a colon, and on both sides of a run, which has no digits.
  for (let group = 0; group < 8; group += 1) {
    if (group > 0 || (length >= 2 && start === 0)) {
      if (text.charCodeAt(at) !== char.colon) return false;
      at += 1;
    }
    if (length >= 2 && group === start) {
      group += length - 1;
      if (group === 7) {
        if (text.charCodeAt(at) !== char.colon) return false;
        at += 1;
      }
      continue;
    }
    const value = groupOf(bytes, group);
    for (let shift = value > 0xfff ? 12 : value > 0xff ? 8 : value > 0xf ? 4 : 0; shift >= 0;) {
      if (text.charCodeAt(at) !== hexCodes[(value >> shift) & 15]) return false;
      at += 1;
      shift -= 4;
    }
  }
  return at === text.length;
}

const hexCodes = Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));

function groupOf(bytes: ArrayLike<number>, at: number): number {
  return ((bytes[at * 2] ?? 0) << 8) | (bytes[at * 2 + 1] ?? 0);
}

/** The longest run of groups that are 0, the first one of several. */
function zeroRun(bytes: ArrayLike<number>): readonly [start: number, length: number] {
  let start = 0;
  let length = 0;
  for (let at = 0; at < 8; at += 1) {
    let run = 0;
    while (at + run < 8 && groupOf(bytes, at + run) === 0) run += 1;
    if (run > length) [start, length] = [at, run];
    at += run;
  }
  return [start, length];
}
