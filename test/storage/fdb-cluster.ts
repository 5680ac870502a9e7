/**
 * The storage and transfer contracts, a check, and a backup, on a real FoundationDB: `npm run test:fdb`,
 * with FDB_CLUSTER_FILE set, and FDB_BIN where its programs are not in PATH.
 *
 * It writes under prefixes of its own, `sluice-test-<random>`, and clears them at the end.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import { systemPrng } from '../../src/stdx/prng.ts';
import { openFdbStorage } from '../../src/storage/fdb/fdb-storage.ts';
import { openFdbExport, openFdbImport } from '../../src/storage/fdb/fdb-transfer.ts';
import { openFoundationdb } from '../../src/storage/fdb/foundationdb-binding.ts';
import type { Revision, Storage } from '../../src/storage/storage.ts';
import { clearStore, fdbBackupTests } from '../contract/fdb-backup.ts';
import { fdbVerifyTests } from '../contract/fdb-verify.ts';
import { counterRules as rules } from '../contract/companion-rules.ts';
import { storageContract } from '../contract/storage-contract.ts';
import { absent, applied, commitOne, key, put, written } from '../contract/storage-fixture.ts';
import type { StorageFixture } from '../contract/storage-fixture.ts';
import { transferContract } from '../contract/transfer-contract.ts';
import type { TransferFixture } from '../contract/transfer-contract.ts';
import { sameVersion } from '../support/servers/fdb-servers.ts';

const clusterFile = process.env.FDB_CLUSTER_FILE;
const prng = systemPrng();

function clusterFixture(file: string): StorageFixture {
  const prefixes = new Map<Storage, string>();
  const open = async (prefix: string): Promise<Storage> => {
    const storage = await openStore(file, prefix);
    prefixes.set(storage, prefix);
    return storage;
  };
  return {
    open: () => open(`sluice-test-${prng.uuid()}`),
    openSecond: (first) => open(prefixes.get(first) as string),
    refusesFreelyBecause: "a record may be another server's to write next (contention.ts)",
    mayTie: sameVersion,
    runs: 10,
    async cleanUp() {
      for (const storage of prefixes.keys()) await storage.close();
      for (const prefix of new Set(prefixes.values())) await clearStore(file, prefix);
    },
  };
}

function transferFixture(file: string): TransferFixture {
  const prefixes: string[] = [];
  return {
    place() {
      const prefix = `sluice-test-${prng.uuid()}`;
      prefixes.push(prefix);
      const options = () => ({ db: openFoundationdb(file), prefix, prng });
      return {
        openImport: () => Promise.resolve(openFdbImport(options())),
        openExport: () => openFdbExport(options()),
        openStorage: () => openStore(file, prefix),
      };
    },
    async cleanUp() {
      for (const prefix of prefixes) await clearStore(file, prefix);
    },
    runs: 3,
  };
}

function openStore(file: string, prefix: string): Promise<Storage> {
  return openFdbStorage({
    db: openFoundationdb(file),
    prefix,
    identity: 'svc',
    clock: systemClock,
    timers: systemTimers,
    prng,
    requestTimeoutMs: 60_000,
    rules,
    mayBeMissed: (key) => key.endsWith('/epoch'),
  });
}

/** One server creates on a state for as long as it can, the other one changes the state. */
async function testsBeforeChanges(file: string): Promise<void> {
  const prefix = `sluice-test-${prng.uuid()}`;
  // The changing one has the lower slot.
  const [changes, tests] = [await openStore(file, prefix), await openStore(file, prefix)];
  for (let round = 0; round < 30; round += 1) {
    const space = key(`space-${round}`);
    const made = await commitOne(changes, put(space, absent));
    const conditions = [{ key: space, state: 'live' }];
    const created: Revision[] = [];
    const create = async (): Promise<void> => {
      for (let n = 0; ; n += 1) {
        const name = key(`content-${round}-${n}`);
        const [outcome] = await tests.commit([put(name, absent, 'v', { conditions })]);
        if (outcome?.kind === 'condition-failed') return;
        created.push(applied(outcome));
      }
    };
    const creating = create();
    while (created.length < 3) await new Promise((resolve) => setImmediate(resolve));
    const marked = put(space, written(made), 'marked', { state: 'finalizing' });
    const mark = await commitOne(changes, marked);
    await creating;
    for (const each of created) assert.ok(each < mark, `${each} stands behind ${mark}`);
  }
  await changes.close();
  await tests.close();
  await clearStore(file, prefix);
}

describe('fdb storage, on a cluster', () => {
  if (clusterFile === undefined) {
    it('needs FDB_CLUSTER_FILE', () => assert.fail('set FDB_CLUSTER_FILE to a cluster file'));
  } else {
    storageContract('fdb', clusterFixture(clusterFile));
    transferContract('fdb', transferFixture(clusterFile));
    fdbVerifyTests(() => {
      const prefix = `sluice-test-${prng.uuid()}`;
      return {
        prefix,
        connect: () => openFoundationdb(clusterFile),
        open: () => openStore(clusterFile, prefix),
        cleanUp: () => clearStore(clusterFile, prefix),
      };
    });
    it('puts no test of a state behind its change in the log, over two servers', () =>
      testsBeforeChanges(clusterFile));
    const prefix = `sluice-test-${prng.uuid()}`;
    fdbBackupTests({ clusterFile, prefix, open: () => openStore(clusterFile, prefix) });
  }
});
