/**
 * Seeds: from one of them the keys of many records are derived, each record's own. A record has the
 * seed of its key with it, encrypted by the key service:
 *
 *     id:16   length:2   sealed seed   info:32   nonce:12   ciphertext   tag:16
 *
 * `id` is the beginning of the SHA-256 of the sealed seed, which is asked about once, whichever
 * record is read first. The key is HKDF's expansion (SHA-256) of the seed by `info`, which is
 * random: no key is used twice, however often a seed is. GCM binds the record to its place.
 *
 * Invariants: what one seed encrypted no other decrypts; an id that is not that of the sealed seed
 * beside it is nobody's.
 * Bound: `seedsMax` of a service are known at a time; those that were used last.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { blockMemory } from '../../stdx/blocks.ts';
import { sha256Of } from '../../stdx/sha256-of.ts';
import { aesGcm } from '../record-keys.ts';
import { sealedSeedProblem } from './key-service.ts';
import { readSealedSeed } from './messages.ts';

export const seedBytes = 32;
const seedsMax = 20_000;

const idBytes = 16;
const lengthBytes = 2;
const infoBytes = 32;

export interface Seed {
  readonly id: string;
  /** Of the service's key, as operators see it. */
  readonly keyIdHash: string;
  encrypt(plain: Uint8Array, bound: string): Buffer;
  /** `bytes`: from the info on. */
  decrypt(bytes: Uint8Array, bound: string): Uint8Array | undefined;
}

export function newSeed(): Buffer {
  return randomBytes(seedBytes);
}

/** What is kept of seeds lies in blocks: what they come in is larger by far. */
const allocate = blockMemory(16 * 1024);

/** `plain`: of `seedBytes`. `sealed`: as the service encrypted it. @throws Error if it is not. */
export function createSeed(plain: Buffer, sealed: Buffer): Seed {
  const id = idOf(sealed);
  const sealedAt = idBytes + lengthBytes;
  const own = allocate(sealedAt + sealed.length + plain.length);
  own.set(id);
  own.writeUInt16BE(sealed.length, idBytes);
  own.set(sealed, sealedAt);
  own.set(plain, sealedAt + sealed.length);
  const head = own.subarray(0, sealedAt + sealed.length);
  const secret = own.subarray(head.length);
  const derived = (info: Uint8Array): Buffer =>
    createHmac('sha256', secret).update(info).update(firstBlock).digest();
  return {
    id: id.toString('latin1'),
    keyIdHash: sha256Of(readSealedSeed(sealed).keyId),
    encrypt(record, bound) {
      const info = randomBytes(infoBytes);
      const encrypted = aesGcm(derived(info)).encrypted(record, bound);
      return Buffer.concat([head, info, ...encrypted]);
    },
    decrypt(bytes, bound) {
      const info = bytes.subarray(0, infoBytes);
      return aesGcm(derived(info)).decrypt(bytes.subarray(infoBytes), bound);
    },
  };
}

/** Of HKDF: one block is as long as a key. */
const firstBlock = Buffer.of(1);

function idOf(sealed: Buffer): Buffer {
  return createHash('sha256').update(sealed).digest().subarray(0, idBytes);
}

/** What a service's key made of a record. */
export interface SeededBytes {
  readonly id: string;
  /** Where what the seed has encrypted begins. */
  readonly bytesAt: number;
}

/** Undefined: it is nothing of that kind. */
export function seededBytes(bytes: Buffer): SeededBytes | undefined {
  if (bytes.length < idBytes + lengthBytes) return undefined;
  const bytesAt = idBytes + lengthBytes + bytes.readUInt16BE(idBytes);
  return bytesAt > bytes.length ? undefined : { id: bytes.toString('latin1', 0, idBytes), bytesAt };
}

/** What the service is asked about it; undefined: it is none, or the id is another's. A copy. */
export function sealedSeedOf(bytes: Buffer, { bytesAt, id }: SeededBytes): Buffer | undefined {
  const sealed = Buffer.from(bytes.subarray(idBytes + lengthBytes, bytesAt));
  if (idOf(sealed).toString('latin1') !== id) return undefined;
  try {
    return sealedSeedProblem(readSealedSeed(sealed)) === undefined ? sealed : undefined;
  } catch {
    return undefined;
  }
}

/** The seeds of one service that need not be asked about. */
export class KnownSeeds {
  readonly #max: number;
  #used = new Map<string, Seed>();
  #before = new Map<string, Seed>();

  constructor(max = seedsMax) {
    this.#max = max;
  }

  get size(): number {
    return this.#used.size + this.#before.size;
  }

  get(id: string): Seed | undefined {
    const used = this.#used.get(id);
    if (used !== undefined) return used;
    const seed = this.#before.get(id);
    if (seed !== undefined) this.add(seed);
    return seed;
  }

  add(seed: Seed): void {
    this.#before.delete(seed.id);
    this.#used.set(seed.id, seed);
    if (this.#used.size < this.#max / 2) return;
    this.#before = this.#used;
    this.#used = new Map();
  }
}
