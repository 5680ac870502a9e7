import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createChangeRing } from '../../src/storage/change-ring.ts';
import type { KeptChange } from '../../src/storage/change-ring.ts';
import { revisionZero } from '../../src/storage/storage.ts';
import type { Revision, StoredRecord, StoreKey } from '../../src/storage/storage.ts';

const keys = ['/configmaps/a/1', '/configmaps/a/2', '/configmaps/b/1'] as StoreKey[];

/** `length` undefined: a deletion. */
function change(revision: Revision, key: StoreKey, length: number | undefined) {
  const record =
    length === undefined ? undefined : { key, revision, state: '', value: Buffer.alloc(length) };
  const kind = record === undefined ? 'delete' : 'put';
  return { revision, key, kind, timeMs: 0, record, previous: undefined } as const;
}

const steps = fc.array(
  fc.oneof(
    fc.record({
      key: fc.constantFrom(...keys),
      length: fc.option(fc.nat({ max: 40 }), { nil: undefined }),
      isNew: fc.boolean(),
    }),
    fc.record({ forget: fc.nat({ max: 4 }) }),
  ),
  { maxLength: 60 },
);

describe('change ring', () => {
  it('the newest change of a key that was there before, while it holds it, and no other', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const ring = createChangeRing<StoredRecord>(revisionZero, { changesMax: 5, bytesMax: 100 });
        const made = new Set<Revision>();
        let newest = revisionZero;
        let floor = revisionZero;
        for (const step of all) {
          if ('forget' in step) {
            const through = (newest - BigInt(step.forget)) as Revision;
            ring.forget(through < revisionZero ? revisionZero : through);
          } else {
            newest = (newest + 1n) as Revision;
            if (step.isNew) made.add(newest);
            ring.push([change(newest, step.key, step.length)], newest, () => step.isNew);
          }
          while (ring.after(floor, 100, 1e6) === undefined) floor = (floor + 1n) as Revision;
          const held = ring.after(floor, 100, 1e6)?.changes ?? [];
          for (const key of keys) {
            const last: KeptChange<StoredRecord> | undefined = held.findLast((c) => c.key === key);
            const found = last !== undefined && made.has(last.revision) ? undefined : last;
            assert.equal(ring.newestOf(key), found);
          }
        }
      }),
    );
  });
});
