/** A deletecollection that runs out of its time (spec 1, section 4.2): on manual time. */
import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { startSlowServer } from '../support/servers/slow-server.ts';
import type { SlowServer } from '../support/servers/slow-server.ts';

const configmaps = '/api/v1/namespaces/default/configmaps';
const count = 300;

async function filled(): Promise<SlowServer> {
  const server = await startSlowServer();
  for (let i = 0; i < count; i += 1) {
    const body = { metadata: { name: `m-${i}`, labels: { of: 'test' } } };
    const made = await server.answered(server.request('POST', configmaps, { body }));
    assert.equal(made.value.status, 201);
  }
  return server;
}

async function left(server: SlowServer): Promise<number> {
  const listed = await server.answered(
    server.request('GET', `${configmaps}?labelSelector=of%3Dtest`),
  );
  assert.equal(listed.value.status, 200);
  return (listed.value.body['items'] as readonly unknown[]).length;
}

test('what is deleted when the time is over is what the 504 says; asked again it goes on', async () => {
  const server = await filled();
  const all = `${configmaps}?labelSelector=of%3Dtest&resourceVersion=0`;
  // The store stands still with the first deletions in it, until their time is over.
  server.unreachable = true;
  const deletion = server.request('DELETE', `${all}&timeoutSeconds=2`);
  for (let i = 0; i < 200; i += 1) await nextTurn();
  server.time.advance(2000);
  for (let i = 0; i < 200; i += 1) await nextTurn();
  server.unreachable = false;
  const { value: reply } = await server.answered(deletion);
  assert.equal(reply.status, 504, reply.text);
  const { reason, status, message, details } = reply.body as JsonObject & { message: string };
  assert.deepEqual([status, reason, details], ['Failure', 'Timeout', { kind: 'configmaps' }]);
  assert.equal(reply.headers['retry-after'], undefined, 'clients do not ask again by themselves');
  const said = /^Timeout: not all configmaps were deleted within 2 s: (\d+) were/.exec(message);
  const deletedCount = Number(said?.[1]);
  assert.ok(deletedCount > 0 && deletedCount < count, message);
  assert.equal(await left(server), count - deletedCount);

  const again = await server.answered(server.request('DELETE', `${all}&timeoutSeconds=60`));
  assert.equal(again.value.status, 200, again.value.text);
  assert.equal(await left(server), 0);
  await server.stop();
});

test('a deletecollection whose time is over before it begins deletes nothing', async () => {
  const server = await filled();
  const path = `${configmaps}?labelSelector=of%3Dtest&timeoutSeconds=1`;
  // It waits for the newest revision, which nobody tells it.
  server.unreachable = true;
  const deletion = server.request('DELETE', path);
  for (let i = 0; i < 200; i += 1) await nextTurn();
  server.time.advance(1000);
  server.unreachable = false;
  const { value: reply } = await server.answered(deletion);
  assert.equal(reply.status, 504, reply.text);
  assert.match(String(reply.body['message']), /within 1 s: 0 were/);
  assert.equal(await left(server), count);
  const negative = await server.answered(
    server.request('DELETE', `${configmaps}?timeoutSeconds=-1`),
  );
  assert.equal(negative.value.status, 422, negative.value.text);
  assert.equal(await left(server), count);
  await server.stop();
});
