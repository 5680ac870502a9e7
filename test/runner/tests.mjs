/**
 * Runs the compiled files of tests with tap, and gives its output to the tally.
 *
 * Invariant: a file of which nothing is heard is a failure.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { inGroups } from './groups.mjs';
import { run } from './steps.mjs';

const tap = path.join('node_modules', 'tap', 'dist', 'esm', 'run.mjs');

/** `only`: files and folders; none: all. With `flags` of tap each file has a process of its own. */
export async function runTests(tally, flags, only) {
  const named = only.length > 0 ? only.map((place) => path.relative('.', place)) : ['test'];
  const files = named.flatMap(testsIn);
  const compiled = files.map((file) => path.join('dist', file.replace(/\.ts$/, '.js')));
  const jobs = `--jobs=${process.env.SLUICE_TEST_CONCURRENCY ?? 2}`;
  // What has changed is known of files, not of groups.
  const programs = flags.length > 0 ? compiled : inGroups(compiled);
  await compileTap();
  const read = (stdout) => stdout.pipe(tally.parser);
  const ok = await run([tap, 'run', '--reporter=tap', jobs, ...flags, ...programs], 'pipe', read);
  if (!ok && tally.failures.length === 0) tally.failed('tap', 'it ended badly, see above');
  const unseen = files.filter((file) => flags.length === 0 && !tally.files.has(file));
  for (const file of unseen) tally.failed(file, 'nothing is known of its end');
}

function testsIn(place) {
  if (!statSync(place).isDirectory()) return [place];
  const entries = readdirSync(place, { recursive: true }).sort();
  return entries.filter((file) => file.endsWith('.test.ts')).map((file) => path.join(place, file));
}

/**
 * tap is compiled for the plugins that `.taprc` names. The first run after an installation would do
 * that, and still load all of them into each process, which is seconds a file.
 */
function compileTap() {
  const compiled = path.join('node_modules', '@tapjs', 'test', 'test-built', 'src', 'index.ts');
  const isOurs =
    existsSync(compiled) && !readFileSync(compiled, 'utf8').includes('@tapjs/typescript');
  return isOurs || run([tap, 'build'], 'ignore');
}
