import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onceATurn } from '../../src/stdx/once-a-turn.ts';

describe('a turn that many ask for', () => {
  it('comes once, and again when it is asked for in it', () => {
    let asked: (() => void)[] = [];
    let turns = 0;
    let goesOn = true;
    const timers = {
      nextTurn(callback: () => void) {
        asked.push(callback);
        return { cancel: () => undefined };
      },
    };
    const ask = onceATurn(timers, () => {
      turns += 1;
      if (goesOn) ask();
    });
    const nextTurn = (): void => {
      const now = asked;
      asked = [];
      for (const callback of now) callback();
    };
    ask();
    ask();
    assert.equal(turns, 0);
    nextTurn();
    assert.equal(turns, 1);
    goesOn = false;
    nextTurn();
    assert.equal(turns, 2);
    nextTurn();
    assert.equal(turns, 2);
    ask();
    nextTurn();
    assert.equal(turns, 3);
  });
});
