/**
 * The seed that records are written with now, and how long it may be.
 *
 *     the service has the same key    its seed may be used for another `writeMs`
 *     it has another key              a new seed, encrypted with it
 *
 * Invariants: a seed is used only if the service encrypted it with the key that its status names.
 * What fails leaves the seed that there is.
 */
import type { Clock } from '../../stdx/clock.ts';
import { hashOfKeyId, keyIdProblem, sealedSeedProblem } from './key-service.ts';
import type { KeyService } from './key-service.ts';
import { sealedSeedBytes } from './messages.ts';
import type { SealedSeed } from './messages.ts';
import { createSeed, newSeed } from './seeds.ts';
import type { Seed } from './seeds.ts';

/** As in the reference: who has exchanged the key knows when nothing is written with the old one
 * any more, whether the service could be asked or not. */
export const writeMs = 180_000;

export interface CurrentSeedDeps {
  readonly service: Pick<KeyService, 'encrypt'>;
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

export function createCurrentSeed({ clock, onSeed, service }: CurrentSeedDeps): CurrentSeed {
  let current: { readonly keyId: string; readonly seed: Seed; endsMs: number } | undefined;
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
      const plain = newSeed();
      const answer = await service.encrypt(plain);
      if (answer.kind === 'failed') return `Encrypt: ${answer.code}: ${answer.message}`;
      const why = problemOf(answer.value, keyId);
      if (why !== undefined) return `Encrypt: ${why}`;
      const seed = createSeed(plain, sealedSeedBytes(answer.value));
      current = { keyId, seed, endsMs };
      onSeed(seed);
      return undefined;
    },
  };
}

function problemOf(sealed: SealedSeed, keyId: string): string | undefined {
  if (sealed.keyId === keyId || keyIdProblem(sealed.keyId) !== undefined) {
    return sealedSeedProblem(sealed);
  }
  const [made, said] = [sealed.keyId, keyId].map(hashOfKeyId);
  return `it used the key ${made}, and its status names ${said}`;
}
