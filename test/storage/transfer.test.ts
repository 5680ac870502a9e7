import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import { seededPrng, systemPrng } from '../../src/stdx/prng.ts';
import { openFdbStorage } from '../../src/storage/fdb/fdb-storage.ts';
import { openFdbExport, openFdbImport } from '../../src/storage/fdb/fdb-transfer.ts';
import { openLmdbStorage } from '../../src/storage/lmdb/lmdb-storage.ts';
import { openLmdbExport, openLmdbImport } from '../../src/storage/lmdb/lmdb-transfer.ts';
import { createMemoryImport } from '../support/doubles/memory-import.ts';
import {
  createMemoryMedium,
  createMemoryStorage,
} from '../../src/storage/memory/memory-storage.ts';
import { exportOf } from '../../src/storage/transfer.ts';
import { commitOne, absent, key, put, written, scanAll } from '../contract/storage-fixture.ts';
import { exported, imported, transferContract } from '../contract/transfer-contract.ts';
import type { TransferFixture, TransferPlace } from '../contract/transfer-contract.ts';
import { createFdbDouble } from '../support/doubles/fdb-double.ts';
import type { FdbDouble } from '../support/doubles/fdb-double.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const clock = systemClock;

function memoryFixture(revisionStep: bigint): TransferFixture {
  return {
    place() {
      const medium = createMemoryMedium();
      const open = async () =>
        Promise.resolve(createMemoryStorage({ clock, medium, revisionStep }));
      return {
        openImport: () => Promise.resolve(createMemoryImport(medium)),
        openStorage: open,
        openExport: async () => exportOf(await open(), 'svc'),
      };
    },
    cleanUp: () => Promise.resolve(),
  };
}

function lmdbFixture(): TransferFixture {
  const directories = testDirectories('sluice-transfer');
  return {
    place() {
      const path = directories.make();
      return {
        openImport: () => openLmdbImport(path),
        openExport: () => openLmdbExport(path, clock),
        async openStorage() {
          const storage = await openLmdbStorage({ path, identity: 'svc', clock });
          assert.deepEqual(storage.verify().problems, []);
          return {
            ...storage,
            close() {
              assert.deepEqual(storage.verify().problems, []);
              return storage.close();
            },
          };
        },
      };
    },
    cleanUp: () => Promise.resolve(directories.removeAll()),
  };
}

function doubleFixture(withFaults = false): TransferFixture {
  let placesCount = 0;
  const doubles: FdbDouble[] = [];
  return {
    place() {
      const nowMs = (): number => clock.monotonicMs();
      const double = createFdbDouble({ nowMs, timers: systemTimers });
      doubles.push(double);
      if (withFaults) {
        placesCount += 1;
        const prng = seededPrng(placesCount);
        double.faults.rates = { prng, readOneIn: 200, commitOneIn: 5, watchOneIn: 0 };
      }
      const options = () => ({ db: double.connect(), prefix: 'moved', prng: systemPrng() });
      return {
        openImport: () => Promise.resolve(openFdbImport(options())),
        openExport: () => openFdbExport(options()),
        openStorage: () =>
          openFdbStorage({
            ...options(),
            identity: 'svc',
            clock,
            timers: systemTimers,
            requestTimeoutMs: 60_000,
          }),
      };
    },
    cleanUp() {
      // Each kind of fault has struck, or the run proves less than it says.
      const struck = new Set(doubles.flatMap((double) => [...double.faults.struck.keys()]));
      assert.equal(struck.size > 6, withFaults, [...struck].join());
      return Promise.resolve();
    },
  };
}

transferContract('memory', memoryFixture(1n));
transferContract('memory, revisions with gaps', memoryFixture(4096n));
transferContract('lmdb', lmdbFixture());
transferContract('fdb, on the double', doubleFixture());
transferContract('fdb, on the double, with faults', doubleFixture(true));

describe('moving between stores', () => {
  it('lmdb to FoundationDB to lmdb: every step keeps every revision and goes on above', async () => {
    const [lmdb, fdb] = [lmdbFixture(), doubleFixture()];
    const places: readonly TransferPlace[] = [lmdb.place(), fdb.place(), lmdb.place(), fdb.place()];
    const kept = new Map<string, bigint>();
    let newest = 0n;
    for (const [i, place] of places.entries()) {
      const before = places[i - 1];
      if (before !== undefined) await imported(place, await exported(before));
      const storage = await place.openStorage();
      for (const each of await scanAll(storage, '', undefined, 50)) {
        if (i > 0) assert.equal(each.revision, kept.get(each.key), `${each.key} in step ${i}`);
      }
      const revision = await commitOne(
        storage,
        put(key(`step-${i}`), absent, 'x'.repeat(i * 9000)),
      );
      assert.ok(revision > newest);
      newest = await commitOne(storage, put(key(`step-${i}`), written(revision), 'again'));
      kept.set(key(`step-${i}`), newest);
      await storage.close();
    }
    await lmdb.cleanUp();
  });
});
