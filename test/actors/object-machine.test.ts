/** The transition table of SPEC.md as data, against the machine. */
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

type Row = readonly [LifeState, DecisionEvent, Verdict, LifeState];

/** The whole table of SPEC.md, cell by cell. */
const table: readonly Row[] = [
  ['absent', 'create', 'created', 'live'],
  ['absent', 'missing', 'refusedNotFound', 'absent'],
  ['absent', 'refused', 'refusedByCommand', 'absent'],
  ['absent', 'tried', 'tried', 'absent'],
  ['absent', 'replace.unchanged', 'unexpected', 'absent'],
  ['absent', 'replace.changed', 'unexpected', 'absent'],
  ['absent', 'replace.completed', 'unexpected', 'absent'],
  ['absent', 'delete.unchanged', 'unexpected', 'absent'],
  ['absent', 'delete.marked', 'unexpected', 'absent'],
  ['absent', 'delete.removed', 'unexpected', 'absent'],
  ['live', 'create', 'refusedExists', 'live'],
  ['live', 'missing', 'unexpected', 'live'],
  ['live', 'refused', 'refusedByCommand', 'live'],
  ['live', 'tried', 'tried', 'live'],
  ['live', 'replace.unchanged', 'unchanged', 'live'],
  ['live', 'replace.changed', 'replaced', 'live'],
  ['live', 'replace.completed', 'unexpected', 'live'],
  ['live', 'delete.unchanged', 'unchanged', 'live'],
  ['live', 'delete.marked', 'marked', 'finalizing'],
  ['live', 'delete.removed', 'removed', 'removed'],
  ['finalizing', 'create', 'refusedBeingDeleted', 'finalizing'],
  ['finalizing', 'missing', 'unexpected', 'finalizing'],
  ['finalizing', 'refused', 'refusedByCommand', 'finalizing'],
  ['finalizing', 'tried', 'tried', 'finalizing'],
  ['finalizing', 'replace.unchanged', 'unchanged', 'finalizing'],
  ['finalizing', 'replace.changed', 'replaced', 'finalizing'],
  ['finalizing', 'replace.completed', 'removed', 'removed'],
  ['finalizing', 'delete.unchanged', 'unchanged', 'finalizing'],
  ['finalizing', 'delete.marked', 'marked', 'finalizing'],
  ['finalizing', 'delete.removed', 'removed', 'removed'],
  ...decisionEvents.map((event): Row => ['removed', event, 'unexpected', 'removed']),
];

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

  test('I3 the words in the store are states of the machine and come back as they were', () => {
    for (const word of Object.values(objectStates)) {
      assert.ok(states.includes(word));
    }
  });
});
