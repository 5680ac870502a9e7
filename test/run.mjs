#!/usr/bin/env node
/**
 * Everything a reviewer cares about, in one command: types, lint, format, then every file of tests.
 * The last line is `N passed, N failed[, N skipped]`; the exit code is 0 only when nothing failed.
 *
 *     npm test                          everything
 *     npm test -- test/x.test.ts ...    these files or folders alone, without lint and format
 *     npm test -- --changed             what has changed since it last ran, and so with other flags of tap
 */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { checkAndBuild } from './runner/steps.mjs';
import { createTally } from './runner/tally.mjs';
import { runTests } from './runner/tests.mjs';

process.chdir(path.join(import.meta.dirname, '..'));
const flags = process.argv.slice(2).filter((argument) => argument.startsWith('-'));
const only = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const whole = flags.length === 0 && only.length === 0;

// Directories of tests that crashed, or of programs that were killed, stay until the next run.
const leftovers = whole ? ['dist', '.tap/fixtures'] : [];
for (const each of leftovers) rmSync(each, { recursive: true, force: true });

const tally = createTally();
if (await checkAndBuild(tally, whole)) await runTests(tally, flags, only);
process.exit(tally.report() ? 0 : 1);
