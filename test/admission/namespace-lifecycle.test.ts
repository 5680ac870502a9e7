/**
 * NamespaceLifecycle, which is no plugin but a condition of every write: the texts and codes of a
 * namespace that is missing or going, and which namespaces stay (spec 1, section 4.1).
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';

const at = (namespace: string, name = ''): string =>
  `/api/v1/namespaces/${namespace}/configmaps${name && `/${name}`}`;
const apply = { 'content-type': 'application/apply-patch+yaml' };

describe('the life of a namespace', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
    await server.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'going' } } });
    const kept = { metadata: { name: 'kept', finalizers: ['example.com/kept'] } };
    await server.request('POST', at('going'), { body: kept });
    const marked = await server.request('DELETE', '/api/v1/namespaces/going');
    assert.equal((marked.body['status'] as JsonObject)['phase'], 'Terminating', marked.text);
  });
  after(() => server.remove());

  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' } };
  const creations: readonly (readonly [string, string, string, object])[] = [
    ['POST', '', '', {}],
    ['POST', '', '?dryRun=All', {}],
    ['PATCH', 'm', '?fieldManager=me', apply],
    ['PATCH', 'm', '?fieldManager=me&dryRun=All', apply],
  ];

  for (const [method, name, query, headers] of creations) {
    const how = `${method} ${query}`;
    it(`that there is not takes nothing: ${how}`, async () => {
      const reply = await server.request(method, `${at('gone', name)}${query}`, {
        body: map,
        headers: { ...headers },
      });
      assert.equal(reply.status, 404, reply.text);
      assert.equal(reply.body['message'], 'namespaces "gone" not found');
    });

    it(`that is going takes nothing new: ${how}`, async () => {
      const reply = await server.request(method, `${at('going', name)}${query}`, {
        body: map,
        headers: { ...headers },
      });
      assert.equal(reply.status, 403, reply.text);
      assert.equal(
        reply.body['message'],
        'configmaps "m" is forbidden: unable to create new content in namespace going because it ' +
          'is being terminated',
      );
      assert.deepEqual((reply.body['details'] as JsonObject)['causes'], [
        {
          reason: 'NamespaceTerminating',
          message: 'namespace going is being terminated',
          field: 'metadata.namespace',
        },
      ]);
    });
  }

  it('that is going lets what it has be changed and deleted', async () => {
    const merge = { 'content-type': 'application/merge-patch+json' };
    const changed = await server.request('PATCH', at('going', 'kept'), {
      headers: merge,
      body: { data: { a: 'b' } },
    });
    assert.equal(changed.status, 200, changed.text);
    assert.equal((await server.request('DELETE', at('going', 'kept'))).status, 200);
  });

  for (const name of ['default', 'kube-system', 'kube-public']) {
    it(`${name} stays, in a dry run too`, async () => {
      for (const query of ['', '?dryRun=All']) {
        const reply = await server.request('DELETE', `/api/v1/namespaces/${name}${query}`);
        assert.equal(reply.status, 403, reply.text);
        assert.equal(
          reply.body['message'],
          `namespaces "${name}" is forbidden: this namespace may not be deleted`,
        );
      }
    });
  }
});
