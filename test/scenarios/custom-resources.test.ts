/** Kinds that users define, end to end over a real server: served, changed, deleted. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';
import { conditionsOf, definition, established } from '../support/data/custom-definitions.ts';

const widgets = '/apis/shop.example/v1/namespaces/default/widgets';

describe('a kind that a user defines', () => {
  let server: TestServer;
  before(async () => (server = await startTestServer()));
  after(() => server.remove());

  it('is served as soon as its definition is accepted, and gone when it is deleted', async () => {
    await established(server, definition({ plural: 'widgets', kind: 'Widget' }));
    const watch = await server.openWatch('/apis/shop.example/v1/widgets?watch=1');
    const made = await server.request('POST', widgets, { body: widget('a', { size: 1 }) });
    assert.equal(made.status, 201, made.text);
    const got = await server.request('GET', `${widgets}/a`);
    assert.deepEqual(got.body['spec'], { size: 1 });
    assert.equal((got.body['metadata'] as JsonObject)['generation'], 1);
    const list = await server.request('GET', widgets);
    assert.equal(list.body['kind'], 'WidgetList');
    assert.equal((list.body['items'] as JsonObject[]).length, 1);
    const event = await watch.next();
    assert.equal(event['type'], 'ADDED');
    const name = 'widgets.shop.example';
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const deleted = await server.request('DELETE', `${crds}/${name}`);
    assert.equal(deleted.status, 200, deleted.text);
    assert.equal((await watch.next())['type'], 'DELETED');
    for (let gone = false; !gone; ) {
      gone = (await server.request('GET', `${crds}/${name}`)).status === 404;
    }
    assert.equal((await server.request('GET', widgets)).status, 404);
  });
});

function widget(name: string, spec: JsonObject): JsonObject {
  return { apiVersion: 'shop.example/v1', kind: 'Widget', metadata: { name }, spec };
}
