/**
 * Addresses and ranges as objects name them, and how they should be written.
 *
 *     010.0.0.1 -> 10.0.0.1        ::ffff:10.0.0.1 -> 10.0.0.1        2001:DB8::0:1 -> 2001:db8::1
 *
 * Invariants: what a long line of clients has written is read: leading zeros are decimal, an IPv4
 * address may come in its IPv6 form; zones are for one host only and are not read. Nothing throws.
 */

export interface IpAddress {
  readonly family: 4 | 6;
  /** 4 or 16; an IPv4 address in its IPv6 form has 4. */
  readonly bytes: readonly number[];
  /** As RFC 5952 writes it, or with four decimal numbers. */
  readonly text: string;
  /** Whether it was written in a form that everybody reads alike. */
  readonly standard: boolean;
}

export interface IpRange {
  readonly address: IpAddress;
  /** Of `address.bytes`. */
  readonly prefix: number;
  /** The range by its first address: `10.0.0.0/8`. */
  readonly text: string;
  /** Whether the address is the first one of the range. */
  readonly aligned: boolean;
  readonly standard: boolean;
}

/** As long as an address may be; longer ones have zeros that nobody needs. */
const textMax = 64;

export function parseIp(text: string): IpAddress | undefined {
  if (text.length > textMax) return undefined;
  const four = parseIpv4(text);
  if (four !== undefined) return { family: 4, ...four };
  const six = parseIpv6(text);
  if (six === undefined) return undefined;
  const { bytes, standard } = six;
  const mapped =
    bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
  if (!mapped) return { family: 6, bytes, text: formatIpv6(bytes), standard };
  const last = bytes.slice(12);
  return { family: 4, bytes: last, text: last.join('.'), standard: false };
}

export function parseCidr(text: string): IpRange | undefined {
  const slash = text.indexOf('/');
  const bits = text.slice(slash + 1);
  if (slash < 0 || !/^\d{1,8}$/.test(bits)) return undefined;
  const address = parseIp(text.slice(0, slash));
  if (address === undefined) return undefined;
  // The prefix of an address in IPv6 form counts from the start of that form.
  const asSix = address.family === 4 && text.slice(0, slash).includes(':');
  const prefix = Number(bits) - (asSix ? 96 : 0);
  if (Number(bits) > (asSix ? 128 : address.bytes.length * 8)) return undefined;
  const kept = Math.max(prefix, 0);
  const first = address.bytes.map((byte, at) => byte & byteMask(kept - at * 8));
  const shown = address.family === 4 ? first.join('.') : formatIpv6(first);
  return {
    address,
    prefix: kept,
    text: `${shown}/${kept}`,
    aligned: first.every((byte, at) => byte === address.bytes[at]),
    standard: address.standard && (bits === '0' || !bits.startsWith('0')),
  };
}

/** The bits of one byte that a prefix with this many bits from its start keeps. */
export function byteMask(bits: number): number {
  return bits >= 8 ? 255 : bits <= 0 ? 0 : (255 << (8 - bits)) & 255;
}

type Parsed = Pick<IpAddress, 'bytes' | 'standard'>;

function parseIpv4(text: string): (Parsed & { readonly text: string }) | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^\d+$/.test(part))) return undefined;
  const bytes = parts.map(Number);
  if (bytes.some((byte) => byte > 255)) return undefined;
  return {
    bytes,
    text: bytes.join('.'),
    standard: parts.every((part) => part === String(Number(part))),
  };
}

function parseIpv6(text: string): Parsed | undefined {
  const halves = text.split('::');
  if (halves.length > 2 || !text.includes(':')) return undefined;
  const parsed = halves.map((half, at) => groupsOf(half, at === halves.length - 1));
  if (parsed.some((half) => half === undefined)) return undefined;
  const [head, tail] = parsed;
  const before = head?.bytes ?? [];
  const after = tail?.bytes ?? [];
  const missing = 16 - before.length - after.length;
  if (halves.length === 1 ? missing !== 0 : missing < 2) return undefined;
  const zeros = Array.from({ length: missing }, () => 0);
  return {
    bytes: [...before, ...zeros, ...after],
    standard: (head?.standard ?? true) && (tail?.standard ?? true),
  };
}

/** `a:b:c`, at the end of an address also `a:b:1.2.3.4`; '' is none. */
function groupsOf(text: string, last: boolean): Parsed | undefined {
  if (text === '') return { bytes: [], standard: true };
  const bytes: number[] = [];
  let standard = true;
  const groups = text.split(':');
  for (const [at, group] of groups.entries()) {
    const four = last && at === groups.length - 1 ? parseIpv4(group) : undefined;
    if (four !== undefined) {
      bytes.push(...four.bytes);
      standard = four.standard;
    } else if (/^[0-9a-f]{1,4}$/i.test(group)) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 255);
    } else return undefined;
  }
  return bytes.length <= 16 ? { bytes, standard } : undefined;
}

/** The longest run of two or more zero groups, the first one of several, becomes `::`. */
export function formatIpv6(bytes: ArrayLike<number>): string {
  const groups = Array.from({ length: 8 }, (_none, at) =>
    (((bytes[at * 2] ?? 0) << 8) | (bytes[at * 2 + 1] ?? 0)).toString(16),
  );
  let [start, length] = [0, 0];
  for (let at = 0; at < 8; at += 1) {
    let run = 0;
    while (groups[at + run] === '0') run += 1;
    if (run > length) [start, length] = [at, run];
    at += run;
  }
  if (length < 2) return groups.join(':');
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`;
}
