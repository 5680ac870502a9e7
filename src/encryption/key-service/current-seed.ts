/**
 * The seed that records are written with now, and how long it may be.
 *
 *     the service has the same key    its seed may be used for another `writeMs`
 *     it has another key              the seed that the servers share, if it is of that key;
 *                                     else a new one, which is left for the others
 *
 * Why it is shared: who has not met a seed yet has to ask the service about it, which may be away
 * by then. And every seed is asked about at every start.
 *
 * Invariants: a seed is used only if the service encrypted it with the key that its status names.
 * What fails leaves the seed that there is. A store that cannot be asked, or takes nothing, is as
 * good as one that has no seed: records bring their own.
 */
import type { Clock } from '../../stdx/clock.ts';
import { sha256Of } from '../../stdx/sha256-of.ts';
import { keyIdProblem, sealedSeedProblem } from './key-service.ts';
import type { KeyService } from './key-service.ts';
import { readSealedSeed, sealedSeedBytes } from './messages.ts';
import type { SealedSeed } from './messages.ts';
import { createSeed, newSeed, seedBytes } from './seeds.ts';
import type { Seed } from './seeds.ts';

/** As in the reference: who has exchanged the key knows when nothing is written with the old one
 * any more, whether the service could be asked or not. */
export const writeMs = 180_000;

/** Where the servers over one store leave the seed that they write with. Never rejects. */
export interface SharedSeed {
  /** As sealedSeedBytes() makes it; undefined: there is none. */
  read(): Promise<Buffer | undefined>;
  /** False: somebody else has left one since read(). */
  leave(sealed: Buffer): Promise<boolean>;
}

export interface CurrentSeedDeps {
  readonly service: Pick<KeyService, 'encrypt' | 'decrypt'>;
  /** Undefined: there is no store yet. */
  readonly shared: () => SharedSeed | undefined;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** A seed from now on. */
  readonly onSeed: (seed: Seed) => void;
}

export interface CurrentSeed {
  /** Also one that may be written with no longer. */
  readonly seed: Seed | undefined;
  /** Why nothing may be written now; undefined: it may. */
  refusal(): string | undefined;
  /** The service has this key. Resolves with what went wrong, if anything did. */
  useKey(keyId: string): Promise<string | undefined>;
}

export function createCurrentSeed(deps: CurrentSeedDeps): CurrentSeed {
  const { clock } = deps;
  let current: { readonly keyId: string; readonly seed: Seed; endsMs: number } | undefined;

  /** The seed, or why there is none. */
  async function seedOfKey(keyId: string): Promise<Seed | string> {
    const shared = deps.shared();
    for (let tries = 1; ; tries += 1) {
      const left = await shared?.read();
      const found = left && (await sharedSeedOf(deps.service, left, keyId));
      if (found !== undefined) return found;
      const made = await madeSeed(deps.service, keyId);
      if (typeof made === 'string') return made;
      const isLeft = shared === undefined || (await shared.leave(made.sealed));
      if (isLeft || tries >= triesMax) return made.seed;
    }
  }

  return {
    get seed() {
      return current?.seed;
    },
    refusal() {
      if (current === undefined) return 'the key service has not encrypted a seed yet';
      if (clock.monotonicMs() <= current.endsMs) return undefined;
      return 'the key service has not been well for too long';
    },
    async useKey(keyId) {
      const endsMs = clock.monotonicMs() + writeMs;
      if (current?.keyId === keyId) {
        current.endsMs = endsMs;
        return undefined;
      }
      const seed = await seedOfKey(keyId);
      if (typeof seed === 'string') return seed;
      current = { keyId, seed, endsMs };
      deps.onSeed(seed);
      return undefined;
    },
  };
}

/** Others leave theirs at the same time, once; then a seed of its own will do. */
const triesMax = 2;

/** Undefined: it is of another key, or cannot be had. */
async function sharedSeedOf(
  service: Pick<KeyService, 'decrypt'>,
  sealed: Buffer,
  keyId: string,
): Promise<Seed | undefined> {
  try {
    const read = readSealedSeed(sealed);
    if (problemOf(read, keyId) !== undefined) return undefined;
  } catch {
    return undefined;
  }
  const answer = await service.decrypt(sealed);
  if (answer.kind === 'failed' || answer.value.length !== seedBytes) return undefined;
  return createSeed(answer.value, sealed);
}

async function madeSeed(
  service: Pick<KeyService, 'encrypt'>,
  keyId: string,
): Promise<{ readonly seed: Seed; readonly sealed: Buffer } | string> {
  const plain = newSeed();
  const answer = await service.encrypt(plain);
  if (answer.kind === 'failed') return `Encrypt: ${answer.code}: ${answer.message}`;
  const why = problemOf(answer.value, keyId);
  if (why !== undefined) return `Encrypt: ${why}`;
  const sealed = sealedSeedBytes(answer.value);
  return { seed: createSeed(plain, sealed), sealed };
}

function problemOf(sealed: SealedSeed, keyId: string): string | undefined {
  if (sealed.keyId === keyId || keyIdProblem(sealed.keyId) !== undefined) {
    return sealedSeedProblem(sealed);
  }
  const [made, said] = [sealed.keyId, keyId].map(sha256Of);
  return `it used the key ${made}, and its status names ${said}`;
}
