/** `sluice verify`: a sound store is said to be sound, a damaged one names what is damaged. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { encodeObject } from '../../src/apimachinery/object-encoding.ts';
import { verifyFoundationdb } from '../../src/server/commands/verify-store.ts';
import { systemClock } from '../../src/stdx/clock.ts';
import { createKeys } from '../../src/storage/fdb/layout.ts';
import { encodeKey } from '../../src/storage/lmdb/layout.ts';
import { openLmdbStorage } from '../../src/storage/lmdb/lmdb-storage.ts';
import { lmdbDefaults, openEnvironment } from '../../src/storage/lmdb/tables.ts';
import { encodeRecord } from '../../src/storage/record-codec.ts';
import type { Precondition, Revision, Storage } from '../../src/storage/storage.ts';
import { absent, commitOne, key, written } from '../contract/storage-fixture.ts';
import { createServers, doublePrefix } from '../support/servers/fdb-servers.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { runToEnd } from '../support/servers/server-process.ts';

const directories = testDirectories('sluice-verify');
after(() => directories.removeAll());

async function write(
  storage: Storage,
  name: string,
  expect: Precondition = absent,
): Promise<Revision> {
  const metadata = { name, namespace: 'default', uid: name };
  const { bytes, metadataAt } = encodeObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
  const record = { uid: name, labels: {}, fields: {}, metadataAt, object: bytes };
  const value = encodeRecord(record, { key: key(name), state: 'live' });
  const operation = { kind: 'put', state: 'live', value } as const;
  return commitOne(storage, { key: key(name), expect, conditions: [], operation });
}

function altered(bytes: Buffer | undefined, at: number): Buffer {
  assert(bytes !== undefined);
  const changed = Buffer.from(bytes);
  const index = at < 0 ? changed.length + at : at;
  changed[index] = (changed[index] as number) ^ 1;
  return changed;
}

describe('sluice verify on LMDB', () => {
  it('says of a sound store what it holds, and ends with 0', async () => {
    const path = directories.make();
    const storage = await openLmdbStorage({ path, identity: 'svc', clock: systemClock });
    await write(storage, 'a');
    await storage.close();
    const end = await runToEnd(['verify', `--data-dir=${path}`]);
    assert.equal(end.code, 0, end.stderr);
    assert.match(end.stderr, /is sound: 1 records, 1 changes, 0 superseded records, identity=svc/);
  });

  it('names each damaged record, also a superseded one, and nothing else; ends with 1', async () => {
    const path = directories.make();
    const storage = await openLmdbStorage({ path, identity: 'svc', clock: systemClock });
    await write(storage, 'good');
    await write(storage, 'value');
    await write(storage, 'head');
    const before = await write(storage, 'old');
    const replaced = await write(storage, 'old', written(before));
    await storage.close();
    const tables = openEnvironment(path, lmdbDefaults.mapBytes);
    for (const [name, at] of [
      ['value', -1],
      ['head', 7],
    ] as const) {
      const name_ = encodeKey(key(name));
      await tables.cur.put(name_, altered(tables.cur.getBinary(name_), at));
    }
    for (const { key: name, value } of [...tables.old.getRange({})]) {
      await tables.old.put(name, altered(value, -1));
    }
    await tables.root.close();
    const end = await runToEnd(['verify', `--data-dir=${path}`]);
    assert.equal(end.code, 1, end.stderr);
    assert.deepEqual(end.stderr.trim().split('\n').slice(1).sort(), [
      `  /configmaps/default/head: the checksum of the record's head is wrong`,
      `  /configmaps/default/old as it was before ${replaced}: the checksum of the record is wrong`,
      '  /configmaps/default/value: the checksum of the record is wrong',
    ]);
    assert.match(end.stderr, /is damaged in 3 places:/);

    // A copy is better than none; it has the same records, as unreadable as they were.
    const copy = `${directories.make()}/copy`;
    const copied = await runToEnd(['backup', `--data-dir=${path}`, `--to=${copy}`]);
    assert.equal(copied.code, 0, copied.stderr);
    const checked = await runToEnd(['verify', `--data-dir=${copy}`]);
    assert.equal(checked.code, 1, checked.stderr);
    assert.deepEqual(checked.stderr.trim().split('\n').slice(1).sort(), [
      '  /configmaps/default/head: the checksum of the record is wrong',
      '  /configmaps/default/value: the checksum of the record is wrong',
    ]);
    const exported = await runToEnd(['export', `--data-dir=${path}`, `--output=${path}/export`]);
    assert.equal(exported.code, 2, exported.stderr);
    assert.match(exported.stderr, /\/configmaps\/default\/head cannot be exported/);
  });

  it('says where there is no store, and that memory keeps none', async () => {
    const none = await runToEnd(['verify', `--data-dir=${directories.make()}`]);
    assert.deepEqual([none.code, /there is no store/.test(none.stderr)], [2, true], none.stderr);
    const memory = await runToEnd(['verify', '--store=memory']);
    assert.deepEqual([memory.code, /memory keeps nothing/.test(memory.stderr)], [2, true]);
  });
});

describe('sluice verify on FoundationDB', () => {
  it('names each damaged record beside a live server', async () => {
    const servers = createServers();
    const storage = await servers.open();
    for (const name of ['good', 'value', 'head']) await write(storage, name);
    const verify = (): Promise<string> =>
      verifyFoundationdb({ db: servers.double.connect(), prefix: doublePrefix }, 'the store');
    const sound = /the store is sound: 3 records, 3 changes, 0 superseded records, identity=svc/;
    assert.match(await verify(), sound);
    const transaction = servers.double.connect().begin({ timeoutMs: 1000 });
    for (const [name, at] of [
      ['value', -1],
      ['head', 0],
    ] as const) {
      const place = createKeys(doublePrefix).current(key(name));
      transaction.set(place, altered(await transaction.get(place, 'serializable'), at));
    }
    await transaction.commit();
    await assert.rejects(verify, {
      name: 'StoreDamaged',
      message: [
        'the store is damaged in 2 places:',
        "  /configmaps/default/head: the record's head is damaged",
        '  /configmaps/default/value: the checksum of the record is wrong',
      ].join('\n'),
    });
    await servers.closeAll();
  });
});
