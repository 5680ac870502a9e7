import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { checkRow } from './conformance-row.ts';
import type { Row } from './conformance-row.ts';

const file = '../shared/corpora/cel-spec/conformance.json';
const skip = existsSync(file) ? false : `${file} is not here`;
const rows: readonly Row[] = skip
  ? []
  : (JSON.parse(readFileSync(file, 'utf8')) as { readonly cases: readonly Row[] }).cases;

if (skip !== false) test('conformance', { skip }, () => undefined);

const suites = [...new Set(rows.map(({ suite }) => suite))];
for (const suite of suites) {
  describe(`conformance of ${suite}`, { skip }, () => {
    for (const row of rows.filter((one) => one.suite === suite)) {
      test(row.name, () => checkRow(row));
    }
  });
}
