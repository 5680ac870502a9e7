/**
 * Randomness as a port: the system's for production, a seeded one for tests and simulation.
 *
 * Not for keys: credentials are made with node:crypto in authentication.
 */
import { randomBytes, randomUUID } from 'node:crypto';

export interface Prng {
  /** A uniform integer in [0, 2^32). */
  uint32(): number;
  /** A random UUID, version 4, lower case. */
  uuid(): string;
}

const POOL_BYTES = 4096;

/** Draws from the operating system, a pool at a time. */
export function systemPrng(): Prng {
  let pool = randomBytes(POOL_BYTES);
  let used = 0;
  return {
    uint32() {
      if (used === POOL_BYTES) {
        pool = randomBytes(POOL_BYTES);
        used = 0;
      }
      used += 4;
      return pool.readUInt32LE(used - 4);
    },
    uuid: () => randomUUID(),
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
      const bytes = Buffer.alloc(16);
      for (let i = 0; i < 4; i += 1) bytes.writeUInt32LE(next(), i * 4);
      return formatUuid(bytes);
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

/** Writes the version into the bytes, which the caller gives up. */
function formatUuid(bytes: Buffer): string {
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  const [a, b, c] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16)];
  return `${a}-${b}-${c}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
