import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { flagsTable } from '../../src/server/flags-table.ts';

const readme = readFileSync('README.md', 'utf8');
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  dependencies: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};

test("the README's table of flags is the option table", () => {
  const shown = /<!-- flags:[^\n]*-->\n([\s\S]*?)\n<!-- end of flags -->/.exec(readme)?.[1];
  assert.equal(shown, flagsTable());
});

test('the README says of every runtime dependency why it is there', () => {
  const all = { ...manifest.dependencies, ...manifest.optionalDependencies };
  const missing = Object.keys(all).filter((name) => !readme.includes(`| ${name} |`));
  assert.deepEqual(missing, []);
});

test('every file and folder of the project that the README names exists', () => {
  const named = [...readme.matchAll(/`((?:src|actors|streams|test|bench)\/[\w./-]*)`/g)];
  const missing = named
    .map((match) => (match[1] as string).replace(/\/$/, ''))
    .filter((name) => !existsSync(name));
  assert.deepEqual(missing, []);
});
