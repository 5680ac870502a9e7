/** A store in a real cluster, backed up and restored with FoundationDB's own programs. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { openFoundationdb } from '../../src/storage/fdb/foundationdb-binding.ts';
import { createKeys } from '../../src/storage/fdb/layout.ts';
import { beginEra } from '../../src/storage/fdb/open-store.ts';
import { runWrite } from '../../src/storage/fdb/transactions.ts';
import type { Storage, StoredRecord } from '../../src/storage/storage.ts';
import { findFdbPrograms } from '../support/servers/fdb-programs.ts';
import type { FdbPrograms } from '../support/servers/fdb-programs.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { absent, commitOne, key, put, scanAll, written } from './storage-fixture.ts';

export interface ClusterStore {
  readonly clusterFile: string;
  readonly prefix: string;
  open(): Promise<Storage>;
}

/** Everything under its prefix. */
export async function clearStore(clusterFile: string, prefix: string): Promise<void> {
  const db = openFoundationdb(clusterFile);
  await runWrite(
    db,
    (transaction) => Promise.resolve(transaction.clearRange(...createKeys(prefix).all)),
    { timeoutMs: 10_000 },
  );
  db.close();
}

export function fdbBackupTests(store: ClusterStore): void {
  describe('fdb storage, fdbbackup and fdbrestore', () => {
    const directories = testDirectories('sluice-fdbbackup');
    after(async () => {
      await directories.removeAll();
      await clearStore(store.clusterFile, store.prefix);
    });

    it('a store comes back record for record, its revisions go on above, no client resumes', async (t) => {
      const programs = findFdbPrograms();
      if (programs === undefined) {
        t.skip('there is no fdbbackup, fdbrestore, backup_agent in FDB_BIN or PATH');
        return;
      }
      const agent = programs.startAgent(store.clusterFile);
      t.after(() => agent.stop());
      await restoredStoreTest(store, programs, directories.make());
    });
  });
}

async function restoredStoreTest(
  store: ClusterStore,
  programs: FdbPrograms,
  directory: string,
): Promise<void> {
  const { clusterFile, prefix } = store;
  const before = await store.open();
  const records = await fillSmall(before);
  // From the prefix and its NUL to before anything that another prefix can begin with.
  const common = ['-t', prefix, '-k', `${prefix} ${prefix}!`, '-w'];
  await programs.run('fdbbackup', [
    'start',
    '-C',
    clusterFile,
    '-d',
    `file://${directory}`,
    ...common,
  ]);
  const lost = await commitOne(before, put(key('lost'), absent));
  await before.close();
  await clearStore(clusterFile, prefix);

  const [made] = readdirSync(directory);
  const from = `file://${path.join(directory, made as string)}`;
  const to = ['--dest-cluster-file', clusterFile];
  await programs.run('fdbrestore', ['start', ...to, '-r', from, ...common]);
  const db = openFoundationdb(clusterFile);
  await beginEra(db, createKeys(prefix), prefix);
  db.close();

  const restored = await store.open();
  assert.deepEqual(plain(await scanAll(restored, '', undefined, 50)), plain(records));
  assert.equal((await restored.changes(lost, { limit: 1, previous: false })).kind, 'compacted');
  const [first] = records as [StoredRecord];
  const next = await commitOne(restored, put(first.key, written(first.revision), 'next'));
  assert.ok(next > lost);
  await restored.close();
}

async function fillSmall(storage: Storage): Promise<readonly StoredRecord[]> {
  for (let i = 0; i < 10; i += 1) {
    await storage.commit(
      Array.from({ length: 50 }, (_, j) => put(key(`n${i}-${j}`), absent, `${i} ${j}`)),
    );
  }
  const made = await commitOne(storage, put(key('big'), absent, 'x'.repeat(300_000)));
  await commitOne(storage, put(key('big'), written(made), 'y'.repeat(300_000)));
  return scanAll(storage, '', undefined, 50);
}

function plain(records: readonly StoredRecord[]): unknown[] {
  return records.map((r) => [r.key, r.revision, r.state, Buffer.from(r.value).toString('base64')]);
}
