/** What is done for one definition does not depend on how many others there are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLarge } from '../../src/apimachinery/object-encoding.ts';
import type { KindInfo } from '../../src/apimachinery/scheme.ts';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { compileCustomVersion } from '../../src/apiextensions/custom-version.ts';
import type { DefinitionReader } from '../../src/apiextensions/serving/definition-reader.ts';
import { summaryOf, summarySteps } from '../../src/apiextensions/serving/definition-summary.ts';
import { createServedDefinitions } from '../../src/apiextensions/serving/served-definitions.ts';
import type { DefinitionEntry } from '../../src/apiextensions/serving/served-definitions.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import { definition } from '../support/data/custom-definitions.ts';
import { testLanguage } from '../support/data/expression-language.ts';
import { kubernetes } from '../support/data/versioned-kinds.ts';
import { metadataType } from './custom-writes.ts';

const others = 500;
const group = 'shop.example';

function entryOf(plural: string, more: JsonObject = {}, spec: JsonObject = {}): DefinitionEntry {
  const kind = `K${plural}`;
  const object = definition({ plural, kind, spec });
  const names = { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` };
  const conditions = ['NamesAccepted', 'Established'].map((type) => ({ type, status: 'True' }));
  const status = { acceptedNames: names, conditions, ...more };
  const metadata = { name: `${plural}.${group}`, uid: plural, generation: 1 };
  const bytes = Buffer.from(JSON.stringify({ ...object, metadata, status }));
  return { name: metadata.name, bytes };
}

test('one definition more is read once and defined once, and leaves all others alone', () => {
  const built = buildScheme({ identity: kubernetes });
  assert.ok(built.kind === 'ok');
  const { scheme } = built;
  const done: string[] = [];
  const read = (bytes: Uint8Array): ApiObject =>
    JSON.parse(Buffer.from(bytes).toString()) as ApiObject;
  const reader: DefinitionReader = {
    read(bytes) {
      done.push('whole');
      return read(bytes);
    },
    summary(bytes) {
      done.push('summary');
      return summaryOf(read(bytes));
    },
    summaryAtOnce(bytes) {
      if (isLarge(bytes)) return undefined;
      done.push('summary');
      return summaryOf(read(bytes));
    },
    *summarySteps(bytes) {
      yield;
      done.push('steps');
      return summaryOf(read(bytes));
    },
    forget: (name) => void done.push(`forget ${name}`),
  };
  const served = createServedDefinitions({
    scheme: {
      ...scheme,
      define(name, kinds, stored) {
        done.push(`define ${name}`);
        scheme.define(name, kinds, stored);
      },
    },
    definitions: { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' },
    scale: {
      name: 'scale',
      verbs: [],
      kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
    },
    compile: compileCustomVersion,
    compileDeps: { language: testLanguage, metadataType },
    reader,
    callWebhook: () => Promise.reject(new Error('there is none')),
    turns: { run: (step) => void step(() => false) },
    uuid: () => '',
  });
  const plurals = Array.from({ length: others }, (_, at) => `k${at}s`);
  finished(served.reset(plurals.map((plural) => entryOf(plural))));
  const kindsOf = (): readonly (KindInfo | undefined)[] =>
    plurals.map((plural) => scheme.findResource(group, 'v1', plural));
  const before = kindsOf();
  assert.ok(before.every((kind) => kind !== undefined));

  const steps = (work: () => void): readonly string[] => {
    done.length = 0;
    work();
    return [...done];
  };
  const name = `mores.${group}`;
  assert.deepEqual(
    steps(() => served.set(entryOf('mores'))),
    ['summary', `define ${name}`],
  );
  // It is served from this step on.
  assert.ok(scheme.findResource(group, 'v1', 'mores') !== undefined);
  const mores = { group, resource: 'mores' };
  const object: ApiObject = { apiVersion: `${group}/v1`, kind: 'Kmores', metadata: { name: 'x' } };
  assert.deepEqual(
    steps(() => assert.deepEqual(scheme.fieldsOf(mores, object), {})),
    [],
    'a write does not read each of its versions for what they are selected by',
  );
  assert.deepEqual(
    steps(() => served.set(entryOf('mores', { storedVersions: ['v1'] }))),
    ['summary'],
    'a status that says the same',
  );
  assert.deepEqual(
    steps(() => served.remove(name)),
    [`forget ${name}`, `define ${name}`],
    'and nothing of it is kept',
  );
  assert.ok(kindsOf().every((kind, at) => kind === before[at]));

  const large = entryOf('larges', { more: 'x'.repeat(100_000) });
  const rest = served.set(large);
  assert.ok(rest !== undefined);
  assert.deepEqual(
    steps(() => void rest.next()),
    [],
    'of a large one nothing is done in the step in which it comes',
  );
  assert.deepEqual(
    steps(() => finished(rest)),
    ['steps', `define ${large.name}`],
  );
  assert.ok(scheme.findResource(group, 'v1', 'larges') !== undefined);

  const many = entryOf('manys', {}, versionsOf(100));
  const taking = served.set(many);
  assert.ok(taking !== undefined);
  let parts = 0;
  assert.deepEqual(
    steps(() => {
      for (parts = 1; taking.next().done !== true; parts += 1) {
        // All of its versions come in the last step.
        assert.equal(scheme.findVersion(group, 'v100'), undefined);
      }
    }),
    [`define ${many.name}`],
    'one of many versions',
  );
  assert.ok(parts >= 100 / 12, `it is made in parts: ${String(parts)}`);
  assert.ok(scheme.findResource(group, 'v100', 'manys') !== undefined);
  const stopped = served.set(entryOf('stops', {}, versionsOf(100)));
  stopped?.next();
  finished(served.reset([entryOf('stops', {}, versionsOf(100))]));
  assert.ok(
    scheme.findResource(group, 'v100', 'stops') !== undefined,
    'what was not ended is not known',
  );
});

function versionsOf(
  count: number,
  schema: JsonObject = { openAPIV3Schema: { type: 'object' } },
): JsonObject {
  const versions = Array.from({ length: count }, (_, at) => ({
    name: `v${String(at + 1)}`,
    served: true,
    storage: at === 0,
    schema,
  }));
  return { versions };
}

test('the summary of a definition of many versions is made in parts', () => {
  const schema = { openAPIV3Schema: { type: 'object', description: 'd'.repeat(32 * 1024) } };
  const object = definition({ plural: 'manys', kind: 'Many', spec: versionsOf(40, schema) });
  const whole = { ...object, metadata: { name: 'manys.shop.example' } } as ApiObject;
  const making = summarySteps(whole);
  let parts = 1;
  let step = making.next();
  for (; step.done !== true; step = making.next()) parts += 1;
  assert.ok(parts >= 20, `${String(parts)} parts`);
  assert.deepEqual(step.value, summaryOf(whole));
});
