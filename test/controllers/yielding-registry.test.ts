import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { ActorSystem, WriteOrder } from '../../actors/actors.ts';
import { removeInstances } from '../../src/controllers/definitions/instance-removal.ts';
import { yieldingRegistry } from '../../src/controllers/yielding-registry.ts';
import { createObject } from '../../src/registry/create.ts';
import type { RegistryDeps } from '../../src/registry/registry.ts';
import { createSharedStore, kindOf, turns } from '../support/servers/shared-store.ts';
import type { RegistryServer, SharedStore } from '../support/servers/shared-store.ts';

const configMaps = { group: '', resource: 'configmaps' };

describe('a registry that yields', () => {
  let store: SharedStore;
  let server: RegistryServer;
  /** Of each write that came to the actors, in order; undefined: it does not yield. */
  let orders: (WriteOrder | undefined)[];
  let registry: RegistryDeps;

  beforeEach(async () => {
    store = await createSharedStore();
    server = await store.join();
    orders = [];
    const { actors } = server.registry;
    const execute: ActorSystem['execute'] = (key, command, permit, arrival, order) => {
      orders.push(order);
      return actors.execute(key, command, permit, arrival, order);
    };
    registry = { ...server.registry, actors: { ...actors, execute } };
  });
  afterEach(() => store.stop());

  async function create(by: RegistryDeps, name: string): Promise<void> {
    const kind = kindOf(server, '', 'configmaps');
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
    const target = { kind, namespace: 'default' };
    const made = await createObject(by, target, object, { dryRun: false });
    assert.equal(made.kind, 'ok');
    await turns();
  }

  it('has every write yield, and leaves those alone that stand on others', async () => {
    const own: WriteOrder = { behind: [], submitted: () => undefined };
    await create(registry, 'a');
    await create(yieldingRegistry(registry), 'b');
    const { actors } = yieldingRegistry(registry);
    const execute: ActorSystem['execute'] = (key, command, permit, arrival) =>
      actors.execute(key, command, permit, arrival, own);
    await create({ ...registry, actors: { ...actors, execute } }, 'c');
    assert.equal(orders.length, 3);
    assert.deepEqual(
      orders.map((order) => order !== undefined),
      [false, true, true],
    );
    assert.equal(orders[2], own);
  });

  it('is what the objects of a definition are deleted through', async () => {
    for (const name of ['a', 'b', 'c']) await create(server.registry, name);
    assert.equal((await removeInstances(registry, configMaps, () => false)).kind, 'none');
    assert.equal(orders.length, 3);
    assert.ok(orders.every((order) => order !== undefined));
  });
});
