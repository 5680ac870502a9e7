/**
 * Randomness as a port: the system's for production, a seeded one for tests and simulation.
 *
 * Not for keys: credentials are made with node:crypto in authentication.
 */
import { randomBytes } from 'node:crypto';

export interface Prng {
  /** A uniform integer in [0, 2^32). */
  uint32(): number;
  /** A random UUID, version 4, lower case. */
  uuid(): string;
}

const POOL_BYTES = 4096;
const UUID_BYTES = 16;

/** Draws from the operating system, a pool at a time. */
export function systemPrng(): Prng {
  let pool = randomBytes(POOL_BYTES);
  let used = 0;
  const take = (bytes: number): number => {
    if (used + bytes > POOL_BYTES) {
      pool = randomBytes(POOL_BYTES);
      used = 0;
    }
    used += bytes;
    return used - bytes;
  };
  return {
    uint32() {
      const at = take(4);
      return pool.readUInt32LE(at);
    },
    uuid() {
      const at = take(UUID_BYTES);
      return formatUuid(pool, at);
    },
  };
}

/** Deterministic: the same seed gives the same sequence (splitmix32). */
export function seededPrng(seed: number): Prng {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad) >>> 0;
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97) >>> 0;
    return (z ^ (z >>> 15)) >>> 0;
  };
  return {
    uint32: next,
    uuid() {
      const bytes = Buffer.alloc(UUID_BYTES);
      for (let i = 0; i < 4; i += 1) bytes.writeUInt32LE(next(), i * 4);
      return formatUuid(bytes, 0);
    },
  };
}

/** A uniform integer in [0, bound), without modulo bias. `bound` is at least 1. */
export function randomBelow(prng: Prng, bound: number): number {
  const limit = Math.floor(0x1_0000_0000 / bound) * bound;
  for (;;) {
    const value = prng.uint32();
    if (value < limit) return value % bound;
  }
}

/** The items from some place on, and then those before it. */
export function turned<T>(items: readonly T[], prng: Prng): readonly T[] {
  const at = items.length === 0 ? 0 : randomBelow(prng, items.length);
  return [...items.slice(at), ...items.slice(0, at)];
}

const hexDigits = Buffer.from('0123456789abcdef');
const dash = 0x2d;
/** Bytes of a UUID before which a dash stands. */
const dashesBefore: ReadonlySet<number> = new Set([4, 6, 8, 10]);
/** Where the digits of each byte of a UUID stand in its text. */
const digitsAt = Array.from({ length: UUID_BYTES }, (_, i) => {
  const dashes = [...dashesBefore].filter((before) => before <= i).length;
  return 2 * i + dashes;
});
/** Written over by each UUID; the dashes stay. */
const uuidText = Buffer.alloc(36, dash);

/** Of the bytes from there on, with the version in place of some of their bits. The text is made in
 * one piece: out of parts it would be put together again by whoever reads it. */
function formatUuid(bytes: Buffer, from: number): string {
  for (let i = 0; i < UUID_BYTES; i += 1) {
    let byte = bytes[from + i] as number;
    if (i === 6) byte = (byte & 0x0f) | 0x40;
    else if (i === 8) byte = (byte & 0x3f) | 0x80;
    const at = digitsAt[i] as number;
    uuidText[at] = hexDigits[byte >> 4] as number;
    uuidText[at + 1] = hexDigits[byte & 0x0f] as number;
  }
  return uuidText.toString('latin1');
}
