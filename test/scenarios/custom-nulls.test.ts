/** Nulls in an apply to a custom resource, where null may not be: the default takes their place,
 * they are refused, or, where no type refuses them, dropped. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { definition, established, object } from '../support/data/custom-definitions.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';

const applied = { 'content-type': 'application/apply-patch+yaml' };

describe('nulls in an apply', () => {
  let server: TestServer;
  const path = '/apis/shop.example/v1/namespaces/default/taps';
  before(async () => {
    server = await startTestServer();
    const properties = {
      color: { type: 'string', default: 'red' },
      size: { type: 'integer' },
      note: { 'x-kubernetes-preserve-unknown-fields': true },
      open: { 'x-kubernetes-preserve-unknown-fields': true, nullable: true },
      notes: {
        type: 'object',
        additionalProperties: { 'x-kubernetes-preserve-unknown-fields': true },
      },
    };
    const root = { type: 'object', properties: { spec: { type: 'object', properties } } };
    const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: root } };
    const spec = { versions: [version] };
    await established(server, definition({ plural: 'taps', kind: 'Tap', spec }));
  });
  after(() => server.remove());

  const apply = (name: string, spec: JsonObject): Promise<Reply> =>
    server.request('PATCH', `${path}/${name}?fieldManager=one`, {
      body: JSON.stringify(object('Tap', name, { spec }, 'v1')),
      headers: applied,
    });

  const specAfter = async (name: string, spec: JsonObject): Promise<unknown> => {
    const reply = await apply(name, spec);
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

  it('without a default it is refused, and changes nothing', async () => {
    assert.deepEqual(await specAfter('bare', { size: 3 }), { color: 'red', size: 3 });
    const reply = await apply('bare', { size: null });
    assert.equal(reply.status, 422);
    assert.match(reply.text, /spec\.size in body must be of type integer: \\"null\\"/);
    const kept = await server.request('GET', `${path}/bare`);
    assert.deepEqual(kept.body['spec'], { color: 'red', size: 3 });
  });

  it('in a field without a type it is owned, and not there', async () => {
    const spec = { note: null, notes: { a: null, b: 1 }, open: null };
    const shown = { color: 'red', notes: { b: 1 }, open: null };
    assert.deepEqual(await specAfter('untyped', spec), shown);
    assert.deepEqual(await specAfter('untyped', spec), shown);
    const { body } = await server.request('GET', `${path}/untyped`);
    assert.deepEqual(body['spec'], shown);
    assert.match(JSON.stringify(body['metadata']), /"f:note":\{\},"f:notes":\{"f:a":\{\},"f:b"/);
    const posted = await server.request('POST', path, {
      body: JSON.stringify(object('Tap', 'noted', { spec: { note: 1 } }, 'v1')),
    });
    assert.equal(posted.status, 201);
    const forced = await server.request('PATCH', `${path}/noted?fieldManager=one&force=true`, {
      body: JSON.stringify(object('Tap', 'noted', { spec: { note: null } }, 'v1')),
      headers: applied,
    });
    assert.deepEqual(forced.body['spec'], { color: 'red' });
  });

  it('what is created is as if it had not been said', async () => {
    const sent = JSON.stringify(object('Tap', 'posted', { spec: { size: null } }, 'v1'));
    const reply = await server.request('POST', path, { body: sent });
    assert.deepEqual([reply.status, reply.body['spec']], [201, { color: 'red' }]);
  });
});
