/** Pruning, defaults, nulls, unique lists and embedded metadata, by vectors of the reference. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { formatFieldError } from '../../src/apimachinery/field-error.ts';
import type { FieldError } from '../../src/apimachinery/field-error.ts';
import { isJsonObject } from '../../src/apimachinery/unstructured.ts';
import type { JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { coerceEmbedded } from '../../src/apiextensions/prepare/embedded-metadata.ts';
import { fillDefaults, fillDefaultsSteps } from '../../src/apiextensions/prepare/fill-defaults.ts';
import { prune } from '../../src/apiextensions/prepare/prune.ts';
import type { StructuralSchema } from '../../src/apiextensions/schema/structural-schema.ts';
import { structuralErrors } from '../../src/apiextensions/acceptance/structural.ts';
import { embeddedErrors } from '../../src/apiextensions/validate/embedded-resources.ts';
import { listTypeErrors } from '../../src/apiextensions/validate/list-types.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import { sharedVectors } from '../cel/shared-vectors.ts';

interface Row {
  readonly name?: string;
  readonly json?: JsonValue;
  readonly schema?: StructuralSchema;
  readonly isResourceRoot?: boolean;
  readonly includeRoot?: boolean;
  readonly dropInvalidFields?: boolean;
  readonly dropMalformedFields?: boolean;
  readonly expected?: JsonValue;
  readonly expectedObject?: JsonValue;
  readonly expectedPruned?: readonly string[];
  readonly expectedUnknownFields?: readonly string[];
  readonly expectedUnknownPaths?: readonly string[];
  readonly expectedError?: boolean;
  readonly expectedErr?: string;
  readonly obj?: JsonObject;
  readonly object?: JsonValue;
  readonly errors?: readonly { readonly type: string; readonly field: string }[];
  readonly error?: string;
  readonly options?: Readonly<Record<string, boolean>>;
}

const vectors = sharedVectors<Readonly<Record<string, readonly Row[]>>>('crd-schema/cases.json');

function each(section: string, run: (row: Row) => void): void {
  for (const [at, row] of (vectors?.[section] ?? []).entries()) {
    test(`${section}: ${row.name ?? at}`, () => {
      run(row);
    });
  }
}

each('pruning/algorithm:TestPrune', (row) => {
  const options = { isResource: row.isResourceRoot === true, dropsNulls: false };
  const pruned = prune(row.json ?? null, row.schema, options);
  deepEqual(pruned.value, row.expectedObject);
  deepEqual(pruned.unknownFields, [...(row.expectedPruned ?? [])].sort());
  equal(prune(pruned.value, row.schema, options).value, pruned.value);
});

each('defaulting/algorithm:TestDefault', (row) => {
  const filled = fillDefaults(row.json ?? null, row.schema);
  deepEqual(filled, row.expected);
  equal(fillDefaults(filled, row.schema), filled);
  // In parts it is the same.
  const { json = null } = row;
  if (isJsonObject(json)) deepEqual(finished(fillDefaultsSteps(json, row.schema)), filled);
});

test('defaults of thousands of items are filled in in many parts', () => {
  const schema = {
    type: 'object',
    properties: {
      list: {
        type: 'array',
        items: { type: 'object', properties: { a: { type: 'string', default: 'x' } } },
      },
    },
  } as const;
  const object = { list: Array.from({ length: 5_000 }, (_, at) => ({ at })) };
  const steps = fillDefaultsSteps(object, schema);
  let parts = 1;
  let step = steps.next();
  for (; step.done !== true; parts += 1) step = steps.next();
  deepEqual(step.value, fillDefaults(object, schema as unknown as StructuralSchema));
  equal(parts, 10);
});

each('defaulting/prunenulls:TestPruneNonNullableNullsWithoutDefaults', (row) => {
  const kept = { ...row.schema, 'x-kubernetes-preserve-unknown-fields': true };
  const pruned = prune(row.json ?? null, kept, { isResource: false, dropsNulls: true });
  deepEqual(pruned.value, row.expected);
});

each('objectmeta/algorithm:TestCoerce', (row) => {
  const coerced = coerceEmbedded(row.json ?? null, row.schema, {
    isResource: row.includeRoot === true,
    dropsInvalid: row.dropInvalidFields === true,
  });
  equal(coerced.kind, row.expectedError === true ? 'refused' : 'ok');
  if (coerced.kind !== 'ok') return;
  deepEqual(coerced.value, row.expected);
  deepEqual(coerced.unknownFields, [...(row.expectedUnknownFields ?? [])].sort());
});

each('objectmeta/coerce:TestGetObjectMetaWithOptions', (row) => {
  const coerced = coerceEmbedded(row.obj ?? null, undefined, {
    isResource: true,
    dropsInvalid: row.dropMalformedFields === true,
  });
  if (coerced.kind === 'refused') {
    equal(coerced.problem.detail, row.expectedErr);
    return;
  }
  equal(row.expectedErr, undefined);
  deepEqual((coerced.value as JsonObject)['metadata'], row.expectedObject);
  if (row.expectedUnknownPaths !== undefined) {
    deepEqual(coerced.unknownFields, row.expectedUnknownPaths);
  }
});

const types: Readonly<Record<string, string>> = {
  Duplicate: 'FieldValueDuplicate',
  Invalid: 'FieldValueInvalid',
  Required: 'FieldValueRequired',
};

function expectErrors(found: readonly FieldError[], row: Row, root: string): void {
  const wanted = (row.errors ?? []).map(({ type, field }) => `${field} ${types[type]}`);
  const shown = found.map(({ type, field }) => `${root}${field} ${type}`);
  deepEqual(shown.sort(), wanted.sort());
}

each('listtype/validation:TestValidateListSetsAndMaps', (row) => {
  const steps = listTypeErrors(row.obj ?? {}, row.schema);
  const end = steps.next();
  equal(end.done, true);
  expectErrors(end.value ?? [], row, 'root.');
});

each('objectmeta/validation:TestValidateEmbeddedResource', (row) => {
  expectErrors(embeddedErrors(row.object ?? null, undefined, true), row, '');
});

const embedded: StructuralSchema = { type: 'object', 'x-kubernetes-embedded-resource': true };

each('objectmeta/validation:TestValidate', (row) => {
  const schema: StructuralSchema = {
    properties: { embedded, items: { type: 'array', items: embedded } },
  };
  const object = JSON.parse(row.object as string) as JsonObject;
  expectErrors(embeddedErrors(object, schema), row, '');
});

each('validation:TestValidateStructuralCompleteness', (row) => {
  // What is an option of the reference's library is none of its server.
  if (Object.keys(row.options ?? {}).length > 0) return;
  const errors = structuralErrors((row.schema ?? {}) as unknown as JsonObject, '');
  const shown = errors.map(formatFieldError);
  equal(shown.includes(row.error ?? ''), true, shown.join('\n'));
});
