/**
 * Every encoding for every kind: what is made in Protobuf or CBOR is what the same JSON makes; and
 * every form of an answer in every encoding, or 406 where there is none.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { encodeCbor, decodeCbor } from '../../src/apimachinery/codecs/cbor.ts';
import { decodeProtobuf, encodeProtobuf } from '../../src/apimachinery/codecs/protobuf.ts';
import { formatGroupVersion } from '../../src/apimachinery/schema.ts';
import type { KindInfo } from '../../src/apimachinery/scheme.ts';
import type { ObjectSchema } from '../../src/apimachinery/typed/type-schema.ts';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { noVectors, readCorpus } from '../support/data/corpora.ts';
import { withoutFinalizers } from '../support/servers/open-access.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';

interface Stub {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly stub: JsonObject;
}

const stubs = readCorpus<{ readonly cases: readonly Stub[] }>('object-stubs/cases.json').cases.map(
  (row): Stub => ({
    ...row,
    stub: JSON.parse(
      JSON.stringify(row.stub).replaceAll('etcdstoragepathtestnamespace', 'default'),
    ) as JsonObject,
  }),
);

const protobuf = 'application/vnd.kubernetes.protobuf';
const cbor = 'application/cbor';

interface Encoding {
  readonly type: string;
  readonly encode: (schema: ObjectSchema, object: ApiObject) => Uint8Array;
  readonly decode: (schema: ObjectSchema, bytes: Uint8Array) => JsonObject;
}

const encodings: readonly Encoding[] = [
  {
    type: protobuf,
    encode: encodeProtobuf,
    decode(schema, bytes) {
      const decoded = decodeProtobuf(bytes, () => schema);
      assert.ok(decoded.kind === 'value', JSON.stringify(decoded));
      return decoded.value as JsonObject;
    },
  },
  {
    type: cbor,
    encode: (schema, object) => encodeCbor(object, schema),
    decode(_schema, bytes) {
      const decoded = decodeCbor(bytes);
      assert.ok(decoded.kind === 'value', JSON.stringify(decoded));
      return decoded.value as JsonObject;
    },
  },
];

function collectionOf(kind: KindInfo): string {
  const root = kind.group === '' ? '/api' : '/apis';
  const scope = kind.namespaced ? '/namespaces/default' : '';
  return `${root}/${formatGroupVersion(kind)}${scope}/${kind.resource}`;
}

/** Of conditions that the server sets when an object is made. */
const setAnew = new Set(['lastTransitionTime']);

/** Without what each write sets anew. */
function contentOf({ metadata, ...rest }: JsonObject): JsonObject {
  const {
    uid: _uid,
    resourceVersion: _version,
    creationTimestamp: _time,
    managedFields,
    ...kept
  } = metadata as JsonObject;
  const owners = (managedFields as readonly JsonObject[] | undefined) ?? [];
  const owned = owners.map(({ time: _when, ...owner }) => owner);
  const object = { ...rest, metadata: { ...kept, owned } };
  return JSON.parse(
    JSON.stringify(object, (key, value: unknown) => (setAnew.has(key) ? null : value)),
  ) as JsonObject;
}

describe('an object of every kind', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({
      'runtime-config': 'api/all=true',
      'feature-gates': 'AllAlpha=true,AllBeta=true,CBORServingAndStorage=true',
      ...withoutFinalizers,
    });
  });
  after(() => server.remove());

  for (const { type, encode, decode } of encodings) {
    it(`is made in ${type} as in JSON, and read back in it`, { skip: noVectors }, async () => {
      const { scheme } = server.running.parts.registry;
      let made = 0;
      for (const { group, version, resource, stub } of stubs) {
        const kind = scheme.kinds.find(
          (each) => each.group === group && each.version === version && each.resource === resource,
        );
        // A namespace that was deleted stays for a while.
        if (kind?.schema === undefined || resource === 'namespaces') continue;
        const { schema } = kind;
        const body = { ...stub, apiVersion: formatGroupVersion(kind), kind: kind.kind };
        // Protobuf cannot tell an empty list from none: both get what comes out of it.
        const written = encode(schema, { metadata: {}, ...body });
        const object = decode(schema, written) as ApiObject;
        const url = collectionOf(kind);
        const own = `${url}/${object.metadata.name}`;
        const gone = async () => {
          const deleted = await server.request('DELETE', `${own}?gracePeriodSeconds=0`);
          assert.equal(deleted.status, 200, `${own}: ${deleted.text}`);
        };
        const json = await server.request('POST', url, { body: object });
        assert.equal(json.status, 201, `${url}: ${json.text}`);
        await gone();
        const reply = await server.request('POST', url, {
          body: written,
          headers: { 'content-type': type, accept: type },
        });
        assert.equal(reply.status, 201, `${url}: ${reply.text}`);
        assert.equal(reply.headers['content-type'], type);
        // As it comes out of the encoding: Protobuf has zeros where JSON has nothing.
        const expected = decode(schema, encode(schema, json.body as ApiObject));
        assert.deepEqual(contentOf(decode(schema, reply.bytes)), contentOf(expected), url);
        const read = await server.request('GET', own, { headers: { accept: type } });
        assert.deepEqual(decode(schema, read.bytes), decode(schema, reply.bytes), own);
        await gone();
        made += 1;
      }
      assert.ok(made >= 25, `${made} kinds`);
    });
  }
});

/** Media type, what is asked for as which form; then what get, list and watch are answered with. */
const forms: readonly (readonly [string, string, string, string, string])[] = [
  ['application/json', '', 'ConfigMap', 'ConfigMapList', 'application/json'],
  ['application/json', 'Table', 'Table', 'Table', 'application/json'],
  ['application/json', 'PartialObjectMetadata', 'PartialObjectMetadata', '', 'application/json'],
  ['application/json', 'PartialObjectMetadataList', '', 'PartialObjectMetadataList', ''],
  ['application/yaml', '', 'ConfigMap', 'ConfigMapList', ''],
  ['application/yaml', 'Table', 'Table', 'Table', ''],
  ['application/yaml', 'PartialObjectMetadata', 'PartialObjectMetadata', '', ''],
  [cbor, '', 'ConfigMap', 'ConfigMapList', `${cbor}-seq`],
  [cbor, 'Table', 'Table', 'Table', `${cbor}-seq`],
  [cbor, 'PartialObjectMetadata', 'PartialObjectMetadata', '', `${cbor}-seq`],
  [cbor, 'PartialObjectMetadataList', '', 'PartialObjectMetadataList', ''],
  [protobuf, '', 'ConfigMap', 'ConfigMapList', `${protobuf};stream=watch`],
  [protobuf, 'PartialObjectMetadata', 'PartialObjectMetadata', '', `${protobuf};stream=watch`],
  [protobuf, 'PartialObjectMetadataList', '', 'PartialObjectMetadataList', ''],
];

describe('an answer', () => {
  let server: TestServer;
  const path = '/api/v1/namespaces/default/configmaps';
  before(async () => {
    server = await startTestServer({ 'feature-gates': 'CBORServingAndStorage=true' });
    const body = { metadata: { name: 'a', labels: { a: 'b' } }, data: { k: 'value-of-k' } };
    assert.equal((await server.request('POST', path, { body })).status, 201);
  });
  after(() => server.remove());

  for (const [type, form, got, listed, watched] of forms) {
    const target = form === '' ? '' : `;as=${form};g=meta.k8s.io;v=v1`;
    const headers = { accept: `${type}${target}` };

    for (const [verb, url, kind] of [
      ['get', `${path}/a`, got],
      ['list', path, listed],
    ] as const) {
      if (kind === '') continue;
      it(`to ${verb} as ${type} ${form} is a ${kind}`, async () => {
        const reply = await server.request('GET', url, { headers });
        assert.equal(reply.status, 200, reply.text);
        assert.equal(reply.headers['content-type'], type);
        assert.ok(reply.bytes.includes(kind), reply.text);
        assert.ok(reply.bytes.includes('default'), 'its namespace');
        // What is partial has no data.
        assert.equal(reply.bytes.includes('value-of-k'), form === '', reply.text);
      });
    }

    if (watched !== '') {
      it(`to watch as ${type} ${form} is a stream of ${watched}`, async () => {
        const url = `${path}?watch=true&resourceVersion=0&timeoutSeconds=1`;
        const reply = await server.request('GET', url, { headers });
        assert.equal(reply.status, 200);
        assert.equal(reply.headers['content-type'], watched);
        assert.ok(reply.bytes.includes('ADDED'));
        assert.ok(reply.bytes.includes(form === '' ? 'ConfigMap' : form));
      });
    }
  }

  for (const [type, form, verb] of [
    [protobuf, 'Table', 'get'],
    [protobuf, 'Table', 'list'],
    [protobuf, 'Table', 'watch'],
    ['application/yaml', '', 'watch'],
    ['application/yaml', 'Table', 'watch'],
    ['application/yaml', 'PartialObjectMetadata', 'watch'],
    ['text/html', '', 'get'],
  ] as const) {
    it(`to ${verb} as ${type} ${form} is 406, with a Status`, async () => {
      const accept = `${type}${form === '' ? '' : `;as=${form};g=meta.k8s.io;v=v1`}`;
      const url = verb === 'get' ? `${path}/a` : verb === 'list' ? path : `${path}?watch=true`;
      const reply = await server.request('GET', url, { headers: { accept } });
      assert.equal(reply.status, 406, reply.text);
      assert.ok(reply.bytes.includes('NotAcceptable'), reply.text);
    });
  }
});
