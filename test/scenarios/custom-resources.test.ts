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
  object,
  until,
  whenEstablished,
  widgetDefinition,
} from '../support/data/custom-definitions.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';

const group = '/apis/shop.example/v1';
const inDefault = `${group}/namespaces/default`;
const tableType = 'application/json;as=Table;g=meta.k8s.io;v=v1';

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
    const none = { ...body, status: { ...part(body, 'status'), storedVersions: [] } };
    const path = `${definitionsPath}/lamps.shop.example/status`;
    const { status } = (await server.request('PUT', path, { body: none })).body;
    assert.deepEqual(
      part({ status }, 'status')['storedVersions'],
      ['v1'],
      'stored in some version',
    );
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

  it('of several that ask for the same names at once one gets them', async () => {
    const plurals = Array.from({ length: 12 }, (_, at) => `twins${at}`);
    const names = { singular: 'twin', shortNames: ['tw'] };
    const made = plurals.map((plural) =>
      server.request('POST', definitionsPath, {
        body: definition({ plural, kind: 'Twin', group: 'twins.example', names }),
      }),
    );
    for (const { status, text: said } of await Promise.all(made)) assert.equal(status, 201, said);
    const conditions = plurals.map(async (plural) => {
      const path = `${definitionsPath}/${plural}.twins.example`;
      const seen = await until(server, path, (body) => 'NamesAccepted' in conditionsOf(body));
      return conditionsOf(seen)['Established'];
    });
    const said = (await Promise.all(conditions)).sort();
    const expected = [
      ...plurals.slice(1).map(() => 'False NotAccepted'),
      'True InitialNamesAccepted',
    ];
    assert.deepEqual(said, expected);
    for (const plural of plurals) {
      await server.request('DELETE', `${definitionsPath}/${plural}.twins.example`);
    }
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
    const { deletionGracePeriodSeconds, generation } = metadataOf(deleted);
    assert.deepEqual([deletionGracePeriodSeconds, generation], [undefined, 1]);
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

  it('may have a finalizer of any name, and are warned about one without a domain', async () => {
    const prefer = (name: string, path: string): string =>
      `metadata.finalizers: "${name}": prefer a domain-qualified finalizer name${path} to avoid ` +
      'accidental conflicts with other finalizer writers';
    const dotted = ' including a path (/)';
    const held = (finalizers: readonly string[]): JsonObject => {
      const own = widget('held', { count: 1 });
      return { ...own, metadata: { ...part(own, 'metadata'), finalizers } };
    };
    const warnings = ({ headers }: Reply): string[] =>
      [...String(headers['warning'] ?? '').matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(
        ([, said = '']) => said.replaceAll('\\"', '"'),
      );
    const made = await server.request('POST', widgets, {
      body: held(['a/b', 'mine', 'finalizers.example.com', 'foregroundDeletion']),
    });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(warnings(made), [
      prefer('finalizers.example.com', dotted),
      prefer('mine', ''),
    ]);
    const refused = await server.request('POST', widgets, { body: held(['not one']) });
    assert.match(text(refused.body, 'message'), /metadata\.finalizers: Invalid value: "not one"/);
    const more = await patch('held', 'application/merge-patch+json', {
      metadata: { finalizers: ['mine', 'two'] },
    });
    assert.deepEqual([more.status, warnings(more)], [200, [prefer('two', '')]], more.text);
    const later = await patch('held', 'application/merge-patch+json', {
      metadata: { finalizers: ['mine', 'two', 'not one'] },
    });
    assert.deepEqual([later.status, warnings(later)], [422, []], later.text);
    assert.match(text(later.body, 'message'), /metadata\.finalizers: Invalid value: "not one"/);
    await patch('held', 'application/merge-patch+json', { metadata: { finalizers: null } });
    await server.request('DELETE', `${widgets}/held`);
  });

  it('with unknown and duplicate fields are refused, warned about or taken, in JSON and YAML', async () => {
    const head = '"apiVersion":"shop.example/v1","kind":"Widget","metadata":{"name":"twice"}';
    const json = `{${head},"spec":{"count":1,"count":2,"parts":[{"name":"p","extra":1}],"more":1}}`;
    const yaml =
      'apiVersion: shop.example/v1\nkind: Widget\nmetadata:\n  name: twice\nspec:\n' +
      '  count: 1\n  count: 2\n  parts:\n  - name: p\n    extra: 1\n  more: 1\n';
    const unknown = ['unknown field "spec.more"', 'unknown field "spec.parts[0].extra"'];
    const again = ' (line 7: key "count" already set in map)';
    for (const [type, body, where] of [
      ['application/json', json, ''],
      ['application/yaml', yaml, again],
    ] as const) {
      const duplicate = `duplicate field "spec.count"${where}`;
      const send = (level: string): Promise<Reply> =>
        server.request('POST', `${widgets}?dryRun=All&fieldValidation=${level}`, {
          body,
          headers: { 'content-type': type },
        });
      const strict = await send('Strict');
      assert.equal(strict.status, 400);
      assert.equal(
        text(strict.body, 'message'),
        'Widget in version "v1" cannot be handled as a Widget: strict decoding error: ' +
          [duplicate, ...unknown].join(', '),
      );
      const warned = await send('Warn');
      const quoted = [duplicate, ...unknown].map((each) => `299 - ${JSON.stringify(each)}`);
      assert.deepEqual([warned.status, warned.headers['warning']], [201, quoted.join(', ')]);
      const quiet = await send('Ignore');
      assert.deepEqual([quiet.status, quiet.headers['warning']], [201, undefined]);
      for (const { body: made } of [warned, quiet]) {
        const spec = { colour: 'grey', count: 2, parts: [{ name: 'p' }] };
        assert.deepEqual(made['spec'], spec, type);
      }
    }
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

  it('are applied with the nulls that their schema lets be', async () => {
    const anything = {
      type: 'object',
      nullable: true,
      'x-kubernetes-preserve-unknown-fields': true,
    };
    const count = { type: 'integer' };
    const properties = { spec: { type: 'object', properties: { anything, count, label: count } } };
    await established(server, definition({ plural: 'voids', kind: 'Void', properties }));
    const target = `${inDefault}/voids/v?fieldManager=m`;
    const apply = (spec: JsonObject): Promise<Reply> =>
      server.request('PATCH', target, {
        body: JSON.stringify(object('Void', 'v', { spec })),
        headers: { 'content-type': 'application/apply-patch+yaml' },
      });
    const refused = await apply({ anything: null, count: 1, label: null });
    assert.equal(refused.status, 422);
    const made = await apply({ anything: null, count: 1 });
    assert.deepEqual([made.status, made.body['spec']], [201, { anything: null, count: 1 }]);
    const [entry] = objects(metadataOf(made), 'managedFields');
    assert.deepEqual(part(part(entry, 'fieldsV1'), 'f:spec'), { 'f:anything': {}, 'f:count': {} });
    const inside = await apply({ anything: { a: null, b: 1 }, count: 1 });
    assert.deepEqual(inside.body['spec'], { anything: { a: null, b: 1 }, count: 1 }, inside.text);
    const again = await apply({ anything: { a: null, b: 1 }, count: 1 });
    assert.deepEqual(again.body, inside.body);
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

  it('get no replica count by a patch that sets none', async () => {
    const patched = (body: string): Promise<Reply> =>
      server.request('PATCH', `${widgets}/uncounted/scale`, {
        body,
        headers: { 'content-type': 'application/merge-patch+json' },
      });
    for (const body of ['{}', '{"metadata":{"labels":{"a":"b"}}}', '{"spec":{}}']) {
      const refused = await patched(body);
      assert.equal(refused.status, 400, body);
      const message = 'the spec replicas field ".spec.count" cannot be empty';
      assert.equal(refused.body['message'], message);
    }
    assert.deepEqual((await patched('{"spec":{"replicas":3}}')).body['spec'], { replicas: 3 });
  });

  it('have no other parts: the object is said not to be there', async () => {
    const { body, status } = await server.request('GET', `${widgets}/a/parts`);
    assert.deepEqual([status, body['message']], [404, 'widgets.shop.example "a" not found']);
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

describe('patches that race each other', () => {
  let server: TestServer;
  before(async () => (server = await startTestServer()));
  after(() => server.remove());

  /** Each writer has a field of its own; patches are sent while others are being committed. */
  async function race(path: string, field: (writer: number, at: number) => JsonObject) {
    const writers = [...Array(8).keys()];
    const sent = writers.map(async (writer) => {
      for (let at = 1; at <= 10; at += 1) {
        const reply = await server.request('PATCH', path, {
          body: JSON.stringify(field(writer, at)),
          headers: { 'content-type': 'application/merge-patch+json' },
        });
        assert.equal(reply.status, 200, reply.text);
      }
    });
    await Promise.all(sent);
  }

  it('all win, on a custom object, its status and its definition', async () => {
    await established(server, definition(widgetDefinition));
    const body = widget('hot', { replicas: 1 });
    assert.equal((await server.request('POST', `${inDefault}/widgets`, { body })).status, 201);
    const path = `${inDefault}/widgets/hot`;
    const annotated = (writer: number, at: number): JsonObject => ({
      metadata: { annotations: { [`writer-${writer}`]: String(at) } },
    });
    const ofDefinition = `${definitionsPath}/widgets.shop.example`;
    await Promise.all([race(path, annotated), race(ofDefinition, annotated)]);
    for (const each of [path, ofDefinition]) {
      const reply = await server.request('GET', each);
      const { annotations } = metadataOf(reply);
      assert.deepEqual(new Set(Object.values(annotations as JsonObject)), new Set(['10']), each);
    }
    await race(`${path}/status`, annotated);
    const unversioned = await server.request('PATCH', path, {
      body: '{"metadata":{"resourceVersion":null}}',
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    assert.equal(unversioned.status, 422, 'a patch may not take the version away');
  });
});
