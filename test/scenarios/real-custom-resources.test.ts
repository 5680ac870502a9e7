/**
 * Definitions of public projects over a real server: each is served, and objects of theirs have the
 * answer that the reference gave to them, errors with their causes, or what is stored.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { part, text } from '../../src/apimachinery/members.ts';
import { isJsonObject } from '../../src/apimachinery/unstructured.ts';
import type { JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { sortedCauses } from '../apiextensions/custom-writes.ts';
import type { RecordedAnswer } from '../apiextensions/custom-writes.ts';
import { sharedVectors } from '../cel/shared-vectors.ts';
import { sharedRoot } from '../support/data/corpora.ts';
import { established } from '../support/data/custom-definitions.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';

interface ObjectRow {
  readonly source: string;
  readonly mutation?: string;
  readonly object: JsonObject;
  readonly old?: JsonObject;
  readonly fieldValidation?: string;
  readonly reference: RecordedAnswer;
}

interface Project {
  readonly crds: readonly { readonly file: string }[];
  readonly objects: readonly ObjectRow[];
}

const folder = path.join(sharedRoot, 'corpora', 'crds-real');
const projects = existsSync(folder) ? readdirSync(folder) : [];
if (projects.length === 0)
  it('real definitions', { skip: `${folder} is missing` }, () => undefined);

describe('definitions of public projects', () => {
  let server: TestServer;
  before(async () => (server = await startTestServer()));
  after(() => server.remove());

  for (const name of projects) {
    const project = sharedVectors<Project>(`crds-real/${name}/objects.json`);
    if (project === undefined) continue;

    it(`${name}: are served, and their objects have the recorded answers`, async () => {
      const paths = new Map<string, string>();
      for (const { file } of project.crds) {
        for (const document of parseAllDocuments(
          readFileSync(path.join(folder, name, file), 'utf8'),
        )) {
          const definition = document.toJS() as JsonObject | null;
          if (definition === null) continue;
          const { spec } = await established(server, definition);
          assert.ok(isJsonObject(spec));
          const plural = text(part(spec, 'names'), 'plural');
          const inside = spec['scope'] === 'Cluster' ? '' : 'namespaces/default/';
          for (const version of spec['versions'] as JsonObject[]) {
            const group = `${String(spec['group'])}/${String(version['name'])}`;
            const kind = text(part(spec, 'names'), 'kind');
            paths.set(`${group} ${kind}`, `/apis/${group}/${inside}${plural}`);
          }
        }
      }
      for (const [at, row] of project.objects.entries()) {
        const label = `${at} ${row.source} ${row.mutation ?? ''}`;
        const target = paths.get(
          `${String(row.object['apiVersion'])} ${String(row.object['kind'])}`,
        );
        if (target === undefined) continue;
        await checkRow(server, target, row, label);
      }
    });
  }
});

async function checkRow(
  server: TestServer,
  target: string,
  { object, old, fieldValidation, reference }: ObjectRow,
  label: string,
): Promise<void> {
  const query = fieldValidation === undefined ? '' : `?fieldValidation=${fieldValidation}`;
  let reply: Reply;
  let name = '';
  if (old === undefined) {
    reply = await server.request('POST', `${target}${query}`, { body: placed(object) });
    name = text(part(reply.status < 300 ? reply.body : object, 'metadata'), 'name');
  } else {
    name = text(part(old, 'metadata'), 'name');
    const made = await server.request('POST', target, { body: placed(old) });
    // What was stored before its rules came cannot be made again.
    if (made.status !== 201) return;
    const { resourceVersion } = part(made.body, 'metadata');
    const metadata = { ...part(placed(object), 'metadata'), resourceVersion };
    const body = { ...object, metadata };
    reply = await server.request('PUT', `${target}/${name}${query}`, { body });
  }
  const code = reply.status === 201 ? 200 : reply.status;
  assert.equal(code, reference.code === 201 ? 200 : reference.code, `${label}: ${reply.text}`);
  if (reference.code === 422) {
    const causes = part(reply.body, 'details')['causes'] as never;
    assert.deepEqual(sortedCauses(causes), sortedCauses(reference.causes ?? []), label);
  } else if (reference.code < 300 && reference.object !== undefined) {
    assert.deepEqual(desired(reply.body), desired(reference.object), label);
  }
  if (name !== '') await server.request('DELETE', `${target}/${name}`);
}

function placed(object: JsonObject): JsonObject {
  const { namespace: _own, resourceVersion: _version, ...metadata } = part(object, 'metadata');
  return { ...object, metadata };
}

/** Without what each server makes anew. */
function desired({ metadata: _own, ...rest }: JsonObject): Record<string, JsonValue | undefined> {
  return rest;
}
