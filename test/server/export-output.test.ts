/** `sluice export` to the standard output: what is not taken is not said to be exported. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../src/stdx/clock.ts';
import { openLmdbStorage } from '../../src/storage/lmdb/lmdb-storage.ts';
import { absent, key, put } from '../contract/storage-fixture.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { runToEnd } from '../support/servers/server-process.ts';

const directories = testDirectories('sluice-export-output');
after(() => directories.removeAll());

const programFile = path.resolve('dist/bin/sluice.js');
const dataDir = directories.make();

before(async () => {
  const storage = await openLmdbStorage({ path: dataDir, identity: 'svc', clock: systemClock });
  for (let i = 0; i < 20; i += 1) {
    await storage.commit([put(key(`k${i}`), absent, 'v'.repeat(100_000))]);
  }
  await storage.close();
});

async function exportTo(file: string, flags: string) {
  const descriptor = openSync(file, flags);
  const args = [programFile, 'export', `--data-dir=${dataDir}`];
  const child = spawn(process.execPath, args, { stdio: ['ignore', descriptor, 'pipe'] });
  closeSync(descriptor);
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const code = await new Promise((resolve) => child.on('close', resolve));
  return { code, said };
}

describe('an export to the standard output', () => {
  it('is the same as to a file', async () => {
    const where = directories.make();
    const [piped, named] = [path.join(where, 'piped'), path.join(where, 'named')];
    const { code, said } = await exportTo(piped, 'w');
    assert.equal(code, 0, said);
    const end = await runToEnd(['export', `--data-dir=${dataDir}`, `--output=${named}`]);
    assert.equal(end.code, 0, end.stderr);
    assert(readFileSync(piped).equals(readFileSync(named)));
  });

  it('that is full ends with 2, and one line', async (t) => {
    if (!statSync('/dev/full').isCharacterDevice()) return t.skip('no full device');
    const { code, said } = await exportTo('/dev/full', 'w');
    assert.equal(code, 2);
    assert.match(said, /^sluice: --output: ENOSPC: no space left on device, write\n$/);
  });

  it('whose reader goes ends with 2, and one line', async () => {
    const args = [programFile, 'export', `--data-dir=${dataDir}`];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.once('data', () => child.stdout.destroy());
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const code = await new Promise((resolve) => child.on('exit', resolve));
    assert.equal(code, 2);
    assert.match(said, /^sluice: --output: write EPIPE\n$/);
  });
});
