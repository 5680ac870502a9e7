import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFoundationdb } from '../../src/storage/fdb/foundationdb-binding.ts';
import { StorageError } from '../../src/storage/storage.ts';

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
