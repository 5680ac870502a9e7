import { describe } from 'node:test';
import { systemClock } from '../../src/stdx/clock.ts';
import {
  createMemoryMedium,
  createMemoryStorage,
} from '../../src/storage/memory/memory-storage.ts';
import type { MemoryMedium } from '../../src/storage/memory/memory-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { counterRules as rules } from '../contract/companion-rules.ts';
import { storageContract } from '../contract/storage-contract.ts';
import type { StorageFixture } from '../contract/storage-fixture.ts';

function memoryFixture(revisionStep: bigint): StorageFixture {
  const media = new WeakMap<Storage, MemoryMedium>();
  return {
    open() {
      const medium = createMemoryMedium();
      const storage = createMemoryStorage({ clock: systemClock, medium, revisionStep, rules });
      media.set(storage, medium);
      return Promise.resolve(storage);
    },
    openSecond(first) {
      const medium = media.get(first);
      return Promise.resolve(
        createMemoryStorage({ clock: systemClock, medium, revisionStep, rules }),
      );
    },
    cleanUp: () => Promise.resolve(),
  };
}

describe('memory storage', () => {
  storageContract('memory', memoryFixture(1n));
  storageContract('memory, revisions with gaps', memoryFixture(4096n));
});
