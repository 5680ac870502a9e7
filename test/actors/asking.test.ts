/** What a decision asks of others: effects out, answers in, and what waits meanwhile. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Answer, Question } from '../../actors/actors.ts';
import { objectBytesOfTurn } from '../../actors/limits.ts';
import { decodeObject } from '../../src/apimachinery/object-encoding.ts';
import type { ApiObject } from '../../src/apimachinery/unstructured.ts';
import { newForbidden } from '../../src/apimachinery/status-error.ts';
import {
  actorHarness,
  changeOf,
  createOf,
  encodePod,
  pod,
  pods,
  replaceOf,
  replacing,
  settle,
} from '../support/doubles/actor-harness.ts';

/** Answers when the test says so. */
function askable() {
  const asked: { question: Question; answer: (answer: Answer) => void }[] = [];
  const answer = (_key: unknown, _command: unknown, question: Question): Promise<Answer> =>
    new Promise((resolve) => asked.push({ question, answer: resolve }));
  return { asked, answer };
}

const allowed: Answer = { kind: 'allowed' };
const denied: Answer = { kind: 'refused', error: newForbidden(pods, 'a', 'no') };

const additions = (added: string): Answer => ({
  kind: 'object',
  object: pod('a', { added }),
  notes: { warnings: [added], annotations: [] },
});

const guarded = (spec: number) =>
  changeOf('update', (current) =>
    current === undefined ? { kind: 'not-found' } : replacing({ ...current.object, spec }, true),
  );

/** Turns of the event loop, when the test says so. */
function turnsOfTest() {
  const waiting: (() => void)[] = [];
  return {
    pause: () => new Promise<void>((resolve) => waiting.push(resolve)),
    turn: () => waiting.shift()?.(),
  };
}

/** Decides in so many parts, and counts them. */
const inParts = (count: number, parts: number[], see?: (object: ApiObject) => void) =>
  changeOf('update', function* (current) {
    if (current === undefined) return { kind: 'not-found' };
    for (let part = 1; part <= count; part += 1) {
      see?.(current.object);
      parts.push(part);
      yield;
    }
    return replacing({ ...current.object, spec: count });
  });

describe('questions of a decision', () => {
  test('I27 a question is asked of what is to be written, and the answer decides', async () => {
    const { asked, answer } = askable();
    const { run, store } = actorHarness({ answer, soleWriter: true });
    await run('a', createOf(pod('a')));
    const first = run('a', guarded(1));
    await settle();
    assert.equal(asked.length, 1);
    assert.equal(asked[0]?.question.next?.['spec'], 1);
    assert.equal(asked[0].question.current?.['spec'], undefined);
    assert.equal(store.counts.mutations, 1, 'nothing is written before the answer');
    asked[0].answer(allowed);
    assert.equal((await first).kind, 'replaced');
    const second = run('a', guarded(2));
    await settle();
    asked[1]?.answer(denied);
    assert.equal((await second).kind, 'refused');
    assert.equal(store.counts.mutations, 2);
  });

  test('I27 commands behind a question wait for it, in order', async () => {
    const { asked, answer } = askable();
    const { run, actors } = actorHarness({ answer, soleWriter: true });
    await run('a', createOf(pod('a')));
    const seen: unknown[] = [];
    const waiting = run('a', guarded(1));
    const behind = run(
      'a',
      replaceOf(({ object }) => {
        seen.push(object['spec']);
        return { ...object, spec: 2 };
      }),
    );
    await settle();
    assert.deepEqual(seen, []);
    const [resident] = actors.residents();
    assert.deepEqual(
      [resident?.sync, resident?.mailboxCount, resident?.life],
      ['deciding', 2, 'live'],
    );
    asked[0]?.answer(allowed);
    assert.equal((await waiting).kind, 'replaced');
    assert.equal((await behind).kind, 'replaced');
    assert.deepEqual(seen, [1]);
  });

  test('I28 an answer about an object that has changed meanwhile does not count', async () => {
    const { asked, answer } = askable();
    const { run, overtake, stored } = actorHarness({ answer });
    await run('a', createOf(pod('a')));
    const write = run(
      'a',
      replaceOf(({ object }) => ({ ...object, own: 1 })),
    );
    await write;
    await overtake('a', pod('a', { other: 1 }));
    const lost = run(
      'a',
      replaceOf(({ object }) => ({ ...object, own: 2 })),
    );
    const waiting = run('a', guarded(7));
    await settle();
    assert.ok(asked.length >= 2, 'it was asked again about what is there now');
    assert.equal(asked.at(-1)?.question.current?.['other'], 1);
    for (const one of asked.slice(0, -1)) one.answer(denied);
    await settle();
    asked.at(-1)?.answer(allowed);
    assert.equal((await lost).kind, 'replaced');
    assert.equal((await waiting).kind, 'replaced');
    assert.equal((await stored('a'))?.object['spec'], 7);
  });

  test('I28 earlier answers to the same command are void, too, with their notes', async () => {
    const { asked, answer } = askable();
    const { run, overtake, stored } = actorHarness({ answer });
    await run('a', createOf(pod('a')));
    await overtake('a', pod('a', { other: 1 }));
    const lost = run(
      'a',
      replaceOf(({ object }) => ({ ...object, own: 1 })),
    );
    const twice = run(
      'a',
      changeOf('update', (current, [added]) => {
        assert.ok(current !== undefined);
        const { object } = current;
        if (added?.kind === 'object') return replacing(added.object, true);
        return { kind: 'ask', question: { kind: 'mutate', next: object, current: object } };
      }),
    );
    // The second question is open when the first write turns out to be lost.
    asked[0]?.answer(additions('to what was'));
    await settle();
    assert.deepEqual(
      asked.map(({ question }) => question.kind),
      ['mutate', 'validate', 'mutate'],
    );
    asked[1]?.answer(denied);
    assert.equal(asked[2]?.question.current?.['other'], 1);
    asked[2].answer(additions('to what is'));
    await settle();
    assert.equal(asked[3]?.question.kind, 'validate');
    asked[3].answer(allowed);
    assert.equal((await lost).kind, 'replaced');
    const { kind, notes } = await twice;
    assert.equal(kind, 'replaced');
    assert.deepEqual(notes?.warnings, ['to what is']);
    assert.equal((await stored('a'))?.object['added'], 'to what is');
  });

  test('I36 a decision in parts goes on in turns of its own; what comes behind it waits', async () => {
    const { pause, turn } = turnsOfTest();
    const { run, store } = actorHarness({ pause, soleWriter: true });
    await run('a', createOf(pod('a')));
    const parts: number[] = [];
    const first = run('a', inParts(3, parts));
    const seen: unknown[] = [];
    const behind = run(
      'a',
      replaceOf(({ object }) => {
        seen.push(object['spec']);
        return { ...object, spec: 9 };
      }),
    );
    for (const done of [1, 2, 3]) {
      await settle();
      assert.equal(parts.length, done, 'one part a turn');
      assert.equal(store.counts.mutations, 1, 'nothing is written before its end');
      turn();
    }
    assert.equal((await first).kind, 'replaced');
    assert.equal((await behind).kind, 'replaced');
    assert.deepEqual(seen, [3]);
  });

  test('I36 it begins anew where the object has changed meanwhile', async () => {
    const { pause, turn } = turnsOfTest();
    const { run, overtake, stored } = actorHarness({ pause });
    await run('a', createOf(pod('a')));
    await run(
      'a',
      replaceOf(({ object }) => ({ ...object, own: 1 })),
    );
    await overtake('a', pod('a', { other: 1 }));
    const lost = run(
      'a',
      replaceOf(({ object }) => ({ ...object, own: 2 })),
    );
    const seen: unknown[] = [];
    const write = run(
      'a',
      inParts(2, [], (object) => seen.push(object['other'])),
    );
    for (let turns = 0; turns < 8; turns += 1) {
      await settle();
      turn();
    }
    assert.equal((await lost).kind, 'replaced');
    assert.equal((await write).kind, 'replaced');
    assert.equal(seen.at(-1), 1, 'what counts has seen what is there now');
    const after = (await stored('a'))?.object;
    assert.deepEqual([after?.['other'], after?.['own'], after?.['spec']], [1, 2, 2]);
  });

  test('I36 a part that throws fails its command, not the actor', async () => {
    const { pause, turn } = turnsOfTest();
    const { run } = actorHarness({ pause, soleWriter: true });
    await run('a', createOf(pod('a')));
    const write = run(
      'a',
      changeOf('update', function* () {
        yield;
        throw new Error('broken');
      }),
    );
    await settle();
    turn();
    const outcome = await write;
    assert.equal(outcome.kind === 'refused' && outcome.error.code, 500);
    const next = replaceOf(({ object }) => object);
    assert.equal((await run('a', next)).kind, 'unchanged');
  });

  test('I36 a large object is encoded in a turn behind the one that decides about it', async () => {
    let turns = 0;
    const pause = (): Promise<void> => Promise.resolve(void (turns += 1));
    const encodedIn: number[] = [];
    const { answer, asked } = askable();
    const { run } = actorHarness({
      answer,
      pause,
      soleWriter: true,
      encode: (key, object) => {
        encodedIn.push(turns);
        return encodePod(key, object);
      },
    });
    const decidedIn: number[] = [];
    const change = (added: string) =>
      replaceOf(({ object }) => {
        decidedIn.push(turns);
        return { ...object, added };
      });
    await run('small', createOf(pod('small')));
    assert.equal((await run('small', change('a'))).kind, 'replaced');
    assert.equal(turns, 0);
    await run('large', createOf(pod('large', { spec: 'x'.repeat(objectBytesOfTurn) })));
    assert.equal((await run('large', change('a'))).kind, 'replaced');
    const ofLarge = [encodedIn.at(-1), decidedIn.at(-1)] as [number, number];
    assert.equal(ofLarge[0] - ofLarge[1], 1);
    assert.equal((await run('large', change('a'))).kind, 'unchanged');
    assert.equal(turns, decidedIn.at(-1), 'what is not written is not waited for');
    const asking = run('large', guarded(1));
    await settle();
    asked[0]?.answer(allowed);
    const answeredIn = turns;
    assert.equal((await asking).kind, 'replaced');
    assert.equal((encodedIn.at(-1) ?? 0) - answeredIn, 1, 'behind an answer, too');
  });

  test('I36 a large object is decoded in turns of the decision that needs it, and once', async () => {
    let turns = 0;
    const pause = (): Promise<void> => Promise.resolve(void (turns += 1));
    let decodedCount = 0;
    const { overtake, run, stored } = actorHarness({
      pause,
      soleWriter: true,
      *decodeObjectSteps(bytes) {
        for (let part = 0; part < 5; part += 1) yield;
        decodedCount += 1;
        return decodeObject(bytes);
      },
    });
    const large = pod('large', { spec: 'x'.repeat(objectBytesOfTurn) });
    await overtake('large', large);
    const change = (added: string) => replaceOf(({ object }) => ({ ...object, added }));
    assert.equal((await run('large', change('a'))).kind, 'replaced');
    assert(turns >= 5, `${turns} turns`);
    assert.equal((await run('large', change('a'))).kind, 'unchanged');
    assert.equal(decodedCount, 1);
    assert.deepEqual((await stored('large'))?.object, { ...large, added: 'a' });
    await overtake('small', pod('small'));
    assert.equal((await run('small', change('b'))).kind, 'replaced');
    assert.equal(decodedCount, 1, 'a small one is decoded at once');
  });

  test('C8 a question that is not answered in time refuses its command', async () => {
    const { answer } = askable();
    const { run, time } = actorHarness({ answer, limits: { answerMs: 1000 } });
    await run('a', createOf(pod('a')));
    const waiting = run('a', guarded(1));
    await settle();
    time.advance(1001);
    const outcome = await waiting;
    assert.equal(outcome.kind === 'refused' && outcome.error.reason, 'Timeout');
    assert.equal(
      (
        await run(
          'a',
          replaceOf(({ object }) => object),
        )
      ).kind,
      'unchanged',
    );
  });

  test('C9 a command that asks too many questions is refused', async () => {
    let count = 0;
    const { run } = actorHarness({
      limits: { questionsMax: 3 },
      soleWriter: true,
      answer: () => {
        count += 1;
        return { kind: 'object', object: pod('a') };
      },
    });
    await run('a', createOf(pod('a')));
    const endless = changeOf('update', () => ({
      kind: 'ask',
      question: { kind: 'mutate', next: pod('a'), current: undefined },
    }));
    const outcome = await run('a', endless);
    assert.equal(outcome.kind === 'refused' && outcome.error.code, 500);
    assert.equal(count, 3);
  });

  test('I29 an answer that is a failure fails its command, not the actor', async () => {
    const down = new Error('hook is down');
    const throwing = (): never => {
      throw down;
    };
    for (const answer of [() => Promise.reject(down), throwing]) {
      const { run } = actorHarness({ answer });
      await run('a', createOf(pod('a')));
      const outcome = await run('a', guarded(1));
      assert.equal(outcome.kind === 'refused' && outcome.error.code, 500);
      const same = replaceOf(({ object }) => object);
      assert.equal((await run('a', same)).kind, 'unchanged');
    }
  });
});
