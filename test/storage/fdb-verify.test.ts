/** On the double what test/storage/fdb-cluster.ts runs on a cluster; and stores that were moved. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededPrng } from '../../src/stdx/prng.ts';
import { openFdbImport } from '../../src/storage/fdb/fdb-transfer.ts';
import { verifyFdb } from '../../src/storage/fdb/fdb-verify.ts';
import { createKeys } from '../../src/storage/fdb/layout.ts';
import { beginEra } from '../../src/storage/fdb/open-store.ts';
import type { Revision } from '../../src/storage/storage.ts';
import { fdbVerifyTests } from '../contract/fdb-verify.ts';
import { absent, commitOne, key, put, written } from '../contract/storage-fixture.ts';
import { createServers, doublePrefix } from '../support/servers/fdb-servers.ts';

const sound = (): undefined => undefined;

fdbVerifyTests(() => {
  const servers = createServers();
  return {
    prefix: doublePrefix,
    connect: () => servers.double.connect(),
    open: () => servers.open(),
    cleanUp: () => servers.closeAll(),
  };
});

describe('a check of a FoundationDB store that was moved', () => {
  it('finds a store sound whose history was forgotten, before and after it is compacted', async () => {
    const servers = createServers();
    const storage = await servers.open();
    const first = await commitOne(storage, put(key('a'), absent));
    await commitOne(storage, put(key('a'), written(first)));
    await storage.close();
    const db = servers.double.connect();
    await beginEra(db, createKeys(doublePrefix), doublePrefix);
    const check = () => verifyFdb({ db: servers.double.connect(), prefix: doublePrefix }, sound);
    assert.deepEqual((await check()).problems, []);
    const again = await servers.open();
    await commitOne(again, put(key('b'), absent));
    assert.deepEqual((await check()).problems, []);
    await again.compact(await again.revision());
    const { problems, changesCount, supersededCount } = await check();
    assert.deepEqual([problems, changesCount, supersededCount], [[], 0, 0]);
    await servers.closeAll();
  });

  it('finds a store sound that was imported, and written since', async () => {
    const servers = createServers();
    const db = servers.double.connect();
    const target = openFdbImport({ db, prefix: doublePrefix, prng: seededPrng(1) });
    const revision = 70_000n as Revision;
    const header = { identity: 'svc', revision, compactRevision: revision };
    await target.begin(header, { force: false });
    const value = new Uint8Array(3);
    await target.put([{ key: key('a'), revision: 65_000n as Revision, state: 'live', value }]);
    await target.finish();
    const storage = await servers.open();
    await commitOne(storage, put(key('a'), written(65_000n as Revision)));
    const report = await verifyFdb({ db: servers.double.connect(), prefix: doublePrefix }, sound);
    assert.deepEqual(report.problems, []);
    assert.deepEqual([report.recordsCount, report.changesCount], [1, 1]);
    await servers.closeAll();
  });
});
