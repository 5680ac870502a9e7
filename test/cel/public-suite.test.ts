import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tests } from '@bufbuild/cel-spec/testdata/conformance.js';
import { checkRow } from './conformance-row.ts';
import type { Row } from './conformance-row.ts';

interface Suite {
  readonly name: string;
  readonly suites?: readonly Suite[];
  readonly tests?: readonly { readonly original: Omit<Row, 'suite'> & { checkOnly?: boolean } }[];
}

const rowsOf = (suite: Suite, prefix: string): Row[] => {
  const name = prefix === '' ? suite.name : `${prefix}/${suite.name}`;
  return [
    ...(suite.tests ?? []).map(({ original }) => ({ ...original, suite: name })),
    ...(suite.suites ?? []).flatMap((inner) => rowsOf(inner, name)),
  ];
};

const all = (tests as unknown as Suite).suites?.flatMap((suite) => rowsOf(suite, '')) ?? [];

/** Why rows cannot apply. A row is left out for the first reason that fits. */
const reasons: readonly (readonly [reason: string, applies: (row: Row) => boolean])[] = [
  [
    "about the suite's own messages of Protobuf, which the server has none of",
    (row) =>
      /TestAllTypes|TestRequired|proto[23]\.|proto2_ext|GlobalEnum|NestedMessage/.test(
        JSON.stringify([row.expr, row.typeEnv, row.bindings, row.container, row.value]),
      ),
  ],
  [
    'variables or results are messages, packed or not, which the server has none of',
    (row) =>
      /@type|objectValue|messageType|google\.protobuf\.Any/.test(
        JSON.stringify([row.typeEnv, row.bindings, row.value]),
      ) &&
      !/type\.googleapis\.com\/google\.protobuf\.(Timestamp|Duration)/.test(JSON.stringify(row)),
  ],
  [
    'about enumerations and messages of Protobuf in a container',
    (row) => /^cel\.expr/.test(row.container ?? ''),
  ],
  [
    'the result is a message of Protobuf',
    (row) =>
      row.value?.['objectValue'] !== undefined &&
      !/Timestamp|Duration/.test(JSON.stringify(row.value)),
  ],
  [
    'the functions of strings are those of the 1.33 release, which print and refuse otherwise',
    (row) => /indexof_out_of_range|NaN\/infinity support/.test(row.name),
  ],
  [
    'a duration has all its milliseconds in Kubernetes, not those beyond the whole seconds',
    (row) => row.suite === 'timestamps/duration_converters' && row.name === 'get_milliseconds',
  ],
  ['addresses are the Kubernetes library here', (row) => /^network_ext\//.test(row.suite)],
  [
    'says which variables are unknown in a way that only its own runner has',
    (row) => /^unknowns\//.test(row.suite) || 'unknown' in row || 'anyUnknowns' in row,
  ],
];

const reasonOf = (row: Row): string | undefined => reasons.find(([, applies]) => applies(row))?.[0];

describe("the language's public suite", () => {
  const applying = all.filter((row) => reasonOf(row) === undefined);
  for (const suite of new Set(applying.map((row) => row.suite))) {
    test(suite, () => {
      for (const row of applying.filter((one) => one.suite === suite)) {
        try {
          checkRow(row);
        } catch (error) {
          throw new Error(`${row.name}: ${row.expr}: ${String(error)}`, { cause: error });
        }
      }
    });
  }

  test('rows are left out for a reason, and most are not', (context) => {
    const counts = new Map<string, number>();
    for (const row of all) {
      const reason = reasonOf(row);
      if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    }
    for (const [reason, count] of counts) context.diagnostic(`${count} rows: ${reason}`);
    context.diagnostic(`${applying.length} of ${all.length} rows apply`);
    assert.ok(applying.length > 1700, String(applying.length));
  });
});
