/**
 * Custom objects in CBOR, read by a decoder of others; and numbers beyond 2^53, which keep all
 * their digits wherever a custom type may hold them: in its schema, its objects, its columns and its
 * documents.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Decoder } from 'cbor-x';
import { encodeCbor } from '../../src/apimachinery/codecs/cbor.ts';
import { parseJsonText } from '../../src/apimachinery/codecs/lossless.ts';
import { objects, part } from '../../src/apimachinery/members.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import {
  definition,
  definitionsPath,
  object,
  whenEstablished,
} from '../support/data/custom-definitions.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';

const cbor = 'application/cbor';
const path = '/apis/shop.example/v1/namespaces/default/ledgers';
const most = 4_611_686_018_427_387_905n;
const large = 9_007_199_254_740_993n;

const ledgers = definition({
  plural: 'ledgers',
  kind: 'Ledger',
  version: {
    subresources: { status: {} },
    additionalPrinterColumns: [
      { name: 'Total', type: 'integer', jsonPath: '.spec.total' },
      { name: 'Text', type: 'string', jsonPath: '.spec.total' },
    ],
    selectableFields: [{ jsonPath: '.spec.total' }],
  },
  properties: {
    spec: {
      type: 'object',
      properties: {
        total: { type: 'integer', format: 'int64', maximum: most, default: large },
        ratio: { type: 'number' },
        data: { type: 'string', format: 'byte', maxLength: large, minLength: 0 },
        one: { type: 'integer', enum: [1, large] },
        marks: {
          type: 'array',
          maxItems: large,
          items: { type: 'integer' },
          'x-kubernetes-list-type': 'set',
        },
      },
      'x-kubernetes-validations': [{ rule: 'self.total != 9007199254740992' }],
    },
    status: { type: 'object', properties: { seen: { type: 'boolean' } } },
  },
});

const decoder = new Decoder({ mapsAsObjects: false, useRecords: false });

/** Texts are byte strings on this wire. */
function asJson(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (Array.isArray(value)) return value.map(asJson);
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...value].map(([name, each]) => [asJson(name), asJson(each)]));
}

/** As a client reads it that has nothing to do with this server. */
function read({ bytes, headers, status }: Reply): JsonObject {
  assert.ok(status < 300, `${status}`);
  assert.equal(headers['content-type'], cbor);
  return asJson(decoder.decode(bytes)) as JsonObject;
}

describe('a custom type in every encoding', () => {
  let server: TestServer;
  const inCbor = { accept: cbor, 'content-type': cbor };
  before(async () => {
    server = await startTestServer({ 'feature-gates': 'CBORServingAndStorage=true' });
    const made = await server.request('POST', definitionsPath, { body: withNumbers(ledgers) });
    assert.equal(made.status, 201, made.text);
    await whenEstablished(server, 'ledgers.shop.example');
  });
  after(() => server.remove());

  it('is written in CBOR and read in CBOR by others: objects, lists, metadata, Tables', async () => {
    const spec = { total: large + 2n, ratio: 0.5, data: 'aGVsbG8=', one: 1 };
    const body = encodeCbor({ ...object('Ledger', 'a'), spec });
    const made = read(await server.request('POST', path, { body, headers: inCbor }));
    assert.deepEqual(made['spec'], spec);
    const got = read(await server.request('GET', `${path}/a`, { headers: { accept: cbor } }));
    assert.deepEqual(got, made);
    const list = read(await server.request('GET', path, { headers: { accept: cbor } }));
    assert.deepEqual(objects(list, 'items')[0]?.['spec'], spec);
    for (const as of ['Table', 'PartialObjectMetadataList']) {
      const accept = `${cbor};as=${as};g=meta.k8s.io;v=v1`;
      const shown = read(await server.request('GET', path, { headers: { accept } }));
      assert.equal(shown['kind'], as);
    }
    const status = encodeCbor({ ...(got as object), status: { seen: true } });
    const written = await server.request('PUT', `${path}/a/status`, {
      body: status,
      headers: inCbor,
    });
    assert.deepEqual(read(written)['status'], { seen: true });
    const applied = await server.request('PATCH', `${path}/a?fieldManager=m&force=true`, {
      body: encodeCbor({ ...object('Ledger', 'a'), spec: { one: large, marks: [large, 1] } }),
      headers: { accept: cbor, 'content-type': 'application/apply-patch+cbor' },
    });
    assert.deepEqual(part(read(applied), 'spec')['one'], large);
    const wrong = encodeCbor({ ...object('Ledger', 'b'), spec: { total: 'text' } });
    const refused = await server.request('POST', path, { body: wrong, headers: inCbor });
    assert.equal(refused.status, 422);
    assert.match(
      JSON.stringify(asJson(decoder.decode(refused.bytes))),
      /spec\.total in body must be of type/,
    );
  });

  it('a watch in CBOR is a sequence that others read', async () => {
    const accept = 'application/cbor-seq';
    const reply = await server.request('GET', `${path}?watch=1&timeoutSeconds=1`, {
      headers: { accept },
    });
    assert.equal(reply.headers['content-type'], accept);
    const events = asJson(decoder.decodeMultiple(reply.bytes)) as JsonObject[];
    assert.deepEqual(
      events.map(({ object: each, type }) => [type, part(each as JsonObject, 'metadata')['name']]),
      [['ADDED', 'a']],
    );
  });

  it('numbers beyond 2^53 keep their digits, from defaults to columns', async () => {
    const made = await server.request('POST', path, {
      body: { ...object('Ledger', 'd'), spec: {} },
    });
    assert.match(made.text, /"total":9007199254740993/);
    const accept = 'application/json;as=Table;g=meta.k8s.io;v=v1';
    const table = await server.request('GET', `${path}/d`, { headers: { accept } });
    assert.match(table.text, /"cells":\["d",9007199254740993,"9007199254740993"\]/);
    const yaml = await server.request('GET', `${path}/d`, {
      headers: { accept: 'application/yaml' },
    });
    assert.match(yaml.text, /total: 9007199254740993/);
    const selector = encodeURIComponent(`spec.total=${large}`);
    const selected = await server.request('GET', `${path}?fieldSelector=${selector}`);
    assert.equal(objects(selected.body, 'items').length, 1);
    const over = await server.request('POST', path, {
      body: `{"apiVersion":"shop.example/v1","kind":"Ledger","metadata":{"name":"e"},"spec":{"total":9007199254740992}}`,
    });
    assert.equal(over.status, 422, 'the rule sees the number as it is');
  });

  it('a definition that holds such numbers is published in every document', async () => {
    const texts: string[] = [];
    for (const target of ['/openapi/v2', '/openapi/v3/apis/shop.example/v1']) {
      const plain = await server.request('GET', target);
      texts.push(plain.text);
      const spec = target === '/openapi/v2' ? 'v2' : 'v3';
      const asked = `application/com.github.proto-openapi.spec.${spec}@v1.0+protobuf`;
      const packed = await server.request('GET', target, { headers: { accept: asked } });
      assert.equal(packed.status, 200, target);
    }
    for (const text of texts) {
      assert.match(text, /"enum":\[1,9007199254740993\]/);
      parseJsonText(text);
    }
  });
});

/** JSON in which bigints are numbers. */
function withNumbers(value: JsonObject): string {
  const text = JSON.stringify(value, (_name, each: unknown) =>
    typeof each === 'bigint' ? `bigint ${each}` : each,
  );
  return text.replace(/"bigint (\d+)"/g, '$1');
}
