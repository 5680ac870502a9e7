/**
 * What is stored encrypted, as the file of `--encryption-provider-config` says: read at the start,
 * and again when it changes, if that is asked for.
 *
 * Invariants: a start fails on a file that is wrong. One that is wrong when it is read again
 * changes nothing, is logged and counted. What is in memory stays as it is: keys count when a
 * record is written or read.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { internalGroup } from '../../admission/companions/allocation-records.ts';
import {
  entriesWithKeys,
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

export interface FollowEncryptionDeps extends FollowDeps {
  /** A large file is read in turns with everybody else. Absent: nobody else is there. */
  readonly turns?: Pick<Turns, 'run'> | undefined;
}

export interface StoreEncryption {
  readonly codec: RecordCodec;
  /** From now on the file is read again when it changes, if that was asked for. */
  follow(deps: FollowEncryptionDeps): FollowedConfiguration;
}

const notFollowed: FollowedConfiguration = { series: [], stop: () => undefined };

/** `identities`: whose names the file may be written in. @throws OptionsError. */
export async function readEncryption(
  { encryption }: Pick<CompletedConfig, 'encryption'>,
  ...identities: readonly Identity[]
): Promise<StoreEncryption> {
  if (encryption === undefined) return { codec: plainRecords, follow: () => notFollowed };
  const bytes = readOptionFile(flag, encryption.file);
  const keys = createResourceKeys(internalGroup);
  keys.use(await entriesWithKeys(finished(wantedEntries(encryption, bytes, identities))));
  return {
    codec: encryptedRecords(keys),
    follow: (deps) =>
      encryption.reloads ? followFile(encryption, bytes, keys, identities, deps) : notFollowed,
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

function followFile(
  options: EncryptionOptions,
  first: Uint8Array,
  keys: ResourceKeys,
  identities: readonly Identity[],
  deps: FollowEncryptionDeps,
): FollowedConfiguration {
  const { turns } = deps;
  const take = async (bytes: Uint8Array, isStopped: () => boolean): Promise<boolean> => {
    const steps = wantedEntries(options, bytes, identities);
    const wanted = turns === undefined ? finished(steps) : await runToEnd(turns, steps);
    const entries = await entriesWithKeys(wanted);
    if (isStopped()) return false;
    keys.use(entries);
    return true;
  };
  return followConfiguration('encryption', { file: options.file, bytes: first }, take, deps);
}
