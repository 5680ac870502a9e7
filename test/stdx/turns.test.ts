/** Turns: who shares one, in what order, and what all of them may take together. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { whenSettled } from '../../src/stdx/clock.ts';
import type { TimerHandle } from '../../src/stdx/clock.ts';
import { createTurns, defaultTurnLimits, wholeTurnMs } from '../../src/stdx/turns.ts';
import type { Turns, TurnsDeps } from '../../src/stdx/turns.ts';

interface Loop {
  readonly turns: Turns;
  nowMs: number;
  /** One turn of the event loop; how long its steps took. */
  turn(): number;
  readonly scheduled: number;
}

function loopOf(settled?: TurnsDeps['settled']): Loop {
  let callbacks: (() => void)[] = [];
  const loop = {
    nowMs: 0,
    get scheduled() {
      return callbacks.length;
    },
    turn() {
      const due = callbacks;
      callbacks = [];
      const begin = loop.nowMs;
      for (const callback of due) callback();
      return loop.nowMs - begin;
    },
    turns: undefined as unknown as Turns,
  };
  loop.turns = createTurns({
    clock: { monotonicMs: () => loop.nowMs },
    settled,
    timers: {
      after: () => assert.fail('no timer'),
      nextTurn(callback): TimerHandle {
        callbacks.push(callback);
        return { cancel: () => undefined };
      },
    },
  });
  return loop;
}

/** Works for `totalMs`, in slices as it is told. */
function worker(loop: Loop, totalMs: number, log: string[], name: string) {
  let left = totalMs;
  return (isOver: () => boolean): boolean => {
    log.push(name);
    while (left > 0 && !isOver()) {
      loop.nowMs += 1;
      left -= 1;
    }
    return left > 0;
  };
}

describe('turns', () => {
  it('run a step at once while nobody waits, and nothing when it is done', () => {
    const loop = loopOf();
    const log: string[] = [];
    loop.turns.run(worker(loop, 1, log, 'a'));
    assert.deepEqual(log, ['a']);
    assert.equal(loop.turn(), 0);
    assert.equal(loop.scheduled, 0, 'the loop may sleep');
  });

  it('bound what all steps of one turn take together, however many wait', () => {
    const loop = loopOf();
    const log: string[] = [];
    for (let i = 0; i < 200; i += 1) loop.turns.run(worker(loop, 10, log, `w${i}`));
    assert.ok(loop.nowMs <= defaultTurnLimits.turnMs, `${loop.nowMs} ms in one turn`);
    let turns = 0;
    for (; loop.scheduled > 0; turns += 1) {
      const tookMs = loop.turn();
      assert.ok(tookMs <= defaultTurnLimits.turnMs, `${tookMs} ms in one turn`);
    }
    assert.equal(loop.nowMs, 2000, 'everything was done');
    assert.ok(turns >= 2000 / defaultTurnLimits.turnMs);
  });

  // What a read of a socket asks for comes behind the reads, in the same turn.
  it('do nothing in the first turn they ask for, where steps have used up the one they began in', () => {
    const loop = loopOf();
    const log: string[] = [];
    for (const name of ['a', 'b', 'c']) loop.turns.run(worker(loop, 12, log, name));
    assert.equal(loop.turn(), 0);
    assert.ok(loop.turn() > 0);
    assert.ok(loop.turn() > 0);
  });

  it('give everybody a step before anybody has the next', () => {
    const loop = loopOf();
    const log: string[] = [];
    for (const name of ['a', 'b', 'c']) loop.turns.run(worker(loop, 12, log, name));
    while (loop.scheduled > 0) loop.turn();
    // While it was alone the first had a whole turn.
    assert.equal(log.join(''), 'aaaabcabcabcbcbcbc');
  });

  it('let what pauses go on a few at a time', async () => {
    const loop = loopOf();
    let went = 0;
    for (let i = 0; i < 9; i += 1) void loop.turns.pause().then(() => (went += 1));
    await Promise.resolve();
    const perTurn = [went];
    while (loop.scheduled > 0) {
      const before = went;
      loop.turn();
      await Promise.resolve();
      perTurn.push(went - before);
    }
    assert.equal(went, 9);
    const most = defaultTurnLimits.turnMs / defaultTurnLimits.pauseCostMs;
    assert.ok(Math.max(...perTurn) <= most, perTurn.join(' '));
  });

  it('a pause for a whole turn is never the turn that asks, nor shared with others', async () => {
    const loop = loopOf();
    const { pause } = loop.turns;
    const begun: string[] = [];
    const wait = (name: string) => pause(wholeTurnMs).then(() => begun.push(name));
    const both = [wait('a'), wait('b')];
    await Promise.resolve();
    assert.deepEqual(begun, []);
    for (const expected of [['a'], ['a', 'b']]) {
      loop.turn();
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(begun, expected);
    }
    await Promise.all(both);
  });

  for (const [title, begin] of [
    ['a pause', (turns: Turns) => turns.pause(0.1)],
    ['a step', (turns: Turns) => new Promise<void>((done) => turns.run(() => (done(), false)))],
  ] as const) {
    it(`count what goes on behind ${title} with the time that it takes`, async () => {
      const loop = loopOf(whenSettled);
      const inTurn = async (turn: () => void): Promise<number> => {
        const begunMs = loop.nowMs;
        turn();
        await new Promise((resolve) => setImmediate(resolve));
        return loop.nowMs - begunMs;
      };
      let went = 0;
      // What follows takes some promises until it works, as requests do.
      const goOn = async (): Promise<void> => {
        await begin(loop.turns);
        await Promise.resolve();
        await Promise.resolve();
        loop.nowMs += 4;
        went += 1;
      };
      const took = [await inTurn(() => Array.from({ length: 30 }, goOn))];
      while (loop.scheduled > 0) took.push(await inTurn(() => loop.turn()));
      assert.equal(went, 30);
      assert.ok(Math.max(...took) <= defaultTurnLimits.turnMs + 4, took.join(' '));
    });
  }

  it('reckon what goes on behind a pause as more than it takes where it was said to', async () => {
    const loop = loopOf(whenSettled);
    const went: number[] = [];
    for (let i = 0; i < 9; i += 1) void loop.turns.pause().then(() => went.push(i));
    const perTurn: number[] = [];
    for (let turns = 0; turns === 0 || loop.scheduled > 0; turns += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      perTurn.push(went.splice(0).length);
      loop.turn();
    }
    const most = defaultTurnLimits.turnMs / defaultTurnLimits.pauseCostMs;
    assert.ok(Math.max(...perTurn) <= most, perTurn.join(' '));
  });
});
