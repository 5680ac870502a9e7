/** A file that is taken from under a running server takes no more writes: nobody would find them. */
import assert from 'node:assert/strict';
import { copyFileSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { systemClock } from '../../src/stdx/clock.ts';
import { openLmdbStorage } from '../../src/storage/lmdb/lmdb-storage.ts';
import { absent, commitOne, key, put } from '../contract/storage-fixture.ts';
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
