/** When requests of HTTP/2 begin: in order, few in a turn, and never once they were reset. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createStreamTurns, requestsPerTurn } from '../../src/transport/node/stream-turns.ts';

function harness() {
  let turns: (() => void)[] = [];
  const begun: number[] = [];
  const begins = createStreamTurns(
    {
      nextTurn: (callback) => {
        turns.push(callback);
        return { cancel: () => undefined };
      },
    },
    requestsPerTurn,
  );
  const open = (name: number) => {
    const stream = { closed: false };
    begins(stream, () => begun.push(name));
    return stream;
  };
  /** False: nothing is to be done in it. */
  const turn = (): boolean => {
    const now = turns;
    turns = [];
    for (const callback of now) callback();
    return now.length > 0;
  };
  return { begun, open, turn };
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

describe('requests of HTTP/2', () => {
  it('begin at once when they come one a turn, and ask for no more turns than that', () => {
    const { begun, open, turn } = harness();
    for (const name of numbers(3)) {
      open(name);
      assert.equal(begun.length, name + 1);
      assert.equal(turn(), true);
      assert.equal(turn(), false);
    }
  });

  it('that come together begin in their order, a bounded number in a turn', () => {
    const { begun, open, turn } = harness();
    for (const name of numbers(100)) open(name);
    assert.deepEqual(begun, [0]);
    turn();
    const inTurn = begun.length - 1;
    assert.ok(inTurn > 0 && inTurn < 50, `${inTurn}`);
    // Those who come now are behind them.
    open(100);
    assert.equal(begun.length, 1 + inTurn);
    while (turn()) assert.ok(begun.length <= 101);
    assert.deepEqual(begun, numbers(101));
    open(101);
    assert.equal(begun.at(-1), 101, 'and the next one has its turn to itself');
  });

  it('never begin when they were reset meanwhile, which takes nothing from the others', () => {
    const { begun, open, turn } = harness();
    const streams = numbers(1000).map(open);
    for (const [name, stream] of streams.entries()) stream.closed = name !== 999;
    turn();
    assert.deepEqual(begun, [0, 999]);
    while (turn());
    assert.deepEqual(begun, [0, 999]);
  });
});
