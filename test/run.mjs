#!/usr/bin/env node
/**
 * Everything a reviewer cares about, in one command: types, lint, format, then every file of tests.
 * The last line is `N passed, N failed[, N skipped]`; the exit code is 0 only when nothing failed.
 *
 *     npm test                          everything
 *     npm test -- test/x.test.ts ...    these files or folders alone, without lint and format
 *     npm test -- --changed             what has changed since it last ran, and so with other flags of tap
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { inGroups } from './groups.mjs';
import { createTally } from './tally.mjs';

process.chdir(path.join(import.meta.dirname, '..'));
const flags = process.argv.slice(2).filter((argument) => argument.startsWith('-'));
const only = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const whole = flags.length === 0 && only.length === 0;
const tally = createTally();

/** Resolves with whether the program ended well. */
function run(args, output = 'inherit', take = () => undefined) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', output, 'inherit'] });
    take(child.stdout);
    child.on('exit', (code) => resolve(code === 0));
  });
}

async function step(title, ...args) {
  const ok = await run(args);
  if (ok) tally.counts.passed += 1;
  else tally.failed(title, 'see what it says above');
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${title}`);
  return ok;
}

const types = () => step('types', 'node_modules/typescript/bin/tsc', '-p', '.');
const build = () => step('build', 'bundle.mjs');
const lint = () => step('lint', 'node_modules/eslint/bin/eslint.js', '.', '--max-warnings', '0');
const format = () =>
  step('format', 'node_modules/prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.');

const tap = path.join('node_modules', 'tap', 'dist', 'esm', 'run.mjs');

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

function testsIn(place) {
  if (!statSync(place).isDirectory()) return [place];
  const entries = readdirSync(place, { recursive: true }).sort();
  return entries.filter((file) => file.endsWith('.test.ts')).map((file) => path.join(place, file));
}

async function runTests() {
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

// Directories of tests that crashed, or of programs that were killed, stay until the next run.
if (whole)
  for (const old of ['dist', '.tap/fixtures']) rmSync(old, { recursive: true, force: true });
// Two cores: the linter takes as long on one as the compiler and the formatter do on the other.
const [, built] = await Promise.all([
  whole ? lint() : true,
  types().then(async (ok) => (whole && (await format()), ok && (await build()))),
]);
if (built) await runTests();

for (const [reason, count] of tally.skips) console.log(`SKIP ${count} of: ${reason}`);
for (const { title, reason } of tally.failures) {
  console.log(`FAIL ${title}\n${reason.replace(/^/gm, '       ')}`);
}
const { passed, failed, skipped } = tally.counts;
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(failed === 0 ? 0 : 1);
