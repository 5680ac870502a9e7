/** Objects whose record is damaged: what reads, watches and deletes answer (spec 1, 3.1). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { seededPrng } from '../../src/stdx/prng.ts';
import { encodeKey } from '../../src/storage/lmdb/layout.ts';
import { lmdbDefaults, openEnvironment } from '../../src/storage/lmdb/tables.ts';
import type { StoreKey } from '../../src/storage/storage.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const configmaps = '/api/v1/namespaces/default/configmaps';
const gate = { 'feature-gates': 'AllowUnsafeMalformedObjectDeletion=true' } as const;
const mergePatch = { 'content-type': 'application/merge-patch+json' };
const unsafe = { ignoreStoreReadErrorWithClusterBreakingPotential: true };

/** The record is overwritten behind the server's back. */
async function damage(
  server: TestServer,
  name: string,
  change: (value: Buffer) => Buffer = () => Buffer.from('damaged'),
): Promise<void> {
  const { storage } = server.running.parts;
  const key = `/configmaps/default/${name}` as StoreKey;
  const read = await storage.read(key);
  assert(read.kind === 'ok' && read.value !== undefined);
  const { revision, state } = read.value;
  const value = change(Buffer.from(read.value.value));
  const operation = { kind: 'put', state, value } as const;
  const expect = { kind: 'revision', revision } as const;
  const [outcome] = await storage.commit([{ key, expect, conditions: [], operation }]);
  assert.equal(outcome?.kind, 'applied');
  await server.running.parts.streams.waitUntilCurrent();
}

async function make(server: TestServer, name: string, finalizers?: string[]): Promise<Reply> {
  const body = { metadata: { name, finalizers }, data: { k: name } };
  const made = await server.request('POST', configmaps, { body });
  assert.equal(made.status, 201);
  return made;
}

function detailsOf(reply: Reply): JsonObject {
  return reply.body['details'] as JsonObject;
}

test('a damaged record answers for itself and leaves the rest alone', async () => {
  const server = await startTestServer(gate);
  await make(server, 'bad');
  const { body } = await make(server, 'good');
  const { resourceVersion } = body['metadata'] as { resourceVersion: string };
  await damage(server, 'bad');
  const got = await server.request('GET', `${configmaps}/bad`);
  assert.equal(got.status, 500);
  assert.equal(got.body['reason'], 'InternalError');
  assert.match(
    String(got.body['message']),
    /StorageError: corrupt object, Key: \/configmaps\/default\/bad/,
  );
  const listed = await server.request('GET', configmaps);
  assert.equal(listed.status, 500);
  assert.equal(listed.body['reason'], 'StorageReadError');
  assert.equal(listed.body['message'], 'failed to read one or more configmaps from the storage');
  const { causes } = detailsOf(listed) as { causes: JsonObject[] };
  assert.deepEqual(
    causes.map(({ reason, field }) => [reason, field]),
    [['UnexpectedServerResponse', '/configmaps/default/bad']],
  );
  assert.equal((await server.request('GET', '/api/v1/configmaps')).status, 500);
  assert.equal((await server.request('GET', `${configmaps}/good`)).status, 200);
  assert.equal(
    (await server.request('GET', '/api/v1/namespaces/kube-system/configmaps')).status,
    200,
  );
  const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1';
  const watched = await server.request('GET', `${configmaps}?${query}`);
  assert.match(watched.text, /^ ?\{"type":"ERROR","object":\{.*"reason":"StorageReadError"/);
  const resumed = `watch=1&resourceVersion=${resourceVersion}&timeoutSeconds=1`;
  assert.equal((await server.request('GET', `${configmaps}?${resumed}`)).text.trim(), '');
  const put = { body: { metadata: { name: 'bad' }, data: {} } };
  const refused = await server.request('PUT', `${configmaps}/bad`, put);
  assert.equal(refused.status, 500, refused.text);
  await server.remove();
});

test('the unsafe deletion removes what cannot be read, and nothing else', async () => {
  const server = await startTestServer(gate);
  await make(server, 'bad', ['x.io/hold']);
  const { body } = await make(server, 'good');
  const { resourceVersion } = body['metadata'] as { resourceVersion: string };
  const watch = await server.openWatch(`${configmaps}?watch=1&resourceVersion=${resourceVersion}`);
  await damage(server, 'bad');
  const plain = await server.request('DELETE', `${configmaps}/bad`);
  assert.equal(plain.status, 500);
  assert.match(String(plain.body['message']), /corrupt object/);
  const readable = await server.request('DELETE', `${configmaps}/good`, { body: unsafe });
  assert.equal(readable.status, 400);
  assert.match(String(readable.body['message']), /configmaps "good" can be read/);
  for (const other of [
    { dryRun: ['All'] },
    { gracePeriodSeconds: 0 },
    { orphanDependents: true },
    { preconditions: { uid: 'x' } },
    { propagationPolicy: 'Background' },
  ]) {
    const together = { body: { ...unsafe, ...other } };
    const reply = await server.request('DELETE', `${configmaps}/bad`, together);
    assert.equal(reply.status, 422, JSON.stringify(other));
    assert.match(String(reply.body['message']), /cannot be set together with \./);
  }
  const all = await server.request('DELETE', configmaps, { body: unsafe });
  assert.equal(all.status, 422);
  assert.match(String(all.body['message']), /is not allowed with DELETECOLLECTION/);
  const removed = await server.request('DELETE', `${configmaps}/bad`, { body: unsafe });
  assert.equal(removed.status, 200);
  assert.equal(removed.body['status'], 'Success');
  assert.equal((await server.request('GET', `${configmaps}/bad`)).status, 404);
  assert.equal((await server.request('DELETE', `${configmaps}/bad`, { body: unsafe })).status, 404);
  assert.equal((await server.request('GET', configmaps)).status, 200);
  await make(server, 'later');
  const events = [await watch.next(), await watch.next()];
  const shown = events.map((event) => {
    const { type, object } = event as { type: string; object: { metadata: { name: string } } };
    return `${type} ${object.metadata.name}`;
  });
  assert.deepEqual(shown, ['DELETED bad', 'ADDED later'], 'the watch goes on');
  await server.remove();
});

test('a server starts over a damaged record; its removal ends watches that may know the object', async () => {
  const directories = testDirectories('sluice-unreadable');
  const dataDir = directories.make();
  const options = { ...gate, store: 'lmdb', 'data-dir': dataDir } as const;
  const before = await startTestServer(options);
  await make(before, 'bad');
  const { body } = await make(before, 'good');
  const { resourceVersion } = body['metadata'] as { resourceVersion: string };
  await damage(before, 'bad');
  await before.stop();
  const server = await startTestServer(options);
  assert.equal((await server.request('GET', `${configmaps}/bad`)).status, 500);
  assert.equal((await server.request('GET', configmaps)).status, 500);
  const { running } = server;
  const from = `watch=1&resourceVersion=${running.parts.streams.revision}&timeoutSeconds=20`;
  assert(BigInt(resourceVersion) < running.parts.streams.revision);
  const watching = server.request('GET', `${configmaps}?${from}`);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const removed = await server.request('DELETE', `${configmaps}/bad`, { body: unsafe });
  assert.equal(removed.status, 200, removed.text);
  assert.match((await watching).text, /"type":"ERROR".*"reason":"StorageReadError"/);
  assert.equal((await server.request('GET', configmaps)).status, 200);
  await server.stop();
  await directories.removeAll();
});

test('a byte that changed in a record is never served: the record is unreadable, its neighbour is not', async () => {
  const server = await startTestServer(gate);
  await make(server, 'good');
  const prng = seededPrng(7);
  for (let round = 0; round < 40; round += 1) {
    const { body } = await make(server, 'bad');
    const { resourceVersion } = body['metadata'] as { resourceVersion: string };
    let where = '';
    await damage(server, 'bad', (value) => {
      const at = prng.uint32() % value.length;
      const by = 1 + (prng.uint32() % 255);
      value[at] = (value[at] as number) ^ by;
      where = `byte ${at} of ${value.length} by ${by}`;
      return value;
    });
    const got = await server.request('GET', `${configmaps}/bad`);
    assert.equal(got.status, 500, `${where}: ${got.text}`);
    assert.match(String(got.body['message']), /corrupt object/, where);
    const listed = await server.request('GET', configmaps);
    assert.deepEqual([listed.status, listed.body['reason']], [500, 'StorageReadError'], where);
    assert.equal((await server.request('GET', `${configmaps}/good`)).status, 200);
    const patch = { body: { data: { k: 'w' } }, headers: mergePatch };
    assert.equal((await server.request('PATCH', `${configmaps}/bad`, patch)).status, 500, where);
    assert.equal((await server.request('DELETE', `${configmaps}/bad`)).status, 500, where);
    const readable = await server.request('DELETE', `${configmaps}/good`, { body: unsafe });
    assert.equal(readable.status, 400, readable.text);
    const watch = await server.openWatch(
      `${configmaps}?watch=1&resourceVersion=${resourceVersion}`,
    );
    const removed = await server.request('DELETE', `${configmaps}/bad`, { body: unsafe });
    assert.equal(removed.status, 200, `${where}: ${removed.text}`);
    const event = (await watch.next()) as { type: string; object: { metadata: { name: string } } };
    assert.deepEqual([event.type, event.object.metadata.name], ['DELETED', 'bad'], where);
    watch.close();
    assert.equal((await server.request('GET', configmaps)).status, 200);
  }
  await server.remove();
});

test('a server starts over an LMDB store with an altered byte anywhere in a record', async () => {
  const directories = testDirectories('sluice-altered');
  const dataDir = directories.make();
  const options = { ...gate, store: 'lmdb', 'data-dir': dataDir } as const;
  const first = await startTestServer(options);
  await make(first, 'good');
  await make(first, 'bad');
  await first.stop();
  const key = encodeKey('/configmaps/default/bad');
  // Revision, length of the state, state, its check, the record's own head, its checksum, its text.
  for (const at of [0, 7, 8, 10, 14, 17, 18, 19, 21, 30, 200]) {
    await alterLmdb(dataDir, key, at);
    const server = await startTestServer(options);
    const listed = await server.request('GET', configmaps);
    assert.deepEqual([listed.status, listed.body['reason']], [500, 'StorageReadError'], `at ${at}`);
    assert.equal((await server.request('GET', `${configmaps}/bad`)).status, 500, `at ${at}`);
    assert.equal((await server.request('GET', `${configmaps}/good`)).status, 200);
    await server.stop();
    await alterLmdb(dataDir, key, at);
  }
  await alterLmdb(dataDir, key, 7);
  const last = await startTestServer(options);
  const removed = await last.request('DELETE', `${configmaps}/bad`, { body: unsafe });
  assert.equal(removed.status, 200, removed.text);
  assert.equal((await last.request('GET', configmaps)).status, 200);
  await make(last, 'bad');
  await last.stop();
  await directories.removeAll();
});

test('nothing is created in a namespace whose state cannot be read, and why is said', async () => {
  const directories = testDirectories('sluice-namespace');
  const dataDir = directories.make();
  const options = { ...gate, store: 'lmdb', 'data-dir': dataDir } as const;
  const first = await startTestServer(options);
  const body = { metadata: { name: 'dark' } };
  assert.equal((await first.request('POST', '/api/v1/namespaces', { body })).status, 201);
  await first.stop();
  const key = encodeKey('/namespaces//dark');
  await alterLmdb(dataDir, key, 9);
  const server = await startTestServer(options);
  const into = '/api/v1/namespaces/dark/configmaps';
  const refused = await server.request('POST', into, { body: { metadata: { name: 'm' } } });
  assert.equal(refused.status, 500, refused.text);
  assert.match(String(refused.body['message']), /corrupt object, Key: \/namespaces\/\/dark/);
  await server.stop();
  await alterLmdb(dataDir, key, 9);
  const last = await startTestServer(options);
  const made = await last.request('POST', into, { body: { metadata: { name: 'm' } } });
  assert.equal(made.status, 201, made.text);
  await last.stop();
  await directories.removeAll();
});

async function alterLmdb(dataDir: string, key: Buffer, at: number): Promise<void> {
  const tables = openEnvironment(dataDir, lmdbDefaults.mapBytes);
  const bytes = Buffer.from(tables.cur.getBinary(key) as Buffer);
  bytes[at] = (bytes[at] as number) ^ 0x11;
  await tables.cur.put(key, bytes);
  await tables.root.close();
}

test('without its gate the option deletes nothing that cannot be read', async () => {
  const server = await startTestServer();
  await make(server, 'bad');
  await damage(server, 'bad');
  for (const body of [{}, unsafe]) {
    assert.equal((await server.request('DELETE', `${configmaps}/bad`, { body })).status, 500);
  }
  assert.equal((await server.request('GET', `${configmaps}/bad`)).status, 500, 'it is still there');
  await server.remove();
});
