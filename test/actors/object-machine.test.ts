/** The transition table of SPEC.md as data, against the machine. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { transition } from 'xstate';
import { objectStates } from '../../actors/actors.ts';
import { objectEvents, objectMachine, step } from '../../actors/object-machine.ts';
import type { LifeState, ObjectEventType, Verdict } from '../../actors/object-machine.ts';

type Row = readonly [LifeState, ObjectEventType, Verdict, LifeState];

/** The whole table of SPEC.md, cell by cell. */
const table: readonly Row[] = [
  ['absent', 'create', 'created', 'live'],
  ['absent', 'replace.none', 'refusedNotFound', 'absent'],
  ['absent', 'replace.refused', 'refusedByCommand', 'absent'],
  ['absent', 'replace.unchanged', 'misfit', 'absent'],
  ['absent', 'replace.changed', 'created', 'live'],
  ['absent', 'replace.completed', 'misfit', 'absent'],
  ['absent', 'delete.none', 'refusedNotFound', 'absent'],
  ['absent', 'delete.refused', 'misfit', 'absent'],
  ['absent', 'delete.unchanged', 'misfit', 'absent'],
  ['absent', 'delete.marked', 'misfit', 'absent'],
  ['absent', 'delete.removed', 'misfit', 'absent'],
  ['live', 'create', 'refusedExists', 'live'],
  ['live', 'replace.none', 'misfit', 'live'],
  ['live', 'replace.refused', 'refusedByCommand', 'live'],
  ['live', 'replace.unchanged', 'unchanged', 'live'],
  ['live', 'replace.changed', 'replaced', 'live'],
  ['live', 'replace.completed', 'misfit', 'live'],
  ['live', 'delete.none', 'misfit', 'live'],
  ['live', 'delete.refused', 'refusedByCommand', 'live'],
  ['live', 'delete.unchanged', 'unchanged', 'live'],
  ['live', 'delete.marked', 'marked', 'finalizing'],
  ['live', 'delete.removed', 'removed', 'removed'],
  ['finalizing', 'create', 'refusedBeingDeleted', 'finalizing'],
  ['finalizing', 'replace.none', 'misfit', 'finalizing'],
  ['finalizing', 'replace.refused', 'refusedByCommand', 'finalizing'],
  ['finalizing', 'replace.unchanged', 'unchanged', 'finalizing'],
  ['finalizing', 'replace.changed', 'replaced', 'finalizing'],
  ['finalizing', 'replace.completed', 'removed', 'removed'],
  ['finalizing', 'delete.none', 'misfit', 'finalizing'],
  ['finalizing', 'delete.refused', 'refusedByCommand', 'finalizing'],
  ['finalizing', 'delete.unchanged', 'unchanged', 'finalizing'],
  ['finalizing', 'delete.marked', 'marked', 'finalizing'],
  ['finalizing', 'delete.removed', 'removed', 'removed'],
  ...objectEvents.map((event): Row => ['removed', event, 'misfit', 'removed']),
];
const states: readonly LifeState[] = ['absent', 'live', 'finalizing', 'removed'];

describe('object machine', () => {
  test('I1 every state answers every event with one verdict, a refusal included', () => {
    for (const state of states) {
      for (const event of objectEvents) {
        const rows = table.filter((row) => row[0] === state && row[1] === event);
        assert.equal(rows.length, 1, `${state} x ${event}`);
      }
    }
    for (const [state, event, verdict, next] of table) {
      assert.deepEqual(step(state, event), { verdict, next }, `${state} x ${event}`);
    }
  });

  test('I2 a step is what the XState machine does, and no refusal moves the state', () => {
    for (const [state, type, verdict, next] of table) {
      const snapshot = objectMachine.resolveState({ value: state });
      const [after, actions] = transition(objectMachine, snapshot, { type });
      assert.equal(after.value, next);
      assert.deepEqual(
        actions.map((action) => action.type),
        state === 'removed' ? [] : [verdict],
      );
      if (verdict.startsWith('refused') || verdict === 'misfit') assert.equal(next, state);
    }
  });

  test('I3 the words in the store are states of the machine and come back as they were', () => {
    for (const word of Object.values(objectStates)) {
      assert.equal(objectMachine.resolveState({ value: word }).value, word);
      assert.ok(states.includes(word));
    }
  });
});
