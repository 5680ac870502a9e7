/**
 * NamespaceLifecycle, which is no plugin but a condition of every write: the texts and codes of a
 * namespace that is missing or going, and which namespaces stay (spec 1, section 4.1).
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';

const core = '/api/v1/namespaces';
const at = (namespace: string, name = ''): string =>
  `${core}/${namespace}/configmaps${name && `/${name}`}`;
const apply = { 'content-type': 'application/apply-patch+yaml' };

describe('the life of a namespace', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
    await server.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'going' } } });
    const kept = { metadata: { name: 'kept', finalizers: ['example.com/kept'] } };
    await server.request('POST', at('going'), { body: kept });
    await server.request('POST', `${core}/going/serviceaccounts`, { body: kept });
    const pod = { ...kept, spec: { containers: [{ name: 'c', image: 'i' }] } };
    await server.request('POST', `${core}/going/pods`, { body: pod });
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

  const node = { kind: 'Node', name: 'n' };
  /** What is refused, by method, place, content; as what, by its resource and name. */
  const others: readonly (readonly [string, string, JsonObject, string])[] = [
    ['POST', 'configmaps', { metadata: { name: 'kept' } }, 'configmaps "kept"'],
    ['POST', 'configmaps', { metadata: { generateName: 'm-' } }, 'configmaps "m-"'],
    ['POST', 'configmaps', { metadata: {} }, 'configmaps "Unknown"'],
    ['POST', 'configmaps', { metadata: { name: '-' } }, 'configmaps "-"'],
    ['POST', 'pods', { metadata: { name: 'p' }, spec: {} }, 'pods "p"'],
    ['POST', 'pods/kept/eviction', { metadata: { name: 'kept' } }, 'pods "kept"'],
    ['POST', 'pods/kept/binding', { metadata: { name: 'kept' }, target: node }, 'pods "kept"'],
    ['POST', 'bindings', { metadata: { name: 'kept' }, target: node }, 'bindings "kept"'],
    ['POST', 'serviceaccounts/kept/token', { spec: {} }, 'serviceaccounts "kept"'],
  ];
  for (const [method, path, body, what] of others) {
    it(`is asked first: ${method} ${path} ${JSON.stringify(body)}`, async () => {
      const going = await server.request(method, `${core}/going/${path}`, { body });
      assert.equal(going.status, 403, going.text);
      assert.equal(
        going.body['message'],
        `${what} is forbidden: unable to create new content in namespace going because it is ` +
          'being terminated',
      );
      const gone = await server.request(method, `${core}/gone/${path}`, { body });
      assert.equal(gone.body['message'], 'namespaces "gone" not found');
    });
  }

  it('does not say whether there is one to whoever asks what somebody may do there', async () => {
    for (const namespace of ['going', 'gone']) {
      const group = '/apis/authorization.k8s.io/v1/namespaces';
      const resourceAttributes = { namespace, verb: 'get', resource: 'pods' };
      const body = { metadata: { namespace }, spec: { user: 'a', resourceAttributes } };
      const asked = await server.request(
        'POST',
        `${group}/${namespace}/localsubjectaccessreviews`,
        { body },
      );
      assert.equal(asked.status, 201, asked.text);
    }
  });

  it('is told by an update that could create, and not by one that could not', async () => {
    const put = (namespace: string, group: string, path: string, body: JsonObject) =>
      server.request('PUT', `${group}/namespaces/${namespace}/${path}`, { body });
    const lease = { metadata: { name: 'l' }, spec: {} };
    const group = '/apis/coordination.k8s.io/v1';
    const going = await put('going', group, 'leases/l', lease);
    assert.equal(going.status, 403, going.text);
    assert.match(going.text, /"l\\" is forbidden: unable to create new content/);
    const gone = await put('gone', group, 'leases/l', lease);
    assert.equal(gone.body['message'], 'namespaces "gone" not found');
    for (const namespace of ['going', 'gone']) {
      const reply = await put(namespace, '/api/v1', 'configmaps/m', { metadata: { name: 'm' } });
      assert.equal(reply.body['message'], 'configmaps "m" not found');
    }
  });

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
