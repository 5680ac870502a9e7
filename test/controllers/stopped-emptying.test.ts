import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ActorSystem } from '../../actors/actors.ts';
import { removeInstances } from '../../src/controllers/definitions/instance-removal.ts';
import { createNamespaceController } from '../../src/controllers/namespace-lifecycle.ts';
import { createQueueMeters } from '../../src/controllers/queue-meters.ts';
import { createObject } from '../../src/registry/create.ts';
import { deleteObject } from '../../src/registry/delete.ts';
import { noRemoteAccess } from '../support/doubles/no-aggregation.ts';
import { createSharedStore, kindOf, turns } from '../support/servers/shared-store.ts';

const objectsCount = 300;

it('a stop ends the emptying of a large namespace, and the next start goes on with it', async () => {
  const store = await createSharedStore();
  const server = await store.join();
  const { registry } = server;
  const namespaces = kindOf(server, '', 'namespaces');
  const configMaps = kindOf(server, '', 'configmaps');
  const create = async (kind: typeof namespaces, namespace: string, name: string) => {
    const object = { apiVersion: 'v1', kind: kind.kind, metadata: { name } };
    const made = await createObject(registry, { kind, namespace }, object, { dryRun: false });
    assert.equal(made.kind, 'ok');
  };
  await create(namespaces, '', 'large');
  for (let i = 0; i < objectsCount; i += 1) await create(configMaps, 'large', `c${i}`);
  await deleteObject(
    registry,
    { kind: namespaces, namespace: '', name: 'large' },
    { dryRun: false },
  );
  await turns();
  const left = (): number => registry.streams.snapshot(configMaps.storage).count('large');
  assert.equal(left(), objectsCount);

  const controllerOf = (onWrite: () => void) => {
    const execute: ActorSystem['execute'] = (...write) => {
      onWrite();
      return registry.actors.execute(...write);
    };
    return createNamespaceController({
      remote: noRemoteAccess,
      registry: { ...registry, actors: { ...registry.actors, execute } },
      timers: server.timers,
      queues: createQueueMeters(registry.clock),
      onError: (_name, error) => assert.fail(String(error)),
    });
  };
  let stopping: Promise<void> | undefined;
  const first = controllerOf(() => {
    stopping ??= first.stop();
  });
  first.start();
  while (stopping === undefined) await turns();
  await stopping;
  assert.ok(left() > 0 && left() < objectsCount, `${left()} are left`);

  const second = controllerOf(() => undefined);
  second.start();
  while (left() > 0) await turns();
  await second.stop();
  await store.stop();
});

it('a stop ends the deletion of the objects of a definition', async () => {
  const store = await createSharedStore();
  const server = await store.join();
  const { registry } = server;
  const kind = kindOf(server, '', 'configmaps');
  for (let i = 0; i < objectsCount; i += 1) {
    const object = { apiVersion: 'v1', kind: kind.kind, metadata: { name: `c${i}` } };
    await createObject(registry, { kind, namespace: 'default' }, object, { dryRun: false });
  }
  await turns();
  const left = (): number => registry.streams.snapshot(kind.storage).count(undefined);
  assert.equal(left(), objectsCount);
  const stopped = (): boolean => left() < objectsCount;
  const removal = await removeInstances(registry, kind.storage, stopped);
  assert.deepEqual(removal, { kind: 'stopped' });
  await turns();
  assert.ok(left() > 0 && left() < objectsCount, `${left()} are left`);
  const rest = await removeInstances(registry, kind.storage, () => false);
  assert.deepEqual(rest, { kind: 'none' });
  await store.stop();
});
