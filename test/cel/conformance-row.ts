/** One row of the language's own suite, tried out: its type, its value or its error. */
import assert from 'node:assert/strict';
import { costTables } from '../../src/cel/cost-tables.ts';
import { createEnvironment } from '../../src/cel/environment.ts';
import { bindings } from '../../src/cel/library/bindings.ts';
import { encodersLibrary } from './encoders-library.ts';
import { mathLibrary } from './math-library.ts';
import { latestStringsLibrary } from '../../src/cel/library/strings-library.ts';
import { twoVariableComprehensions } from '../../src/cel/library/two-variable-comprehensions.ts';
import type { Value } from '../../src/cel/value.ts';
import { blocks } from './blocks.ts';
import { declarationsFrom, isSame, valueFrom } from './cel-json.ts';
import type { JsonObject } from './cel-json.ts';

export interface Row {
  readonly suite: string;
  readonly name: string;
  readonly expr: string;
  readonly typeEnv?: readonly JsonObject[];
  readonly bindings?: Readonly<Record<string, { readonly value: JsonObject }>>;
  readonly container?: string;
  readonly disableCheck?: boolean;
  readonly checkOnly?: boolean;
  readonly value?: JsonObject;
  readonly typedResult?: { readonly result?: JsonObject };
  readonly evalError?: { readonly errors: readonly { readonly message: string }[] };
  readonly type?: string;
  readonly error?: string;
}

const libraries = [
  bindings,
  blocks,
  encodersLibrary,
  latestStringsLibrary,
  mathLibrary,
  twoVariableComprehensions(32),
];

function environmentOf(row: Row): ReturnType<typeof createEnvironment> {
  const { variables, functions } = declarationsFrom(row.typeEnv);
  return createEnvironment({
    costs: costTables.kubernetes,
    libraries: [...libraries, { name: 'row', functions }],
    variables,
    optionals: true,
    escapedIdentifiers: true,
    container: row.container,
  });
}

export function checkRow(row: Row): void {
  const environment = environmentOf(row);
  const parsed = environment.parse(row.expr);
  assert.equal(parsed.text, undefined);
  let ast: Parameters<typeof environment.program>[0] = parsed.ast;
  if (row.disableCheck !== true) {
    const checked = environment.check(parsed.ast);
    assert.equal(checked.text, undefined);
    ast = checked.ast!;
    if (row.type !== undefined) assert.equal(checked.ast.type.text, row.type);
  }
  if (row.checkOnly === true) return;
  const values = Object.fromEntries(
    Object.entries(row.bindings ?? {}).map(([name, { value }]) => [name, valueFrom(value)]),
  );
  const outcome = environment.program(ast).evaluate(values);
  if (row.evalError !== undefined) {
    assert.equal(outcome.kind, 'error');
    return;
  }
  assert.equal(outcome.kind, 'value', 'message' in outcome ? outcome.message : '');
  const expected = valueFrom(row.value ?? row.typedResult?.result ?? { boolValue: true }) as Value;
  const { value } = outcome as { readonly value: Value };
  assert.ok(isSame(value, expected), `${JSON.stringify(row.value)} expected, not ${show(value)}`);
}

const show = (value: Value): string =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? String(part) : part));
