/**
 * The key services that an EncryptionConfiguration names: opened, asked how they are, and exchanged
 * when the file changes.
 *
 *     prepare ─▶ those that stay stay, new ones are opened ─▶ well() ─▶ use()      or discard()
 *                                                      those that are gone are closed later
 *
 * Invariants: seeds that are known of a service stay known for as long as one of its name is in
 * force, wherever it is; a service that is not well fails the exchange and not what is in force.
 */
import { openKeyService } from '../../encryption/key-service/client.ts';
import type { WantedKeyService } from '../../encryption/key-service/configuration.ts';
import { createKeyServiceCounts } from '../../encryption/key-service/counts.ts';
import type { KeyServiceCounts } from '../../encryption/key-service/counts.ts';
import type { SharedSeed } from '../../encryption/key-service/current-seed.ts';
import { createSeedWriter } from '../../encryption/key-service/seed-writer.ts';
import type { SeedWriter } from '../../encryption/key-service/seed-writer.ts';
import { KnownSeeds } from '../../encryption/key-service/seeds.ts';
import { serviceKey } from '../../encryption/key-service/service-key.ts';
import { assert } from '../../stdx/assert.ts';
import type { Clock, Timers } from '../../stdx/clock.ts';
import { sleep } from '../../stdx/clock.ts';
import { systemPrng } from '../../stdx/prng.ts';
import type { RecordKey } from '../../storage/encrypted-records.ts';
import type { Storage } from '../../storage/storage.ts';
import { keyServiceSeries } from '../metrics/encryption-series.ts';
import type { MetricSeries } from '../metrics/metrics.ts';
import { NotYet } from './followed-configuration.ts';
import type { Log } from './log.ts';
import { sharedSeed } from './shared-seeds.ts';

export interface KeyServicesDeps {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

export interface PreparedServices {
  keyOf(name: string): RecordKey;
  /** Resolves when those that are new are well. @throws NotYet when they are not in time. */
  well(): Promise<void>;
  /** In force from now on, alone. */
  use(): void;
  discard(): void;
}

export type SeedStorage = Pick<Storage, 'read' | 'commit'>;

export interface KeyServices {
  prepare(wanted: readonly WantedKeyService[]): Promise<PreparedServices>;
  /** From now on they are asked how they are. Resolves when all in force are well, or at stop();
   * unless `untilWell`, also after a while (`startWaitMs`). `storage`: where the servers over it
   * share seeds. */
  start(storage: SeedStorage, untilWell: boolean): Promise<void>;
  isAnyUsed(): boolean;
  healthy(): Promise<boolean>;
  readonly series: readonly MetricSeries[];
  stop(): void;
}

interface OpenService {
  readonly wanted: WantedKeyService;
  readonly key: RecordKey;
  readonly writer: SeedWriter;
  close(): void;
}

/** At the least, whatever the timeouts are: for new services to be well, and for old ones to be
 * kept while what they were asked is answered. */
const graceMsMin = 10_000;

/** So long a start waits for those that are not well, where it can go on without them. */
const startWaitMs = 3_000;
const startAgainMs = 500;

export function createKeyServices(deps: KeyServicesDeps): KeyServices {
  const { timers } = deps;
  const counts = createKeyServiceCounts(deps.clock);
  const seedsOf = new Map<string, KnownSeeds>();
  let inForce: readonly OpenService[] = [];
  let storage: SeedStorage | undefined;
  let isStopped = false;

  const open = async (wanted: WantedKeyService): Promise<OpenService> => {
    const seeds = seedsOf.get(wanted.name) ?? new KnownSeeds();
    seedsOf.set(wanted.name, seeds);
    const shared = () => storage && sharedSeed(storage, wanted.name);
    return openService(wanted, { ...deps, counts, seeds, shared });
  };

  async function prepare(wanted: readonly WantedKeyService[]): Promise<PreparedServices> {
    const next = await Promise.all(
      wanted.map(async (each) => inForce.find((one) => isSame(one.wanted, each)) ?? open(each)),
    );
    const added = next.filter((each) => !inForce.includes(each));
    return {
      keyOf(name) {
        const found = next.find((each) => each.wanted.name === name);
        assert(found !== undefined, 'a service that is named has been prepared');
        return found.key;
      },
      well: () => wellInTime(added, deps),
      use() {
        const gone = inForce.filter((each) => !next.includes(each));
        inForce = next;
        for (const name of seedsOf.keys()) {
          if (!next.some((each) => each.wanted.name === name)) seedsOf.delete(name);
        }
        for (const each of gone) {
          each.writer.stop();
          timers.after(graceMs([each]), () => each.close());
        }
        if (isStopped) closeAll(added);
      },
      discard: () => closeAll(added),
    };
  }

  return {
    prepare,
    async start(over, untilWell) {
      storage = over;
      const well = inForce.map(({ writer }) => writer.start());
      const soon = untilWell
        ? []
        : inForce.map(({ writer }) => wellSoon(writer, deps, () => isStopped));
      await Promise.all(untilWell ? well : soon);
    },
    isAnyUsed: () => inForce.length > 0,
    async healthy() {
      if (storage === undefined) return false;
      const all = await Promise.all(inForce.map(({ writer }) => writer.check()));
      return all.every((why) => why === undefined);
    },
    series: keyServiceSeries(counts, () =>
      [...seedsOf].map(([name, { size }]) => [name, size] as const),
    ),
    stop() {
      isStopped = true;
      closeAll(inForce);
    },
  };
}

/** One answer may be late while much is begun. */
async function wellSoon(
  writer: SeedWriter,
  { clock, timers }: Pick<KeyServicesDeps, 'clock' | 'timers'>,
  isStopped: () => boolean,
): Promise<void> {
  const endsMs = clock.monotonicMs() + startWaitMs;
  while (!isStopped() && (await writer.askAnew()) !== undefined) {
    if (clock.monotonicMs() >= endsMs) return;
    await sleep(timers, startAgainMs);
  }
}

interface OpenServiceDeps extends KeyServicesDeps {
  readonly seeds: KnownSeeds;
  readonly counts: KeyServiceCounts;
  readonly shared: () => SharedSeed | undefined;
}

async function openService(
  wanted: WantedKeyService,
  { clock, counts, log, seeds, shared, timers }: OpenServiceDeps,
): Promise<OpenService> {
  const { name } = wanted;
  let isOver = false;
  const service = await openKeyService(wanted, {
    clock,
    timers,
    prng: systemPrng(),
    onCall: (method, code, seconds) => counts.call(name, method, code, seconds),
  });
  const writer = createSeedWriter({
    service,
    shared,
    clock,
    timers,
    onSeed: (seed) => {
      seeds.add(seed);
      log.info({ service: name, key: seed.keyIdHash }, 'records are encrypted with another seed');
    },
    onKeyId: (keyIdHash) => counts.named(name, keyIdHash),
    onWrongKeyId: (error) => counts.wrongKeyId(name, error),
    onHealth(why) {
      if (why === undefined) log.info({ service: name }, 'the key service is well');
      else log.error({ service: name, socket: wanted.socket, why }, 'the key service is not well');
    },
  });
  const key = serviceKey(name, {
    service,
    writer,
    seeds,
    clock,
    timers,
    isOver: () => isOver,
    onUse: (direction, keyIdHash) => counts.used(direction, name, keyIdHash),
    onLost: (why) =>
      log.error({ service: name, why }, 'the key service does not decrypt seeds of records'),
  });
  return {
    wanted,
    key,
    writer,
    close() {
      isOver = true;
      writer.stop();
      service.close();
    },
  };
}

function isSame(one: WantedKeyService, other: WantedKeyService): boolean {
  const { name, socket, timeoutMs } = other;
  return one.name === name && one.socket === socket && one.timeoutMs === timeoutMs;
}

async function wellInTime(
  services: readonly OpenService[],
  { timers }: KeyServicesDeps,
): Promise<void> {
  if (services.length === 0) return;
  let isInTime = false;
  const well = Promise.all(services.map(({ writer }) => writer.start())).then(() => {
    isInTime = true;
  });
  await Promise.race([well, sleep(timers, graceMs(services))]);
  if (isInTime) return;
  const asked = services.map(async ({ wanted, writer }) => ({ wanted, why: await writer.check() }));
  const unwell = (await Promise.all(asked)).filter(({ why }) => why !== undefined);
  const problems = unwell.map(({ wanted, why }) => `${wanted.name} is not well: ${why ?? ''}`);
  if (problems.length > 0) throw new NotYet(`key services: ${problems.join('; ')}`);
}

function graceMs(services: readonly OpenService[]): number {
  let ms = 0;
  for (const { wanted } of services) ms += 2 * wanted.timeoutMs;
  return Math.max(ms, graceMsMin);
}

function closeAll(services: readonly OpenService[]): void {
  for (const each of services) each.close();
}
