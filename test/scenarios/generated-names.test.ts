/** Names by generateName when the random part is taken: tried again, and given up in the end. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createObject } from '../../src/registry/create.ts';
import { seededPrng } from '../../src/stdx/prng.ts';
import type { Prng } from '../../src/stdx/prng.ts';
import { createSharedStore, kindOf } from '../support/servers/shared-store.ts';
import type { RegistryServer, SharedStore } from '../support/servers/shared-store.ts';

describe('a generated name', () => {
  let store: SharedStore;
  let server: RegistryServer;
  before(async () => {
    store = await createSharedStore();
    server = await store.join();
  });
  after(() => store.stop());

  /** Draws the same name so many times, then others. */
  function repeating(times: number): Prng {
    const others = seededPrng(times + 1);
    let left = times * 5;
    return { uuid: others.uuid, uint32: () => ((left -= 1) >= 0 ? 0 : others.uint32()) };
  }

  const create = (prng: Prng) => {
    const target = { kind: kindOf(server, '', 'namespaces'), namespace: '' };
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { generateName: 'x-' } };
    return createObject({ ...server.registry, prng }, target, object, { dryRun: false });
  };

  it('that is taken is drawn again, eight times in all', async () => {
    const first = await create(repeating(1));
    assert.equal(first.kind, 'ok');
    const eighth = await create(repeating(7));
    assert.equal(eighth.kind, 'ok');
    const ninth = await create(repeating(8));
    assert.ok(ninth.kind === 'refused');
    assert.deepEqual([ninth.error.code, ninth.error.reason], [409, 'AlreadyExists']);
  });
});
