/**
 * Manifests as people write them are taken: over HTTP, with every field known, without a warning;
 * sent again they change nothing (spec 1, sections 2.6, 4.1). They lie in test/support/data/manifests.
 */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import type { ApiObject } from '../../src/apimachinery/unstructured.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import { eventually } from '../support/clients/watch-client.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';

const folder = path.join(process.cwd(), 'test', 'support', 'data', 'manifests');

function manifestsOf(file: string): readonly ApiObject[] {
  const documents = parseAllDocuments(readFileSync(path.join(folder, file), 'utf8'));
  return documents.map((document) => document.toJS() as ApiObject);
}

interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

describe('everyday manifests', () => {
  let server: TestServer;
  const known = new Map<string, readonly Resource[]>();

  before(async () => {
    server = await startTestServer({
      'runtime-config': 'api/all=true',
      'feature-gates': 'DynamicResourceAllocation=true,DRAPrioritizedList=true',
    });
  });
  after(() => server.remove());

  async function collectionOf(object: ApiObject): Promise<string> {
    const { apiVersion, kind, metadata } = object;
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    let resources = known.get(root);
    if (resources === undefined) {
      const { body } = await server.request('GET', root);
      resources = body['resources'] as unknown as readonly Resource[];
      known.set(root, resources);
    }
    const found = resources.find((each) => each.kind === kind && !each.name.includes('/'));
    assert(found, `${apiVersion} ${kind} is served`);
    return found.namespaced
      ? `${root}/namespaces/${metadata.namespace ?? 'default'}/${found.name}`
      : `${root}/${found.name}`;
  }

  function taken(reply: Reply, status: number): ApiObject {
    assert.equal(reply.status, status, reply.text);
    // But for what nothing acts on yet, which the definitions of kinds say.
    const warnings = String(reply.headers['warning'] ?? '').split(/, (?=299 )/);
    const others = warnings.filter((text) => !/^299 - "this server does not /.test(text));
    assert.equal(others.join(), '');
    return reply.body as unknown as ApiObject;
  }

  for (const file of readdirSync(folder)) {
    for (const object of manifestsOf(file)) {
      test(`${file}: ${object.kind} ${object.metadata.name ?? ''}`, async () => {
        const collection = await collectionOf(object);
        const strict = 'fieldValidation=Strict';
        const made = taken(
          await server.request('POST', `${collection}?${strict}`, { body: object }),
          201,
        );
        const target = `${collection}/${made.metadata.name ?? ''}`;
        // Until then a controller writes.
        const established = async () =>
          (await server.request('GET', target)).text.includes('"reason":"InitialNamesAccepted"');
        if (object.kind === 'CustomResourceDefinition') {
          await eventually(`${target} is established`, established);
        }
        const current = (await server.request('GET', target)).body as unknown as ApiObject;
        const again = taken(
          await server.request('PUT', `${target}?${strict}`, { body: current }),
          200,
        );
        assert.equal(again.metadata.resourceVersion, current.metadata.resourceVersion);
        const apply = (): Promise<Reply> =>
          server.request('PATCH', `${target}?${strict}&fieldManager=people&force=true`, {
            body: object,
            headers: { 'content-type': 'application/apply-patch+yaml' },
          });
        const applied = taken(await apply(), 200);
        const twice = taken(await apply(), 200);
        assert.equal(twice.metadata.resourceVersion, applied.metadata.resourceVersion);
      });
    }
  }
});
