#!/usr/bin/env node
/**
 * Runs everything a reviewer cares about, in one command: types, lint, format, then every test file.
 *
 * Each step and each test counts. The last line is `N passed, N failed[, N skipped]`; the exit code
 * is 0 only when nothing failed. Extra arguments are test files (paths under test/, as .ts) and run
 * alone, without the static steps.
 */
import { spawn } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import path from 'node:path';

process.chdir(path.join(import.meta.dirname, '..'));
const only = process.argv.slice(2);
process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --enable-source-maps`.trim();
const tally = { passed: 0, failed: 0, skipped: 0 };
/** File and title of each test that failed, told again where it is seen: at the end. */
const failures = [];

function command(title, args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { stdio: 'inherit' });
    child.on('exit', (code) => {
      tally[code === 0 ? 'passed' : 'failed'] += 1;
      console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${title}`);
      resolve(code === 0);
    });
  });
}

function testFiles() {
  const found = only.length > 0 ? only : readdirSync('test', { recursive: true }).sort();
  return found
    .map((file) => (only.length > 0 ? file : path.join('test', file)))
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => path.resolve('dist', file.replace(/\.ts$/, '.js')));
}

function runTests(files) {
  return new Promise((resolve) => {
    const concurrency = Number(process.env.SLUICE_TEST_CONCURRENCY ?? 2);
    const stream = run({ files, concurrency });
    stream.on('test:pass', (event) => count(event, 'passed'));
    stream.on('test:fail', (event) => count(event, 'failed'));
    // What was said of each test stands before the last line, whoever reads it.
    stream.compose(new spec()).on('end', resolve).pipe(process.stdout, { end: false });
  });
}

/** Suites and files are not tests: only leaves count. A file that dies is a failure all the same. */
function count(event, outcome) {
  if (event.skip !== undefined || event.todo !== undefined) tally.skipped += 1;
  else if (event.details?.type !== 'suite') {
    tally[outcome] += 1;
    if (outcome === 'failed') failures.push(`${event.file ?? ''}: ${event.name}`);
  }
}

const bin = (name, entry) => path.join('node_modules', name, entry);
if (only.length === 0) rmSync('dist', { recursive: true, force: true });
const built = await command('types and build', [bin('typescript', 'bin/tsc'), '-p', '.']);
if (only.length === 0) {
  await command('lint', [bin('eslint', 'bin/eslint.js'), '.', '--max-warnings', '0']);
  await command('format', [
    bin('prettier', 'bin/prettier.cjs'),
    '--check',
    '--log-level',
    'warn',
    '.',
  ]);
}
if (built) await runTests(testFiles());
for (const failure of failures) console.log(`FAIL ${failure}`);
const skipped = tally.skipped > 0 ? `, ${tally.skipped} skipped` : '';
console.log(`${tally.passed} passed, ${tally.failed} failed${skipped}`);
process.exit(tally.failed === 0 ? 0 : 1);
