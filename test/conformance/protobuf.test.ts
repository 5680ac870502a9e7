/** Protobuf as clients of the reference speak it, over HTTP and on both transports. */
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import { decodeMessage } from '../../src/apimachinery/codecs/protobuf-decode.ts';
import { decodeProtobuf, encodeProtobuf } from '../../src/apimachinery/codecs/protobuf.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { IdentityName } from '../../src/apimachinery/identity.ts';
import {
  deleteOptionsType,
  partialMetadataType,
  statusType,
} from '../../src/apimachinery/typed/meta-types.ts';
import { readTypes } from '../../src/apimachinery/typed/type-rows.ts';
import type { ObjectSchema } from '../../src/apimachinery/typed/type-schema.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { fieldTypes } from '../../src/apis/field-types.ts';
import { openResponse } from '../support/clients/http-client.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';
import { startTestServer } from '../support/servers/test-server.ts';

/** As the generated clients have it. */
const watchEventType = readTypes(`
package meta/v1
WatchEvent
 type 1 string !
 object 2 Embedded !
Embedded
 raw 1 bytes
`).object('meta/v1.WatchEvent');

interface Setting {
  readonly identity: IdentityName;
  readonly transport: string;
}

const settings: readonly Setting[] = [
  { identity: 'kubernetes', transport: 'uws' },
  { identity: 'svc', transport: 'node' },
];

for (const { identity, transport } of settings) {
  describe(`Protobuf over HTTP (${identity} identity, ${transport} transport)`, () => {
    const names = identityOf(identity);
    const mediaType = names.mediaTypes.protobuf;
    const accept = { accept: `${mediaType},application/json` };
    const types = fieldTypes(names);
    const configMap = types.object('core/v1.ConfigMap');
    const path = '/api/v1/namespaces/default/configmaps';
    let running: Promise<TestServer> | undefined;
    const server = () => (running ??= startTestServer({ identity, transport, store: 'memory' }));

    const read = (reply: Reply, schema: ObjectSchema): JsonObject => {
      assert.equal(reply.headers['content-type'], mediaType);
      const decoded = decodeProtobuf(reply.bytes, () => schema);
      assert.ok(decoded.kind === 'value', JSON.stringify(decoded));
      return decoded.value as JsonObject;
    };
    const post = async (name: string, data: JsonObject): Promise<Reply> => {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
      return (await server()).request('POST', path, {
        body: encodeProtobuf(configMap, object),
        headers: { ...accept, 'content-type': mediaType },
      });
    };

    it('a body makes the object that the same JSON makes', async () => {
      const created = await post('from-protobuf', { a: 'b' });
      assert.equal(created.status, 201);
      const shown = read(created, configMap);
      const json = await (await server()).request('GET', `${path}/from-protobuf`);
      assert.deepEqual(shown, json.body);
      assert.deepEqual(json.body['data'], { a: 'b' });
    });

    it('an update and a body without apiVersion and kind are taken as the URL says', async () => {
      const { request } = await server();
      const body = encodeProtobuf(configMap, {
        metadata: { name: 'from-protobuf' },
        data: { a: 'c' },
      });
      const headers = { 'content-type': mediaType };
      const updated = await request('PUT', `${path}/from-protobuf`, { body, headers });
      assert.equal(updated.status, 200);
      assert.deepEqual(updated.body['data'], { a: 'c' });
    });

    it('a list has every item and its metadata', async () => {
      await post('second', { x: 'y' });
      const { request } = await server();
      const reply = await request('GET', `${path}?limit=1`, { headers: accept });
      const list = read(reply, types.object('core/v1.ConfigMapList'));
      const json = (await request('GET', `${path}?limit=1`)).body;
      const items = (json['items'] as JsonObject[]).map(
        ({ kind: _k, apiVersion: _v, ...rest }) => rest,
      );
      assert.deepEqual(list, { ...json, items });
      assert.equal((json['metadata'] as JsonObject)['remainingItemCount'] !== undefined, true);
    });

    it('a failure is a Status in Protobuf, with the code of its reason', async () => {
      const { request } = await server();
      const reply = await request('GET', `${path}/nothing`, { headers: accept });
      assert.equal(reply.status, 404);
      const status = read(reply, statusType);
      assert.equal(status['reason'], 'NotFound');
      const json = await request('GET', `${path}/nothing`);
      assert.deepEqual(status, json.body);
    });

    it('a wrong magic and another kind are refused and change nothing', async () => {
      const { request } = await server();
      const headers = { 'content-type': mediaType };
      const wrong = await request('POST', path, { body: 'k8s', headers });
      assert.equal(wrong.status, 400);
      assert.match(String(wrong.body['message']), /6b 38 73 00/);
      const secret = types.object('core/v1.Secret');
      const body = encodeProtobuf(secret, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'z' },
      });
      assert.equal((await request('POST', path, { body, headers })).status, 400);
      assert.equal((await request('GET', `${path}/z`)).status, 404);
    });

    it('the media type of the other identity is not served', async () => {
      const { request } = await server();
      const other = identityOf(identity === 'svc' ? 'kubernetes' : 'svc').mediaTypes.protobuf;
      assert.equal((await request('GET', path, { headers: { accept: other } })).status, 406);
      const headers = { 'content-type': other };
      assert.equal((await request('POST', path, { body: 'x', headers })).status, 415);
    });

    it('a Table stays JSON; partial metadata has a Protobuf form', async () => {
      const { request } = await server();
      const as = (kind: string) => `as=${kind};g=meta.${names.domain};v=v1`;
      const table = `${mediaType};${as('Table')},application/json;${as('Table')}`;
      const shown = await request('GET', path, { headers: { accept: table } });
      assert.equal(shown.headers['content-type'], 'application/json');
      assert.equal(shown.body['kind'], 'Table');
      const partial = `${mediaType};${as('PartialObjectMetadata')}`;
      const reply = await request('GET', `${path}/second`, { headers: { accept: partial } });
      const metadata = read(reply, partialMetadataType);
      assert.equal(metadata['kind'], 'PartialObjectMetadata');
      assert.equal((metadata['metadata'] as JsonObject)['name'], 'second');
    });

    it('a watch begins at once and frames every event', async () => {
      const { request, url } = await server();
      const now = (await request('GET', path)).body['metadata'] as JsonObject;
      const from = `resourceVersion=${String(now['resourceVersion'])}`;
      const watch = await openWatch(url, `${path}?watch=true&${from}`, mediaType);
      assert.equal(watch.response.headers['content-type'], `${mediaType};stream=watch`);
      // Nothing has happened yet, and the head is here.
      await post('third', { k: 'v' });
      const event = await watch.next();
      assert.equal(event.type, 'ADDED');
      const json = await request('GET', `${path}/third`);
      const decoded = decodeProtobuf(event.object, () => configMap);
      assert.deepEqual(decoded, { kind: 'value', value: json.body });
      await request('DELETE', `${path}/third`);
      assert.equal((await watch.next()).type, 'DELETED');
      watch.close();
    });

    it('a streaming list ends with its bookmark', async () => {
      const { url } = await server();
      const query =
        'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
      const watch = await openWatch(
        url,
        `${path}?${query}&fieldSelector=metadata.name=second`,
        mediaType,
      );
      assert.equal((await watch.next()).type, 'ADDED');
      const bookmark = await watch.next();
      assert.equal(bookmark.type, 'BOOKMARK');
      const decoded = decodeProtobuf(bookmark.object, () => configMap);
      assert.ok(decoded.kind === 'value');
      const { metadata, kind } = decoded.value as JsonObject;
      assert.equal(kind, 'ConfigMap');
      const annotations = (metadata as JsonObject)['annotations'] as JsonObject;
      assert.equal(annotations[names.annotations.initialEventsEnd], 'true');
      watch.close();
    });

    it('delete takes its options in Protobuf, in any version, and answers with a Status', async () => {
      const { request } = await server();
      const options = (version: string, uid: string) =>
        encodeProtobuf(deleteOptionsType, {
          kind: 'DeleteOptions',
          apiVersion: version,
          preconditions: { uid },
        });
      const headers = { ...accept, 'content-type': mediaType };
      const target = `${path}/second`;
      const wrong = await request('DELETE', target, { body: options('v1', 'x'), headers });
      assert.equal(wrong.status, 409);
      const { uid } = (await request('GET', target)).body['metadata'] as { uid: string };
      const right = await request('DELETE', target, { body: options('apps/v1', uid), headers });
      assert.equal(read(right, statusType)['status'], 'Success');
    });

    it('the server stops without having failed', async () => (await server()).remove());
  });
}

interface FramedEvent {
  readonly type: string;
  /** An envelope. */
  readonly object: Uint8Array;
}

interface FramedWatch {
  readonly response: IncomingMessage;
  next(): Promise<FramedEvent>;
  close(): void;
}

/** Resolves with the head. */
async function openWatch(url: string, target: string, accept: string): Promise<FramedWatch> {
  const response = await openResponse(url, target, { headers: { accept } });
  assert.equal(response.statusCode, 200);
  const chunks = response[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let buffered = Buffer.alloc(0);
  const take = async (length: number): Promise<Buffer> => {
    while (buffered.length < length) {
      const more = await chunks.next();
      assert.ok(more.done !== true, 'the watch ended');
      buffered = Buffer.concat([buffered, more.value]);
    }
    const taken = buffered.subarray(0, length);
    buffered = buffered.subarray(length);
    return taken;
  };
  return {
    response,
    async next() {
      const length = (await take(4)).readUInt32BE(0);
      const message = await take(length);
      assert.notEqual(message.subarray(0, 4).toString(), 'k8s\0', 'an event has no envelope');
      const event = decodeMessage(watchEventType, message) as {
        type: string;
        object: { raw: string };
      };
      return { type: event.type, object: Buffer.from(event.object.raw, 'base64') };
    },
    close: () => response.destroy(),
  };
}
