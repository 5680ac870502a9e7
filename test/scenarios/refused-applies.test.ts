/** What an apply is refused for, and all of it at once: what it claims of an object's identity, and
 * rules that forbid what does not change. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { objects, part, text } from '../../src/apimachinery/members.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { definition, established, object } from '../support/data/custom-definitions.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';

describe('an apply that is refused', () => {
  let server: TestServer;
  before(async () => (server = await startTestServer()));
  after(() => server.remove());

  const apply = (path: string, body: JsonObject): Promise<Reply> =>
    server.request('PATCH', `${path}?fieldManager=one`, {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/apply-patch+yaml' },
    });

  const config = (metadata: JsonObject): Promise<Reply> =>
    apply('/api/v1/namespaces/default/configmaps/m', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'm', ...metadata },
    });

  it('for another uid is refused for all else that is wrong, too', async () => {
    assert.equal((await config({})).status, 201);
    const reply = await config({ uid: 'u', labels: { a: 'b c' } });
    assert.equal(reply.status, 422, reply.text);
    const both = /\[metadata\.uid: .*field is immutable, metadata\.labels: Invalid value: "b c"/;
    assert.match(text(reply.body, 'message'), both);
    assert.equal((await config({ uid: 'u' })).status, 422);
  });

  it('for managed fields is refused for these first, with and without an object', async () => {
    for (const name of ['m', 'absent']) {
      const path = `/api/v1/namespaces/default/configmaps/${name}`;
      const metadata = { name, uid: 'u', managedFields: [{}] };
      const reply = await apply(path, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
      assert.equal(reply.status, 400, reply.text);
      assert.equal(text(reply.body, 'message'), 'metadata.managedFields must be nil');
    }
  });

  it('without the key of a list is refused for what is missing, by the rules of the kind', async () => {
    const container = { image: 'i', ports: [{ protocol: 'UDP' }], env: [{ value: 'v' }] };
    const reply = await apply('/api/v1/namespaces/default/pods/p', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [container], hostAliases: [{ hostnames: ['h'] }] },
    });
    assert.equal(reply.status, 422, reply.text);
    const fields = objects(part(reply.body, 'details'), 'causes').map(({ field }) => field);
    assert.deepEqual(fields.sort(), [
      'spec.containers[0].env[0].name',
      'spec.containers[0].name',
      'spec.containers[0].ports[0].containerPort',
      'spec.hostAliases[0].ip',
    ]);
  });

  it('by a rule of a custom type is refused also where it changes nothing', async () => {
    const rule = { rule: '!oldSelf.hasValue()', message: 'once', optionalOldSelf: true };
    const mark = { type: 'string', 'x-kubernetes-validations': [rule] };
    const schema = { openAPIV3Schema: { type: 'object', properties: { mark } } };
    const versions = [{ name: 'v1', served: true, storage: true, schema }];
    await established(server, definition({ plural: 'seals', kind: 'Seal', spec: { versions } }));
    const path = '/apis/shop.example/v1/namespaces/default/seals/one';
    const seal = object('Seal', 'one', { mark: 'a' }, 'v1');
    assert.equal((await apply(path, seal)).status, 201);
    const again = await apply(path, seal);
    assert.equal(again.status, 422, again.text);
    assert.match(text(again.body, 'message'), /mark: Invalid value: "a": once$/);
  });
});
