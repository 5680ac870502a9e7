/** Tokens as actors: deadlines restored from records, in numbers, and tried again. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createActor } from 'xstate';
import { tokenStates } from '../../actors/actors.ts';
import { createRoot } from '../../actors/root-actor.ts';
import { createTokenActors, tokenLogic, tokenSnapshotOf } from '../../actors/token-actors.ts';
import type { TokenActors } from '../../actors/token-actors.ts';
import type { ObjectKey } from '../../src/storage/keys.ts';
import type { RecordTimer } from '../../src/storage/record.ts';
import { settle } from '../support/doubles/actor-harness.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

const tokenCount = 10_000;

function keyOf(name: string): ObjectKey {
  return { group: '', resource: 'secrets', namespace: 'kube-system', name };
}

function tokens() {
  const time = manualTime();
  const startMs = time.clock.nowMs();
  /** As the store has them. */
  const records = new Map<string, RecordTimer>();
  const expired: string[] = [];
  let failing = false;
  const start = (): TokenActors => {
    const actors: TokenActors = createTokenActors({
      root: createRoot(),
      clock: time.clock,
      timers: time.timers,
      expire: ({ name }) => {
        if (failing) return Promise.reject(new Error('the store is down'));
        const timer = records.get(name);
        assert.ok(timer !== undefined);
        records.set(name, { ...timer, state: tokenStates.expired });
        expired.push(name);
        actors.stored(keyOf(name), records.get(name));
        return Promise.resolve();
      },
      onError: () => undefined,
    });
    for (const [name, timer] of records) actors.stored(keyOf(name), timer);
    return actors;
  };
  const fail = (is: boolean): void => {
    failing = is;
  };
  return { time, startMs, records, expired, start, fail };
}

describe('token actors', () => {
  test('I32 ten thousand tokens are armed again after a restart, and those due expire', async () => {
    const { expired, records, start, startMs, time } = tokens();
    for (let i = 0; i < tokenCount; i += 1) {
      const dueMs = startMs + (i % 100) * 60_000;
      const state = i % 7 === 0 ? tokenStates.expired : tokenStates.valid;
      records.set(`t${i}`, { state, dueMs: i % 11 === 0 ? undefined : dueMs });
    }
    const first = start();
    assert.equal([...first.residents()].length, waiting(records).length);
    await first.stop();
    assert.equal([...first.residents()].length, 0);
    const armed = time.pendingCount;
    const second = start();
    assert.equal(time.pendingCount, armed + 1, 'one timer for all');
    const due = waiting(records).filter(([, { dueMs = 0 }]) => dueMs <= startMs + 10 * 60_000);
    for (let second_ = 0; second_ <= 10 * 60 + 1; second_ += 1) time.advance(1000);
    await settle();
    assert.deepEqual(expired.toSorted(), due.map(([name]) => name).toSorted());
    assert.ok(expired.length > 0);
    await second.stop();
  });

  test('I32 a deadline is set by what was written last, and goes with its token', async () => {
    const { expired, records, start, startMs, time } = tokens();
    records.set('later', { state: tokenStates.valid, dueMs: startMs + 5000 });
    records.set('gone', { state: tokenStates.valid, dueMs: startMs + 5000 });
    records.set('sooner', { state: tokenStates.valid, dueMs: startMs + 90_000 });
    const actors = start();
    for (const [name, afterMs] of [
      ['later', 60_000],
      ['sooner', 30_000],
    ] as const) {
      records.set(name, { state: tokenStates.valid, dueMs: startMs + afterMs });
      actors.stored(keyOf(name), records.get(name));
    }
    actors.stored(keyOf('gone'), undefined);
    const advance = async (seconds: number): Promise<void> => {
      for (let i = 0; i < seconds; i += 1) time.advance(1000);
      await settle();
    };
    await advance(29);
    assert.deepEqual(expired, []);
    await advance(3);
    assert.deepEqual(expired, ['sooner']);
    await advance(31);
    assert.deepEqual(expired, ['sooner', 'later']);
    await actors.stop();
  });

  test('I33 an expiry that could not be written is tried again until it is', async () => {
    const { expired, fail, records, start, startMs, time } = tokens();
    records.set('a', { state: tokenStates.valid, dueMs: startMs + 1000 });
    const actors = start();
    fail(true);
    for (let i = 0; i < 4; i += 1) {
      time.advance(1000);
      await settle();
    }
    assert.deepEqual(expired, []);
    assert.equal([...actors.residents()][0]?.life, tokenStates.valid, 'as the store has it');
    fail(false);
    for (let i = 0; i < 10; i += 1) {
      time.advance(1000);
      await settle();
    }
    assert.deepEqual(expired, ['a']);
    await actors.stop();
  });

  test('of many that are due together few are written at a time; a stop leaves the others', async () => {
    const time = manualTime();
    const writing: (() => void)[] = [];
    let begun = 0;
    const actors = createTokenActors({
      root: createRoot(),
      clock: time.clock,
      timers: time.timers,
      expire: () => {
        begun += 1;
        return new Promise((resolve) => writing.push(resolve));
      },
      onError: () => undefined,
    });
    const dueMs = time.clock.nowMs() + 500;
    for (let i = 0; i < 1_000; i += 1) {
      actors.stored(keyOf(`t${i}`), { state: tokenStates.valid, dueMs });
    }
    const written = async (count: number): Promise<void> => {
      for (const done of writing.splice(0, count)) done();
      await settle();
    };
    for (let i = 0; i < 2; i += 1) time.advance(1000);
    await settle();
    assert.equal(begun, 32);
    await written(10);
    assert.equal(begun, 42);
    const stopped = actors.stop();
    await written(32);
    await stopped;
    assert.equal(begun, 42);
  });

  test('I32 what a record holds of a token is the persisted snapshot of its actor', () => {
    const key = keyOf('a');
    const timer = { state: tokenStates.valid, dueMs: 5 };
    const snapshot = tokenSnapshotOf(key, timer);
    const effects: string[] = [];
    const actor = createActor(tokenLogic, { input: snapshot.context, snapshot });
    actor.on('*', ({ type }) => effects.push(type));
    actor.start();
    assert.deepEqual(effects, ['invoke'], 'restored, it arms its deadline');
    assert.deepEqual(actor.getPersistedSnapshot(), tokenSnapshotOf(key, timer));
    actor.send({ type: 'due' });
    assert.deepEqual(effects, ['invoke', 'uninvoke', 'expire']);
    actor.send({ type: 'removed' });
    assert.equal(actor.getSnapshot().status, 'done');
  });
});

function waiting(records: ReadonlyMap<string, RecordTimer>): readonly [string, RecordTimer][] {
  return [...records].filter(
    ([, { dueMs, state }]) => dueMs !== undefined && state === tokenStates.valid,
  );
}
