/** The transition table of SPEC.md against the machine. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { transition } from 'xstate';
import { objectStates } from '../../actors/actors.ts';
import {
  decisionEvents,
  lifeStates as states,
  lifeStep,
  objectMachine,
  syncStates,
  writeVerdicts,
} from '../../actors/object-machine.ts';
import type { DecisionEvent, LifeState, Verdict } from '../../actors/object-machine.ts';
import { storeKey } from '../../src/storage/keys.ts';
import { encodeRecord } from '../../src/storage/record-codec.ts';
import { specTable, verdictAndNext } from '../support/checks/spec-table.ts';
import {
  actorHarness,
  createOf,
  deleteOf,
  encodePod,
  pod,
  podKey,
  replaceOf,
} from '../support/doubles/actor-harness.ts';

type Row = readonly [LifeState, DecisionEvent, Verdict, LifeState];

/** The whole table of SPEC.md, cell by cell. */
const table: readonly Row[] = specTable('actors/SPEC.md', ['Event', ...states]).flatMap(
  ([event, ...cells]) =>
    states.map((state, i): Row => {
      const [verdict, next] = verdictAndNext(cells[i] as string, state);
      return [state, event as DecisionEvent, verdict as Verdict, next as LifeState];
    }),
);

describe('object machine', () => {
  test('I1 every state answers every event with one verdict, a refusal included', () => {
    for (const state of states) {
      for (const event of decisionEvents) {
        const rows = table.filter((row) => row[0] === state && row[1] === event);
        assert.equal(rows.length, 1, `${state} x ${event}`);
      }
    }
    for (const [state, event, verdict, next] of table) {
      assert.deepEqual(lifeStep(state, event), { verdict, next }, `${state} x ${event}`);
    }
  });

  test('I2 a step is what the XState machine does, and no refusal moves the state', () => {
    for (const [state, type, verdict, next] of table) {
      for (const sync of syncStates) {
        const value = { life: state, sync };
        const snapshot = objectMachine.resolveState({ value, context: {} });
        const [after, actions] = transition(objectMachine, snapshot, { type });
        assert.deepEqual(after.value, { life: next, sync });
        assert.deepEqual(
          actions.map((action) => action.type),
          [verdict],
        );
      }
      const moves: readonly string[] = writeVerdicts;
      if (!moves.includes(verdict)) assert.equal(next, state);
    }
  });

  test('I3 the words in the store are states of the machine and come back as they were', async () => {
    for (const word of Object.values(objectStates)) assert.ok(states.includes(word));
    const before = actorHarness();
    const held = pod('held', { metadata: { finalizers: ['example.com/x'] as unknown as string } });
    await before.run('held', createOf(held));
    await before.run('held', deleteOf());
    await before.run('free', createOf(pod('free')));
    const { store } = before;
    const after = actorHarness({ store });
    for (const [name, word] of [
      ['free', 'live'],
      ['held', 'finalizing'],
    ] as const) {
      assert.equal((await after.stored(name))?.state, word);
      await after.run(
        name,
        replaceOf(({ object }) => object),
      );
      const resident = [...after.actors.residents()].find(({ id }) => id.endsWith(name));
      assert.equal(resident?.life, word);
    }
    const key = storeKey(podKey('odd'));
    const { record } = encodePod(podKey('odd'), pod('odd'));
    const value = encodeRecord(record, { key, state: 'removed' });
    const operation = { kind: 'put', state: 'removed', value } as const;
    await store.raw.commit([{ key, expect: { kind: 'absent' }, conditions: [], operation }]);
    await assert.rejects(after.run('odd', deleteOf()), { code: 'corrupt' });
  });
});
