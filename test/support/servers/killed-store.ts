/**
 * The store of a server that is killed and started again: a directory of LMDB, or with
 * SLUICE_TEST_STORE=fdb a prefix of its own in the FoundationDB that FDB_CLUSTER_FILE names.
 *
 * A killed server holds its slot of a prefix for 60 s and there are 32, so over FoundationDB
 * a server can be killed about as often as every two seconds.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after } from 'node:test';
import { systemPrng } from '../../../src/stdx/prng.ts';
import { clearStore } from '../../contract/fdb-backup.ts';
import { testDirectories } from '../data/test-directories.ts';
import { runToEnd, startServer } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';

export interface KilledStore {
  start(flags: readonly string[]): Promise<ServerProcess>;
  /** Between death and restart: no table contradicts another, every record can be decoded.
   * Answers the revision to which it is compacted. */
  assertSound(title: string): Promise<bigint>;
}

/** Gone when the file has ended. */
export function newKilledStore(name: string): KilledStore {
  const directories = testDirectories(name);
  after(() => directories.removeAll());
  const dataDir = path.join(directories.make(), 'data');
  const store = process.env['SLUICE_TEST_STORE'] === 'fdb' ? inFoundationdb(name) : [];
  const where = store.length === 0 ? [`--data-dir=${dataDir}`] : store;
  return {
    start: (flags) => startServer({ dataDir, flags: [...store, ...flags] }),
    async assertSound(title) {
      const { code, stderr } = await runToEnd(['verify', ...where]);
      assert.equal(code, 0, `${title}: ${stderr}`);
      const compacted = / compactRevision=(\d+)/.exec(stderr)?.[1];
      assert.ok(compacted !== undefined, stderr);
      return BigInt(compacted);
    },
  };
}

function inFoundationdb(name: string): readonly string[] {
  const file = process.env['FDB_CLUSTER_FILE'];
  assert.ok(file !== undefined, 'SLUICE_TEST_STORE=fdb needs FDB_CLUSTER_FILE');
  const prefix = `${name}-${systemPrng().uuid()}`;
  after(() => clearStore(file, prefix));
  return ['--store=fdb', `--fdb-cluster-file=${file}`, `--fdb-prefix=${prefix}`];
}
