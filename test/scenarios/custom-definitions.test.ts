/**
 * Definitions over a real server, from outside: what discovery and OpenAPI say while they are
 * served, what becomes of objects when one changes, and names of the other identity.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { objects, part } from '../../src/apimachinery/members.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import {
  definition,
  definitionsPath,
  established,
  gone,
  object,
  replaced,
  until,
  widgetDefinition,
} from '../support/data/custom-definitions.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';

const group = '/apis/shop.example/v1';

describe('what is said of kinds that users define', () => {
  let server: TestServer;
  before(async () => (server = await startTestServer()));
  after(() => server.remove());
  const aggregated = {
    accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  };

  it('discovery shows them while they are served, under another ETag', async () => {
    const before = await server.request('GET', '/apis', { headers: aggregated });
    await established(server, definition(widgetDefinition));
    const { body } = await server.request('GET', group);
    assert.deepEqual(
      objects(body, 'resources').map(({ name }) => name),
      ['widgets', 'widgets/status', 'widgets/scale'],
    );
    const [first] = objects(body, 'resources');
    assert.deepEqual(first, {
      name: 'widgets',
      singularName: 'widget',
      namespaced: true,
      kind: 'Widget',
      verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
      shortNames: ['wd'],
      categories: ['all'],
      storageVersionHash: first?.['storageVersionHash'],
    });
    const served = await server.request('GET', '/apis', { headers: aggregated });
    assert.notEqual(served.headers['etag'], before.headers['etag']);
    const groups = objects(served.body, 'items').map((each) => part(each, 'metadata')['name']);
    assert.equal(groups.at(-1), 'shop.example');
    const service = '/apis/apiregistration.k8s.io/v1/apiservices/v1.shop.example';
    const registered = await until(server, service, () => true);
    assert.equal(part(registered, 'spec')['versionPriority'], 100);
    // All namespaces are read, and nothing else is done there.
    const everywhere = `${group}/widgets`;
    assert.equal((await server.request('GET', everywhere)).status, 200);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const reply = await server.request(method, everywhere);
      assert.deepEqual([reply.status, method], [404, method], reply.text);
    }
    await server.request('DELETE', `${definitionsPath}/widgets.shop.example`);
    await gone(server, `${definitionsPath}/widgets.shop.example`);
    await gone(server, service);
    const after = await server.request('GET', '/apis', { headers: aggregated });
    assert.equal(after.headers['etag'], before.headers['etag']);
    assert.equal((await server.request('GET', group)).status, 404);
  });

  it('OpenAPI has a document of their versions, and leaves the others as they are', async () => {
    const index = await server.request('GET', '/openapi/v3');
    await established(server, definition(widgetDefinition));
    const next = await server.request('GET', '/openapi/v3');
    const [paths, more] = [part(index.body, 'paths'), part(next.body, 'paths')];
    const own = Object.keys(more).filter((name) => !(name in paths));
    assert.deepEqual(own, ['apis/shop.example/v1']);
    for (const name of Object.keys(paths)) assert.deepEqual(more[name], paths[name], name);
    const document = await server.request('GET', '/openapi/v3/apis/shop.example/v1');
    const schema = part(
      part(part(document.body, 'components'), 'schemas'),
      'example.shop.v1.Widget',
    );
    assert.deepEqual(Object.keys(part(schema, 'properties')).sort(), [
      'apiVersion',
      'kind',
      'metadata',
      'spec',
      'status',
    ]);
    assert.deepEqual(schema['x-kubernetes-group-version-kind'], [
      { group: 'shop.example', kind: 'Widget', version: 'v1' },
    ]);
    const all = await server.request('GET', '/openapi/v2');
    assert.ok('example.shop.v1.WidgetList' in part(all.body, 'definitions'));
    for (const path of ['/openapi/v2', '/openapi/v3/apis/shop.example/v1']) {
      const version = path.slice('/openapi/'.length, '/openapi/v2'.length);
      const accept = `application/com.github.proto-openapi.spec.${version}@v1.0+protobuf`;
      const { status } = await server.request('GET', path, { headers: { accept } });
      assert.equal(status, 200, path);
    }
    await server.request('DELETE', `${definitionsPath}/widgets.shop.example`);
    await gone(server, `${definitionsPath}/widgets.shop.example`);
    const last = await server.request('GET', '/openapi/v3');
    assert.deepEqual(last.body, index.body);
  });
});

describe('a definition that changes', () => {
  let server: TestServer;
  const path = `${definitionsPath}/gadgets.shop.example`;
  const gadgets = (version: string): string =>
    `/apis/shop.example/${version}/namespaces/default/gadgets`;
  const specOf = (properties: JsonObject): JsonObject => ({
    type: 'object',
    properties: { spec: { type: 'object', properties } },
  });
  const versionOf = (name: string, properties: JsonObject, more: JsonObject = {}): JsonObject => ({
    name,
    served: true,
    storage: false,
    schema: { openAPIV3Schema: specOf(properties) },
    ...more,
  });
  const size = { type: 'integer' };
  before(async () => {
    server = await startTestServer();
    const versions = [versionOf('v1beta1', { size }, { storage: true })];
    await established(
      server,
      definition({ plural: 'gadgets', kind: 'Gadget', spec: { versions } }),
    );
    const body = object('Gadget', 'old', { spec: { size: 1 } }, 'v1beta1');
    const made = await server.request('POST', gadgets('v1beta1'), { body });
    assert.equal(made.status, 201, made.text);
  });
  after(() => server.remove());

  it('a version that comes shows what is there, and one that is deprecated says so', async () => {
    const other = await server.openWatch('/api/v1/configmaps?watch=1&resourceVersion=0');
    const own = await server.openWatch(`${gadgets('v1beta1')}?watch=1`);
    assert.equal((await own.next())?.type, 'ADDED');
    await replaced(server, path, (spec) => ({
      ...spec,
      versions: [
        versionOf('v1', { size }, { storage: true }),
        versionOf('v1beta1', { size }, { deprecated: true }),
      ],
    }));
    const shown = await until(server, `${gadgets('v1')}/old`, () => true);
    assert.equal(shown['apiVersion'], 'shop.example/v1');
    assert.deepEqual(shown['spec'], { size: 1 });
    const old = await server.request('GET', `${gadgets('v1beta1')}/old`);
    assert.match(
      String(old.headers['warning']),
      /shop\.example\/v1beta1 Gadget is deprecated; use shop\.example\/v1 Gadget/,
    );
    assert.deepEqual(await own.rest(), [], 'what is watched is another kind now');
    await server.request('POST', '/api/v1/namespaces/default/configmaps', {
      body: { metadata: { name: 'feels-nothing' } },
    });
    let seen = '';
    while (seen !== 'feels-nothing') seen = (await other.next())?.object.metadata.name ?? '';
    const { body } = await server.request('GET', path);
    assert.deepEqual(part(body, 'status')['storedVersions'], ['v1beta1', 'v1']);
    const group = await server.request('GET', '/apis/shop.example');
    assert.deepEqual(
      objects(group.body, 'versions').map(({ version }) => version),
      ['v1', 'v1beta1'],
    );
  });

  it('objects are watched and changed in any version', async () => {
    const watch = await server.openWatch(`${gadgets('v1beta1')}?watch=1`);
    assert.equal((await watch.next())?.object['apiVersion'], 'shop.example/v1beta1');
    await server.request('PATCH', `${gadgets('v1')}/old`, {
      body: '{"spec":{"size":2}}',
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    const event = await watch.next();
    assert.deepEqual(
      [event?.type, event?.object['apiVersion'], event?.object['spec']],
      ['MODIFIED', 'shop.example/v1beta1', { size: 2 }],
    );
  });

  it('a default that comes, and a field that can be selected, hold for what is there', async () => {
    const colour = { type: 'string', default: 'green' };
    const selectableFields = [{ jsonPath: '.spec.colour' }];
    await replaced(server, path, (spec) => ({
      ...spec,
      versions: [
        versionOf('v1', { size, colour }, { storage: true, selectableFields }),
        versionOf('v1beta1', { size, colour }, { selectableFields }),
      ],
    }));
    const shown = await until(server, `${gadgets('v1')}/old`, (body) =>
      Boolean(part(body, 'spec')['colour']),
    );
    assert.deepEqual(shown['spec'], { size: 2, colour: 'green' });
    const target = `${gadgets('v1beta1')}?fieldSelector=spec.colour=green`;
    const list = await server.request('GET', target);
    assert.equal(objects(list.body, 'items').length, 1, list.text);
  });

  it('versions with other fields show what they know, with the defaults of the one that is stored', async () => {
    const text = { type: 'string' };
    const weight = { type: 'integer', default: 3 };
    await replaced(server, path, (spec) => ({
      ...spec,
      versions: [
        versionOf('v1', { size, shape: { ...text, default: 'round' } }, { storage: true }),
        versionOf('v1beta1', { size, shape: { ...text, default: 'flat' }, weight }),
      ],
    }));
    const shown = await until(server, `${gadgets('v1beta1')}/old`, (body) =>
      Boolean(part(body, 'spec')['shape']),
    );
    assert.deepEqual(shown['spec'], { size: 2, shape: 'round' }, 'no default of its own');
    const rows: readonly [string, JsonObject, JsonObject][] = [
      // A body has the defaults of its own version; what the stored one does not know is dropped.
      ['v1beta1', { size: 1 }, { size: 1, shape: 'flat' }],
      ['v1beta1', { weight: 5, shape: 'square' }, { shape: 'square' }],
      ['v1', { size: 1 }, { size: 1, shape: 'round' }],
      ['v1', { weight: 5 }, { shape: 'round' }],
    ];
    for (const [at, [version, spec, stored]] of rows.entries()) {
      const name = `row-${at}`;
      const body = object('Gadget', name, { spec }, version);
      const made = await server.request('POST', gadgets(version), { body });
      assert.deepEqual([made.status, made.body['spec']], [201, stored], name);
      for (const other of ['v1', 'v1beta1']) {
        const read = await server.request('GET', `${gadgets(other)}/${name}`);
        assert.deepEqual(read.body['spec'], stored, `${name} in ${other}`);
      }
    }
    const strict = `${gadgets('v1')}?fieldValidation=Strict`;
    const unknown = object('Gadget', 'wrong', { spec: { weight: 1 } });
    const refused = await server.request('POST', strict, { body: unknown });
    assert.match(refused.text, /strict decoding error: unknown field \\"spec\.weight\\"/);
  });

  it('what a stricter schema forbids may stay as it was, and not change', async () => {
    const strict = { ...size, maximum: 1 };
    const colour = { type: 'string', enum: ['red'] };
    await replaced(server, path, (spec) => ({
      ...spec,
      versions: [
        versionOf('v1', { size: strict, colour }, { storage: true }),
        versionOf('v1beta1', { size: strict, colour }),
      ],
    }));
    const patch = (body: JsonObject): Promise<Reply> =>
      server.request('PATCH', `${gadgets('v1')}/old`, {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/merge-patch+json' },
      });
    const isStrict = async (): Promise<boolean> => {
      const body = object('Gadget', 'new', { spec: { size: 2 } });
      const target = `${gadgets('v1')}?dryRun=All`;
      return (await server.request('POST', target, { body })).status === 422;
    };
    while (!(await isStrict()));
    const rows: readonly (readonly [JsonObject, string])[] = [
      [{ metadata: { labels: { a: 'b' } } }, ''],
      [{ spec: { colour: 'red' } }, ''],
      [{ spec: { size: 3 } }, 'spec.size: Invalid value: 3: spec.size in body should be less than'],
      [{ spec: { colour: 'blue' } }, 'spec.colour: Unsupported value: "blue": supported'],
      [{ spec: { size: 1 } }, ''],
      [{ spec: { size: 2 } }, 'spec.size: Invalid value: 2: spec.size in body should be less than'],
    ];
    for (const [body, message] of rows) {
      const reply = await patch(body);
      assert.equal(reply.status, message === '' ? 200 : 422, reply.text);
      if (message !== '')
        assert.ok(reply.body['message']?.toString().includes(message), reply.text);
    }
  });

  it('a version that goes is not served any more, and its objects are', async () => {
    await replaced(server, path, (spec) => ({
      ...spec,
      versions: [
        versionOf('v1', { size }, { storage: true }),
        versionOf('v1beta1', { size }, { served: false }),
      ],
    }));
    await gone(server, gadgets('v1beta1'));
    assert.equal((await server.request('GET', `${gadgets('v1')}/old`)).status, 200);
    const service = '/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.shop.example';
    await gone(server, service);
  });
});

describe('under the identity of the service itself', () => {
  it('definitions have its names', async () => {
    const server = await startTestServer({ identity: 'svc' });
    const path = '/apis/apiextensions.svc.io/v1/customresourcedefinitions';
    const own = definition({ plural: 'cogs', kind: 'Cog', scope: 'Cluster' });
    const made = await server.request('POST', path, {
      body: { ...own, apiVersion: 'apiextensions.svc.io/v1' },
    });
    assert.equal(made.status, 201, made.text);
    await until(server, `${group}/cogs`, () => true);
    const body = object('Cog', 'a', { spec: { teeth: 12 } });
    assert.equal((await server.request('POST', `${group}/cogs`, { body })).status, 201);
    const deleted = await server.request('DELETE', `${path}/cogs.shop.example`);
    assert.deepEqual(part(deleted.body, 'metadata')['finalizers'], [
      'customresourcecleanup.apiextensions.svc.io',
    ]);
    await gone(server, `${path}/cogs.shop.example`);
    await server.remove();
  });
});

describe('in releases that have the older version of definitions', () => {
  for (const release of ['1.16', '1.21']) {
    it(`${release}: one that says what all versions share is served`, async () => {
      const server = await startTestServer({ 'emulated-version': release });
      const path = '/apis/apiextensions.k8s.io/v1beta1/customresourcedefinitions';
      const properties = { spec: { type: 'object', properties: { size: { type: 'integer' } } } };
      const made = await server.request('POST', path, {
        body: {
          apiVersion: 'apiextensions.k8s.io/v1beta1',
          kind: 'CustomResourceDefinition',
          metadata: { name: 'olds.shop.example' },
          spec: {
            group: 'shop.example',
            version: 'v1',
            names: { plural: 'olds', kind: 'Old' },
            validation: { openAPIV3Schema: { type: 'object', properties } },
          },
        },
      });
      assert.equal(made.status, 201, made.text);
      await until(server, `${group}/namespaces/default/olds`, () => true);
      const body = object('Old', 'a', { spec: { size: 1, kept: true } });
      const stored = await server.request('POST', `${group}/namespaces/default/olds`, { body });
      assert.deepEqual(stored.body['spec'], { size: 1, kept: true }, 'unknown fields are kept');
      await server.request('DELETE', `${path}/olds.shop.example`);
      await gone(server, `${path}/olds.shop.example`);
      await server.remove();
    });
  }
});
