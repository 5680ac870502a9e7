/** Writes to a part of an object, and those that the server makes of what it has seen. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ApiObject } from '../../src/apimachinery/unstructured.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { changeObject } from '../../src/registry/change-object.ts';
import type { RegistryDeps } from '../../src/registry/registry.ts';
import { scaleTypeOf } from '../../src/registry/scale.ts';
import { kubernetes } from '../support/data/versioned-kinds.ts';

const built = buildScheme({ identity: kubernetes });
assert.ok(built.kind === 'ok');
const { scheme } = built;

describe('the scale of a kind', () => {
  const scaled = scheme.kinds.filter(({ scale }) => scale !== undefined);

  it('is a Scale for each of them, whatever other parts they have', () => {
    assert.ok(scaled.length >= 4);
    for (const kind of scaled) {
      const { type } = scaleTypeOf(kind);
      assert.deepEqual([type.group, type.kind], ['autoscaling', 'Scale'], kind.kind);
      assert.ok(type.schema?.members.has('spec'), kind.kind);
    }
  });
});

describe('a change that the server makes', () => {
  const kind = scheme.findResource('', 'v1', 'configmaps');
  assert.ok(kind !== undefined);
  const target = { kind, namespace: 'default', name: 'a' };
  const object: ApiObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
  const entry = { namespace: 'default', name: 'a', bytes: Buffer.from(JSON.stringify(object)) };

  /** A cache that has the object once it has been waited for, if it comes at all. */
  const changed = (comes: boolean) => {
    let isCurrent = false;
    const streams = {
      snapshot: () => ({ get: () => (isCurrent && comes ? entry : undefined) }),
      waitUntilCurrent: () => {
        isCurrent = true;
        return Promise.resolve();
      },
    };
    return changeObject({ streams } as unknown as RegistryDeps, target, {
      change: () => undefined,
      options: { dryRun: false, manager: 'm' },
      how: 'update',
    });
  };

  it('is of an object that the cache does not have yet, and of none that never comes', async () => {
    assert.deepEqual(await changed(true), { kind: 'ok', value: false });
    const never = await changed(false);
    assert.ok(never.kind === 'refused' && never.error.reason === 'NotFound');
  });
});
