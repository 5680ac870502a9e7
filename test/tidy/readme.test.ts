import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { optionTable } from '../../src/server/options.ts';

const readme = readFileSync('README.md', 'utf8');
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  dependencies: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};

test("the README's table of flags is the option table", () => {
  const shown = /<!-- flags:[^\n]*-->\n([\s\S]*?)\n<!-- end of flags -->/.exec(readme)?.[1];
  const rows = optionTable.map((option) => {
    const value = option.value.replaceAll('|', '\\|');
    const initial = option.default === '' ? '' : `\`${option.default}\``;
    return `| \`--${option.flag} ${value}\` | ${initial} | ${option.help} |`;
  });
  const table = ['| flag | default | meaning |', '|---|---|---|', ...rows].join('\n');
  assert.equal(shown, table);
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
