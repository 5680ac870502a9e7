/** The token machine against the table of SPEC.md, and its timer in the record of an object. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { transition } from 'xstate';
import { tokenStates } from '../../actors/actors.ts';
import type { DueCommand } from '../../actors/actors.ts';
import { tokenEvents, tokenLives, tokenMachine, tokenStep } from '../../actors/token-machine.ts';
import type { TokenEventType, TokenLife, TokenVerdict } from '../../actors/token-machine.ts';
import type { ExpiryOf } from '../../actors/token-timer.ts';
import { specTable, verdictAndNext } from '../support/checks/spec-table.ts';
import {
  actorHarness,
  createOf,
  deleteOf,
  pod,
  pods,
  replaceOf,
  startMs,
} from '../support/doubles/actor-harness.ts';
import type { Harness } from '../support/doubles/actor-harness.ts';

type Row = readonly [TokenLife, TokenEventType, TokenVerdict, TokenLife];

/** The whole table of SPEC.md, cell by cell. */
const table: readonly Row[] = specTable('actors/SPEC.md', ['Event', ...tokenLives]).flatMap(
  ([event, ...cells]) =>
    tokenLives.map((state, i): Row => {
      const [verdict, next] = verdictAndNext(cells[i] as string, state);
      return [state, event as TokenEventType, verdict as TokenVerdict, next as TokenLife];
    }),
);

/** Objects with a field `until` live until then; -1: for ever. */
const expiryOf: ExpiryOf = (_key, object) => {
  const { until } = object as { until?: number };
  return until === undefined ? undefined : { dueMs: until === -1 ? undefined : until };
};

function due(nowMs: number): DueCommand {
  return { type: 'due', nowMs, dryRun: false, qualifiedResource: pods };
}

async function timerOf(harness: Harness, name = 'a') {
  return (await harness.stored(name))?.timer;
}

const noted = replaceOf(({ object }) => ({ ...object, note: 'x' }));
const prolonged = (until: number) => replaceOf(({ object }) => ({ ...object, until }));

describe('token machine', () => {
  test('I23 the token machine is its table, and its words are states of it', () => {
    const events = table.map(([state, event]) => `${state} ${event}`);
    const all = tokenLives.flatMap((state) => tokenEvents.map((event) => `${state} ${event}`));
    assert.deepEqual(events.toSorted(), all.toSorted());
    for (const [state, type, verdict, next] of table) {
      assert.deepEqual(tokenStep(state, type), { verdict, next }, `${state} x ${type}`);
      const snapshot = tokenMachine.resolveState({ value: state, context: {} });
      const [after, actions] = transition(tokenMachine, snapshot, { type });
      assert.equal(after.value, next);
      const said = actions.map((a) => a.type).filter((name) => !name.startsWith('xstate.'));
      assert.deepEqual(said, state === 'deleted' ? [] : [verdict]);
    }
    for (const word of Object.values(tokenStates)) {
      assert.equal(tokenMachine.resolveState({ value: word, context: {} }).value, word);
    }
  });

  test('I24 a timer lies in the record of its object and outlives the actor', async () => {
    const harness = actorHarness({ expiryOf, limits: { residentMax: 1 } });
    await harness.run('a', createOf(pod('a', { until: startMs + 500 })));
    await harness.run('b', createOf(pod('b')));
    assert.deepEqual(await timerOf(harness), { state: 'valid', dueMs: startMs + 500 });
    assert.equal(await timerOf(harness, 'b'), undefined, 'others have none');
    const residents = harness.actors.stats().passivationsTotal;
    assert.ok(residents > 0, 'the first actor was dropped');
    const { store } = harness;
    const expired = await actorHarness({ expiryOf, store }).run('a', due(startMs + 500));
    assert.equal(expired.kind, 'replaced');
    assert.deepEqual(await timerOf(harness), { state: 'expired', dueMs: startMs + 500 });
    // Only the timer says so: the expiration lies ahead of this writer's clock.
    const edited = await actorHarness({ expiryOf, store }).run('a', noted);
    assert.equal(edited.kind, 'replaced');
    assert.deepEqual(await timerOf(harness), { state: 'expired', dueMs: startMs + 500 });
  });

  test('I25 a due timer expires what is due, once, and changes nothing else', async () => {
    const harness = actorHarness({ expiryOf });
    await harness.run('a', createOf(pod('a', { until: startMs + 500 })));
    const before = await harness.stored('a');
    assert.equal((await harness.run('a', due(startMs + 499))).kind, 'unchanged');
    assert.deepEqual(await harness.stored('a'), before);
    assert.equal((await harness.run('a', due(startMs + 500))).kind, 'replaced');
    const after = await harness.stored('a');
    assert.deepEqual(after?.object, before?.object, 'only the timer has changed');
    assert.notEqual(after?.revision, before?.revision);
    assert.equal((await harness.run('a', due(startMs + 900))).kind, 'unchanged');
    assert.equal((await harness.stored('a'))?.revision, after?.revision);
    await harness.run('b', createOf(pod('b')));
    assert.equal((await harness.run('b', due(startMs + 500))).kind, 'unchanged', 'it has no timer');
    await harness.run('a', deleteOf());
    const gone = await harness.run('a', due(startMs + 900));
    assert.ok(gone.kind === 'refused' && gone.error.code === 404);
  });

  test('I26 a clock that goes back revives no token; a later expiration does', async () => {
    const harness = actorHarness({ expiryOf });
    await harness.run('a', createOf(pod('a', { until: startMs + 500 })));
    await harness.run('a', due(startMs + 500));
    // The clock of the writer still shows the start: an unrelated edit leaves it expired.
    await harness.run('a', noted);
    assert.deepEqual(await timerOf(harness), { state: 'expired', dueMs: startMs + 500 });
    await harness.run('a', prolonged(startMs + 900));
    assert.deepEqual(await timerOf(harness), { state: 'valid', dueMs: startMs + 900 });
    await harness.run('a', prolonged(startMs - 1));
    assert.deepEqual(await timerOf(harness), { state: 'expired', dueMs: startMs - 1 });
    await harness.run('a', prolonged(-1));
    assert.deepEqual(await timerOf(harness), { state: 'valid', dueMs: undefined });
  });
});
