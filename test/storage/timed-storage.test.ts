import assert from 'node:assert/strict';
import { it } from 'node:test';
import { systemClock } from '../../src/stdx/clock.ts';
import type { Mutation, Storage, StoreKey } from '../../src/storage/storage.ts';
import { timedStorage } from '../../src/storage/timed-storage.ts';
import { absent, put, remove, written } from '../contract/storage-fixture.ts';

const at = (key: string): StoreKey => key as StoreKey;

it('each mutation of a commit counts as what it is, of its own resource', async () => {
  let fails = false;
  const inner = {
    commit: () => (fails ? Promise.reject(new Error('it fails')) : Promise.resolve([])),
  } as unknown as Storage;
  const { storage, times } = timedStorage(inner, systemClock);
  const one = written(1n as never);
  const commit: readonly Mutation[] = [
    put(at('/configmaps/default/a'), absent),
    put(at('/configmaps/default/b'), absent),
    put(at('/configmaps/default/a'), one),
    put(at('/configmapsets/default/a'), one),
    put(at('apps/deployments/default/a'), one),
    put(at('apps/deployments/other/b'), one),
    put(at('lone'), one),
    put(at('/configmaps/default/c'), one),
    remove(at('/configmaps/default/c'), one),
    put(at('/configmaps/default/d'), absent),
  ];
  await storage.commit(commit);
  fails = true;
  await assert.rejects(async () => storage.commit(commit.slice(0, 3)));
  const counted = times().map(({ failures, operation, resource, seconds }) => {
    return [operation, resource, seconds.count, failures];
  });
  assert.deepEqual(counted, [
    ['create', 'configmaps', 5, 2],
    ['update', 'configmaps', 3, 1],
    ['update', 'configmapsets', 1, 0],
    ['update', 'deployments.apps', 2, 0],
    ['update', '', 1, 0],
    ['delete', 'configmaps', 1, 0],
  ]);
});
