/** CBOR as clients of the reference speak it, over HTTP and on both transports; and without its gate. */
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import { decodeCbor, encodeCbor } from '../../src/apimachinery/codecs/cbor.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { IdentityName } from '../../src/apimachinery/identity.ts';
import type { JsonArray, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { fieldTypes } from '../../src/apis/field-types.ts';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';
import { openResponse } from '../support/clients/http-client.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';
import { startTestServer } from '../support/servers/test-server.ts';

interface Setting {
  readonly identity: IdentityName;
  readonly transport: string;
}

const settings: readonly Setting[] = [
  { identity: 'kubernetes', transport: 'uws' },
  { identity: 'svc', transport: 'node' },
];

const cbor = 'application/cbor';
const accept = { accept: `${cbor},application/json;q=0.9` };
const applyType = 'application/apply-patch+cbor';
const path = '/api/v1/namespaces/default/configmaps';

function valueOf(bytes: Uint8Array): JsonObject {
  assert.equal(Buffer.from(bytes).subarray(0, 3).toString('hex'), 'd9d9f7');
  const decoded = decodeCbor(bytes);
  assert.ok(decoded.kind === 'value', 'the body is CBOR');
  return decoded.value as JsonObject;
}

function read(reply: Reply): JsonObject {
  assert.equal(reply.headers['content-type'], cbor);
  return valueOf(reply.bytes);
}

/** A Table without the ages in it: those count on from one answer to the next. */
function ageless(answer: JsonObject): JsonObject {
  const columns = (answer['columnDefinitions'] ?? []) as readonly JsonObject[];
  const age = columns.findIndex(({ name }) => name === 'Age');
  const rows = answer['rows'] as readonly (JsonObject & { cells: JsonArray })[] | undefined;
  if (age < 0 || rows === undefined) return answer;
  return { ...answer, rows: rows.map((row) => ({ ...row, cells: row.cells.toSpliced(age, 1) })) };
}

function configMap(name: string, data: JsonObject): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

for (const { identity, transport } of settings) {
  describe(`CBOR over HTTP (${identity} identity, ${transport} transport)`, () => {
    const names = identityOf(identity);
    const as = (kind: string) => `as=${kind};g=meta.${names.domain};v=v1`;
    const options = { 'feature-gates': 'CBORServingAndStorage=true', store: 'memory' };
    let running: Promise<TestServer> | undefined;
    const server = () => (running ??= startTestServer({ identity, transport, ...options }));
    const send = async (
      method: string,
      target: string,
      body: Uint8Array,
      type = cbor,
    ): Promise<Reply> => {
      const headers = { ...accept, 'content-type': type };
      return (await server()).request(method, target, { body, headers });
    };
    const get = async (target: string, more: Readonly<Record<string, string>> = {}) =>
      (await server()).request('GET', target, { headers: more });

    it('a body makes the object that the same JSON makes', async () => {
      const created = await send('POST', path, encodeCbor(configMap('first', { a: 'b' })));
      assert.equal(created.status, 201);
      const json = await get(`${path}/first`);
      assert.deepEqual(read(created), json.body);
      assert.deepEqual(json.body['data'], { a: 'b' });
      assert.deepEqual(read(await get(`${path}/first`, accept)), json.body);
    });

    it('an update and a body without apiVersion and kind are taken as the URL says', async () => {
      const body = encodeCbor({ metadata: { name: 'first' }, data: { a: 'c' } });
      const updated = await send('PUT', `${path}/first`, body);
      assert.equal(updated.status, 200);
      assert.deepEqual(read(updated)['data'], { a: 'c' });
    });

    it('text strings, indefinite lengths and a missing tag are accepted', async () => {
      const text = 'bf 68 6d65746164617461 bf 64 6e616d65 65 7370617265 ff ff';
      const body = Buffer.from(text.replaceAll(' ', ''), 'hex');
      const created = await send('POST', path, body);
      assert.equal(created.status, 201);
      assert.equal((read(created)['metadata'] as JsonObject)['name'], 'spare');
    });

    it('bytes go over the wire as bytes, both ways', async () => {
      const secrets = '/api/v1/namespaces/default/secrets';
      const schema = fieldTypes(names).object('core/v1.Secret');
      const data = { key: Buffer.from([0, 255, 1]).toString('base64') };
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data };
      const raw = Buffer.from('d64300ff01', 'hex');
      const body = encodeCbor(secret, schema);
      assert.ok(Buffer.from(body).includes(raw));
      const created = await send('POST', secrets, body);
      assert.equal(created.status, 201);
      assert.ok(created.bytes.includes(raw));
      const json = await get(`${secrets}/s`);
      assert.deepEqual(json.body['data'], data);
      const list = await get(secrets, accept);
      assert.ok(list.bytes.includes(raw));
      assert.deepEqual(read(list), (await get(secrets)).body);
      // The text of JSON is accepted in a byte string, too.
      const texts = encodeCbor({ ...secret, metadata: { name: 't' } });
      assert.equal((await send('POST', secrets, texts)).status, 201);
      assert.deepEqual((await get(`${secrets}/t`)).body['data'], data);
    });

    it('an integer beyond 2^53 keeps its digits', async () => {
      const jobs = '/apis/batch/v1/namespaces/default/jobs';
      const body =
        '{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"long"},"spec":{' +
        '"activeDeadlineSeconds":9007199254740993,"template":{"spec":{"restartPolicy":"Never",' +
        '"containers":[{"name":"a","image":"b"}]}}}}';
      const headers = { 'content-type': 'application/json' };
      const created = await (await server()).request('POST', jobs, { body, headers });
      assert.equal(created.status, 201);
      const job = read(await get(`${jobs}/long`, accept));
      assert.equal((job['spec'] as JsonObject)['activeDeadlineSeconds'], 9007199254740993n);
      const again = await send('PUT', `${jobs}/long`, encodeCbor(job));
      assert.equal(again.status, 200);
      assert.match(
        (await get(`${jobs}/long`)).text,
        /"activeDeadlineSeconds":9007199254740993[,}]/,
      );
    });

    it('a list has every item and its metadata', async () => {
      await send('POST', path, encodeCbor(configMap('second', { x: 'y' })));
      const list = read(await get(`${path}?limit=1`, accept));
      assert.deepEqual(list, (await get(`${path}?limit=1`)).body);
      assert.equal((list['items'] as JsonObject[]).length, 1);
      assert.ok((list['metadata'] as JsonObject)['remainingItemCount'] !== undefined);
    });

    it('a failure is a Status in CBOR; what cannot be read is 400 and changes nothing', async () => {
      const missing = await get(`${path}/nothing`, accept);
      assert.equal(missing.status, 404);
      assert.equal(read(missing)['reason'], 'NotFound');
      assert.equal(read(await get('/api/v1/namespaces/x/nothings', accept))['code'], 404);
      const twice = 'a1 48 6d65746164617461 a2 44 6e616d65 4161 44 6e616d65 4161';
      for (const bad of [Buffer.from(twice.replaceAll(' ', ''), 'hex'), Buffer.from('{"a":1}')]) {
        const refused = await send('POST', path, bad);
        assert.equal(refused.status, 400);
        assert.match(String(read(refused)['message']), /the body is not valid CBOR: at byte/);
      }
      assert.equal((await get(`${path}/a`)).status, 404);
    });

    it('broken bodies are taken or refused with a Status, none is more than that', async () => {
      const body = encodeCbor(configMap('fuzz', { key: 'v'.repeat(30), other: '1' }));
      const prng = seededPrng(8949);
      for (let count = 0; count < 300; count += 1) {
        const broken = Buffer.from(body);
        for (let changes = 1 + randomBelow(prng, 3); changes > 0; changes -= 1) {
          broken[randomBelow(prng, broken.length)] = randomBelow(prng, 256);
        }
        const reply = await send('POST', `${path}?dryRun=All`, broken);
        const shown = read(reply);
        if (reply.status === 201) continue;
        assert.ok(reply.status >= 400 && reply.status < 500, broken.toString('hex'));
        assert.deepEqual([shown['kind'], shown['code']], ['Status', reply.status]);
      }
    });

    it('unknown fields are warned about or refused, as in JSON', async () => {
      const body = encodeCbor({ ...configMap('loose', {}), wrong: 1 });
      const strict = await send('POST', `${path}?fieldValidation=Strict`, body);
      assert.equal(strict.status, 400);
      assert.match(String(read(strict)['message']), /unknown field "wrong"/);
      const warned = await send('POST', path, body);
      assert.equal(warned.status, 201);
      assert.match(String(warned.headers['warning']), /unknown field/);
    });

    it('a Table and partial metadata come in CBOR', async () => {
      for (const kind of ['Table', 'PartialObjectMetadataList']) {
        const shown = await get(path, { accept: `${cbor};${as(kind)}` });
        const json = await get(path, { accept: `application/json;${as(kind)}` });
        assert.deepEqual(ageless(read(shown)), ageless(json.body));
        assert.equal(json.body['kind'], kind);
      }
      const type = `${cbor};${as('PartialObjectMetadata')}`;
      const partial = read(await get(`${path}/second`, { accept: type }));
      assert.equal(partial['kind'], 'PartialObjectMetadata');
      assert.equal((partial['metadata'] as JsonObject)['name'], 'second');
    });

    it('a patch in JSON is answered in CBOR; an apply comes in CBOR', async () => {
      const merge = 'application/merge-patch+json';
      const patch = Buffer.from('{"data":{"z":"1"}}');
      const patched = await send('PATCH', `${path}/second`, patch, merge);
      assert.deepEqual(read(patched)['data'], { x: 'y', z: '1' });
      const intent = encodeCbor(configMap('applied', { k: 'v' }));
      const target = `${path}/applied?fieldManager=me`;
      const created = await send('PATCH', target, intent, applyType);
      assert.equal(created.status, 201);
      const [entry] = (read(created)['metadata'] as JsonObject)['managedFields'] as JsonObject[];
      assert.equal(entry?.['operation'], 'Apply');
      assert.deepEqual(entry['fieldsV1'], { 'f:data': { 'f:k': {} } });
      const changed = encodeCbor(configMap('applied', { l: 'w' }));
      assert.deepEqual(read(await send('PATCH', target, changed, applyType))['data'], { l: 'w' });
      const json = Buffer.from(JSON.stringify(configMap('applied', {})));
      assert.equal((await send('PATCH', target, json, applyType)).status, 400);
      assert.equal((await send('PATCH', target, changed, cbor)).status, 415);
    });

    for (const asked of [cbor, 'application/cbor-seq', `${cbor};stream=watch`]) {
      it(`a watch of ${asked} begins at once and is a sequence`, async () => {
        const { request, url } = await server();
        const now = (await request('GET', path)).body['metadata'] as JsonObject;
        const from = `resourceVersion=${String(now['resourceVersion'])}`;
        const watch = await openWatch(url, `${path}?watch=true&${from}`, asked);
        assert.equal(watch.response.headers['content-type'], 'application/cbor-seq');
        // Nothing has happened yet, and the head is here.
        await send('POST', path, encodeCbor(configMap('third', { k: 'v' })));
        const { body } = await get(`${path}/third`);
        assert.deepEqual(await watch.next(), { type: 'ADDED', object: body });
        await request('DELETE', `${path}/third`);
        assert.equal((await watch.next())['type'], 'DELETED');
        watch.close();
      });
    }

    it('a streaming list ends with its bookmark; a Table can be watched', async () => {
      const { url } = await server();
      const query =
        'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&' +
        'allowWatchBookmarks=true&fieldSelector=metadata.name=second';
      for (const [type, kind] of [
        [cbor, 'ConfigMap'],
        [`${cbor};${as('Table')}`, 'Table'],
        [`${cbor};${as('PartialObjectMetadata')}`, 'PartialObjectMetadata'],
      ] as const) {
        const watch = await openWatch(url, `${path}?${query}`, type);
        const added = await watch.next();
        assert.equal(added['type'], 'ADDED');
        assert.equal((added['object'] as JsonObject)['kind'], kind);
        assert.equal((await watch.next())['type'], 'BOOKMARK');
        watch.close();
      }
    });

    it('a watch from a version that is no more tells so in its sequence or its status', async () => {
      const wrong = await get(`${path}?watch=true&resourceVersion=x`, accept);
      assert.equal(wrong.status, 400);
      assert.equal(read(wrong)['kind'], 'Status');
    });

    it('delete takes its options in CBOR and answers with a Status', async () => {
      const options = (uid: string) =>
        encodeCbor({ kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid } });
      assert.equal((await send('DELETE', `${path}/second`, options('x'))).status, 409);
      const { uid } = (await get(`${path}/second`)).body['metadata'] as { uid: string };
      const deleted = await send('DELETE', `${path}/second`, options(uid));
      assert.equal(read(deleted)['status'], 'Success');
    });

    it('OpenAPI names it', async () => {
      const { body } = await get('/openapi/v3/api/v1');
      const item = (body['paths'] as JsonObject)[
        '/api/v1/namespaces/{namespace}/configmaps/{name}'
      ] as { patch: { requestBody: { content: object } }; get: { responses: JsonObject } };
      assert.ok(Object.keys(item.patch.requestBody.content).includes(applyType));
      const { content } = item.get.responses['200'] as unknown as { content: object };
      assert.deepEqual(Object.keys(content).slice(0, 2), [cbor, 'application/json']);
      assert.match(JSON.stringify(body), /"application\/cbor-seq"/);
    });

    it('the server stops without having failed', async () => (await server()).remove());
  });

  describe(`CBOR without its gate (${identity} identity, ${transport} transport)`, () => {
    let running: Promise<TestServer> | undefined;
    const server = () => (running ??= startTestServer({ identity, transport, store: 'memory' }));
    const as = `as=Table;g=meta.${identityOf(identity).domain};v=v1`;

    it('is 406 alone, and passed over where something else is accepted', async () => {
      const { request } = await server();
      for (const [type, target] of [
        [cbor, path],
        [`${cbor};${as}`, path],
        ['application/cbor-seq', `${path}?watch=true`],
        [cbor, `${path}?watch=true`],
      ] as const) {
        const refused = await request('GET', target, { headers: { accept: type } });
        assert.equal(refused.status, 406);
        assert.equal(refused.headers['content-type'], 'application/json');
        assert.doesNotMatch(refused.text, /cbor/);
      }
      const fallen = await request('GET', path, { headers: accept });
      assert.equal(fallen.status, 200);
      assert.equal(fallen.headers['content-type'], 'application/json');
    });

    it('is 415 as a body, and makes nothing', async () => {
      const { request } = await server();
      const body = encodeCbor(configMap('never', {}));
      const headers = { 'content-type': cbor };
      const created = await request('POST', path, { body, headers });
      assert.equal(created.status, 415);
      assert.doesNotMatch(String(created.body['message']).replace(cbor, ''), /cbor/);
      const target = `${path}/never?fieldManager=me`;
      const applied = await request('PATCH', target, {
        body,
        headers: { 'content-type': applyType },
      });
      assert.equal(applied.status, 415);
      assert.doesNotMatch(String(applied.body['message']).replace(applyType, ''), /cbor/);
      assert.equal((await request('GET', `${path}/never`, { headers: accept })).status, 404);
    });

    it('is not named by OpenAPI', async () => {
      const { request } = await server();
      assert.doesNotMatch((await request('GET', '/openapi/v3/api/v1')).text, /cbor/);
    });

    it('the server stops without having failed', async () => (await server()).remove());
  });
}

interface SequenceReader {
  readonly response: IncomingMessage;
  /** The next item. */
  next(): Promise<JsonObject>;
  close(): void;
}

/** What every event begins with: the tag, a map of two, the key `type`. */
const eventHead = Buffer.from('d9d9f7a24474797065', 'hex');

/** Resolves with the head. */
async function openWatch(url: string, target: string, type: string): Promise<SequenceReader> {
  const response = await openResponse(url, target, { headers: { accept: type } });
  assert.equal(response.statusCode, 200);
  const chunks = response[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let buffered = Buffer.alloc(0);
  return {
    response,
    async next() {
      for (;;) {
        const following = buffered.indexOf(eventHead, eventHead.length);
        const item = buffered.subarray(0, following < 0 ? buffered.length : following);
        if (decodeCbor(item).kind === 'value') {
          buffered = buffered.subarray(item.length);
          return valueOf(item);
        }
        const more = await chunks.next();
        assert.ok(more.done !== true, 'the watch ended');
        buffered = Buffer.concat([buffered, more.value]);
      }
    },
    close: () => response.destroy(),
  };
}
