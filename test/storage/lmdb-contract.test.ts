import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { systemClock } from '../../src/stdx/clock.ts';
import { openLmdbStorage } from '../../src/storage/lmdb/lmdb-storage.ts';
import type { LmdbStorage } from '../../src/storage/lmdb/lmdb-storage.ts';
import type { ChangeRingLimits } from '../../src/storage/change-ring.ts';
import { counterRules as rules } from '../contract/companion-rules.ts';
import { storageContract } from '../contract/storage-contract.ts';
import type { StorageFixture } from '../contract/storage-fixture.ts';
import { testDirectories } from '../support/data/test-directories.ts';

function lmdbFixture(ringLimits?: ChangeRingLimits): StorageFixture {
  const directories = testDirectories('sluice-lmdb-contract');
  const opened: LmdbStorage[] = [];
  return {
    async open() {
      const options = { identity: 'svc', clock: systemClock, ringLimits, rules };
      const storage = await openLmdbStorage({ ...options, path: directories.make() });
      opened.push(storage);
      return {
        ...storage,
        async close() {
          // Whatever a test did, it must leave a store whose tables agree.
          if (opened.includes(storage)) {
            opened.splice(opened.indexOf(storage), 1);
            await storage.revision();
            assert.deepEqual(storage.verify().problems, []);
          }
          await storage.close();
        },
      };
    },
    singleWriterBecause: 'one process, one Storage per directory: the second opener is refused',
    async cleanUp() {
      for (const storage of opened.splice(0)) {
        assert.deepEqual(storage.verify().problems, []);
        await storage.close();
      }
      await directories.removeAll();
    },
  };
}

describe('lmdb storage', () => {
  storageContract('lmdb', lmdbFixture());
  storageContract('lmdb, followers read the log', lmdbFixture({ changesMax: 2, bytesMax: 1000 }));
});
