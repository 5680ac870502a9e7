/**
 * Random and broken schemas and objects: nothing throws, every refusal names a field, what is
 * accepted can be used, and what was prepared once is prepared for good. SLUICE_FUZZ_SCHEMAS (400)
 * and SLUICE_FUZZ_CUSTOM (5 objects a schema) say how many; SLUICE_FUZZ_SEED where it begins.
 */
import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { stringifyJson } from '../../src/apimachinery/codecs/lossless.ts';
import type { FieldError } from '../../src/apimachinery/field-error.ts';
import { formatFieldError } from '../../src/apimachinery/field-error.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { isJsonObject } from '../../src/apimachinery/unstructured.ts';
import type { CustomVersion } from '../../src/apiextensions/custom-schema.ts';
import { seededPrng } from '../../src/stdx/prng.ts';
import type { Prng } from '../../src/stdx/prng.ts';
import { versionsOf, writeDefinition } from './custom-writes.ts';
import { mutatedSchema, randomSchema, randomValue } from './random-schemas.ts';

const schemasCount = Number(process.env['SLUICE_FUZZ_SCHEMAS'] ?? 400);
const objectsCount = Number(process.env['SLUICE_FUZZ_CUSTOM'] ?? 5);
const firstSeed = Number(process.env['SLUICE_FUZZ_SEED'] ?? 1);

function definitionOf(openAPIV3Schema: JsonValue): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'xs.check.example.org' },
    spec: {
      group: 'check.example.org',
      scope: 'Namespaced',
      names: { plural: 'xs', kind: 'X' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

const noField = '<nil>';

function expectFields(errors: readonly FieldError[], label: string): void {
  for (const error of errors) {
    ok(error.field !== '', `${label}: ${formatFieldError(error)}`);
    // What is wrong with a whole object says so in its text.
    if (error.field === noField) ok(error.detail.length > 0, label);
  }
}

function useVersion(
  version: CustomVersion,
  schema: JsonObject,
  prng: Prng,
  label: string,
): boolean {
  const value = randomValue(schema, prng);
  const document: JsonObject = {
    ...(isJsonObject(value) ? value : {}),
    apiVersion: 'check.example.org/v1',
    kind: 'X',
    metadata: { name: 'x' },
  };
  const where = `${label} ${stringifyJson(document)}`;
  const conformed = version.conform(document, 'body');
  if (conformed.kind === 'refused') {
    ok(conformed.problem.length > 0, where);
    return false;
  }
  const next = version.defaults(conformed.object) as ApiObject;
  const stored = version.readStored(next);
  equal(version.readStored(stored), stored, `prepared twice: ${where}`);
  const created = version.validate({ next, part: '' });
  expectFields(created.errors, where);
  version.table.cells(next);
  const kept = version.validate({ next, current: next, part: '' });
  expectFields(kept.errors, where);
  return created.errors.length === 0;
}

test('random schemas and objects are accepted or refused, with the field that is wrong', () => {
  let accepted = 0;
  let valid = 0;
  for (let at = 0; at < schemasCount; at += 1) {
    const seed = firstSeed + at;
    const prng = seededPrng(seed);
    const made = randomSchema(prng);
    const schema = at % 2 === 0 ? made : mutatedSchema(made, prng);
    const label = `seed ${seed}: ${stringifyJson(schema)}`;
    const answer = writeDefinition(definitionOf(schema));
    for (const { field } of answer.causes ?? []) ok(field !== '', label);
    ok([201, 400, 422].includes(answer.code), label);
    if (answer.code === 422) ok((answer.causes ?? []).length > 0, label);
    if (answer.object === undefined) continue;
    accepted += 1;
    const version = versionsOf(answer.object).get('v1') as CustomVersion;
    for (let object = 0; object < objectsCount; object += 1) {
      if (useVersion(version, schema, prng, label)) valid += 1;
    }
    const metadata = { $ref: '#/definitions/meta' };
    for (const form of ['v2', 'v3'] as const) version.openApi({ version: form, metadata });
  }
  ok(accepted > schemasCount / 50, `${accepted} of ${schemasCount} schemas were accepted`);
  ok(valid > 0, 'some objects are valid');
});
