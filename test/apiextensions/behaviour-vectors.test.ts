/**
 * How objects of custom types behave, by vectors of the reference: values and their errors, updates
 * of what was wrong before, cells of columns, metadata after a conversion, approval of definitions.
 */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { stringifyJson } from '../../src/apimachinery/codecs/lossless.ts';
import { formatFieldError } from '../../src/apimachinery/field-error.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { applyMergePatch } from '../../src/apimachinery/patch/merge-patch.ts';
import { restoreMetadata } from '../../src/apiextensions/conversion/restore-metadata.ts';
import { typedCell } from '../../src/apiextensions/project/printer-columns.ts';
import { approvalRules } from '../../src/apis/apiextensions/protected-groups.ts';
import { kubernetes } from '../support/data/versioned-kinds.ts';
import { sharedVectors } from '../cel/shared-vectors.ts';
import { compileCustomVersion } from '../../src/apiextensions/custom-version.ts';
import type { CustomVersion } from '../../src/apiextensions/custom-schema.ts';
import { testLanguage } from '../support/data/expression-language.ts';
import { metadataType } from './custom-writes.ts';

interface Operation {
  readonly op: 'setSchema' | 'patchSchema' | 'apply' | 'expectError';
  readonly description?: string;
  readonly schema?: JsonObject;
  /** A patch that is a text is YAML. */
  readonly patch?: JsonObject | string;
  readonly name?: string;
  readonly operation?: Operation;
}

interface Vectors {
  readonly validate: readonly {
    readonly name: string;
    readonly schema: JsonObject;
    readonly objects: readonly JsonObject[];
    readonly oldObjects: readonly JsonObject[];
    readonly failing: readonly {
      readonly object: JsonObject;
      readonly oldObject?: JsonObject;
      readonly expectErrs: readonly string[];
    }[];
  }[];
  readonly ratcheting: readonly {
    readonly name: string;
    /** The reference does not run it either. */
    readonly disabled?: boolean;
    readonly operations: readonly Operation[];
  }[];
  readonly cells: readonly {
    readonly headerType: string;
    readonly value: JsonValue;
    readonly want: JsonValue;
  }[];
  readonly restoreObjectMeta: readonly {
    readonly name: string;
    readonly original: JsonObject;
    readonly converted: JsonObject;
    readonly expected: JsonObject;
    readonly expectedError: boolean;
  }[];
  readonly approval: readonly {
    readonly name: string;
    readonly group: string;
    readonly annotationValue: string;
    readonly oldAnnotationValue?: string;
    readonly error: string | null;
  }[];
}

const vectors = sharedVectors<Vectors>('crd-behaviour/cases.json');

function versionOf(openAPIV3Schema: JsonObject): CustomVersion {
  const entry = { name: 'v1', schema: { openAPIV3Schema } };
  return compileCustomVersion(
    {
      group: 'check.example.org',
      kind: 'X',
      version: 'v1',
      preserveUnknownFields: false,
      selectable: [],
      isLarge: false,
      entry: () => entry,
    },
    { language: testLanguage, metadataType, release: 36 },
  );
}

/** The vectors have values without metadata: it is there, and no member that a schema judges. */
function named(value: JsonObject): ApiObject {
  const metadata = value['metadata'] ?? { name: 'x' };
  return Object.defineProperty({ ...value }, 'metadata', {
    value: metadata,
    enumerable: Object.hasOwn(value, 'metadata'),
  }) as ApiObject;
}

function errorsOf(
  version: CustomVersion,
  next: JsonObject,
  current: JsonObject | undefined,
): readonly string[] {
  const found = version.validate({
    next: named(next),
    current: current as ApiObject | undefined,
    part: '',
  });
  return found.errors.map(formatFieldError);
}

for (const { failing, name, objects, oldObjects, schema } of vectors?.validate ?? []) {
  test(`values: ${name}`, () => {
    const version = versionOf(schema);
    for (const [at, object] of objects.entries()) {
      deepEqual(errorsOf(version, object, oldObjects[at]), [], stringifyJson(object));
    }
    for (const { expectErrs, object, oldObject } of failing) {
      const found = errorsOf(version, object, oldObject);
      // That rules were left alone is said behind the errors themselves.
      const errors = found.filter((error) => !error.includes('rules were not checked'));
      deepEqual([...errors].sort(), [...new Set(expectErrs)].sort(), stringifyJson(object));
    }
  });
}

function merged(target: JsonObject, patch: JsonObject): JsonObject {
  return applyMergePatch(target, patch) as JsonObject;
}

/** Names of members as the reference reads them: in any case. */
function schemaOf(operation: Operation): JsonObject {
  return JSON.parse(
    stringifyJson(operation.schema ?? {}).replaceAll('"Rule"', '"rule"'),
  ) as JsonObject;
}

function patchOf({ patch = {} }: Operation): JsonObject {
  return typeof patch === 'string' ? (parse(patch.replaceAll('\t', '')) as JsonObject) : patch;
}

for (const { disabled, name, operations } of vectors?.ratcheting ?? []) {
  const skip = disabled === true && 'the reference does not hold to it';
  test(`what was wrong before: ${name}`, { skip }, () => {
    let schema: JsonObject = {};
    const stored = new Map<string, JsonObject>();
    const run = (operation: Operation): readonly string[] => {
      const { description, op } = operation;
      const patch = patchOf(operation);
      if (op === 'setSchema') schema = schemaOf(operation);
      if (op === 'patchSchema') schema = merged(schema, patch);
      if (op === 'expectError') {
        const inner = operation.operation as Operation;
        equal(run(inner).length > 0, true, inner.description);
      }
      if (op !== 'apply') return [];
      const version = versionOf(schema);
      const current = stored.get(operation.name ?? '');
      const bare: JsonObject = { apiVersion: 'check.example.org/v1', kind: 'X', metadata: {} };
      const before = current && version.readStored(current as ApiObject);
      const conformed = version.conform(merged(before ?? bare, patch), 'body');
      equal(conformed.kind, 'ok', description);
      if (conformed.kind !== 'ok') return ['refused'];
      const next = version.defaults(conformed.object);
      const errors = errorsOf(version, next, before);
      if (errors.length === 0) stored.set(operation.name ?? '', next);
      return errors;
    };
    for (const operation of operations) deepEqual(run(operation), [], operation.description);
  });
}

for (const { headerType, value, want } of vectors?.cells ?? []) {
  test(`cells: ${JSON.stringify(value)} in a column of type ${headerType}`, () => {
    equal(typedCell(headerType, value), want);
  });
}

for (const { converted, expected, expectedError, name, original } of vectors?.restoreObjectMeta ??
  []) {
  test(`converted metadata: ${name}`, () => {
    const restored = restoreMetadata(original as ApiObject, converted);
    equal(restored.kind, expectedError ? 'refused' : 'ok');
    if (restored.kind === 'ok') deepEqual(restored.object, expected);
  });
}

for (const row of vectors?.approval ?? []) {
  test(`approval: ${row.name}`, () => {
    const rules = approvalRules(kubernetes);
    const definition = (annotation: string): ApiObject => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { annotations: { 'api-approved.kubernetes.io': annotation } },
      spec: { group: row.group },
    });
    const next = definition(row.annotationValue);
    const errors =
      row.oldAnnotationValue === undefined
        ? rules.validateCreate?.(next)
        : rules.validateUpdate?.(next, definition(row.oldAnnotationValue));
    deepEqual((errors ?? []).map(formatFieldError), row.error === null ? [] : [row.error]);
  });
}
