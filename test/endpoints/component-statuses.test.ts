/** ComponentStatuses: worked out for each request, and shown as any resource is. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodeCbor } from '../../src/apimachinery/codecs/cbor.ts';
import { decodeProtobuf } from '../../src/apimachinery/codecs/protobuf.ts';
import { decodeYaml } from '../../src/apimachinery/codecs/yaml.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import type { ObjectSchema } from '../../src/apimachinery/typed/type-schema.ts';
import { componentStatuses } from '../../src/server/compose/component-statuses.ts';
import type {
  ComponentHealth,
  ComponentsDeps,
} from '../../src/server/compose/component-statuses.ts';
import { StorageError } from '../../src/storage/storage.ts';
import { startSecureServer, tokens } from '../support/servers/secure-server.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';

const path = '/api/v1/componentstatuses';
const protobuf = 'application/vnd.kubernetes.protobuf';
const cbor = 'application/cbor';
const deprecated = '299 - "v1 ComponentStatus is deprecated in v1.19+"';

const healthy = [{ type: 'Healthy', status: 'True', message: 'ok' }];
const item = (name: string): JsonObject => ({
  kind: 'ComponentStatus',
  apiVersion: 'v1',
  metadata: { name },
  conditions: healthy,
});
const both = [item('controller-manager'), item('storage')];
const listOf = (items: readonly JsonObject[]): JsonObject => ({
  kind: 'ComponentStatusList',
  apiVersion: 'v1',
  metadata: {},
  items,
});

const names = (body: JsonObject): readonly unknown[] =>
  (body['items'] as readonly JsonObject[]).map(({ metadata }) => (metadata as JsonObject)['name']);

/** Query of a list, and what it shows; a number: it is refused with that. */
const lists: readonly (readonly [string, readonly string[] | number])[] = [
  ['', ['controller-manager', 'storage']],
  ['fieldSelector=metadata.name%3Dstorage', ['storage']],
  ['fieldSelector=metadata.name!%3Dstorage', ['controller-manager']],
  ['fieldSelector=type%3DHealthy', 400],
  ['labelSelector=a', []],
  ['labelSelector=!a', ['controller-manager', 'storage']],
  ['labelSelector=a%3D%3D%3Db', 400],
  ['limit=1', ['controller-manager', 'storage']],
  ['resourceVersion=0', ['controller-manager', 'storage']],
  ['resourceVersion=999999999', ['controller-manager', 'storage']],
  ['resourceVersion=x', 400],
  ['resourceVersionMatch=Exact', 422],
  ['watch=true', 405],
];

const refusals: readonly (readonly [string, string])[] = [
  ['POST', path],
  ['DELETE', path],
  ['PUT', `${path}/storage`],
  ['PATCH', `${path}/storage`],
  ['DELETE', `${path}/storage`],
];

describe('component statuses', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ 'feature-gates': 'CBORServingAndStorage=true' });
  });
  after(() => server.remove());

  const schemaOf = (list: boolean): ObjectSchema => {
    const kind = server.running.parts.registry.scheme.findResource('', 'v1', 'componentstatuses');
    const schema = list ? kind?.listSchema : kind?.schema;
    assert.ok(schema !== undefined);
    return schema;
  };

  it('are those of the controllers and of the store, without a revision, with a warning', async () => {
    const listed = await server.request('GET', path);
    assert.equal(listed.status, 200, listed.text);
    assert.equal(listed.headers['warning'], deprecated);
    assert.deepEqual(listed.body, listOf(both));
    const one = await server.request('GET', `${path}/storage`);
    assert.equal(one.headers['warning'], deprecated);
    assert.deepEqual(one.body, item('storage'));
  });

  for (const [query, expected] of lists) {
    it(`answer a list with ${query === '' ? 'no query' : query} by ${String(expected)}`, async () => {
      const reply = await server.request('GET', `${path}?${query}`);
      if (typeof expected === 'number') return assert.equal(reply.status, expected, reply.text);
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(names(reply.body), expected);
    });
  }

  for (const [method, target] of refusals) {
    it(`are not changed by ${method} ${target}: the verb is not there`, async () => {
      const reply = await server.request(method, target, { body: item('storage') });
      assert.equal(reply.status, 405, reply.text);
    });
  }

  it('that are not there are not found, nor is a status of one', async () => {
    const missing = await server.request('GET', `${path}/scheduler`);
    assert.equal(missing.status, 404);
    assert.equal(missing.body['message'], 'componentstatuses "scheduler" not found');
    assert.equal((await server.request('GET', `${path}/storage/status`)).status, 404);
    assert.equal(
      (await server.request('GET', `/api/v1/namespaces/a/componentstatuses`)).status,
      404,
    );
  });

  const encodings: readonly (readonly [string, (bytes: Buffer, list: boolean) => unknown])[] = [
    ['application/yaml', (bytes) => decodeYaml(bytes)],
    [cbor, (bytes) => decodeCbor(bytes)],
    [protobuf, (bytes, list) => decodeProtobuf(bytes, () => schemaOf(list))],
  ];
  for (const [type, decode] of encodings) {
    it(`come in ${type}`, async () => {
      for (const [target, list] of [
        [path, true],
        [`${path}/storage`, false],
      ] as const) {
        const reply = await server.request('GET', target, { headers: { accept: type } });
        assert.equal(reply.headers['content-type'], type);
        const text = JSON.stringify(decode(reply.bytes, list));
        assert.match(text, /"Healthy"/);
        assert.match(text, /"storage"/);
        assert.equal(text.includes('"controller-manager"'), list);
      }
    });
  }

  it('come as Table and as metadata alone', async () => {
    const accept = (form: string) => ({
      headers: { accept: `application/json;as=${form};g=meta.k8s.io;v=v1` },
    });
    const table = (await server.request('GET', path, accept('Table'))).body;
    const columns = table['columnDefinitions'] as readonly JsonObject[];
    assert.deepEqual(
      columns.map(({ name }) => name),
      ['Name', 'Status', 'Message', 'Error'],
    );
    assert.deepEqual(
      (table['rows'] as readonly JsonObject[]).map(({ cells }) => cells),
      [
        ['controller-manager', 'Healthy', 'ok', ''],
        ['storage', 'Healthy', 'ok', ''],
      ],
    );
    assert.deepEqual(table['metadata'], {});
    const partial = await server.request('GET', path, accept('PartialObjectMetadataList'));
    assert.deepEqual(names(partial.body), ['controller-manager', 'storage']);
  });

  it('are in no store: nothing was written, and nobody follows them', () => {
    const { scheme } = server.running.parts.registry;
    const stored = scheme.storageResources.map(({ resource }) => resource);
    assert.ok(!stored.includes('componentstatuses'));
  });
});

describe('component statuses of other configurations', () => {
  it('were not deprecated in 1.18, and have the names of the other identity nowhere', async () => {
    const server = await startTestServer({ 'emulated-version': '1.18', identity: 'svc' });
    try {
      const reply = await server.request('GET', path);
      assert.equal(reply.headers['warning'], undefined);
      assert.deepEqual(reply.body, listOf(both));
    } finally {
      await server.remove();
    }
  });

  it('are gone where the configuration says so', async () => {
    const server = await startTestServer({ 'runtime-config': 'v1/componentstatuses=false' });
    try {
      assert.equal((await server.request('GET', path)).status, 404);
    } finally {
      await server.remove();
    }
  });
});

describe('who may read', () => {
  const group = '/apis/apiregistration.k8s.io/v1';
  for (const target of [path, `${path}/storage`, `${group}/apiservices`]) {
    it(`${target} is whoever has the verb for it`, async () => {
      const server = await startSecureServer();
      try {
        const asUser = async (token: string): Promise<number> => {
          const headers = { authorization: `Bearer ${token}` };
          return (await server.request('GET', target, { headers })).status;
        };
        assert.deepEqual([await asUser(tokens.alice), await asUser(tokens.admin)], [403, 200]);
      } finally {
        await server.remove();
      }
    });
  }
});

describe('the health of a component', () => {
  const ok: ComponentHealth = { kind: 'healthy', message: 'ok' };
  const deps: ComponentsDeps = {
    storage: { failure: () => undefined },
    logFollow: { isCurrent: () => Promise.resolve(true) },
    controllers: () => ok,
  };
  const failed = { failure: () => new StorageError('io', 'the disk is gone') };
  const conditions: readonly (readonly [string, Partial<ComponentsDeps>, string, JsonObject])[] = [
    ['a store that answers', {}, 'storage', { status: 'True', message: 'ok' }],
    [
      'a store that has failed',
      { storage: failed },
      'storage',
      { status: 'False', error: 'the store has failed' },
    ],
    [
      'a log that stands still',
      { logFollow: { isCurrent: () => Promise.resolve(false) } },
      'storage',
      { status: 'False', error: 'the store does not answer, or its log stands still' },
    ],
    [
      'controllers that another server runs',
      { controllers: () => ({ kind: 'healthy', message: 'ok: run by a_1' }) },
      'controller-manager',
      { status: 'True', message: 'ok: run by a_1' },
    ],
    [
      'controllers that nobody runs',
      { controllers: () => ({ kind: 'unhealthy', error: 'no server runs the controllers' }) },
      'controller-manager',
      { status: 'False', error: 'no server runs the controllers' },
    ],
  ];
  for (const [title, other, name, expected] of conditions) {
    it(`shows ${title}`, async () => {
      const found = (await componentStatuses({ ...deps, ...other })()).find(
        ({ metadata }) => metadata.name === name,
      );
      assert.deepEqual(found?.['conditions'], [{ type: 'Healthy', ...expected }]);
    });
  }
});
