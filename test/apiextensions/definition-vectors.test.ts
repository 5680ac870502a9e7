/** Definitions that are accepted and refused, by vectors with the answer of the reference. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { isJsonObject } from '../../src/apimachinery/unstructured.ts';
import { sharedVectors } from '../cel/shared-vectors.ts';
import { sortedCauses, writeDefinition } from './custom-writes.ts';
import type { RecordedAnswer } from './custom-writes.ts';

interface Reference extends RecordedAnswer {
  readonly old?: RecordedAnswer;
}

interface Row {
  readonly name: string;
  readonly v1?: JsonObject;
  readonly old?: JsonObject;
  readonly new?: JsonObject;
  readonly schema?: JsonObject | null;
  readonly statusEnabled?: boolean;
  /** Where the schema stands; absent: at the root. */
  readonly at?: string;
  readonly reference?: Reference;
}

const vectors = sharedVectors<Readonly<Record<string, readonly Row[]>>>(
  'crd-validation/cases.json',
);

function expectAnswer(answer: RecordedAnswer, wanted: RecordedAnswer): void {
  deepEqual(sortedCauses(answer.causes ?? []), sortedCauses(wanted.causes ?? []));
  equal(answer.code, wanted.code);
  if (wanted.code === 400) equal(answer.reason, wanted.reason);
}

for (const section of ['create', 'selectableFields']) {
  for (const { name, reference, v1 } of vectors?.[section] ?? []) {
    test(`${section}: ${name}`, () => {
      expectAnswer(writeDefinition(v1 ?? {}), reference ?? { code: 201 });
    });
  }
}

for (const { name, new: next, old, reference } of vectors?.['update'] ?? []) {
  test(`update: ${name}`, () => {
    const first = writeDefinition(old ?? {});
    const refused = reference?.old;
    if (refused !== undefined) {
      expectAnswer(first, refused);
      return;
    }
    equal(first.code, 201, JSON.stringify(first.causes));
    const answer = writeDefinition(next ?? {}, first.object as ApiObject);
    expectAnswer(answer, reference ?? { code: 200 });
  });
}

/** As the vectors' own definition has it: the schema at the root of one version, or at its spec. */
function definitionOf(schema: JsonObject, isSpec: boolean, hasStatus: boolean): JsonObject {
  const root = isSpec ? { type: 'object', properties: { spec: schema } } : schema;
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: root },
    ...(hasStatus ? { subresources: { status: {} } } : {}),
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'xs.check.example.org' },
    spec: {
      group: 'check.example.org',
      scope: 'Namespaced',
      names: { plural: 'xs', kind: 'X' },
      versions: [version],
    },
  };
}

for (const row of vectors?.['schema'] ?? []) {
  const { name, reference } = row;
  test(`schema: ${name}`, () => {
    const schema = isJsonObject(row.schema) ? row.schema : { type: 'object' };
    const definition = definitionOf(schema, row.at === 'spec', row.statusEnabled === true);
    expectAnswer(writeDefinition(definition), reference ?? { code: 201 });
  });
}
