import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unmarkedEntries } from '../../src/controllers/unmarked-entries.ts';
import type { Entry } from '../../streams/streams.ts';

function entry(name: string, isMarked: boolean): Entry {
  const deletionTimestamp = isMarked ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {};
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...deletionTimestamp } };
  return { name, namespace: 'n', bytes: Buffer.from(JSON.stringify(object)) } as unknown as Entry;
}

describe('the objects that are not being deleted', () => {
  it('come with pauses among them, also where all the others are marked', () => {
    const entries = Array.from({ length: 1_000 }, (_, i) => entry(`e${i}`, i !== 500));
    const found = [...unmarkedEntries(entries, () => false)];
    assert.deepEqual(
      found.filter((each) => each !== undefined).map(({ name }) => name),
      ['e500'],
    );
    assert.equal(found.filter((each) => each === undefined).length, 15);
  });
});
