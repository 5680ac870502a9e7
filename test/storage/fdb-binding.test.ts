import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { openFoundationdb } from '../../src/storage/fdb/foundationdb-binding.ts';
import { StorageError } from '../../src/storage/storage.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-cluster');

function refusal(clusterFile: string | undefined): StorageError | undefined {
  try {
    openFoundationdb(clusterFile).close();
    return undefined;
  } catch (error) {
    assert.ok(error instanceof StorageError, String(error));
    return error;
  }
}

test('a cluster file that cannot be read is named, before anything is loaded', () => {
  const error = refusal('/nowhere/fdb.cluster');
  assert.deepEqual(
    [error?.code, error?.message],
    ['io', '--fdb-cluster-file: /nowhere/fdb.cluster cannot be read'],
  );
});

test('without the package or its client library one line says what to install', (t) => {
  const error = refusal(undefined);
  if (error === undefined) return t.skip('both are installed here');
  assert.equal(error.code, 'io');
  assert.match(error.message, /^--store=fdb needs [^\n]*foundationdb-clients 7\.2 or later[^\n]*$/);
});

test('a cluster file that names no cluster is named with its flag, before anything is opened', async () => {
  const folder = directories.make();
  const file = path.join(folder, 'fdb.cluster');
  const wrong = ['', '\n', '# only this\n', 'nonsense', 'a:b', 'a:b@', 'a:b@host', 'a@1.2.3.4:1'];
  const several = 'a:b@1.2.3.4:1\nc:d@1.2.3.4:1\n';
  try {
    for (const text of [...wrong, 'a:b@1.2.3.4:1,', 'a:b@1.2.3.4:1, 1.2.3.5:1', several]) {
      writeFileSync(file, text);
      assert.throws(() => openFoundationdb(file), {
        code: 'io',
        message:
          `--fdb-cluster-file: ${file} is not one line of the form ` +
          'description:id@address:port,...',
      });
    }
    for (const text of ['a_1:b2@127.0.0.1:4500', '# x\na:b@h.example:1:tls,[::1]:2\n']) {
      writeFileSync(file, text);
      let said = '';
      try {
        openFoundationdb(file).close();
      } catch (error) {
        said = String(error);
      }
      assert.doesNotMatch(said, /not one line/, text);
    }
  } finally {
    await directories.removeAll();
  }
});
