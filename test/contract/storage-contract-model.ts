/** Storage contract: random runs against a model that is slow and obviously right. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compareKeys } from '../../src/storage/key-order.ts';
import type {
  MutationOutcome,
  Precondition,
  Revision,
  Storage,
  StoreKey,
} from '../../src/storage/storage.ts';
import {
  key,
  put,
  remove,
  absent,
  written,
  ok,
  textOf,
  allChanges,
  scanAll,
} from './storage-fixture.ts';
import type { StorageFixture } from './storage-fixture.ts';

/** History as a list of states, one per revision: slow, and obviously right. */
interface Model {
  readonly states: {
    readonly revision: Revision;
    readonly records: ReadonlyMap<StoreKey, string>;
  }[];
  readonly changes: {
    readonly revision: Revision;
    readonly key: StoreKey;
    readonly kind: string;
  }[];
  compactRevision: Revision;
}

type Step =
  | {
      readonly kind: 'write';
      readonly writes: readonly { k: number; del: boolean; stale: boolean }[];
    }
  | { readonly kind: 'compact'; readonly back: number };

const modelNames = ['a', 'b', 'a.a', 'aa', '\uFF5E', '\u{1F600}'];

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('write' as const),
        writes: fc.array(
          fc.record({
            k: fc.nat(modelNames.length - 1),
            del: fc.boolean(),
            stale: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
          }),
          { minLength: 1, maxLength: 5 },
        ),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('compact' as const), back: fc.nat(12) }),
    },
  ),
  { minLength: 1, maxLength: 25 },
);

async function runWrites(
  storage: Storage,
  model: Model,
  writes: readonly { k: number; del: boolean; stale: boolean }[],
): Promise<void> {
  const now = new Map(model.states.at(-1)?.records);
  const revisions = new Map<StoreKey, Revision>();
  for (const change of model.changes) revisions.set(change.key, change.revision);
  const inBatch = new Map<StoreKey, number>();
  const mutations = writes.map(({ k, del, stale }, index) => {
    const at = key(modelNames[k] as string);
    const before = inBatch.get(at);
    const expect: Precondition =
      before !== undefined
        ? { kind: 'after', index: stale ? index : before }
        : now.has(at) !== stale
          ? written(revisions.get(at) ?? (999_999n as Revision))
          : absent;
    const exists = now.has(at);
    const refused = stale || (del && !exists);
    if (!refused) {
      inBatch.set(at, index);
      if (del) now.delete(at);
      else now.set(at, `${model.changes.length}-${index}`);
    }
    const mutation = del ? remove(at, expect) : put(at, expect, `${model.changes.length}-${index}`);
    return { mutation, refused };
  });
  const outcomes = await storage.commit(mutations.map((m) => m.mutation));
  for (const [i, { mutation, refused }] of mutations.entries()) {
    const outcome = outcomes[i] as MutationOutcome;
    assert.equal(outcome.kind, refused ? 'conflict' : 'applied');
    if (outcome.kind !== 'applied') continue;
    const records = new Map(model.states.at(-1)?.records);
    const { operation } = mutation;
    if (operation.kind === 'delete') records.delete(mutation.key);
    else records.set(mutation.key, Buffer.from(operation.value).toString());
    model.states.push({ revision: outcome.revision, records });
    model.changes.push({ revision: outcome.revision, key: mutation.key, kind: operation.kind });
  }
}

async function checkAgainst(storage: Storage, model: Model): Promise<void> {
  for (const { revision, records } of model.states) {
    if (revision < model.compactRevision) {
      assert.equal((await storage.read(key('a'), revision)).kind, 'compacted');
      continue;
    }
    const sorted = [...records.keys()].sort(compareKeys);
    for (const limit of [1, 2, 100]) {
      const found = await scanAll(storage, '/configmaps/', revision, limit);
      assert.deepEqual(
        found.map((r) => [r.key, textOf(r)]),
        sorted.map((k) => [k, records.get(k)]),
      );
    }
    for (const n of modelNames) {
      assert.equal(textOf(ok(await storage.read(key(n), revision))), records.get(key(n)));
    }
    const changes = await allChanges(storage, revision, 2);
    assert.deepEqual(
      changes.map(({ revision: at, key: k, kind }) => ({ revision: at, key: k, kind })),
      model.changes.filter((c) => c.revision > revision),
    );
    for (const change of changes) {
      const at = model.states.findIndex((s) => s.revision === change.revision);
      assert.equal(textOf(change.record), model.states[at]?.records.get(change.key));
      assert.equal(textOf(change.previous), model.states[at - 1]?.records.get(change.key));
    }
  }
}

export function modelTests(fixture: StorageFixture): void {
  describe('model', () => {
    it('reads, scans and changes agree with a plain history at every revision', async () => {
      await fc.assert(
        fc.asyncProperty(steps, async (run) => {
          const storage = await fixture.open();
          const start = await storage.revision();
          const model: Model = {
            states: [{ revision: start, records: new Map() }],
            changes: [],
            compactRevision: await storage.compactRevision(),
          };
          for (const step of run) {
            if (step.kind === 'write') {
              await runWrites(storage, model, step.writes);
            } else {
              const at = model.states[Math.max(0, model.states.length - 1 - step.back)];
              await storage.compact(at?.revision as Revision);
              model.compactRevision = await storage.compactRevision();
            }
          }
          await checkAgainst(storage, model);
          await storage.close();
        }),
        { numRuns: 40 },
      );
    });
  });
}
