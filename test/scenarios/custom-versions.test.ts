/**
 * Versions of a custom type that say different things, without a webhook: each write is judged by
 * the version that it comes in, and what is stored is shown by what both versions know.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { objects, part } from '../../src/apimachinery/members.ts';
import type { JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import {
  definition,
  definitionsPath,
  established,
  gone,
  object,
  replaced,
} from '../support/data/custom-definitions.ts';
import { bindingOf, policiesOn, policyOf } from '../support/data/policy-objects.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { ApiClient, Reply, TestServer } from '../support/servers/test-server.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-versions');
after(() => directories.removeAll());

const text = { type: 'string' };
const merge = { 'content-type': 'application/merge-patch+json' };
const apply = { 'content-type': 'application/apply-patch+yaml' };

function versionOf(name: string, spec: JsonObject, more: JsonObject = {}): JsonObject {
  const properties = { spec: { type: 'object', ...spec } };
  const schema = { openAPIV3Schema: { type: 'object', properties } };
  return { name, served: true, storage: false, schema, ...more };
}

const place = (plural: string, version: string): string =>
  `/apis/shop.example/${version}/namespaces/default/${plural}`;

async function specAt(client: ApiClient, path: string): Promise<unknown> {
  const { body, status, text: said } = await client.request('GET', path);
  assert.equal(status, 200, said);
  return body['spec'];
}

function refusal({ body, status }: Reply): string {
  assert.equal(status, 422, JSON.stringify(body));
  return objects(part(body, 'details'), 'causes')
    .filter(({ field }) => field !== '<nil>')
    .map(({ field, reason }) => `${String(field)} ${String(reason)}`)
    .join(', ');
}

describe('versions that demand different things', () => {
  let server: TestServer;
  const at = (version: string, name = ''): string => place('valves', version) + name;
  const valve = (name: string, version: string, spec: JsonObject): JsonObject =>
    object('Valve', name, { spec }, version);
  before(async () => {
    server = await startTestServer();
    const v1 = {
      required: ['a'],
      properties: { a: text, both: text, d: { ...text, default: 'x' } },
    };
    const v2 = {
      required: ['b'],
      properties: { b: text, both: { ...text, maxLength: 3 }, c: { type: 'integer', default: 5 } },
      'x-kubernetes-validations': [{ rule: 'self.b != "no"', message: 'not no' }],
    };
    const versions = [versionOf('v1', v1, { storage: true }), versionOf('v2', v2)];
    await established(server, definition({ plural: 'valves', kind: 'Valve', spec: { versions } }));
  });
  after(() => server.remove());

  it('a creation obeys the version that it comes in, and no other', async () => {
    const rows: readonly (readonly [string, JsonObject, string])[] = [
      ['v1', { b: 'b' }, 'spec.a FieldValueRequired'],
      ['v1', { a: 'a', both: 'longer' }, ''],
      ['v2', { a: 'a' }, 'spec.b FieldValueRequired'],
      ['v2', { b: 'no' }, 'spec FieldValueInvalid'],
      ['v2', { b: 'b', both: 'longer' }, 'spec.both FieldValueTooLong'],
      ['v2', { b: 'b', both: 'ok' }, ''],
    ];
    for (const [row, [version, spec, expected]] of rows.entries()) {
      const body = valve(`row-${row}`, version, spec);
      const made = await server.request('POST', at(version), { body });
      if (expected === '') assert.equal(made.status, 201, made.text);
      else assert.ok(refusal(made).startsWith(expected), `${row}: ${refusal(made)}`);
    }
    // What the stored version has no field for has gone, and its default is there.
    assert.deepEqual(await specAt(server, at('v1', '/row-5')), { both: 'ok', d: 'x' });
    assert.deepEqual(await specAt(server, at('v2', '/row-5')), { both: 'ok' });
    assert.deepEqual(await specAt(server, at('v2', '/row-1')), { both: 'longer' });
  });

  it('the answer to a creation is what is stored, and so is that of a dry run', async () => {
    for (const query of ['?dryRun=All', '']) {
      const body = valve('answered', 'v2', { b: 'b', both: 'ok' });
      const made = await server.request('POST', at('v2') + query, { body });
      assert.deepEqual([made.status, made.body['spec']], [201, { both: 'ok' }], made.text);
      assert.equal(made.body['apiVersion'], 'shop.example/v2');
    }
  });

  it('a change obeys the version that it comes in; what it has not changed may stay', async () => {
    const made = { a: 'a', both: 'longer', d: 'd' };
    await server.request('POST', at('v1'), { body: valve('changed', 'v1', made) });
    const patch = (version: string, body: JsonObject): Promise<Reply> =>
      server.request('PATCH', at(version, '/changed'), {
        body: JSON.stringify(body),
        headers: merge,
      });
    const labelled = await patch('v1', { metadata: { labels: { x: 'y' } } });
    assert.equal(labelled.status, 200, labelled.text);
    assert.equal(part(labelled.body, 'metadata')['generation'], 1);
    assert.equal(refusal(await patch('v2', { spec: { c: 7 } })), 'spec.b FieldValueRequired');
    assert.equal(
      refusal(await patch('v2', { spec: { b: 'b', both: 'also-long' } })),
      'spec.both FieldValueTooLong',
    );
    const { body } = await server.request('GET', at('v2', '/changed'));
    const put = (spec: JsonObject): Promise<Reply> =>
      server.request('PUT', at('v2', '/changed'), { body: { ...body, spec } });
    assert.equal(refusal(await put({ both: 'ok' })), 'spec.b FieldValueRequired');
    const replacedBy = await put({ b: 'b', both: 'ok' });
    assert.deepEqual([replacedBy.status, replacedBy.body['spec']], [200, { both: 'ok' }]);
    // Who writes in a version writes what that knows.
    assert.deepEqual(await specAt(server, at('v1', '/changed')), { both: 'ok', d: 'x' });
    assert.equal(refusal(await patch('v1', { spec: { d: 'z' } })), 'spec.a FieldValueRequired');
  });

  it('an intent obeys the version that it is applied in', async () => {
    const applied = (name: string, version: string, spec: JsonObject): Promise<Reply> =>
      server.request('PATCH', `${at(version, `/${name}`)}?fieldManager=m`, {
        body: JSON.stringify(valve(name, version, spec)),
        headers: apply,
      });
    assert.equal(
      refusal(await applied('intent', 'v2', { both: 'ok' })),
      'spec.b FieldValueRequired',
    );
    const made = await applied('intent', 'v2', { b: 'b', both: 'ok' });
    assert.deepEqual([made.status, made.body['spec']], [201, { both: 'ok' }], made.text);
    const again = await applied('intent', 'v2', { b: 'b', both: 'oh' });
    assert.deepEqual([again.status, again.body['spec']], [200, { both: 'oh' }], again.text);
    assert.equal(
      refusal(await applied('intent', 'v2', { b: 'no', both: 'oh' })),
      'spec FieldValueInvalid',
    );
  });
});

describe('who has a say in a write to versions with other fields', () => {
  it('is shown what was sent, not what will be left of it, and may change it', async (t) => {
    const server = await startTestServer();
    t.after(() => server.remove());
    const versions = [
      versionOf('v1', { properties: { both: text } }, { storage: true }),
      versionOf('v2', { properties: { both: text, b: text } }),
    ];
    await established(server, definition({ plural: 'bells', kind: 'Bell', spec: { versions } }));
    const { inForce } = policiesOn(() => server);
    const expression = "!has(object.spec.b) || object.spec.b != 'loud'";
    await inForce(
      policyOf('quiet', 'shop.example/v2/bells', { validations: [{ expression }] }),
      bindingOf('quiet'),
    );
    const at = (version: string, rest = ''): string => place('bells', version) + rest;
    const bell = (name: string, b: string): JsonObject =>
      object('Bell', name, { spec: { b, both: 'x' } }, 'v2');
    const made = await server.request('POST', at('v2'), { body: bell('a', 'soft') });
    assert.deepEqual([made.status, made.body['spec']], [201, { both: 'x' }], made.text);
    const loud = await server.request('POST', at('v2'), { body: bell('b', 'loud') });
    const put = await server.request('PUT', at('v2', '/a'), {
      body: { ...made.body, spec: { b: 'loud' } },
    });
    const patched = await server.request('PATCH', at('v2', '/a'), {
      body: '{"spec":{"b":"loud"}}',
      headers: merge,
    });
    const applied = await server.request('PATCH', at('v2', '/c?fieldManager=m'), {
      body: JSON.stringify(bell('c', 'loud')),
      headers: apply,
    });
    for (const { status, text: said } of [loud, put, patched, applied]) {
      assert.equal(status, 422, said);
      assert.match(said, /failed expression/);
    }
    const soft = await server.request('PATCH', at('v2', '/a'), {
      body: '{"spec":{"b":"soft","both":"y"}}',
      headers: merge,
    });
    assert.deepEqual([soft.status, soft.body['spec']], [200, { both: 'y' }], soft.text);
    assert.equal((await server.request('DELETE', at('v2', '/a'))).status, 200);
  });
});

describe('versions that count in different places', () => {
  for (const [what, more] of [
    ['the same fields', {}],
    ['other fields', { more: { type: 'integer' } }],
  ] as const) {
    it(`a scale is that of the version that it is asked for in, with ${what}`, async () => {
      const server = await startTestServer();
      await scaled(server, more).finally(() => server.remove());
    });
  }

  // Before, a scale could be written into 2,000 levels, which no step could walk over.
  it('a count may lie as deep as an object may be, no deeper', async () => {
    const server = await startTestServer();
    const defined = (depth: number): JsonObject => {
      const specReplicasPath = `.spec${'.a'.repeat(depth)}`;
      const scale = { specReplicasPath, statusReplicasPath: '.status.count' };
      const version = { subresources: { status: {}, scale } };
      return definition({ plural: 'pumps', kind: 'Pump', version });
    };
    const refused = await server.request('POST', definitionsPath, { body: defined(510) });
    assert.equal(refused.status, 422, refused.text);
    assert.match(refused.text, /specReplicasPath: Too long: may not be more than 1024 bytes/);
    await established(server, defined(509));
    const things = place('pumps', 'v1');
    let spec: JsonValue = 1;
    for (let depth = 0; depth < 509; depth += 1) spec = { a: spec };
    await server.request('POST', things, { body: object('Pump', 'p', { spec }) });
    const body = JSON.stringify({ spec: { replicas: 3 } });
    const written = await server.request('PATCH', `${things}/p/scale`, { body, headers: merge });
    assert.deepEqual([written.status, written.body['spec']], [200, { replicas: 3 }], written.text);
    await server.remove();
  });

  async function scaled(server: TestServer, more: JsonObject): Promise<void> {
    const count = { type: 'integer' };
    const scale = (spec: string): JsonObject => ({
      subresources: {
        status: {},
        scale: { specReplicasPath: `.spec.${spec}`, statusReplicasPath: '.status.count' },
      },
    });
    const properties = { old: count, new: count };
    const versions = [
      versionOf('v1', { properties }, { storage: true, ...scale('old') }),
      versionOf('v2', { properties: { ...properties, ...more } }, scale('new')),
    ];
    await established(server, definition({ plural: 'pumps', kind: 'Pump', spec: { versions } }));
    const at = (version: string, rest: string): string => place('pumps', version) + rest;
    const body = object('Pump', 'p', { spec: { old: 1, new: 2 } });
    await server.request('POST', at('v1', ''), { body });
    for (const [version, before, next] of [
      ['v1', 1, 3],
      ['v2', 2, 4],
    ] as const) {
      const shown = await server.request('GET', at(version, '/p/scale'));
      const { apiVersion, kind, spec } = shown.body;
      assert.deepEqual([apiVersion, kind, spec], ['autoscaling/v1', 'Scale', { replicas: before }]);
      const written = await server.request('PUT', at(version, '/p/scale'), {
        body: { ...shown.body, spec: { replicas: next } },
      });
      assert.deepEqual(written.body['spec'], { replicas: next }, written.text);
      const patched = await server.request('PATCH', at(version, '/p/scale'), {
        body: JSON.stringify({ spec: { replicas: next + 10 } }),
        headers: merge,
      });
      assert.deepEqual(patched.body['spec'], { replicas: next + 10 }, patched.text);
    }
    assert.deepEqual(await specAt(server, at('v1', '/p')), { old: 13, new: 14 });
    const none = await server.request('PATCH', at('v1', '/p/scale'), {
      body: JSON.stringify({ spec: { replicas: 0 } }),
      headers: merge,
    });
    // A count of 0 is left out of a Scale.
    assert.deepEqual([none.status, none.body['spec']], [200, {}], none.text);
    assert.deepEqual(await specAt(server, at('v1', '/p')), { old: 0, new: 14 });
  }
});

describe('objects that are stored in a version that was marked before', () => {
  const ofDrums = `${definitionsPath}/drums.shop.example`;
  const at = (version: string, name = ''): string => place('drums', version) + name;
  const drum = (name: string, version: string, spec: JsonObject): JsonObject =>
    object('Drum', name, { spec }, version);
  const v1 = { properties: { a: text, both: text, d: { ...text, default: 'one' } } };
  const v2 = { properties: { b: text, both: text, d: { ...text, default: 'two' }, e: text } };

  it('are shown with all that they have, also after a restart, until they are written', async () => {
    const dataDir = directories.make();
    const start = (): Promise<TestServer> =>
      startTestServer({ store: 'lmdb', 'data-dir': dataDir });
    let server = await start();
    const marked = (storage: string): JsonObject[] =>
      [versionOf('v1', v1), versionOf('v2', v2)].map((each) => ({
        ...each,
        storage: each['name'] === storage,
      }));
    const isMarked = async (version: string): Promise<void> => {
      const body = drum('new', 'v1', { a: 'a' });
      const keeps = version === 'v1';
      for (;;) {
        const made = await server.request('POST', `${at('v1')}?dryRun=All`, { body });
        if ('a' in part(made.body, 'spec') === keeps) return;
      }
    };
    const shown = async (why: string): Promise<void> => {
      const rows: readonly (readonly [string, string, JsonObject])[] = [
        ['v1', '/old', { a: 'a', both: 'x', d: 'one' }],
        ['v2', '/old', { both: 'x', d: 'one' }],
        ['v1', '/bare', { d: 'one' }],
        ['v2', '/bare', { d: 'one' }],
      ];
      for (const [version, name, spec] of rows) {
        assert.deepEqual(await specAt(server, at(version, name)), spec, `${why} ${version}${name}`);
      }
      for (const version of ['v1', 'v2']) {
        const { body } = await server.request('GET', at(version));
        const specs = objects(body, 'items').map((item) => [item['apiVersion'], item['spec']]);
        const expected = rows.filter(([of]) => of === version).map(([, , spec]) => spec);
        assert.deepEqual(
          specs,
          [expected[1], expected[0]].map((spec) => [`shop.example/${version}`, spec]),
        );
        const watch = await server.openWatch(`${at(version)}?watch=1`);
        const [first, second] = await watch.take(2);
        assert.deepEqual(
          [first?.object['spec'], second?.object['spec']],
          [expected[1], expected[0]],
        );
        watch.close();
      }
    };
    const versions = marked('v1');
    await established(server, definition({ plural: 'drums', kind: 'Drum', spec: { versions } }));
    const old = drum('old', 'v1', { a: 'a', both: 'x' });
    await server.request('POST', at('v1'), { body: old });
    await server.request('POST', at('v1'), { body: drum('bare', 'v1', {}) });
    await shown('before');
    await replaced(server, ofDrums, (spec) => ({ ...spec, versions: marked('v2') }));
    await isMarked('v2');
    await shown('after');
    await server.stop();
    server = await start();
    await shown('restarted');
    const { body } = await server.request('GET', at('v2', '/old'));
    const written = await server.request('PUT', at('v2', '/old'), { body });
    assert.notEqual(
      part(written.body, 'metadata')['resourceVersion'],
      part(body, 'metadata')['resourceVersion'],
      'a write that changes nothing stores it in the version that is marked now',
    );
    assert.deepEqual(await specAt(server, at('v1', '/old')), { both: 'x', d: 'one' });
    const again = await server.request('PUT', at('v2', '/old'), { body: written.body });
    assert.deepEqual(again.body, written.body, 'and only once');
    await server.remove();
  });
});

describe('writes that change nothing, after the versions have changed', () => {
  let server: TestServer;
  before(async () => (server = await startTestServer()));
  after(() => server.remove());
  const at = (version: string): string => `${place('knobs', version)}/o`;
  const fields = (...names: string[]): JsonObject => ({
    properties: Object.fromEntries(names.map((name) => [name, text])),
  });
  const first = (spec: JsonObject, more: JsonObject = {}): JsonObject =>
    versionOf('v1', spec, { storage: true, ...more });
  const intent = JSON.stringify(object('Knob', 'o', {}, 'v2'));
  const atomic = { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: text };
  const owned = async (version: string): Promise<readonly unknown[]> => {
    const { body } = await server.request('GET', at(version));
    return objects(part(body, 'metadata'), 'managedFields').map((entry) => entry['fieldsV1']);
  };
  /** An object of `before`, once the definition has become `after`. */
  const changed = async (before: JsonObject[], spec: JsonObject, after: JsonObject[]) => {
    const made = { plural: 'knobs', kind: 'Knob', spec: { versions: before } };
    await established(server, definition(made));
    const path = `${definitionsPath}/knobs.shop.example`;
    await server.request('POST', place('knobs', 'v1'), {
      body: object('Knob', 'o', { spec }, 'v1'),
    });
    const marked = await server.request('GET', '/openapi/v3');
    await replaced(server, path, (each) => ({ ...each, versions: after }));
    while ((await server.request('GET', '/openapi/v3')).text === marked.text);
    return async (): Promise<void> => {
      await server.request('DELETE', path);
      await gone(server, path);
    };
  };
  const revision = ({ body }: Reply): unknown => part(body, 'metadata')['resourceVersion'];

  it('store what their version shows, also where another one is stored', async () => {
    const both = [first(fields('a', 'b')), versionOf('v2', fields('a'))];
    const fewer = [first(fields('a')), versionOf('v2', fields('a'))];
    const remove = await changed(both, { a: '1', b: '2' }, fewer);
    const shown = await server.request('GET', at('v2'));
    const put = await server.request('PUT', at('v2'), { body: shown.body });
    assert.notEqual(revision(put), revision(shown), 'what is stored has become another object');
    const again = await server.request('PUT', at('v2'), { body: put.body });
    assert.equal(revision(again), revision(put));
    await remove();
  });

  it('an intent adds no defaults of the stored version that its own does not show', async () => {
    const plain = [first(fields('a')), versionOf('v2', fields('a'))];
    const withC = { properties: { a: text, c: { ...text, default: 'x' } } };
    const remove = await changed(plain, { a: '1' }, [first(withC), versionOf('v2', fields('a'))]);
    const shown = await server.request('GET', at('v2'));
    const applied = await server.request('PATCH', `${at('v2')}?fieldManager=m`, {
      body: intent,
      headers: apply,
    });
    assert.equal(revision(applied), revision(shown), applied.text);
    await remove();
  });

  it('who wrote through a version that is not served any more still owns it', async () => {
    const versions = [first(fields('a')), versionOf('v2', fields('a'))];
    const unserved = [first(fields('a'), { served: false }), versionOf('v2', fields('a'))];
    const remove = await changed(versions, { a: '1' }, unserved);
    const before = await owned('v2');
    const labelled = await server.request('PATCH', at('v2'), {
      body: '{"metadata":{"labels":{"x":"y"}}}',
      headers: merge,
    });
    assert.equal(labelled.status, 200, labelled.text);
    assert.deepEqual((await owned('v2'))[0], before[0]);
    await remove();
  });

  it('parts of a field that has become atomic are owned as the whole', async () => {
    const granular = { ...atomic, 'x-kubernetes-map-type': 'granular' };
    const kept = { properties: { m: granular } };
    const remove = await changed([first(kept)], { m: { k: 'v' } }, [
      first({ properties: { m: atomic } }),
    ]);
    assert.deepEqual(await owned('v1'), [{ 'f:spec': { '.': {}, 'f:m': { '.': {}, 'f:k': {} } } }]);
    const shown = await server.request('GET', at('v1'));
    await server.request('PUT', at('v1'), { body: shown.body });
    assert.deepEqual(await owned('v1'), [{ 'f:spec': { '.': {}, 'f:m': {} } }]);
    await remove();
  });
});
