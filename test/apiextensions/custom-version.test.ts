/** What a version of a definition gives to those who serve it. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { formatFieldErrorBody } from '../../src/apimachinery/field-error.ts';
import { ageSince } from '../../src/apimachinery/projection/printer.ts';
import {
  identityProblem,
  restoreMetadata,
  typeProblem,
} from '../../src/apiextensions/conversion/restore-metadata.ts';
import type { CustomVersion } from '../../src/apiextensions/custom-schema.ts';
import { spineMemo } from '../../src/apiextensions/schema/structural-schema.ts';
import { versionsOf } from './custom-writes.ts';

function versionOf(entry: JsonObject, spec: JsonObject = {}): CustomVersion {
  const definition = {
    spec: {
      group: 'example.org',
      names: { kind: 'Widget' },
      versions: [{ name: 'v1', ...entry }],
      ...spec,
    },
  };
  const version = versionsOf(definition).get('v1');
  ok(version);
  return version;
}

function schema(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { schema: { openAPIV3Schema: { type: 'object', properties, ...more } } };
}

const widget: ApiObject = {
  apiVersion: 'example.org/v1',
  kind: 'Widget',
  metadata: { name: 'w', creationTimestamp: '2026-01-02T03:04:05Z' },
  spec: {
    size: 3,
    list: [{ type: 'Ready', status: 'True' }],
    'a.b': { c: 'x' },
    part: { on: true },
  },
};

test('columns show what their paths lead to, and null what has another type', () => {
  const column = (type: string, jsonPath: string): JsonObject => ({
    name: jsonPath,
    type,
    jsonPath,
  });
  const version = versionOf({
    additionalPrinterColumns: [
      column('integer', '.spec.size'),
      column('string', '.spec.size'),
      column('string', '.spec.list[?(@.type=="Ready")].status'),
      column('string', '.spec.list[0].type'),
      column('string', '.spec.a\\.b.c'),
      column('string', ".spec['a.b']"),
      column('boolean', '.spec.size'),
      column('date', '.metadata.creationTimestamp'),
      column('string', '.spec.nothing'),
      column('string', '.spec.list[*].type'),
      column('string', '..status'),
    ],
  });
  deepEqual(version.table.cells(widget), [
    'w',
    3,
    '3',
    'True',
    'Ready',
    'x',
    '{"c":"x"}',
    null,
    ageSince(Date.UTC(2026, 0, 2, 3, 4, 5)),
    null,
    'Ready',
    'True',
  ]);
});

test('a version without columns shows the age', () => {
  const { table } = versionOf({});
  deepEqual(
    table.columns.map(({ name, type }) => [name, type]),
    [
      ['Name', 'string'],
      ['Age', 'date'],
    ],
  );
  deepEqual(table.cells({ metadata: {} }), ['', null]);
});

test('a path that is none ends the columns', () => {
  const additionalPrinterColumns = [
    { name: 'A', type: 'string', jsonPath: '.a' },
    { name: 'B', type: 'string', jsonPath: '.b[' },
    { name: 'C', type: 'string', jsonPath: '.c' },
  ];
  const { columns } = versionOf({ additionalPrinterColumns }).table;
  deepEqual(
    columns.map(({ name }) => name),
    ['Name', 'A'],
  );
});

test('a path that leads everywhere finds what it has when it has seen enough', () => {
  const deep = Array.from({ length: 300 }, () => Array.from({ length: 300 }, () => ({ a: 1 })));
  const additionalPrinterColumns = [{ name: 'A', type: 'string', jsonPath: '..a..a..a' }];
  const { table } = versionOf({ additionalPrinterColumns });
  deepEqual(table.cells({ metadata: { name: 'x' }, deep }), ['x', null]);
});

/** Items that count how often they are looked at. */
function countedItems(count: number): {
  readonly items: JsonObject[];
  readonly reads: () => number;
} {
  let reads = 0;
  const items = Array.from({ length: count }, (_, at) => ({
    get a() {
      reads += 1;
      return `x${at}`;
    },
  }));
  return { items, reads: () => reads };
}

function columnsOf(paths: readonly string[]): CustomVersion['table'] {
  const additionalPrinterColumns = paths.map((jsonPath, at) => ({
    name: `C${at}`,
    type: 'string',
    jsonPath,
  }));
  return versionOf({ additionalPrinterColumns }).table;
}

test('a column looks no further than its first value', () => {
  const { items, reads } = countedItems(3_000);
  const table = columnsOf(['.list[*].a', '.list[2:].a', '..a', ".list[*]['b','a']"]);
  deepEqual(table.cells({ metadata: { name: 'o' }, list: items }), ['o', 'x0', 'x2', 'x0', 'x0']);
  ok(reads() < 10, `${reads()}`);
});

test('all columns of a row look at so many values, however many there are', () => {
  const { items, reads } = countedItems(10_000);
  const costly = Array.from({ length: 50 }, (_, at) => `.list[?(@.a=="none${at}")].a`);
  const table = columnsOf([...costly, '.plain', '.metadata.name']);
  const cells = table.cells({ metadata: { name: 'o' }, list: items, plain: 'p' });
  deepEqual(cells.slice(50), [null, 'p', 'o']);
  ok(reads() < 30_000, `${reads()}`);
});

test('the texts of a row are cut where they would be longer than an object', () => {
  const table = columnsOf(Array.from({ length: 60 }, (_, at) => (at === 30 ? '.b' : '.a')));
  const a = 'x'.repeat(1024 * 1024);
  const cells = table.cells({ metadata: { name: 'o' }, a, b: 'short' }) as string[];
  equal(cells[1], a);
  equal(cells[60]?.length, 10_003);
  equal(cells[31], 'short');
  ok(cells.join('').length < 4 * 1024 * 1024);
});

test('scale and selectable fields are steps', () => {
  const version = versionOf({
    subresources: {
      status: {},
      scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' },
    },
    selectableFields: [{ jsonPath: '.spec.color' }],
  });
  equal(version.hasStatus, true);
  deepEqual(version.scale?.specReplicas, ['spec', 'size']);
  equal(version.scale?.selector, undefined);
  deepEqual(version.selectableFields, [
    { label: 'spec.color', paths: [['spec', 'color']], unset: '' },
  ]);
});

test('replicas are small numbers, wherever they lie', () => {
  const scale = { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' };
  const version = versionOf({ ...schema({}), subresources: { status: {}, scale } });
  const errorsOf = (spec: JsonObject): readonly string[] =>
    version
      .validate({ next: { ...widget, spec }, part: '' })
      .errors.map(({ detail, field }) => `${field}: ${detail}`);
  deepEqual(errorsOf({ size: 3 }), []);
  deepEqual(errorsOf({ size: -1 }), ['.spec.size: should be a non-negative integer']);
  deepEqual(errorsOf({ size: 2 ** 31 }), [
    '.spec.size: should be less than or equal to 2147483647',
  ]);
  deepEqual(errorsOf({ size: 'x' }), [
    '.spec.size: .spec.size accessor error: x is of the type string, expected int64',
  ]);
});

test('the status is validated by its own part of the schema', () => {
  const version = versionOf(
    schema({ spec: { type: 'string' }, status: { type: 'object', required: ['phase'] } }),
  );
  const next = { ...widget, status: {} };
  const { errors } = version.validate({ next, current: widget, part: 'status' });
  deepEqual(
    errors.map(({ field }) => field),
    ['status.phase'],
  );
});

const text = { type: 'string' };
const metadata = { $ref: '#/meta' };

test('what is published in v2 loses what that form cannot say', () => {
  const version = versionOf(
    schema(
      {
        a: { type: 'string', nullable: true },
        b: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { c: text },
        },
        c: { type: 'string', anyOf: [{ minLength: 1 }] },
        d: { 'x-kubernetes-int-or-string': true },
      },
      { required: ['a', 'c'] },
    ),
  );
  const published = version.openApi({ version: 'v2', metadata });
  const { properties, required } = published as { properties: JsonObject; required: JsonObject };
  deepEqual(properties['a'], {});
  deepEqual(properties['b'], { 'x-kubernetes-preserve-unknown-fields': true });
  deepEqual(properties['c'], { type: 'string' });
  deepEqual(properties['metadata'], metadata);
  deepEqual(required, ['c']);
  const { properties: full } = version.openApi({ version: 'v3', metadata }) as {
    properties: JsonObject;
  };
  deepEqual(full['c'], { type: 'string', anyOf: [{ minLength: 1 }] });
  deepEqual(full['d'], {
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
  });
});

test('a wide schema is published in steps, the same as at once, in both forms', () => {
  const names = Array.from({ length: 5_000 }, (_, at) => `field${at}`);
  const properties = names.map((name) => [name, { type: 'string', nullable: true }] as const);
  const version = versionOf(
    schema({ spec: { type: 'object', properties: Object.fromEntries(properties) } }),
  );
  for (const form of ['v2', 'v3'] as const) {
    const work = version.openApiSteps({ version: form, metadata });
    let steps = 0;
    let step = work.next();
    for (; step.done !== true; step = work.next()) steps += 1;
    ok(steps >= 10, `${form}: ${steps} steps`);
    deepEqual(step.value, version.openApi({ version: form, metadata }));
  }
});

test('a version whose schema has no structure is published as any object, and pruned of nothing', () => {
  const version = versionOf(schema({ a: {} }), { preserveUnknownFields: true });
  deepEqual(version.openApi({ version: 'v3', metadata }), { type: 'object' });
  const conformed = version.conform({ a: 1, b: 2 }, 'body');
  deepEqual(conformed.kind === 'ok' && conformed.object, { a: 1, b: 2 });
});

test('nothing of a version is read before it is needed', () => {
  let reads = 0;
  const definition = {
    spec: {
      group: 'example.org',
      names: { kind: 'Widget' },
      versions: [
        {
          name: 'v1',
          get schema(): JsonObject {
            reads += 1;
            return {};
          },
        },
      ],
    },
  };
  const version = versionsOf(definition).get('v1');
  equal(reads, 0);
  version?.defaults(widget);
  equal(reads > 0, true);
});

test('a converted object is the same object in another version', () => {
  const converted = { ...widget, apiVersion: 'example.org/v2' };
  equal(typeProblem(widget, converted, 'example.org/v2'), undefined);
  equal(identityProblem(widget, converted), undefined);
  equal(
    typeProblem(widget, widget, 'example.org/v2'),
    'invalid groupVersion (expected example.org/v2, received example.org/v1)',
  );
  const other = { ...converted, metadata: { name: 'v' } };
  equal(identityProblem(widget, other), 'must have the same name: w != v');
});

test('a conversion gives no more labels and annotations than an object may have', () => {
  for (const [name, most] of [
    ['labels', 1_000],
    ['annotations', 3_500],
  ] as const) {
    const given = (count: number): JsonObject => {
      const texts = Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, '']));
      return { ...widget, metadata: { ...widget.metadata, [name]: texts } };
    };
    equal(restoreMetadata(widget, given(most)).kind, 'ok');
    const refused = restoreMetadata(widget, given(most + 1));
    equal(
      refused.kind === 'refused' && refused.problem,
      `metadata.${name}: Too many: ${most + 1}: must have at most ${most} items`,
    );
  }
});

test('numbers in messages: integers of 64 bits whole, all others as doubles', () => {
  const bounded = { type: 'integer', maximum: 1_000_000 };
  const version = versionOf(
    schema({
      spec: {
        type: 'object',
        properties: {
          bounded,
          number: { type: 'number', maximum: 1_000_000 },
          step: { type: 'number', multipleOf: 1e-7 },
        },
      },
    }),
  );
  const wrongInteger = 'spec.bounded in body must be of type integer: "number"';
  const rows: readonly (readonly [JsonObject, string])[] = [
    [
      { bounded: 1_000_001 },
      'Invalid value: 1000001: spec.bounded in body should be less than or equal to 1000000',
    ],
    [
      { bounded: 9223372036854775807n },
      'Invalid value: 9223372036854775807: spec.bounded in body should be less than or equal to 1000000',
    ],
    [{ bounded: 9223372036854775808n }, `Invalid value: "number": ${wrongInteger}`],
    [{ bounded: 100000000000000000000n }, `Invalid value: "number": ${wrongInteger}`],
    [
      { number: 100000000000000000000n },
      'Invalid value: 1e+20: spec.number in body should be less than or equal to 1e+06',
    ],
    [{ number: -18446744073709551617n }, ''],
    [
      { number: 1000000.5 },
      'Invalid value: 1.0000005e+06: spec.number in body should be less than or equal to 1e+06',
    ],
    [
      { number: 1_000_001 },
      'Invalid value: 1000001: spec.number in body should be less than or equal to 1000000',
    ],
    [{ step: 1.5e-7 }, 'Invalid value: 1.5e-07: spec.step in body should be a multiple of 1e-07'],
  ];
  for (const [spec, expected] of rows) {
    const { errors } = version.validate({ next: { ...widget, spec }, part: '' });
    const [first] = errors;
    equal(first === undefined ? '' : formatFieldErrorBody(first), expected);
  }
});

test('what a schema has below is told once for each node with members, and kept for no other', () => {
  let asked = 0;
  const told = spineMemo((schema) => {
    asked += 1;
    return schema.format === 'wanted';
  });
  const leaf = { type: 'string' };
  const list = { type: 'array', items: leaf };
  const inner = { type: 'object', properties: { leaf, list } };
  const root = { type: 'object', properties: { inner, leaf } };
  const rows: readonly (readonly [object, number, number])[] = [
    [root, 6, 0],
    [inner, 0, 0],
    [leaf, 1, 1],
    [list, 2, 2],
  ];
  for (const [schema, first, again] of rows) {
    for (const expected of [first, again]) {
      asked = 0;
      equal(told(schema), false);
      equal(asked, expected, JSON.stringify(schema));
    }
  }
  equal(told({ type: 'array', items: { type: 'string', format: 'wanted' } }), true);
  equal(
    told({ properties: { a: { properties: { b: { type: 'string', format: 'wanted' } } } } }),
    true,
  );
});
