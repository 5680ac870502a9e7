/** Which bootstrap tokens have a deadline here, also after a change of them went unseen. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRoot } from '../../actors/root-actor.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { encodeObject } from '../../src/apimachinery/object-encoding.ts';
import { secretsResource } from '../../src/authentication/object-reader.ts';
import type { RegistryDeps } from '../../src/registry/registry.ts';
import { TokenDeadlines } from '../../src/server/compose/token-deadlines.ts';
import { encodeRecord } from '../../src/storage/record-codec.ts';
import { storeKey } from '../../src/storage/keys.ts';
import { createWorld } from '../streams/harness.ts';
import type { World } from '../streams/harness.ts';

const namespace = 'kube-system';

async function putToken({ storage }: World, name: string, dueMs: number): Promise<void> {
  const key = storeKey({ ...secretsResource, namespace, name });
  const metadata = { name, namespace, uid: name };
  const { bytes, metadataAt } = encodeObject({ apiVersion: 'v1', kind: 'Secret', metadata });
  const timer = { state: 'valid', dueMs };
  const record = { uid: name, labels: {}, fields: {}, metadataAt, object: bytes, timer };
  const value = encodeRecord(record, { key, state: 'live' });
  const operation = { kind: 'put', state: 'live', value } as const;
  await storage.commit([{ key, expect: { kind: 'absent' }, conditions: [], operation }]);
}

test('a token that was removed while its follower was failing has no deadline', async () => {
  const world = await createWorld({ deps: { onFollowerFailure: () => undefined } });
  const { streams, time } = world;
  let isFailing = false;
  const registry = {
    identity: identityOf('kubernetes'),
    clock: time.clock,
    streams: {
      followers: streams.followers,
      resourceEvents: streams.resourceEvents.bind(streams),
      snapshot: (resource: typeof secretsResource) => {
        if (isFailing) throw new Error('no snapshot');
        return streams.snapshot(resource);
      },
    },
  } as unknown as RegistryDeps;
  const deadlines = new TokenDeadlines();
  const { timers } = time;
  const onError = (_: string, error: unknown): void => assert.fail(String(error));
  const controller = deadlines.controller({ registry, root: createRoot(), timers, onError });
  const known = (): string[] => [...deadlines.residents()].map(({ key }) => key.name);
  for (const name of ['a', 'b']) await putToken(world, name, time.clock.nowMs() + 3_600_000);
  await world.settle();
  controller.start();
  assert.deepEqual(known(), ['a', 'b']);
  isFailing = true;
  await world.remove(namespace, 'a', secretsResource);
  await world.settle();
  assert.deepEqual(known(), ['a', 'b'], 'it went unseen');
  isFailing = false;
  time.advance(100);
  assert.deepEqual(known(), ['b']);
  await controller.stop();
  await world.stop();
});
