/**
 * Kinds that users define, over a real server: from the acceptance of a definition to its end, with
 * every verb, subresource and form in between.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { items, objects, part, text } from '../../src/apimachinery/members.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import {
  conditionsOf,
  definition,
  definitionsPath,
  established,
  gone,
  replaced,
  until,
  whenEstablished,
} from '../support/data/custom-definitions.ts';
import type { DefinitionOptions } from '../support/data/custom-definitions.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';

const group = '/apis/shop.example/v1';
const inDefault = `${group}/namespaces/default`;
const tableType = 'application/json;as=Table;g=meta.k8s.io;v=v1';

const widgetDefinition: DefinitionOptions = {
  plural: 'widgets',
  kind: 'Widget',
  names: { shortNames: ['wd'], categories: ['all'], singular: 'widget' },
  version: {
    subresources: {
      status: {},
      scale: {
        specReplicasPath: '.spec.count',
        statusReplicasPath: '.status.count',
        labelSelectorPath: '.status.selector',
      },
    },
    selectableFields: [{ jsonPath: '.spec.colour' }],
    additionalPrinterColumns: [
      { name: 'Colour', type: 'string', jsonPath: '.spec.colour' },
      { name: 'Count', type: 'integer', jsonPath: '.spec.count', priority: 1 },
    ],
  },
  properties: {
    spec: {
      type: 'object',
      properties: {
        colour: { type: 'string', default: 'grey', enum: ['grey', 'red', 'blue'] },
        count: { type: 'integer', minimum: 0 },
        parts: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string' }, size: { type: 'integer' } },
          },
        },
      },
      'x-kubernetes-validations': [
        { rule: '!has(self.count) || self.count < 100', message: 'too many' },
      ],
    },
    status: {
      type: 'object',
      properties: { count: { type: 'integer' }, selector: { type: 'string' } },
    },
  },
};

function object(kind: string, name: string, more: JsonObject = {}, version = 'v1'): JsonObject {
  return { apiVersion: `shop.example/${version}`, kind, metadata: { name }, ...more };
}

const widget = (name: string, spec: JsonObject): JsonObject => object('Widget', name, { spec });

function metadataOf({ body }: Reply): JsonObject {
  return part(body, 'metadata');
}

describe('the life of a definition', () => {
  let server: TestServer;
  before(async () => (server = await startTestServer()));
  after(() => server.remove());

  it('names are accepted, then it is established, and says what it stores', async () => {
    const body = await established(server, definition({ plural: 'lamps', kind: 'Lamp' }));
    assert.deepEqual(conditionsOf(body), {
      NamesAccepted: 'True NoConflicts',
      Established: 'True InitialNamesAccepted',
    });
    const { acceptedNames, storedVersions } = part(body, 'status');
    const names = { kind: 'Lamp', listKind: 'LampList', plural: 'lamps', singular: 'lamp' };
    assert.deepEqual(acceptedNames, names);
    assert.deepEqual(storedVersions, ['v1']);
    assert.equal((await server.request('GET', `${inDefault}/lamps`)).body['kind'], 'LampList');
    await server.request('DELETE', `${definitionsPath}/lamps.shop.example`);
    await gone(server, `${definitionsPath}/lamps.shop.example`);
  });

  it('a name that another one has is refused, and accepted when that one is gone', async () => {
    await established(server, definition({ plural: 'pots', kind: 'Pot' }));
    const second = definition({ plural: 'vessels', kind: 'Pot', names: { shortNames: ['pots'] } });
    await server.request('POST', definitionsPath, { body: second });
    const path = `${definitionsPath}/vessels.shop.example`;
    const refused = await until(server, path, (body) =>
      conditionsOf(body)['NamesAccepted']?.startsWith('False'),
    );
    assert.deepEqual(conditionsOf(refused), {
      NamesAccepted: 'False ListKindConflict',
      Established: 'False NotAccepted',
    });
    const conditions = objects(part(refused, 'status'), 'conditions');
    assert.deepEqual(
      conditions.map(({ message }) => message),
      ['"PotList" is already in use', 'not all names are accepted'],
    );
    assert.equal((await server.request('GET', `${inDefault}/vessels`)).status, 404);
    await server.request('DELETE', `${definitionsPath}/pots.shop.example`);
    await whenEstablished(server, 'vessels.shop.example');
    assert.equal((await server.request('GET', `${inDefault}/vessels`)).status, 200);
    await server.request('DELETE', path);
    await gone(server, path);
  });

  it('a deleted one takes its objects with it, and waits for those that are held', async () => {
    await established(server, definition({ plural: 'boxes', kind: 'Box' }));
    const held = object('Box', 'held', {});
    const finalizers = ['shop.example/wait'];
    await server.request('POST', `${inDefault}/boxes`, {
      body: { ...held, metadata: { name: 'held', finalizers } },
    });
    await server.request('POST', `${inDefault}/boxes`, { body: object('Box', 'free') });
    const watch = await server.openWatch(`${group}/boxes?watch=1`);
    assert.deepEqual(
      (await watch.take(2)).map(({ type }) => type),
      ['ADDED', 'ADDED'],
    );
    const path = `${definitionsPath}/boxes.shop.example`;
    const deleted = await server.request('DELETE', path);
    assert.equal(deleted.status, 200);
    assert.deepEqual(metadataOf(deleted)['finalizers'], [
      'customresourcecleanup.apiextensions.k8s.io',
    ]);
    assert.equal(conditionsOf(deleted.body)['Terminating'], 'True InstanceDeletionPending');
    const late = await server.request('POST', `${inDefault}/boxes`, {
      body: object('Box', 'late'),
    });
    assert.equal(late.status, 405);
    assert.match(text(late.body, 'message'), /create not allowed while custom resource definition/);
    await until(server, path, (body) =>
      conditionsOf(body)['Terminating']?.startsWith('True InstanceDeletionCheck'),
    );
    const events = await watch.take(2);
    assert.deepEqual(events.map(({ type }) => type).sort(), ['DELETED', 'MODIFIED']);
    assert.equal((await server.request('GET', `${inDefault}/boxes/free`)).status, 404);
    await server.request('PATCH', `${inDefault}/boxes/held`, {
      body: '{"metadata":{"finalizers":null}}',
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    await gone(server, path);
    assert.deepEqual(
      (await watch.rest()).map(({ type }) => type),
      ['DELETED'],
    );
    assert.equal((await server.request('GET', `${inDefault}/boxes`)).status, 404);
  });

  it('one that is made anew under the same name begins without objects', async () => {
    const body = definition({ plural: 'cups', kind: 'Cup' });
    for (let round = 0; round < 3; round += 1) {
      await established(server, body);
      const { body: list } = await server.request('GET', `${inDefault}/cups`);
      assert.deepEqual(list['items'], []);
      const made = await server.request('POST', `${inDefault}/cups`, { body: object('Cup', 'a') });
      assert.equal(made.status, 201, made.text);
      await server.request('DELETE', `${definitionsPath}/cups.shop.example`);
      await gone(server, `${definitionsPath}/cups.shop.example`);
    }
  });

  it('one that names what is built in serves nothing, and its end deletes nothing', async () => {
    const metadata = {
      name: 'deployments.apps.example',
      annotations: { 'api-approved.kubernetes.io': 'unapproved, a test' },
    };
    const own = definition({ plural: 'leases', kind: 'Lease', group: 'coordination.k8s.io' });
    const body = { ...own, metadata: { ...metadata, name: 'leases.coordination.k8s.io' } };
    await established(server, body);
    const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
    const before = items((await server.request('GET', leases)).body, 'items').length;
    const path = `${definitionsPath}/leases.coordination.k8s.io`;
    await server.request('DELETE', path);
    await gone(server, path);
    assert.equal(items((await server.request('GET', leases)).body, 'items').length, before);
  });
});

describe('objects of a kind that a user defines', () => {
  let server: TestServer;
  const widgets = `${inDefault}/widgets`;
  before(async () => {
    server = await startTestServer();
    await established(server, definition(widgetDefinition));
  });
  after(() => server.remove());
  const patch = (name: string, type: string, body: unknown, query = ''): Promise<Reply> =>
    server.request('PATCH', `${widgets}/${name}${query}`, {
      body: JSON.stringify(body),
      headers: { 'content-type': type },
    });

  it('are made with defaults, pruned, and refused with every cause', async () => {
    const body = widget('a', { count: 3, unknown: true });
    const made = await server.request('POST', widgets, { body });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(made.body['spec'], { colour: 'grey', count: 3 });
    assert.match(String(made.headers['warning']), /unknown field \\"spec\.unknown\\"/);
    assert.equal(metadataOf(made)['generation'], 1);
    const ignoring = `${widgets}?fieldValidation=Ignore&dryRun=All`;
    const quietly = await server.request('POST', ignoring, { body: widget('b', { unknown: 1 }) });
    assert.deepEqual([quietly.status, quietly.headers['warning']], [201, undefined]);
    const strict = `${widgets}?fieldValidation=Strict`;
    const refused = await server.request('POST', strict, { body: widget('b', { unknown: 1 }) });
    assert.equal(refused.status, 400);
    assert.match(
      text(refused.body, 'message'),
      /strict decoding error: unknown field "spec\.unkno/,
    );
    const wrong = await server.request('POST', widgets, {
      body: widget('b', { colour: 'green', count: -1 }),
    });
    assert.equal(wrong.status, 422);
    const causes = objects(part(wrong.body, 'details'), 'causes');
    const fields = causes.map(({ field }) => field).sort();
    assert.deepEqual(fields, ['.spec.count', '<nil>', 'spec.colour', 'spec.count']);
    const rule = await server.request('POST', widgets, { body: widget('b', { count: 100 }) });
    assert.match(text(rule.body, 'message'), /spec: Invalid value: .*too many$/);
    assert.equal((await server.request('GET', `${widgets}/b`)).status, 404);
  });

  it('are updated on the version that was read, and only that counts as a change', async () => {
    const { body } = await server.request('GET', `${widgets}/a`);
    const blind = await server.request('PUT', `${widgets}/a`, { body: widget('a', { count: 4 }) });
    assert.equal(blind.status, 422);
    assert.match(text(blind.body, 'message'), /resourceVersion: .*must be specified for an update/);
    const same = await server.request('PUT', `${widgets}/a`, { body });
    assert.equal(metadataOf(same)['resourceVersion'], part(body, 'metadata')['resourceVersion']);
    const next = await server.request('PUT', `${widgets}/a`, {
      body: { ...body, spec: { colour: 'red', count: 4 }, status: { count: 9 } },
    });
    assert.equal(metadataOf(next)['generation'], 2, next.text);
    assert.equal(next.body['status'], undefined);
    const stale = await server.request('PUT', `${widgets}/a`, {
      body: { ...body, spec: { colour: 'blue' } },
    });
    assert.equal(stale.status, 409);
  });

  it('are patched by JSON and merge patches, and by no strategic ones', async () => {
    const merged = await patch('a', 'application/merge-patch+json', { spec: { count: 5 } });
    assert.deepEqual(merged.body['spec'], { colour: 'red', count: 5 });
    const json = await patch('a', 'application/json-patch+json', [
      { op: 'remove', path: '/spec/colour' },
    ]);
    assert.deepEqual(json.body['spec'], { colour: 'grey', count: 5 });
    const strategic = await patch('a', 'application/strategic-merge-patch+json', {});
    assert.equal(strategic.status, 415);
    assert.match(
      text(strategic.body, 'message'),
      /application\/json-patch\+json, application\/merge-patch\+json, application\/apply-patch\+yaml$/,
    );
  });

  it('are applied: lists with keys have owners by item, others conflict', async () => {
    const apply = (manager: string, spec: JsonObject, force = false): Promise<Reply> =>
      patch(
        'applied',
        'application/apply-patch+yaml',
        widget('applied', spec),
        `?fieldManager=${manager}&force=${force}`,
      );
    const first = await apply('one', { colour: 'red', parts: [{ name: 'x', size: 1 }] });
    assert.equal(first.status, 201, first.text);
    const second = await apply('two', { parts: [{ name: 'y', size: 2 }] });
    assert.deepEqual(part(second.body, 'spec')['parts'], [
      { name: 'x', size: 1 },
      { name: 'y', size: 2 },
    ]);
    const conflict = await apply('two', { colour: 'blue' });
    assert.equal(conflict.status, 409);
    assert.match(text(conflict.body, 'message'), /conflict with "one": \.spec\.colour/);
    const forced = await apply('two', { colour: 'blue' }, true);
    assert.deepEqual(part(forced.body, 'spec')['parts'], [{ name: 'x', size: 1 }]);
    const taken = await apply('one', {});
    assert.deepEqual(taken.body['spec'], { colour: 'blue' });
  });

  it('have a status of their own: only it is written there, and it is no change', async () => {
    const before = await server.request('GET', `${widgets}/a`);
    const { resourceVersion } = metadataOf(before);
    const written = await server.request('PUT', `${widgets}/a/status`, {
      body: object('Widget', 'a', {
        metadata: { name: 'a', resourceVersion, labels: { no: 'change' } },
        spec: { colour: 'blue' },
        status: { count: 2, selector: 'app=a' },
      }),
    });
    assert.equal(written.status, 200, written.text);
    assert.deepEqual(written.body['spec'], before.body['spec']);
    assert.deepEqual(written.body['status'], { count: 2, selector: 'app=a' });
    assert.equal(metadataOf(written)['generation'], metadataOf(before)['generation']);
    assert.equal(metadataOf(written)['labels'], undefined);
  });

  it('are scaled where their definition says', async () => {
    const scale = await server.request('GET', `${widgets}/a/scale`);
    assert.equal(scale.body['kind'], 'Scale');
    assert.deepEqual(
      [scale.body['spec'], scale.body['status']],
      [{ replicas: 5 }, { replicas: 2, selector: 'app=a' }],
    );
    const set = await server.request('PUT', `${widgets}/a/scale`, {
      body: { ...scale.body, spec: { replicas: 7 } },
    });
    assert.deepEqual(set.body['spec'], { replicas: 7 });
    const { body } = await server.request('GET', `${widgets}/a`);
    assert.equal(part(body, 'spec')['count'], 7);
    await server.request('POST', widgets, { body: widget('uncounted', {}) });
    const none = await server.request('GET', `${widgets}/uncounted/scale`);
    assert.equal(none.status, 500);
    assert.match(
      text(none.body, 'message'),
      /the spec replicas field "\.spec\.count" does not exist/,
    );
  });

  it('are listed as Tables with their columns, selected by field and label', async () => {
    const { body } = await server.request('GET', `${widgets}?fieldSelector=spec.colour=blue`, {
      headers: { accept: tableType },
    });
    assert.deepEqual(
      objects(body, 'columnDefinitions').map(({ name, priority }) => [name, priority]),
      [
        ['Name', 0],
        ['Colour', 0],
        ['Count', 1],
      ],
    );
    assert.deepEqual(
      objects(body, 'rows').map(({ cells }) => cells),
      [['applied', 'blue', null]],
    );
    const unknown = await server.request('GET', `${widgets}?fieldSelector=spec.count=5`);
    assert.equal(unknown.status, 400);
    assert.match(text(unknown.body, 'message'), /field label not supported: spec\.count/);
    await patch('a', 'application/merge-patch+json', { metadata: { labels: { app: 'a' } } });
    const labelled = await server.request('GET', `${widgets}?labelSelector=app=a&limit=1`);
    assert.equal(objects(labelled.body, 'items').length, 1);
  });

  it('are shown as JSON, YAML and metadata, and whole in no Protobuf', async () => {
    const yaml = await server.request('GET', `${widgets}/a`, {
      headers: { accept: 'application/yaml' },
    });
    assert.match(yaml.text, /^apiVersion: shop\.example\/v1$/m);
    const protobuf = await server.request('GET', `${widgets}/a`, {
      headers: { accept: 'application/vnd.kubernetes.protobuf' },
    });
    assert.equal(protobuf.status, 406);
    const types = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
    assert.ok(protobuf.text.includes(types), protobuf.text);
    const partial = 'as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
    for (const form of ['application/json', 'application/vnd.kubernetes.protobuf']) {
      const list = await server.request('GET', widgets, {
        headers: { accept: `${form};${partial}` },
      });
      assert.deepEqual([list.status, list.headers['content-type']], [200, form]);
    }
    const posted = await server.request('POST', widgets, {
      body: new Uint8Array([0x6b, 0x38, 0x73, 0]),
      headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
    });
    assert.equal(posted.status, 415);
  });

  it('are watched like all others: from a list, as a stream of the state, with selectors', async () => {
    const list = await server.request('GET', widgets);
    const { resourceVersion } = metadataOf(list);
    const from = `${widgets}?watch=1&resourceVersion=${String(resourceVersion)}`;
    const watch = await server.openWatch(`${from}&fieldSelector=spec.colour=red`);
    const metadata = await server.openWatch(from, {
      accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    });
    const state = await server.openWatch(
      `${widgets}?watch=1&sendInitialEvents=true&allowWatchBookmarks=true` +
        '&resourceVersionMatch=NotOlderThan',
    );
    const count = objects(list.body, 'items').length;
    const initial = await state.take(count + 1);
    assert.equal(initial.at(-1)?.type, 'BOOKMARK');
    await patch('a', 'application/merge-patch+json', { spec: { colour: 'red' } });
    await patch('a', 'application/merge-patch+json', { spec: { colour: 'blue' } });
    await server.request('DELETE', `${widgets}/a`);
    assert.deepEqual(
      (await watch.take(2)).map(({ type }) => type),
      ['ADDED', 'DELETED'],
    );
    assert.deepEqual(
      (await metadata.take(3)).map(({ object: { kind } }) => kind),
      ['PartialObjectMetadata', 'PartialObjectMetadata', 'PartialObjectMetadata'],
    );
    assert.deepEqual(
      (await state.take(3)).map(({ type }) => type),
      ['MODIFIED', 'MODIFIED', 'DELETED'],
    );
  });

  it('are deleted one by one, by selector, with their namespace, and with their owner', async () => {
    await server.request('POST', widgets, {
      body: { ...widget('l', {}), metadata: { name: 'l', labels: { app: 'l' } } },
    });
    await server.request('DELETE', `${widgets}?labelSelector=app=l`);
    assert.equal((await server.request('GET', `${widgets}/l`)).status, 404);
    const namespaces = '/api/v1/namespaces';
    await server.request('POST', namespaces, { body: { metadata: { name: 'passing' } } });
    const passing = `${group}/namespaces/passing/widgets`;
    await server.request('POST', passing, { body: widget('p', {}) });
    await server.request('DELETE', `${namespaces}/passing`);
    await gone(server, `${namespaces}/passing`);
    assert.equal((await server.request('GET', `${passing}/p`)).status, 404);
    const owner = await server.request('POST', widgets, { body: widget('owner', {}) });
    const { uid } = metadataOf(owner);
    const ownerReferences = [{ apiVersion: 'shop.example/v1', kind: 'Widget', name: 'owner', uid }];
    const configMaps = '/api/v1/namespaces/default/configmaps';
    await server.request('POST', configMaps, {
      body: { metadata: { name: 'owned', ownerReferences } },
    });
    await server.request('DELETE', `${widgets}/owner`);
    await gone(server, `${configMaps}/owned`);
    const map = await server.request('POST', configMaps, { body: { metadata: { name: 'map' } } });
    const ofMap = { apiVersion: 'v1', kind: 'ConfigMap', name: 'map', uid: metadataOf(map)['uid'] };
    await server.request('POST', widgets, {
      body: { ...widget('owned', {}), metadata: { name: 'owned', ownerReferences: [ofMap] } },
    });
    await server.request('DELETE', `${configMaps}/map`);
    await gone(server, `${widgets}/owned`);
  });
});

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
      ['widgets', 'widgets/scale', 'widgets/status'],
    );
    const [first] = objects(body, 'resources');
    assert.deepEqual(first, {
      name: 'widgets',
      singularName: 'widget',
      namespaced: true,
      kind: 'Widget',
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
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

  it('versions with other fields read each object by their own', async () => {
    await replaced(server, path, (spec) => ({
      ...spec,
      versions: [
        versionOf('v1', { size, colour: { type: 'string' } }, { storage: true }),
        versionOf('v1beta1', { size, weight: { type: 'integer', default: 3 } }),
      ],
    }));
    const v1beta1 = await until(server, `${gadgets('v1beta1')}/old`, (body) =>
      Boolean(part(body, 'spec')['weight']),
    );
    assert.deepEqual(v1beta1['spec'], { size: 2, weight: 3 });
    const v1 = await server.request('GET', `${gadgets('v1')}/old`);
    assert.deepEqual(Object.keys(part(v1.body, 'spec')).sort(), ['colour', 'size']);
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
    assert.deepEqual(metadataOf(deleted)['finalizers'], [
      'customresourcecleanup.apiextensions.svc.io',
    ]);
    await gone(server, `${path}/cogs.shop.example`);
    await server.remove();
  });
});
