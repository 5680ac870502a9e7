/**
 * The key of records whose keys a service holds: it writes with the seed of now, and reads with
 * the seed that a record brings along, once the service has decrypted that.
 *
 *     fetch(record) ─▶ known: at once
 *                      not known: Decrypt ─▶ from now on decrypt() has it
 *
 * A service that is away is waited for by those who cannot go on without the record. Everybody else
 * asks once, or not at all where it is known to be away. A service that is well and will not
 * decrypt a seed is asked `refusalsMax` times by who is patient; then the records of that seed are
 * unreadable, and for `lostMs` nobody waits for it.
 *
 * Bounds: `decryptsMax` questions at a time, one about each seed; `lostMax` seeds are remembered
 * as lost.
 */
import { sleep } from '../../stdx/clock.ts';
import type { Clock, Timers } from '../../stdx/clock.ts';
import { createLimiter } from '../../stdx/limiter.ts';
import type { FetchedKeys, RecordKey } from '../../storage/encrypted-records.ts';
import type { KeyService, ServiceAnswer } from './key-service.ts';
import { createSeed, sealedSeedOf, seedBytes, seededBytes } from './seeds.ts';
import type { KnownSeeds } from './seeds.ts';
import type { SeedWriter } from './seed-writer.ts';

export const serviceKeyLimits = {
  decryptsMax: 16,
  refusalsMax: 3,
  /** Between two questions about one seed. */
  againMs: 1_000,
  lostMax: 20_000,
  lostMs: 30_000,
} as const;

export interface ServiceKeyDeps {
  readonly service: Pick<KeyService, 'decrypt'>;
  readonly writer: Pick<SeedWriter, 'seed' | 'refusal' | 'unwell' | 'check' | 'askAnew'>;
  readonly seeds: KnownSeeds;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Timers;
  /** Whether nobody is waited for any more. */
  readonly isOver: () => boolean;
  /** A record was written or read with a seed of this key. */
  readonly onUse: (direction: 'to_storage' | 'from_storage', keyIdHash: string) => void;
  /** Nobody can read the records of a seed, the first one behind one that was decrypted; `why` is
   * the service's. */
  readonly onLost: (why: string) => void;
}

/** `name`: of the service, as its records say it. */
export function serviceKey(name: string, deps: ServiceKeyDeps): RecordKey {
  const { onUse, seeds, writer } = deps;
  const label = `k8s:enc:kms:v2:${name}:`;
  const nameOf = (keyIdHash: string): string => label + keyIdHash;
  return {
    label,
    encrypt(plain, bound) {
      const { seed } = writer;
      if (seed === undefined) throw new Error(`${name}: ${writer.refusal() ?? 'no seed'}`);
      onUse('to_storage', seed.keyIdHash);
      return seed.encrypt(plain, bound);
    },
    decrypt(bytes, bound) {
      const found = seededBytes(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      const seed = found && seeds.get(found.id);
      if (found === undefined || seed === undefined) return undefined;
      onUse('from_storage', seed.keyIdHash);
      return seed.decrypt(bytes.subarray(found.bytesAt), bound);
    },
    fetched: {
      now: () => nameOf(writer.seed?.keyIdHash ?? ''),
      nameOf(bytes) {
        const found = seededBytes(bytes);
        return nameOf((found && seeds.get(found.id))?.keyIdHash ?? '');
      },
      refusal(canWait) {
        const why = canWait || writer.seed === undefined ? writer.refusal() : undefined;
        return why === undefined ? undefined : `nothing is encrypted by ${name} now: ${why}`;
      },
      ...fetchWith(deps),
    },
  };
}

interface Answer {
  readonly outcome: 'known' | 'refused' | 'away';
  readonly why: string;
}

function fetchWith(deps: ServiceKeyDeps): Pick<FetchedKeys, 'fetch' | 'isAwaited'> {
  const { clock, isOver, seeds, timers, writer } = deps;
  const { againMs, lostMax, lostMs, refusalsMax } = serviceKeyLimits;
  const ask = askingOnce(deps);
  /** By id, when they were found to be. */
  const lost = new Map<string, number>();
  let isLosing = false;

  async function find(id: string, sealed: Buffer): Promise<void> {
    for (let refusals = 0; !isOver(); await sleep(timers, againMs)) {
      const { outcome, why } = await ask(id, sealed);
      if (outcome === 'known') {
        isLosing = false;
        return;
      }
      if (outcome === 'refused') refusals += 1;
      if (refusals >= refusalsMax) {
        noteLost(id, why);
        return;
      }
      while (outcome === 'away' && !isOver() && (await writer.check()) !== undefined) {
        await sleep(timers, againMs);
      }
    }
  }

  function noteLost(id: string, why: string): void {
    if (!lost.delete(id) && !isLosing) deps.onLost(why);
    isLosing = true;
    lost.set(id, clock.monotonicMs());
    const [oldest] = lost.keys();
    if (lost.size > lostMax && oldest !== undefined) lost.delete(oldest);
  }

  function isLost(id: string): boolean {
    const sinceMs = lost.get(id);
    return sinceMs !== undefined && clock.monotonicMs() - sinceMs < lostMs;
  }

  function unknownSeed(
    bytes: Buffer,
  ): { readonly id: string; readonly sealed: Buffer } | undefined {
    const found = seededBytes(bytes);
    if (found === undefined || seeds.get(found.id) !== undefined) return undefined;
    const sealed = sealedSeedOf(bytes, found);
    return sealed && { id: found.id, sealed };
  }

  return {
    fetch(bytes, patience) {
      const seed = unknownSeed(bytes);
      if (seed === undefined) return undefined;
      if (patience !== 'once' && isLost(seed.id)) return undefined;
      if (patience === 'patient') return find(seed.id, seed.sealed);
      if (patience === 'if-well' && writer.unwell !== undefined) return undefined;
      return ask(seed.id, seed.sealed).then(() => undefined);
    },
    isAwaited(bytes) {
      const seed = unknownSeed(bytes);
      return seed !== undefined && !lost.has(seed.id);
    },
  };
}

/** All who need a seed at a time wait for one question about it. */
function askingOnce({ seeds, service, writer }: ServiceKeyDeps) {
  const limit = createLimiter(serviceKeyLimits.decryptsMax);
  const asked = new Map<string, Promise<Answer>>();
  const askFor = async (sealed: Buffer): Promise<Answer> => {
    const answer = await service.decrypt(sealed);
    const problem = problemOf(answer);
    if (answer.kind === 'ok' && problem === undefined) {
      seeds.add(createSeed(answer.value, sealed));
      return { outcome: 'known', why: '' };
    }
    // Services tell nothing by their codes: most are those of a library.
    const unwell = await writer.askAnew();
    if (unwell !== undefined) return { outcome: 'away', why: unwell };
    return { outcome: 'refused', why: problem ?? '' };
  };
  return (id: string, sealed: Buffer): Promise<Answer> => {
    const before = asked.get(id);
    if (before !== undefined) return before;
    const answer = limit(() => askFor(sealed)).finally(() => asked.delete(id));
    asked.set(id, answer);
    return answer;
  };
}

function problemOf(answer: ServiceAnswer<Buffer>): string | undefined {
  if (answer.kind === 'failed') return `${answer.code}: ${answer.message}`;
  const { length } = answer.value;
  return length === seedBytes ? undefined : `a seed has ${seedBytes} bytes, not ${length}`;
}
