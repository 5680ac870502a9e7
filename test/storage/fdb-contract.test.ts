import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import { seededPrng, systemPrng } from '../../src/stdx/prng.ts';
import { openFdbStorage } from '../../src/storage/fdb/fdb-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { counterRules as rules } from '../contract/companion-rules.ts';
import { storageContract } from '../contract/storage-contract.ts';
import type { StorageFixture } from '../contract/storage-fixture.ts';
import { createFdbDouble } from '../support/doubles/fdb-double.ts';
import type { FdbDouble } from '../support/doubles/fdb-double.ts';
import { sameVersion } from '../support/servers/fdb-servers.ts';

/** The seed of the run with faults; another one may be tried with SLUICE_FDB_SEED. */
const seed = Number(process.env.SLUICE_FDB_SEED ?? 1);

function doubleFixture(withFaults: boolean): StorageFixture {
  const doubles = new WeakMap<Storage, FdbDouble>();
  const opened: Storage[] = [];
  let storesCount = 0;
  const open = async (double: FdbDouble): Promise<Storage> => {
    const storage = await openFdbStorage({
      db: double.connect(),
      prefix: 'contract',
      identity: 'svc',
      clock: systemClock,
      timers: systemTimers,
      prng: systemPrng(),
      requestTimeoutMs: 60_000,
      rules,
      mayBeMissed: (key) => key.endsWith('/epoch'),
    });
    doubles.set(storage, double);
    opened.push(storage);
    return storage;
  };
  return {
    async open() {
      const nowMs = (): number => systemClock.monotonicMs();
      const double = createFdbDouble({ nowMs, timers: systemTimers });
      if (withFaults) {
        storesCount += 1;
        const prng = seededPrng(seed * 1000 + storesCount);
        double.faults.rates = { prng, readOneIn: 200, commitOneIn: 8, watchOneIn: 5 };
      }
      return open(double);
    },
    openSecond: (first) => open(doubles.get(first) as FdbDouble),
    refusesFreelyBecause: "a record may be another server's to write next (contention.ts)",
    mayTie: sameVersion,
    async cleanUp() {
      const struck = new Set(
        opened.flatMap((s) => [...(doubles.get(s)?.faults.struck.keys() ?? [])]),
      );
      // Each kind of fault has struck, or the run proves less than it says.
      assert.equal(struck.size, withFaults ? 10 : 0);
      for (const storage of opened.splice(0)) await storage.close();
    },
  };
}

describe('fdb storage, on the double', () => {
  storageContract('fdb', doubleFixture(false));
  storageContract('fdb, with faults', doubleFixture(true));
});
