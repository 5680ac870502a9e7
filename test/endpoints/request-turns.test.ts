/** Requests that come together begin in turns, health checks before them. */
import assert from 'node:assert/strict';
import { objectBytesOfTurn } from '../../actors/limits.ts';
import { describe, it } from 'node:test';
import {
  createRequestTurns,
  requestTurnLimits,
} from '../../src/endpoints/filters/request-turns.ts';
import type { HttpExchange } from '../../src/transport/http-exchange.ts';

type Asked = HttpExchange & { closed: boolean };

/** `stated`: the length of its body. */
function exchangeAt(path: string, method = 'GET', stated?: number): Asked {
  const length = stated === undefined ? undefined : String(stated);
  const header = (name: string) => (name === 'content-length' ? length : undefined);
  return { path, method, header, closed: false } as unknown as Asked;
}

/** One that begins alone. */
const heavy = (path: string): Asked =>
  exchangeAt(path, 'POST', requestTurnLimits.togetherBytesMax + 1);

/** Turns that are told to come, and requests that take `costMs` each to begin, in a process that has
 * had many. */
function bench(costMs: number, hasHadMany = true) {
  let nowMs = 1000;
  let callbacks: (() => void)[] = [];
  const begun: string[] = [];
  const cost = { ms: hasHadMany ? 0 : costMs };
  const forgotten: string[] = [];
  const take = createRequestTurns(
    {
      clock: { monotonicMs: () => nowMs },
      timers: {
        nextTurn: (callback) => {
          callbacks.push(callback);
          return { cancel: () => undefined };
        },
      },
    },
    (exchange, startMs) => {
      begun.push(`${exchange.path} ${startMs}`);
      nowMs += cost.ms;
    },
    (exchange) => forgotten.push(exchange.path),
  );
  /** How many began in each callback, where any did. */
  const turn = (): number[] => {
    const due = callbacks;
    callbacks = [];
    const counts = due.map((callback) => {
      const before = begun.length;
      callback();
      return begun.length - before;
    });
    return counts.filter((count) => count > 0);
  };
  if (hasHadMany) {
    for (let i = 0; i < 64; i += 1) take(exchangeAt('/', 'POST', 0));
    while (callbacks.length > 0) turn();
    begun.length = 0;
    cost.ms = costMs;
  }
  return {
    take,
    turn,
    cost,
    begun,
    forgotten,
    get paths() {
      return begun.map((each) => each.split(' ')[0]);
    },
    get pending() {
      return callbacks.length;
    },
  };
}

describe('requests that come together', () => {
  const { beginningsMax, changeBytes, togetherBytesMax, togetherMax, turnMs } = requestTurnLimits;

  it('begin when all of them have come, while there is time, and in their order after that', () => {
    const { take, turn, begun } = bench(turnMs / 2);
    for (const name of ['a', 'b', 'c', 'd', 'e']) take(heavy(`/${name}`));
    assert.equal(begun.length, 0);
    assert.deepEqual(turn(), [1, 1]);
    assert.deepEqual(turn(), [1, 1]);
    assert.deepEqual(turn(), [1]);
    assert.deepEqual(begun, ['/a 1000', '/b 1000', '/c 1000', '/d 1000', '/e 1000']);
  });

  it('begin in one callback, so many of them', () => {
    const { take, turn } = bench(0);
    for (let i = 0; i < togetherMax + 3; i += 1) take(exchangeAt(`/${i}`));
    assert.deepEqual(turn(), [togetherMax, 3]);
  });

  it('begin in one callback as writes that take a turn together, by what the last ones took', () => {
    const { cost, take, turn } = bench(turnMs, false);
    const come = (count: number): number[] => {
      for (let i = 0; i < count; i += 1) take(exchangeAt('/', 'POST', 0));
      return turn();
    };
    assert.deepEqual([...come(3), ...turn(), ...turn()], [1, 1, 1]);
    cost.ms = turnMs / 100;
    assert.deepEqual(come(1 + 1 + 2 + 4 + 8 + 16), [1, 2, 4, 8, togetherMax, 1]);
    cost.ms = turnMs / 8;
    assert.deepEqual([...come(togetherMax), ...turn()], [togetherMax]);
    cost.ms = 0;
    assert.deepEqual(come(8 + 16), [8, 16]);
    assert.deepEqual(come(1), [1]);
    assert.deepEqual(come(togetherMax), [togetherMax], 'one alone tells nothing of many');
  });

  it('begin in one callback by what they weigh, one at least', () => {
    const changes = bench(0);
    const atOnce = togetherBytesMax / changeBytes;
    assert.ok(atOnce * objectBytesOfTurn <= 512 * 1024, 'each may decode the object it changes');
    for (const method of ['PUT', 'PATCH']) {
      for (let i = 0; i < atOnce; i += 1) changes.take(exchangeAt('/', method, 0));
    }
    for (let i = 0; i < atOnce; i += 1) changes.take(exchangeAt('/', 'DELETE'));
    assert.deepEqual(changes.turn(), [atOnce, atOnce, atOnce]);

    const bodies = bench(0);
    for (let i = 0; i < 4; i += 1) bodies.take(exchangeAt('/', 'POST', togetherBytesMax / 2));
    assert.deepEqual([...bodies.turn(), ...bodies.turn()], [2, 2]);

    const unstated = bench(0);
    for (let i = 0; i < 2; i += 1) unstated.take(exchangeAt('/', 'POST'));
    assert.deepEqual([...unstated.turn(), ...unstated.turn()], [1, 1]);
  });

  it('begin so many a turn', () => {
    const { take, turn } = bench(0);
    const sum = (counts: readonly number[]): number => counts.reduce((all, each) => all + each, 0);
    for (let i = 0; i < 2 * beginningsMax + 1; i += 1) take(exchangeAt(`/${i}`));
    assert.deepEqual([sum(turn()), sum(turn()), sum(turn())], [beginningsMax, beginningsMax, 1]);
  });

  it('begin in the next turn when they are more health checks than one turn has', () => {
    const { take, turn, begun, forgotten } = bench(0);
    const { healthChecksMax } = requestTurnLimits;
    const gone = exchangeAt('/livez');
    for (let sent = 0; sent < healthChecksMax; sent += 1) take(exchangeAt('/livez'));
    take(gone);
    for (let sent = 0; sent <= healthChecksMax; sent += 1) take(exchangeAt('/readyz'));
    gone.closed = true;
    assert.equal(begun.length, healthChecksMax);
    turn();
    assert.equal(begun.length, 2 * healthChecksMax);
    assert.deepEqual(forgotten, ['/livez']);
    turn();
    assert.equal(begun.length, 2 * healthChecksMax + 1);
    turn();
    take(exchangeAt('/livez'));
    assert.equal(begun.length, 2 * healthChecksMax + 2, 'there is time again');
  });

  it('wait behind those who wait already, health checks excepted', () => {
    const row = bench(turnMs);
    for (const name of ['a', 'b']) row.take(heavy(`/${name}`));
    row.turn();
    row.take(exchangeAt('/c'));
    for (const path of ['/livez', '/readyz/ping', '/healthz']) row.take(exchangeAt(path));
    assert.deepEqual(row.paths, ['/a', '/livez', '/readyz/ping', '/healthz']);
    for (let i = 0; i < 6; i += 1) row.turn();
    assert.deepEqual(row.paths.slice(4), ['/b', '/c']);
  });

  it('cost nothing when their client has gone, and leave no turn behind them', () => {
    const row = bench(turnMs);
    const exchanges = Array.from({ length: 200 }, (_none, at) => heavy(`/${at}`));
    for (const exchange of exchanges) row.take(exchange);
    row.turn();
    for (const exchange of exchanges.slice(0, -1)) exchange.closed = true;
    for (let i = 0; i < 8; i += 1) row.turn();
    assert.equal(row.forgotten.length, 198);
    assert.deepEqual(row.paths, ['/0', '/199']);
    assert.equal(row.pending, 0);
  });
});
