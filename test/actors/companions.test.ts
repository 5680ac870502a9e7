/** What goes with a mutation (actors.ts, `CompanionsOf`): counters that every pod adds to, in a memory
 * store that can be held and overtaken. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CompanionsOf, ObjectOutcome } from '../../actors/actors.ts';
import { storeKey } from '../../src/storage/keys.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { encodeRecord } from '../../src/storage/record-codec.ts';
import type { ApiObject } from '../../src/apimachinery/unstructured.ts';
import { counterBytes, counterOf, counterRules } from '../contract/companion-rules.ts';
import {
  actorHarness,
  createOf,
  deleteOf,
  encodePod,
  namespaceIsLive,
  pod,
  podKey,
  replaceOf,
  settle,
} from '../support/doubles/actor-harness.ts';

const counterKey = storeKey({ group: '', resource: 'counters', namespace: '', name: 'c' });

const specOf = (object: ApiObject | undefined): number => Number(object?.['spec'] ?? 0);

/** The counter holds what the specs of all pods add up to. */
const adding: CompanionsOf = (_key, next, current) => {
  const instruction = { add: specOf(next) - specOf(current) };
  const companions = [{ kind: 'amend', key: counterKey, instruction } as const];
  return { companions, conditions: [] };
};

async function putCounter(raw: Storage, max: number): Promise<void> {
  const value = counterBytes({ n: 0, max });
  const operation = { kind: 'put', state: 'live', value } as const;
  const expect = { kind: 'absent' } as const;
  await raw.commit([{ key: counterKey, expect, conditions: [], operation }]);
}

async function counted(raw: Storage): Promise<number> {
  const found = await raw.read(counterKey);
  assert(found.kind === 'ok' && found.value !== undefined);
  return counterOf(found.value.value).n;
}

const withSpec = (spec: number) => replaceOf(({ object }) => ({ ...object, spec }));
const kinds = (outcomes: readonly ObjectOutcome[]) => outcomes.map(({ kind }) => kind);

describe('object actor: what goes with a mutation', () => {
  test('I37 an object and what goes with it are written together, or neither is', async () => {
    const { run, store, stored } = actorHarness({
      companionsOf: adding,
      companionRules: counterRules,
    });
    await putCounter(store.raw, 5);
    assert.equal((await run('a', createOf(pod('a', { spec: 2 })))).kind, 'created');
    assert.equal((await run('a', withSpec(4))).kind, 'replaced');
    assert.equal(await counted(store.raw), 4);
    const failure = { kind: 'companion-failed', key: counterKey, code: 'full', message: '6 > 5' };
    assert.deepEqual(await run('b', createOf(pod('b', { spec: 2 }))), failure);
    assert.deepEqual(await run('a', withSpec(6)), failure);
    assert.equal(await stored('b'), undefined);
    assert.equal((await stored('a'))?.object['spec'], 4);
    assert.equal(await counted(store.raw), 4);
    assert.equal((await run('a', deleteOf())).kind, 'removed');
    assert.equal(await counted(store.raw), 0);
    assert.equal((await run('b', createOf(pod('b', { spec: 2 })))).kind, 'created');
  });

  test('I37 what a failed companion held up is decided again without it', async () => {
    const { run, store, stored } = actorHarness({
      companionsOf: adding,
      companionRules: counterRules,
    });
    await putCounter(store.raw, 5);
    await run('a', createOf(pod('a', { spec: 1 })));
    store.hold();
    const more = (by: number) =>
      replaceOf(({ object }) => ({ ...object, spec: specOf(object) + by }));
    const all = [run('a', more(1)), run('a', more(9)), run('a', more(2))];
    await settle();
    store.release();
    assert.deepEqual(kinds(await Promise.all(all)), ['replaced', 'companion-failed', 'replaced']);
    assert.equal((await stored('a'))?.object['spec'], 4);
    assert.equal(await counted(store.raw), 4);
  });

  test('I38 what goes with a command that is decided again is found anew', async () => {
    const { overtake, run, store, stored } = actorHarness({
      companionsOf: adding,
      companionRules: counterRules,
    });
    await putCounter(store.raw, 50);
    await run('a', createOf(pod('a', { spec: 1 })));
    store.hold();
    const replaced = run('a', withSpec(10));
    // Another writer, whose counting is its own business, makes it 4.
    await overtake('a', pod('a', { spec: 4 }));
    store.release();
    assert.equal((await replaced).kind, 'replaced');
    assert.equal((await stored('a'))?.object['spec'], 10);
    assert.equal(await counted(store.raw), 1 + (10 - 4));
  });

  test('I38 its conditions hold for changes, too', async () => {
    const condition = namespaceIsLive('gone');
    const { run, stored } = actorHarness({
      companionsOf: (_key, next) => ({
        companions: undefined,
        conditions: specOf(next) > 1 ? [condition] : [],
      }),
    });
    await run('a', createOf(pod('a', { spec: 1 })));
    for (const dryRun of [false, true]) {
      const failed = await run('a', { ...withSpec(2), dryRun });
      assert(failed.kind === 'condition-failed');
      assert.deepEqual(failed.condition, condition);
    }
    assert.equal((await stored('a'))?.object['spec'], 1);
  });

  test('I39 a dry run fails where its companions would, and writes none', async () => {
    const { run, store } = actorHarness({ companionsOf: adding, companionRules: counterRules });
    await putCounter(store.raw, 5);
    await run('a', createOf(pod('a', { spec: 1 })));
    const { mutations } = store.counts;
    const dryRun = true;
    const tried = [
      await run('b', createOf(pod('b', { spec: 4 }), { dryRun })),
      await run('b', createOf(pod('b', { spec: 5 }), { dryRun })),
      await run('a', { ...withSpec(5), dryRun }),
      await run('a', { ...withSpec(6), dryRun }),
      await run('a', deleteOf({ dryRun })),
    ];
    assert.deepEqual(kinds(tried), [
      'created',
      'companion-failed',
      'replaced',
      'companion-failed',
      'removed',
    ]);
    assert.equal(store.counts.mutations, mutations);
    assert.equal(await counted(store.raw), 1);
  });

  test('I40 what companions write is read before its actor believes what it knows', async () => {
    const key = storeKey(podKey('b'));
    const companionsOf: CompanionsOf = ({ name }, next) => {
      if (name === 'b') return { companions: undefined, conditions: [] };
      const written = encodePod(podKey('b'), pod('b', { spec: specOf(next) })).record;
      const value = encodeRecord(written, { key, state: 'live' });
      const companions = [{ kind: 'mark', key, state: 'live', value } as const];
      return { companions, conditions: [] };
    };
    const { run, stored } = actorHarness({
      soleWriter: true,
      companionsOf,
      companionRules: counterRules,
      isAccompanied: ({ name }) => name === 'b',
    });
    await run('b', createOf(pod('b')));
    await run('a', createOf(pod('a', { spec: 7 })));
    const seen = await run(
      'b',
      replaceOf(({ object }) => object),
    );
    assert.equal(seen.kind, 'unchanged');
    assert.equal(specOf((seen as { object: ApiObject }).object), 7);
    await run('a', withSpec(8));
    const more = replaceOf(({ object }) => ({ ...object, spec: specOf(object) + 1 }));
    assert.equal((await run('b', more)).kind, 'replaced');
    assert.equal((await stored('b'))?.object['spec'], 9);
  });
});
