/** Which quotas say what is not so: read in steps, and as of one moment. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { encodeObject } from '../../src/apimachinery/object-encoding.ts';
import type { GroupResource } from '../../src/apimachinery/schema.ts';
import { wrongQuotas } from '../../src/controllers/wrong-quotas.ts';

type Deps = Parameters<typeof wrongQuotas>[0];

/** A namespace with config maps, and quotas that say how many there are. */
function namespaceOf(names: readonly string[], used: string) {
  const world = { maps: 1, used, revision: 1, read: 0 };
  const quotaNow = (name: string) => {
    const { revision, used: said } = world;
    const hard = { 'count/configmaps': '9' };
    const { bytes } = encodeObject({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name, namespace: 'n' },
      spec: { hard },
      status: { hard, used: { 'count/configmaps': said } },
    });
    const reading = () => {
      world.read += 1;
      return bytes;
    };
    return Object.defineProperty({ name, revision }, 'bytes', { get: reading });
  };
  const snapshot = ({ resource }: GroupResource) => {
    const { maps } = world;
    return {
      get: (_namespace: string, name: string) =>
        resource === 'resourcequotas' && names.includes(name) ? quotaNow(name) : undefined,
      count: () => maps,
    };
  };
  const deps = {
    identity: identityOf('kubernetes'),
    scheme: { findStorage: () => ({ namespaced: true }) },
    streams: { snapshot, waitingCount: 0, isWaiting: () => false },
  } as unknown as Deps;
  return { deps, world };
}

const names = Array.from({ length: 256 }, (_, at) => `q${at}`);

describe('quotas that say what is not so', () => {
  it('are found, and hundreds of them are not read in one turn', () => {
    const { deps, world } = namespaceOf(names, '2');
    const steps = wrongQuotas(deps, 'n', [...names, 'gone'], () => true);
    for (;;) {
      const before = world.read;
      const { done, value } = steps.next();
      assert.ok(world.read - before <= 1, 'a step reads one of them');
      if (done !== true) continue;
      assert.equal(value.length, names.length);
      assert.deepEqual(value[0]?.status.used, { 'count/configmaps': '1' });
      break;
    }
  });

  it('are not those that were charged while others were read', () => {
    const { deps, world } = namespaceOf(names, '1');
    const steps = wrongQuotas(deps, 'n', names, () => true);
    for (let at = 0; at < 100; at += 1) steps.next();
    Object.assign(world, { maps: 2, used: '2', revision: 2 });
    let last = steps.next();
    while (last.done !== true) last = steps.next();
    assert.deepEqual(last.value, []);
  });
});
