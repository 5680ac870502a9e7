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
  it('tells all changes behind a revision or none; of each key that was there before the newest', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const ring = createChangeRing<StoredRecord>(revisionZero, { changesMax: 5, bytesMax: 100 });
        const made = new Set<Revision>();
        let newest = revisionZero;
        let floor = revisionZero;
        let forgotten = revisionZero;
        for (const step of all) {
          if ('forget' in step) {
            const through = (newest - BigInt(step.forget)) as Revision;
            ring.forget(through < revisionZero ? revisionZero : through);
            if (through > forgotten) forgotten = through;
          } else {
            newest = (newest + 1n) as Revision;
            if (step.isNew) made.add(newest);
            ring.push([change(newest, step.key, step.length)], newest, () => step.isNew);
          }
          while (ring.after(floor, 100, 1e6) === undefined) floor = (floor + 1n) as Revision;
          assert.ok(floor >= forgotten, 'what was forgotten is not told as if it were whole');
          for (let after = revisionZero; after <= newest; after = (after + 1n) as Revision) {
            const told = ring.after(after, 100, 1e6)?.changes.map(({ revision }) => revision);
            const length = after < floor ? undefined : Number(newest - after);
            const whole = length === undefined ? undefined : Array.from({ length }, (_, i) => i);
            assert.deepEqual(
              told?.map(Number),
              whole?.map((i) => Number(after) + 1 + i),
            );
          }
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
