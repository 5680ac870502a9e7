/** A file that is taken from under a running server takes no more writes: nobody would find them. */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { systemClock } from '../../src/stdx/clock.ts';
import { openLmdbStorage } from '../../src/storage/lmdb/lmdb-storage.ts';
import { openLmdbImport } from '../../src/storage/lmdb/lmdb-transfer.ts';
import { revisionZero } from '../../src/storage/storage.ts';
import type { Revision } from '../../src/storage/storage.ts';
import { absent, commitOne, key, ok, put } from '../contract/storage-fixture.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-opened-file');
after(() => directories.removeAll());

const ways: readonly (readonly [string, RegExp, (file: string) => void])[] = [
  ['is removed', /is gone/, (file) => rmSync(file)],
  [
    'is replaced',
    /was replaced by another file/,
    (file) => {
      copyFileSync(file, `${file}.copy`);
      renameSync(`${file}.copy`, file);
    },
  ],
  ['is cut short', /was cut short/, (file) => truncateSync(file, statSync(file).size - 4096)],
];

describe('the file of a store that is open', () => {
  for (const [name, message, harm] of ways) {
    it(`takes no more writes when it ${name}, and says why`, async () => {
      const directory = directories.make();
      const store = await openLmdbStorage({ path: directory, identity: 'svc', clock: systemClock });
      for (let i = 0; i < 20; i += 1) await commitOne(store, put(key(`a${i}`), absent));
      assert.equal(store.failure(), undefined);
      harm(path.join(directory, 'data.mdb'));
      await assert.rejects(store.commit([put(key('b'), absent)]), message);
      await assert.rejects(store.commit([put(key('c'), absent)]), message);
      assert.match(String(store.failure()?.message), message);
      await store.close();
    });
  }
});

describe('a store that is open', () => {
  const lookedAfterMs = 1_000;
  const harmed = async (harm: (file: string) => void) => {
    const directory = directories.make();
    let nowMs = 0;
    const clock = { ...systemClock, monotonicMs: () => nowMs };
    const store = await openLmdbStorage({ path: directory, identity: 'svc', clock });
    for (let i = 0; i < 200; i += 1) await commitOne(store, put(key(`a${i}`), absent));
    harm(path.join(directory, 'data.mdb'));
    nowMs += lookedAfterMs;
    return store;
  };
  const range = { prefix: '', after: undefined, limit: 10 };

  it('is not read any more when its file was cut short, which would end the process', async () => {
    const store = await harmed((file) => truncateSync(file, 2 * 4096));
    const message = /was cut short: put back a backup/;
    await assert.rejects(store.read(key('a7')), { code: 'io', message });
    await assert.rejects(store.scan(range), { code: 'io', message });
    await assert.rejects(store.changes(revisionZero, { limit: 9, previous: true }), { message });
    await assert.rejects(store.revision(), { message });
    await assert.rejects(store.compact(9n as Revision), { code: 'io', message });
    await assert.rejects(store.compact(9n as Revision), { code: 'io', message });
    await store.close();
  });

  it('is read as far as it was acknowledged when its file is removed under a write', async () => {
    const directory = directories.make();
    let whileWriting = (): void => undefined;
    const nowMs = (): number => (whileWriting(), systemClock.nowMs());
    const clock = { ...systemClock, nowMs };
    const store = await openLmdbStorage({ path: directory, identity: 'svc', clock });
    await commitOne(store, put(key('a'), absent));
    const acknowledged = await store.revision();
    whileWriting = () => rmSync(path.join(directory, 'data.mdb'));
    await assert.rejects(store.commit([put(key('b'), absent)]), { code: 'unknown' });
    assert.equal(await store.revision(), acknowledged, 'no follower is told of what came later');
    await store.close();
  });

  it('is read, and says that it is broken, when its file was removed', async () => {
    const store = await harmed((file) => rmSync(file));
    const { records } = ok(await store.scan(range));
    assert.equal(records.length, 10);
    assert.match(String(store.failure()?.message), /is gone/);
    await store.close();
  });
});

describe('a directory in which there was a store', () => {
  const open = (directory: string) =>
    openLmdbStorage({ path: directory, identity: 'svc', clock: systemClock });
  const lost = async (): Promise<string> => {
    const directory = directories.make();
    const store = await open(directory);
    await commitOne(store, put(key('a'), absent));
    await store.close();
    rmSync(path.join(directory, 'data.mdb'));
    return directory;
  };
  const isRefused = (directory: string) =>
    assert.rejects(open(directory), { code: 'io', message: /data\.mdb is gone.*lock\.mdb/ });

  it('gets no new one without a word, however often it is tried', async () => {
    const directory = await lost();
    await isRefused(directory);
    await isRefused(directory);
    assert.ok(!existsSync(path.join(directory, 'data.mdb')));
  });

  it('gets a new one when the lock file is removed as well', async () => {
    const directory = await lost();
    rmSync(path.join(directory, 'lock.mdb'));
    const store = await open(directory);
    assert.equal(await store.revision(), 0n);
    await store.close();
  });

  it('takes the file back, and an import', async () => {
    const directory = await lost();
    const other = directories.make();
    const store = await open(other);
    await commitOne(store, put(key('b'), absent));
    await store.close();
    copyFileSync(path.join(other, 'data.mdb'), path.join(directory, 'data.mdb'));
    const restored = await open(directory);
    assert.notEqual((await restored.read(key('b'))).kind, 'future');
    assert.equal(await restored.revision(), 1n);
    await restored.close();
    await (await openLmdbImport(await lost())).close();
  });

  it('opens where the first start ended before anything was written', async () => {
    const directory = directories.make();
    for (const name of ['data.mdb', 'lock.mdb']) writeFileSync(path.join(directory, name), '');
    await (await open(directory)).close();
  });
});
