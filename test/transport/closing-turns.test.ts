/** Sockets that close, answers that end: few at once, thousands a bounded number in each turn. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Socket } from 'node:net';
import {
  closingsPerTurn,
  createClosings,
  createTurnQueue,
  endingsPerTurn,
} from '../../src/transport/node/closing-turns.ts';
import { PassedResponseStream } from '../../src/transport/node/node-response-stream.ts';
import { setHandle } from '../../src/transport/node/reading.ts';

function harness() {
  let turns: (() => void)[] = [];
  const closed: number[] = [];
  const closeInTurns = createClosings({
    nextTurn(callback) {
      turns.push(callback);
      return { cancel: () => undefined };
    },
  });
  /** Destroys a socket of this name. */
  const destroy = (name: number): void => {
    const socket = {
      name,
      _handle: { readStop: () => ((isRead = false), 0) },
      _destroy(_error: Error | null, done: (error?: Error | null) => void) {
        closed.push(this.name);
        done();
      },
    };
    closeInTurns(socket);
    let isRead = true;
    socket._destroy(null, () => undefined);
    assert.ok(!isRead, 'nobody reads from it, however long it waits');
  };
  /** How many close in it; undefined: there is nothing to be done. */
  const turn = (): number | undefined => {
    const now = turns;
    turns = [];
    const had = closed.length;
    for (const callback of now) callback();
    return now.length === 0 ? undefined : closed.length - had;
  };
  return { closed, destroy, turn };
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

describe('sockets that close', () => {
  it('close at once when they are few, and ask for one turn', () => {
    const { closed, destroy, turn } = harness();
    for (const name of numbers(3)) destroy(name);
    assert.deepEqual(closed, numbers(3));
    assert.equal(turn(), 0);
    assert.equal(turn(), undefined);
  });

  it('close a bounded number in each turn when they are many, in order, later ones behind', () => {
    const { closed, destroy, turn } = harness();
    for (const name of numbers(1_000)) destroy(name);
    assert.equal(closed.length, closingsPerTurn);
    assert.equal(turn(), closingsPerTurn);
    destroy(1_000);
    assert.equal(closed.includes(1_000), false);
    for (let count = turn(); count !== undefined; count = turn()) {
      assert.ok(count <= closingsPerTurn);
    }
    assert.deepEqual(closed, numbers(1_001));
  });
});

describe('answers of unknown length that end', () => {
  it('are closed at once for who writes, and end a bounded number in each turn, in order', () => {
    const turns: (() => void)[] = [];
    const queue = createTurnQueue(
      {
        nextTurn(callback) {
          turns.push(callback);
          return { cancel: () => undefined };
        },
      },
      endingsPerTurn,
    );
    const ended: number[] = [];
    const written: number[] = [];
    const streams = numbers(96).map((name) => {
      const drains: (() => void)[] = [];
      const res = {
        writableNeedDrain: false,
        on: (_event: string, told: () => void) => drains.push(told),
        write: () => written.push(name),
      };
      const exchange = {
        closed: false,
        count: () => undefined,
        cut: () => assert.fail('it is cut'),
        finish: () => queue(() => ended.push(name)),
      };
      const stream = new PassedResponseStream(res as never, exchange);
      stream.onDrain(() => assert.fail('who has ended it is told of room'));
      return { drains, stream };
    });
    for (const { stream } of streams) stream.end();
    for (const { drains, stream } of streams) {
      stream.end();
      stream.write(Buffer.from('late'));
      for (const told of drains) told();
    }
    assert.ok(streams.every(({ stream }) => stream.closed));
    assert.deepEqual(written, []);
    for (let count = 1; ended.length < 96; count += 1) {
      assert.equal(ended.length, count * endingsPerTurn);
      for (const callback of turns.splice(0)) callback();
    }
    assert.deepEqual(ended, numbers(96));
  });
});

describe('sockets that are read from no further, thousands in one turn', () => {
  it('are asked nothing: that takes longer than to stop', () => {
    let stopped = 0;
    const unasked = (): never => assert.fail('the socket is asked');
    const socket = new Proxy({} as Socket, {
      get: (_, name) => (name === '_handle' ? { readStop: () => (stopped += 1) } : unasked()),
    });
    setHandle(socket, false);
    assert.equal(stopped, 1);
  });

  it('are not read from again when they have been destroyed', () => {
    const _handle = { readStart: (): never => assert.fail('it is read from') };
    setHandle({ destroyed: true, _handle } as unknown as Socket, true);
  });
});
