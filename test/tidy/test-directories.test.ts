/** Directories for tests (support/data/test-directories.ts), in a file that runs alone. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { it } from 'node:test';
import { promisify } from 'node:util';

const program = `
  const { testDirectories } = await import(process.argv[1]);
  const directories = testDirectories('alone');
  directories.make();
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await directories.removeAll();
`;

it('a file that makes directories and runs alone outlives the deadline that tap has', async () => {
  const module = new URL('../support/data/test-directories.js', import.meta.url);
  const run = promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', program, module.href],
    { env: { ...process.env, TAP_TIMEOUT: '1', TAP: '0' } },
  );
  assert.deepEqual(await run, { stdout: '', stderr: '' });
});
