import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { optionTable } from '../../src/server/config/options.ts';

/** The README and what it leads to. */
const pages = [
  'README.md',
  'bench/README.md',
  'test/README.md',
  'actors/SPEC.md',
  'streams/SPEC.md',
  ...readdirSync('docs', { encoding: 'utf8', recursive: true })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join('docs', name)),
];
const texts = new Map(pages.map((page) => [page, readFileSync(page, 'utf8')]));
const page = (name: string): string => texts.get(name) ?? '';
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  dependencies: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};

test('the table of flags in docs/flags.md is the option table', () => {
  const shown = /<!-- flags:[^\n]*-->\n([\s\S]*?)\n<!-- end of flags -->/.exec(
    page('docs/flags.md'),
  )?.[1];
  const rows = optionTable.map((option) => {
    const value = option.value.replaceAll('|', '\\|');
    const initial = option.default === '' ? '' : `\`${option.default}\``;
    return `| \`--${option.flag} ${value}\` | ${initial} | ${option.help} |`;
  });
  const table = ['| flag | default | meaning |', '|---|---|---|', ...rows].join('\n');
  assert.equal(shown, table);
});

test('docs/architecture.md says of every runtime dependency why it is there', () => {
  const all = { ...manifest.dependencies, ...manifest.optionalDependencies };
  const missing = Object.keys(all).filter(
    (name) => !page('docs/architecture.md').includes(`| ${name} |`),
  );
  assert.deepEqual(missing, []);
});

test('every file and folder of the project that the README and docs/ name exists', () => {
  const path = /`((?:src|actors|streams|test|bench|docs)\/[\w./-]*)`/g;
  const named = [...texts.values()].flatMap((text) => [...text.matchAll(path)]);
  const missing = named
    .map((match) => (match[1] as string).replace(/\/$/, ''))
    .filter((name) => !existsSync(name));
  assert.deepEqual(missing, []);
});

/** As the sites that show Markdown make them of headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = text.matchAll(/^#+ (.+)$/gm);
  return new Set(
    [...headings].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
}

test('every link between the pages leads to a page, and to a heading of it', () => {
  const broken: string[] = [];
  for (const [from, text] of texts) {
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [file = '', anchor = ''] = target.split('#');
      const to = file === '' ? from : path.normalize(path.join(path.dirname(from), file));
      const known = texts.get(to);
      const leads =
        known === undefined ? existsSync(to) : anchor === '' || anchorsOf(known).has(anchor);
      if (!leads) broken.push(`${from}: ${target}`);
    }
  }
  assert.deepEqual(broken, []);
});

test('an object that a page pipes to kubectl in one line is JSON: kubectl up to 1.32 takes a brace for it', () => {
  const lines = [...texts.values()].flatMap((text) => [...text.matchAll(/<<< '(.*)'$/gm)]);
  for (const [, given = ''] of lines) assert.doesNotThrow(() => JSON.parse(given), given);
  const shown = [...texts.values()].flatMap((text) => [...text.matchAll(/\.yaml\n +(\{.*)/g)]);
  assert.deepEqual(shown, []);
});

test('the README is short enough to be read at once', () => {
  assert.ok(page('README.md').trimEnd().split('\n').length <= 150);
});
