/**
 * Definitions of public projects and objects of theirs: each has the answer that the reference gave
 * to it, errors with their paths and texts, or what is stored with its defaults.
 */
import { deepEqual, equal } from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { customWrites, sortedCauses } from './custom-writes.ts';
import type { RecordedAnswer } from './custom-writes.ts';
import { sharedVectors } from '../cel/shared-vectors.ts';
import { sharedRoot } from '../support/data/corpora.ts';

interface ObjectRow {
  readonly source: string;
  readonly kind: string;
  readonly operation: 'create' | 'update';
  readonly mutation?: string;
  readonly object: JsonObject;
  readonly old?: JsonObject;
  readonly fieldValidation?: string;
  readonly namespace?: string;
  readonly reference: RecordedAnswer;
}

interface Project {
  readonly crds: readonly { readonly file: string; readonly reference: { code: number } }[];
  readonly objects: readonly ObjectRow[];
}

const folder = path.join(sharedRoot, 'corpora', 'crds-real');
const projects = existsSync(folder) ? readdirSync(folder) : [];
if (projects.length === 0)
  test('real definitions', { skip: `${folder} is missing` }, () => undefined);

for (const name of projects) {
  const project = sharedVectors<Project>(`crds-real/${name}/objects.json`);
  if (project === undefined) continue;
  const writes = customWrites();

  test(`${name}: its definitions are accepted`, () => {
    for (const { file, reference } of project.crds) {
      const text = readFileSync(path.join(folder, name, file), 'utf8');
      for (const document of parseAllDocuments(text)) {
        const definition = document.toJS() as ApiObject | null;
        if (definition === null) continue;
        const causes = writes.define(definition);
        deepEqual(causes, [], file);
        equal(reference.code < 300, true, file);
      }
    }
  });

  test(`${name}: its ${project.objects.length} objects get the recorded answers`, () => {
    for (const [at, row] of project.objects.entries()) {
      const label = `${at} ${row.source} ${row.kind} ${row.mutation ?? ''}`;
      const answer = writes.write(row.object, row.old, row.fieldValidation === 'Strict');
      const { reference } = row;
      equal(answer.code === 201 ? 200 : answer.code, code(reference.code), shown(label, answer));
      if (reference.code === 422) {
        deepEqual(sortedCauses(answer.causes ?? []), sortedCauses(reference.causes ?? []), label);
      } else if (reference.code === 400) {
        equal(answer.message, reference.message, label);
      } else deepEqual(answer.object, reference.object, label);
    }
  });
}

function code(of: number): number {
  return of === 201 ? 200 : of;
}

function shown(label: string, answer: RecordedAnswer): string {
  return `${label}: ${JSON.stringify(answer).slice(0, 2000)}`;
}
