/** Requests that come together begin in turns, health checks before them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  createRequestTurns,
  requestTurnLimits,
} from '../../src/endpoints/filters/request-turns.ts';
import type { HttpExchange } from '../../src/transport/http-exchange.ts';

const exchangeAt = (path: string): HttpExchange & { closed: boolean } =>
  ({ path, closed: false }) as unknown as HttpExchange & { closed: boolean };

/** Turns that are told to come, and requests that take `costMs` each to begin. `isCounted`: whether
 * the watch counts the turns, which it does not where nothing in them is marked. */
function bench(costMs: number, isCounted = true) {
  let nowMs = 1000;
  let callbacks: (() => void)[] = [];
  const begun: string[] = [];
  const forgotten: string[] = [];
  const turnWatch = { turn: 0 };
  const take = createRequestTurns(
    {
      clock: { monotonicMs: () => nowMs },
      turnWatch,
      timers: {
        nextTurn: (callback) => {
          callbacks.push(callback);
          return { cancel: () => undefined };
        },
      },
    },
    (exchange, startMs) => {
      begun.push(`${exchange.path} ${startMs}`);
      nowMs += costMs;
    },
    (exchange) => forgotten.push(exchange.path),
  );
  const turn = (): void => {
    if (isCounted) turnWatch.turn += 1;
    const due = callbacks;
    callbacks = [];
    for (const callback of due) callback();
  };
  return {
    take,
    turn,
    begun,
    forgotten,
    get pending() {
      return callbacks.length;
    },
  };
}

describe('requests that come together', () => {
  const perTurn = requestTurnLimits.turnMs / 2;

  it('begin at once while there is time in the turn, and in their order after that', () => {
    const { take, turn, begun } = bench(perTurn);
    for (const name of ['a', 'b', 'c', 'd', 'e']) take(exchangeAt(`/${name}`));
    assert.deepEqual(begun, ['/a 1000', '/b 1004']);
    // The end of the turn in which they came.
    turn();
    assert.equal(begun.length, 2);
    turn();
    assert.deepEqual(begun.slice(2), ['/c 1008', '/d 1008']);
    turn();
    turn();
    assert.deepEqual(begun.slice(4), ['/e 1008']);
  });

  it('begin also when the watch counts no turn', () => {
    const { take, turn, begun } = bench(requestTurnLimits.turnMs, false);
    for (const name of ['a', 'b', 'c']) take(exchangeAt(`/${name}`));
    for (let turns = 0; turns < 6; turns += 1) turn();
    assert.deepEqual(begun, ['/a 1000', '/b 1008', '/c 1008']);
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
    const { take, turn, begun } = bench(requestTurnLimits.turnMs);
    for (const name of ['a', 'b']) take(exchangeAt(`/${name}`));
    turn();
    take(exchangeAt('/c'));
    for (const path of ['/livez', '/readyz/ping', '/healthz']) take(exchangeAt(path));
    assert.deepEqual(
      begun.map((each) => each.split(' ')[0]),
      ['/a', '/livez', '/readyz/ping', '/healthz'],
    );
    for (let i = 0; i < 6; i += 1) turn();
    assert.deepEqual(
      begun.slice(4).map((each) => each.split(' ')[0]),
      ['/b', '/c'],
    );
  });

  it('cost nothing when their client has gone, and leave no turn behind them', () => {
    const row = bench(requestTurnLimits.turnMs);
    const exchanges = Array.from({ length: 200 }, (_none, at) => exchangeAt(`/${at}`));
    for (const exchange of exchanges) row.take(exchange);
    for (const exchange of exchanges.slice(0, -1)) exchange.closed = true;
    for (let i = 0; i < 8; i += 1) row.turn();
    assert.equal(row.forgotten.length, 198);
    assert.deepEqual(
      row.begun.map((each) => each.split(' ')[0]),
      ['/0', '/199'],
    );
    assert.equal(row.pending, 0);
  });
});
