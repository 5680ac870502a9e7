import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deleteEntries } from '../../src/registry/delete-collection.ts';
import type { RegistryDeps, ResourceTarget } from '../../src/registry/registry.ts';

describe('a deletion of many', () => {
  it('looks through one part of the list in a turn, however many deletions may be in flight', async () => {
    let parts = 0;
    function* nothingToDelete(): Generator<undefined, void> {
      for (let i = 0; i < 100; i += 1) {
        parts += 1;
        yield undefined;
      }
    }
    const atPauses: number[] = [];
    const turns = {
      pause: (): Promise<void> => {
        atPauses.push(parts);
        return new Promise((resolve) => setImmediate(resolve));
      },
    };
    const deps = { turns } as unknown as RegistryDeps;
    const target = {} as ResourceTarget;
    const deleted = await deleteEntries(deps, target, nothingToDelete(), { dryRun: true });
    assert.deepEqual(deleted, { kind: 'ok', value: 0 });
    assert.deepEqual(
      atPauses,
      Array.from({ length: 100 }, (_, i) => i + 1),
    );
  });
});
