/**
 * What is stored encrypted, as the file of `--encryption-provider-config` says: read at the start,
 * and again when it changes, if that is asked for.
 *
 * Invariants: a start fails on a file that is wrong. It waits for key services that are not well
 * only where they have keys of what the server decides by (awaited-resources.ts). A file that is
 * wrong when it is read again, or names a key service that is not well, changes nothing, is logged
 * and counted. What is in memory stays as it is: keys count when a record is written or read.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { internalGroup } from '../../admission/companions/allocation-records.ts';
import {
  entriesWithKeys,
  keyServicesOf,
  readEncryptionConfiguration,
} from '../../encryption/encryption-configuration.ts';
import type { WantedEntry } from '../../encryption/encryption-configuration.ts';
import { createResourceKeys } from '../../encryption/resource-keys.ts';
import type { ResourceKeys } from '../../encryption/resource-keys.ts';
import { finished, runToEnd } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { Turns } from '../../stdx/turns.ts';
import { encryptedRecords, plainRecords } from '../../storage/encrypted-records.ts';
import type { RecordCodec } from '../../storage/encrypted-records.ts';
import { readOptionFile } from '../config/option-files.ts';
import { OptionsError } from '../config/option-values.ts';
import type { CompletedConfig, EncryptionOptions } from '../config/options.ts';
import { followConfiguration } from './followed-configuration.ts';
import type { FollowDeps, FollowedConfiguration } from './followed-configuration.ts';
import { createKeyServices } from './key-services.ts';
import type { KeyServices, SeedStorage } from './key-services.ts';

export interface FollowEncryptionDeps extends FollowDeps {
  /** A large file is read in turns with everybody else. Absent: nobody else is there. */
  readonly turns?: Pick<Turns, 'run'> | undefined;
}

export interface StoreEncryption {
  readonly codec: RecordCodec;
  /** Whether all key services are well. Undefined: there are none, and none can come. */
  readonly servicesHealthy: (() => Promise<boolean>) | undefined;
  /** Asks the key services of this store how they are, from now on. Resolves when all are well, or
   * at close(); unless `untilWell`, also after some seconds. */
  start(storage: SeedStorage, untilWell: boolean): Promise<void>;
  /** From now on the file is read again when it changes, if that was asked for. */
  follow(deps: FollowEncryptionDeps): FollowedConfiguration;
  /** Ends what start() has begun. */
  close(): void;
}

const nothingEncrypted: StoreEncryption = {
  codec: plainRecords,
  servicesHealthy: undefined,
  start: () => Promise.resolve(),
  follow: () => ({ series: [], stop: () => undefined }),
  close: () => undefined,
};

/** `identities`: whose names the file may be written in. @throws OptionsError. */
export async function readEncryption(
  { encryption }: Pick<CompletedConfig, 'encryption'>,
  deps: FollowDeps,
  ...identities: readonly Identity[]
): Promise<StoreEncryption> {
  if (encryption === undefined) return nothingEncrypted;
  const bytes = readOptionFile(flag, encryption.file);
  const keys = createResourceKeys(internalGroup);
  const services = createKeyServices(deps);
  const wanted = finished(wantedEntries(encryption, bytes, identities));
  await putInForce(wanted, keys, services, () => Promise.resolve(true));
  const hasHealth = encryption.reloads || services.isAnyUsed();
  return {
    codec: encryptedRecords(keys),
    servicesHealthy: hasHealth ? () => services.healthy() : undefined,
    start: (storage, untilWell) => services.start(storage, untilWell),
    follow(following) {
      const { series, stop } = encryption.reloads
        ? followFile({ encryption, bytes, keys, services, identities }, following)
        : nothingEncrypted.follow(following);
      return { series: [...series, ...services.series], stop };
    },
    close: () => services.stop(),
  };
}

const flag = 'encryption-provider-config';

/** @throws OptionsError. */
function* wantedEntries(
  { file }: EncryptionOptions,
  bytes: Uint8Array,
  identities: readonly Identity[],
): Steps<readonly WantedEntry[]> {
  const read = yield* readEncryptionConfiguration(bytes, identities);
  if (read.kind === 'ok') return read.entries;
  throw new OptionsError(`--${flag}: ${file}: ${read.problems.join('; ')}`);
}

/** All of it, or nothing. `ready`: whether it still should be, when it may. */
async function putInForce(
  wanted: readonly WantedEntry[],
  keys: ResourceKeys,
  services: KeyServices,
  ready: (well: () => Promise<void>) => Promise<boolean>,
): Promise<boolean> {
  const prepared = await services.prepare(keyServicesOf(wanted));
  try {
    const entries = await entriesWithKeys(wanted, (name) => prepared.keyOf(name));
    if (await ready(() => prepared.well())) {
      keys.use(entries);
      prepared.use();
      return true;
    }
  } catch (error) {
    prepared.discard();
    throw error;
  }
  prepared.discard();
  return false;
}

interface FollowedFile {
  readonly encryption: EncryptionOptions;
  readonly bytes: Uint8Array;
  readonly keys: ResourceKeys;
  readonly services: KeyServices;
  readonly identities: readonly Identity[];
}

function followFile(
  { bytes: first, encryption, identities, keys, services }: FollowedFile,
  deps: FollowEncryptionDeps,
): FollowedConfiguration {
  const { turns } = deps;
  const take = async (bytes: Uint8Array, isStopped: () => boolean): Promise<boolean> => {
    const steps = wantedEntries(encryption, bytes, identities);
    const wanted = turns === undefined ? finished(steps) : await runToEnd(turns, steps);
    return putInForce(wanted, keys, services, async (well) => {
      await well();
      return !isStopped();
    });
  };
  return followConfiguration('encryption', { file: encryption.file, bytes: first }, take, deps);
}
