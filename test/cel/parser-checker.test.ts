import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { costTables } from '../../src/cel/cost-tables.ts';
import { createEnvironment } from '../../src/cel/environment.ts';
import { bindings } from '../../src/cel/library/bindings.ts';
import { latestStringsLibrary } from '../../src/cel/library/strings-library.ts';
import { twoVariableComprehensions } from '../../src/cel/library/two-variable-comprehensions.ts';
import {
  boolType,
  bytesType,
  doubleType,
  intType,
  nullType,
  stringType,
  uintType,
} from '../../src/cel/type.ts';
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

/** What the reference's own test of its check declares. */
const usual = {
  variables: Object.entries({
    ...{ is: stringType, ii: intType, iu: uintType, iz: boolType, ib: bytesType },
    ...{ id: doubleType, ix: nullType },
  }).map(([name, type]) => ({ name, type })),
  functions: [
    {
      name: 'fg_s',
      overloads: [
        { id: 'fg_s_0', args: [], result: stringType, member: false, implementation: () => '' },
      ],
    },
    {
      name: 'fi_s_s',
      overloads: [
        {
          ...{ id: 'fi_s_s_0', args: [stringType], result: stringType, member: true },
          implementation: () => '',
        },
      ],
    },
  ],
};

function environmentOf(row: Row, part: keyof Corpus): ReturnType<typeof createEnvironment> {
  const declared = declarationsFrom(row.typeEnv);
  const isUsual = part === 'checking' && row.typeEnv === undefined && row.error === undefined;
  const { variables, functions } = isUsual ? usual : declared;
  // A parse names no source; a check calls it `<input>`.
  const sourceName = row.error?.startsWith('ERROR: <input>') ? '<input>' : '';
  return createEnvironment({
    costs: costTables.kubernetes,
    libraries: [
      { name: 'row', functions },
      ...(part === 'comprehension' ? [latestStringsLibrary, bindings] : []),
    ],
    variables,
    sourceName,
    optionals: false,
    container: row.container,
    limits: isAboutLimits(row) ? rowLimits : undefined,
  });
}

function checkRow(row: Row, part: keyof Corpus): void {
  const environment = environmentOf(row, part);
  if (row.ast !== undefined) {
    // Trees are shown with the standard macros alone.
    const tree = environmentOf(row, 'parsing').parse(row.expr);
    assert.equal(tree.text, undefined);
    assert.equal(shownTree(tree.ast.expr), row.ast);
  }
  const parsed = environment.parse(row.expr);
  if (row.error !== undefined) {
    assert.equal(parsed.text ?? environment.check(parsed.ast).text, row.error);
  }
  if (row.type !== undefined) {
    const compiled = environment.compile(row.expr);
    assert.equal(compiled.text, undefined);
    assert.equal(compiled.ast?.type.text, row.type);
  }
}

for (const part of ['parsing', 'checking', 'comprehension'] as const) {
  describe(`every row of the ${part} vectors has the same tree, type and error`, { skip }, () => {
    for (const row of corpus[part]) test(row.expr.slice(0, 60), () => checkRow(row, part));
  });
}

describe('macros with two variables hold what their vectors say', { skip }, () => {
  const environment = createEnvironment({
    costs: costTables.kubernetes,
    optionals: true,
    libraries: [bindings, latestStringsLibrary, twoVariableComprehensions(32)],
  });
  // The rows that use variables say what is wrong with them, or are about one that is not given.
  const closed = corpus.comprehension.filter(
    ({ expr }) => environment.compile(expr).ast?.type.text === 'bool',
  );
  for (const { expr } of closed) {
    test(expr.slice(0, 60), () => {
      const { ast } = environment.compile(expr);
      const outcome = environment.program(ast!).evaluate({});
      assert.equal(outcome.kind, 'value', 'message' in outcome ? outcome.message : '');
      assert.equal(outcome.kind === 'value' && outcome.value, true);
    });
  }
  test('most of them need no variables', () => {
    assert.ok(closed.length >= 20, String(closed.length));
  });
});
