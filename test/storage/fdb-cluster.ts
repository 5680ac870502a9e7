/**
 * The storage contract on a real FoundationDB: `npm run test:fdb`, with FDB_CLUSTER_FILE set.
 *
 * It writes under prefixes of its own, `sluice-test-<random>`, and clears them at the end.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import { systemPrng } from '../../src/stdx/prng.ts';
import { openFdbStorage } from '../../src/storage/fdb/fdb-storage.ts';
import { openFoundationdb } from '../../src/storage/fdb/foundationdb-binding.ts';
import { runWrite } from '../../src/storage/fdb/transactions.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { storageContract } from '../contract/storage-contract.ts';
import type { StorageFixture } from '../contract/storage-fixture.ts';

const clusterFile = process.env.FDB_CLUSTER_FILE;
const prng = systemPrng();

function clusterFixture(file: string): StorageFixture {
  const prefixes = new Map<Storage, string>();
  const open = async (prefix: string): Promise<Storage> => {
    const storage = await openFdbStorage({
      db: openFoundationdb(file),
      prefix,
      identity: 'svc',
      clock: systemClock,
      timers: systemTimers,
      prng,
    });
    prefixes.set(storage, prefix);
    return storage;
  };
  return {
    open: () => open(`sluice-test-${prng.uuid()}`),
    openSecond: (first) => open(prefixes.get(first) as string),
    async cleanUp() {
      for (const storage of prefixes.keys()) await storage.close();
      const db = openFoundationdb(file);
      for (const prefix of new Set(prefixes.values())) {
        const [begin, end] = [Buffer.from(`${prefix}\0`), Buffer.from(`${prefix}\x01`)];
        const clear = (transaction: { clearRange(begin: Buffer, end: Buffer): void }) =>
          Promise.resolve(transaction.clearRange(begin, end));
        await runWrite(db, clear, { timeoutMs: 10_000 });
      }
      db.close();
    },
  };
}

describe('fdb storage, on a cluster', () => {
  if (clusterFile === undefined) {
    it('needs FDB_CLUSTER_FILE', () => assert.fail('set FDB_CLUSTER_FILE to a cluster file'));
  } else {
    storageContract('fdb', clusterFixture(clusterFile));
  }
});
