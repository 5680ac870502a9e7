/**
 * Random and broken schemas and objects, and broken objects of definitions in use: nothing throws,
 * every refusal names a field, what is accepted can be used, and what was prepared once is prepared
 * for good. SLUICE_FUZZ_SCHEMAS (400), SLUICE_FUZZ_CUSTOM (5 objects a schema) and SLUICE_FUZZ_REAL
 * (400 objects in use, of one project; from 1,000 on, of all) say how many; SLUICE_FUZZ_SEED where it
 * begins. With node's --expose-gc the
 * memory that is held is looked at, too.
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { stringifyJson } from '../../src/apimachinery/codecs/lossless.ts';
import type { FieldError } from '../../src/apimachinery/field-error.ts';
import { FieldErrorType, formatFieldError } from '../../src/apimachinery/field-error.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { isJsonObject } from '../../src/apimachinery/unstructured.ts';
import type { CustomVersion } from '../../src/apiextensions/custom-schema.ts';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';
import type { Prng } from '../../src/stdx/prng.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import { sharedVectors } from '../cel/shared-vectors.ts';
import { sharedRoot } from '../support/data/corpora.ts';
import { customWrites, versionsOf, writeDefinition } from './custom-writes.ts';
import { mutatedSchema, randomJson, randomSchema, randomValue } from './random-schemas.ts';

const schemasCount = Number(process.env['SLUICE_FUZZ_SCHEMAS'] ?? 400);
const objectsCount = Number(process.env['SLUICE_FUZZ_CUSTOM'] ?? 5);
const realCount = Number(process.env['SLUICE_FUZZ_REAL'] ?? 400);
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
    // What is wrong with a whole object says so in its text; a member of it without a name that is
    // required has no other path.
    const nameless = error.type === FieldErrorType.required;
    if (error.field === noField) ok(nameless || error.detail.length > 0, label);
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
  for (const [write, found] of [
    [{ next, part: '' }, created],
    [{ next, current: next, part: '' }, kept],
  ] as const) {
    deepEqual(finished(version.validateInSteps(write)), found, `at once and in steps: ${where}`);
  }
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

interface Project {
  readonly crds: readonly { readonly file: string }[];
  readonly objects: readonly { readonly object: JsonObject; readonly old?: JsonObject }[];
}

const all = [
  'autoscaler',
  'cert-manager',
  'crossplane',
  'gateway-api',
  'kueue',
  'prometheus-operator',
  'tekton',
];
const projects = realCount < 1000 ? ['karpenter'] : ['karpenter', ...all];

/** One part of it is something else, is gone, has another name, or is there twice. */
function mutated(value: JsonValue, prng: Prng): JsonValue {
  if (Array.isArray(value) && value.length > 0 && randomBelow(prng, 10) > 0) {
    const items = value as readonly JsonValue[];
    const at = randomBelow(prng, items.length);
    const item = items[at] as JsonValue;
    if (randomBelow(prng, 8) === 0) return [...items, item];
    return items.map((each, index) => (index === at ? mutated(each, prng) : each));
  }
  if (isJsonObject(value) && randomBelow(prng, 10) > 0) {
    const names = Object.keys(value).filter((name) => name !== 'apiVersion' && name !== 'kind');
    const name = names[randomBelow(prng, Math.max(1, names.length))];
    if (name === undefined) return { added: randomJson(prng, 3) };
    const { [name]: member = null, ...rest } = value;
    const choice = randomBelow(prng, 12);
    if (choice === 0) return rest;
    if (choice === 1) return { ...rest, [`${name}x`]: member };
    return { ...rest, [name]: mutated(member, prng) };
  }
  const strange = [null, '', -1, 2n ** 70n, 1e300, 'x'.repeat(300), {}, [], true, '\u0000'];
  const choice = randomBelow(prng, strange.length + 5);
  return strange[choice] ?? randomJson(prng, 3);
}

/** It stays an object of its kind. */
function brokenObject(object: JsonObject, prng: Prng): JsonObject {
  const made = mutated(object, prng);
  if (isJsonObject(made) && made['kind'] === object['kind']) return made;
  return { ...object, spec: mutated(object['spec'] ?? null, prng) };
}

/** Bytes that are held when all that can be let go has been; undefined: nobody can tell. */
function heldBytes(): number | undefined {
  if (globalThis.gc === undefined) return undefined;
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

const heldMoreMax = 32 * 1024 * 1024;

test('broken objects of definitions in use are stored or refused, with the field that is wrong', (t) => {
  const writes = customWrites();
  const objects = projects.flatMap((name) => {
    const project = sharedVectors<Project>(`crds-real/${name}/objects.json`);
    for (const { file } of project?.crds ?? []) {
      const text = readFileSync(path.join(sharedRoot, 'corpora', 'crds-real', name, file), 'utf8');
      for (const document of parseAllDocuments(text)) {
        const definition = document.toJS() as ApiObject | null;
        if (definition !== null) deepEqual(writes.define(definition), [], file);
      }
    }
    return project?.objects ?? [];
  });
  if (objects.length === 0) return t.skip('there are no objects to break');
  const codes: Record<number, number> = {};
  let held: number | undefined;
  for (let at = 0; at < realCount; at += 1) {
    const prng = seededPrng(firstSeed + at);
    const { object, old } = objects[randomBelow(prng, objects.length)] as (typeof objects)[number];
    let next = brokenObject(object, prng);
    for (let more = randomBelow(prng, 3); more > 0; more -= 1) next = brokenObject(next, prng);
    const answer = writes.write(next, old, randomBelow(prng, 2) === 0);
    const label = `seed ${firstSeed + at}`;
    ok([200, 400, 422].includes(answer.code), label);
    codes[answer.code] = (codes[answer.code] ?? 0) + 1;
    if (answer.code === 400) ok((answer.message ?? '').length > 0, label);
    if (answer.code === 422) ok((answer.causes ?? []).length > 0, label);
    for (const { field } of answer.causes ?? []) ok(field !== '', label);
    // By then everything that is made once for each definition has been made.
    if (at === realCount >> 1) held = heldBytes();
  }
  for (const code of [200, 400, 422]) ok((codes[code] ?? 0) > 0, `none was answered with ${code}`);
  const heldThen = heldBytes();
  t.diagnostic(`answers ${JSON.stringify(codes)}, held ${held} and then ${heldThen} bytes`);
  if (held === undefined || heldThen === undefined) return;
  ok(heldThen - held < heldMoreMax, `${held} and then ${heldThen} bytes`);
});
