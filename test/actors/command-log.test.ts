/** Commands of a whole server, written down and replayed: the same records, byte for byte. */
import { decisionsOf } from '../../src/apis/operations.ts';
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { createCommandLog, replay } from '../../actors/command-log.ts';
import type { ExpiryOf } from '../../actors/token-timer.ts';
import { encodeObject } from '../../src/apimachinery/object-encoding.ts';
import { strategiesOf } from '../../src/apis/strategies.ts';
import { createDecide } from '../../src/registry/decide.ts';
import { expiryOf } from '../../src/server/compose/token-serving.ts';
import { storeKey } from '../../src/storage/keys.ts';
import { recordToPut } from '../../src/storage/record-codec.ts';
import { actorHarness, encodePod, pod, podKey, pods } from '../support/doubles/actor-harness.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-commands');

const heldPod = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, finalizers: ['example.com/held'] },
  spec: { containers: [{ name: 'c', image: 'i' }] },
});

/** Objects live until then. */
const untilOf: ExpiryOf = (_key, object) => ({ dueMs: Number(object['until']) });

test('I34 a log of commands that is replayed gives the same records bit for bit', async () => {
  const directory = directories.make();
  const file = path.join(directory, 'log');
  const server = await startTestServer({ 'command-log': file });
  const { identity, scheme } = server.running.parts.registry;
  const records = new Map<string, { state: string; value: Uint8Array }>();
  try {
    const pods = '/api/v1/namespaces/default/pods';
    const send = async (method: string, to: string, body?: unknown, type = 'application/json') => {
      const reply = await server.request(method, to, {
        body: body as object,
        headers: { 'content-type': type },
      });
      assert.ok(reply.status < 300, `${method} ${to}: ${reply.status} ${reply.text}`);
    };
    for (const name of ['a', 'b', 'c']) await send('POST', pods, heldPod(name));
    const merge = 'application/merge-patch+json';
    await Promise.all(
      [1, 2, 3, 4, 5].map((n) =>
        send('PATCH', `${pods}/a`, { metadata: { labels: { [`l${n}`]: `${n}` } } }, merge),
      ),
    );
    await send(
      'PATCH',
      `${pods}/b`,
      [{ op: 'add', path: '/metadata/labels', value: { x: 'y' } }],
      'application/json-patch+json',
    );
    await send('DELETE', `${pods}/b`);
    await send('DELETE', `${pods}/c`);
    await send('PATCH', `${pods}/c`, { metadata: { finalizers: null } }, merge);
    const configMaps = '/api/v1/namespaces/default/configmaps';
    const config = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'm' },
      data: { a: '1' },
    };
    await send('PATCH', `${configMaps}/m?fieldManager=me`, config, 'application/apply-patch+yaml');
    await send(
      'PATCH',
      `${configMaps}/m?fieldManager=you&force=true`,
      { ...config, data: { a: '2' } },
      'application/apply-patch+yaml',
    );
    const { storage, streams } = server.running.parts;
    await streams.waitUntilCurrent();
    for (const resource of scheme.storageResources) {
      for (const { name, namespace } of streams.snapshot(resource).entries(undefined)) {
        const key = storeKey({ ...resource, namespace, name });
        const found = await storage.read(key);
        assert.ok(found.kind === 'ok' && found.value !== undefined);
        records.set(key, { state: found.value.state, value: found.value.value });
      }
    }
    assert.equal(statSync(file).mode & 0o077, 0, 'it is its owner’s alone');
  } finally {
    await server.remove();
  }
  const lines = readFileSync(file, 'utf8').split('\n');
  await directories.removeAll();
  assert.ok(lines.length > 30, `${lines.length} commands`);
  const replayed = replay(lines, {
    decide: createDecide({
      scheme,
      identity,
      strategyOf: strategiesOf(identity),
      operations: decisionsOf(),
    }),
    encode: (key, object) => {
      const { bytes, metadataAt } = encodeObject(object);
      const { labels = {}, uid = '' } = object.metadata;
      return {
        record: { uid, labels, fields: scheme.fieldsOf(key, object), metadataAt, object: bytes },
      };
    },
    encodeRecord: recordToPut,
    expiryOf: expiryOf(identity),
  });
  assert.ok(records.size > 20, `${records.size} records`);
  for (const [key, record] of records) {
    const again = replayed.get(key as never);
    assert.equal(again?.state, record.state, key);
    assert.deepEqual(Buffer.from(again?.value ?? []), Buffer.from(record.value), key);
  }
});

test('I34 a log may begin anywhere, and others may write in between', async () => {
  const lines: string[] = [];
  const ports = { encode: encodePod, encodeRecord: recordToPut, expiryOf: untilOf };
  const { overtake, run, store } = actorHarness({
    expiryOf: untilOf,
    commandLog: createCommandLog((line) => lines.push(line)),
  });
  const due = (nowMs: number) =>
    ({ type: 'due', nowMs, dryRun: false, qualifiedResource: pods }) as const;
  for (const until of [500, 900]) {
    await overtake('a', pod('a', { until }));
    assert.equal((await run('a', due(until))).kind, 'replaced');
    const stored = await store.raw.read(storeKey(podKey('a')));
    assert.ok(stored.kind === 'ok' && stored.value !== undefined);
    const decide = () => assert.fail('nothing was changed');
    const again = replay(lines, { ...ports, decide }).get(storeKey(podKey('a')));
    assert.deepEqual(Buffer.from(again?.value ?? []), Buffer.from(stored.value.value));
  }
  assert.equal(lines.length, 2);
});
