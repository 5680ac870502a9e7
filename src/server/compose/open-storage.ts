/**
 * The store that the options name, opened; and the directory that it, the keys and the
 * kubeconfig lie in.
 *
 * Elsewhere: stores that are moved, copied and checked (store-commands.ts).
 */
import { objectStates } from '../../../actors/actors.ts';
import {
  isCompanionConditionKey,
  isEpochKey,
} from '../../admission/companions/allocation-records.ts';
import { companionRules } from '../../admission/companions/companion-rules.ts';
import type { CompanionCodec } from '../../admission/companions/companion-rules.ts';
import { isConditionKey } from '../../registry/creation-conditions.ts';
import { makeDirectory } from '../../stdx/make-directory.ts';
import type { Clock, Timers } from '../../stdx/clock.ts';
import { systemPrng } from '../../stdx/prng.ts';
import { openFdbStorage } from '../../storage/fdb/fdb-storage.ts';
import { openFoundationdb } from '../../storage/fdb/foundationdb-binding.ts';
import { lockDirectory } from '../../storage/lmdb/directory-lock.ts';
import type { DirectoryLock } from '../../storage/lmdb/directory-lock.ts';
import { openLmdbStorage } from '../../storage/lmdb/lmdb-storage.ts';
import { reserveLimits } from '../../storage/lmdb/reserve.ts';
import { createMemoryStorage } from '../../storage/memory/memory-storage.ts';
import type { CompanionRules, Storage, StoreKey } from '../../storage/storage.ts';
import type { Log } from './log.ts';
import { memoryRoom, warnOfMemory } from './store-memory.ts';
import type { CompletedConfig } from '../config/options.ts';

/** What a store needs to know of records; all servers over one store must say the same. */
export const testedRecords = {
  mayBeTested: (key: StoreKey) => isConditionKey(key) || isCompanionConditionKey(key),
  mayBeMissed: isEpochKey,
};

/** The store's place, taken before anything is written there; undefined: others may have it too.
 * @throws StorageError. */
export async function holdStorage(config: CompletedConfig): Promise<DirectoryLock | undefined> {
  return config.store === 'lmdb' ? lockDirectory(config.dataDir) : undefined;
}

/** `lock`: held by now, and released with the store. @throws StorageError. */
export async function openStorage(
  config: CompletedConfig,
  clock: Clock,
  timers: Timers,
  log: Log,
  codec: CompanionCodec,
  lock?: DirectoryLock,
): Promise<Storage> {
  const rules = companionRules(codec);
  switch (config.store) {
    case 'memory':
      return createMemoryStorage({ clock, rules });
    case 'lmdb':
      return openLmdb(config, clock, timers, log, rules, lock);
    case 'fdb':
      return openFdbStorage({
        db: openFoundationdb(config.fdbClusterFile),
        prefix: config.fdbPrefix,
        identity: config.identity,
        clock,
        timers,
        prng: systemPrng(),
        requestTimeoutMs: config.requestTimeoutMs,
        ...testedRecords,
        rules,
      });
  }
}

async function openLmdb(
  config: CompletedConfig,
  clock: Clock,
  timers: Timers,
  log: Log,
  rules: CompanionRules,
  lock: DirectoryLock | undefined,
): Promise<Storage> {
  const storage = await openLmdbStorage({
    path: config.dataDir,
    identity: config.identity,
    lock,
    clock,
    rules,
    room: {
      timers,
      reserveBytes: reserveLimits.bytes,
      isEnding,
      onFull(full) {
        if (full) log.error({}, 'the store is full: only deletions are written');
        else log.info({}, 'the store has room again');
      },
    },
  });
  warnOfMemory(log, storage.size(), memoryRoom(), config.workers);
  return storage;
}

/** Whether an object in this state is being deleted. */
export function isEnding(state: string): boolean {
  return state === objectStates.finalizing;
}

/** A new directory is its owner's alone: secrets will be in it. */
export function makeDataDir(dataDir: string): void {
  try {
    makeDirectory(dataDir, 0o700);
  } catch {
    // The code that needs the directory reports what is wrong with it.
  }
}
