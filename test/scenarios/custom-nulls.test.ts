/** Nulls in an apply to a custom resource, where null may not be: the default takes their place. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { definition, established, object } from '../support/data/custom-definitions.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';

const apply = { 'content-type': 'application/apply-patch+yaml' };

describe('nulls in an apply', () => {
  let server: TestServer;
  const path = '/apis/shop.example/v1/namespaces/default/taps';
  before(async () => {
    server = await startTestServer();
    const properties = {
      color: { type: 'string', default: 'red' },
      size: { type: 'integer' },
    };
    const root = { type: 'object', properties: { spec: { type: 'object', properties } } };
    const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: root } };
    const spec = { versions: [version] };
    await established(server, definition({ plural: 'taps', kind: 'Tap', spec }));
  });
  after(() => server.remove());

  const specAfter = async (name: string, spec: JsonObject): Promise<unknown> => {
    const sent = JSON.stringify(object('Tap', name, { spec }, 'v1'));
    const query = '?fieldManager=one';
    const reply = await server.request('PATCH', `${path}/${name}${query}`, {
      body: sent,
      headers: apply,
    });
    assert.ok(reply.status < 300, reply.text);
    return reply.body['spec'];
  };

  it('a creation gets the default', async () => {
    assert.deepEqual(await specAfter('born', { color: null }), { color: 'red' });
  });

  it('what had another value gets the default', async () => {
    assert.deepEqual(await specAfter('changed', { color: 'blue' }), { color: 'blue' });
    assert.deepEqual(await specAfter('changed', { color: null }), { color: 'red' });
  });

  it('without a default it is as if it were not said', async () => {
    assert.deepEqual(await specAfter('bare', { size: 3 }), { color: 'red', size: 3 });
    assert.deepEqual(await specAfter('bare', { size: null }), { color: 'red' });
  });
});
