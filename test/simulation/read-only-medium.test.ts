/**
 * A store on a medium that takes no writes, as a snapshot of a disk is: what only reads it works
 * there, and what writes says in a line why it does not.
 *
 * The medium is a tmpfs that is mounted anew; where none can be mounted the test is skipped.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../src/stdx/clock.ts';
import { openLmdbStorage } from '../../src/storage/lmdb/lmdb-storage.ts';
import { encodeRecord } from '../../src/storage/record-codec.ts';
import { absent, key } from '../contract/storage-fixture.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-read-only');
const program = fileURLToPath(new URL('../../bin/sluice.js', import.meta.url));
const mounts: string[] = [];
after(async () => {
  for (const mount of mounts) spawnSync('umount', ['-l', mount]);
  await directories.removeAll();
});

function run(...args: readonly string[]): { readonly code: number | null; readonly text: string } {
  const { status, stderr, stdout } = spawnSync(program, args, { encoding: 'utf8' });
  return { code: status, text: stdout + stderr };
}

async function fill(dataDir: string): Promise<void> {
  const storage = await openLmdbStorage({ path: dataDir, identity: 'svc', clock: systemClock });
  const place = { key: key('a'), state: 'live' };
  const object = Buffer.from('{"metadata":{"name":"a"}}');
  const record = { uid: 'u', labels: {}, fields: {}, metadataAt: 13, object };
  const operation = { kind: 'put', state: 'live', value: encodeRecord(record, place) } as const;
  await storage.commit([{ key: place.key, expect: absent, conditions: [], operation }]);
  await storage.close();
}

test('a store on a medium that takes no writes is verified, exported and copied', async (context) => {
  const medium = directories.make();
  const mounted = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', medium]);
  if (mounted.status !== 0) return context.skip('no tmpfs here');
  mounts.push(medium);
  const dataDir = path.join(medium, 'data');
  await fill(dataDir);
  assert.equal(spawnSync('mount', ['-o', 'remount,ro', medium]).status, 0);

  const elsewhere = directories.make();
  const [copy, output] = ['copy', 'export'].map((name) => path.join(elsewhere, name));
  const verified = run('verify', `--data-dir=${dataDir}`);
  assert.match(verified.text, /is sound: 1 records/);
  assert.equal(verified.code, 0);
  const exported = run('export', `--data-dir=${dataDir}`, `--output=${output}`);
  assert.match(exported.text, /exported 1 records/);
  assert.equal(exported.code, 0);
  const copied = run('backup', `--data-dir=${dataDir}`, `--to=${copy}`);
  assert.match(copied.text, /copied 1 records/);
  assert.equal(copied.code, 0);
  assert.ok(existsSync(`${copy}/data.mdb`));

  for (const command of ['serve', 'mark-restored']) {
    const { code, text } = run(command, `--data-dir=${dataDir}`);
    assert.match(text, /read-only file system/);
    assert.ok(code === 1 || code === 2, `${command}: ${code}`);
  }
});
