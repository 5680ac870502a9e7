/** Whoever keeps a long answer waiting does not keep its seats. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { Attributes } from '../../src/authorization/authorizer.ts';
import { createFlowSeats } from '../../src/endpoints/filters/flow-seats.ts';
import type { InFlight } from '../../src/endpoints/filters/in-flight.ts';
import { createSlowReaders } from '../../src/endpoints/filters/slow-readers.ts';
import type { RequestInfo } from '../../src/endpoints/request-info.ts';
import type { FlowControl } from '../../src/flowcontrol/flow-control.ts';
import type { HttpExchange } from '../../src/transport/http-exchange.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

const identity = identityOf('kubernetes');

function servedList() {
  const { advance, clock, timers } = manualTime();
  let finished = 0;
  const flow: Partial<FlowControl> = {
    enter: () => true,
    finish: () => void (finished += 1),
    forgetWatch: () => undefined,
  };
  const readers = createSlowReaders(clock, timers);
  const seats = createFlowSeats(flow as FlowControl, {} as InFlight, readers, identity);
  const info = { path: '/api/v1/pods', verb: 'list', resource: {} } as RequestInfo;
  const exchange = { setAnswerHeader: () => undefined } as unknown as HttpExchange;
  const seat = seats.begin(info);
  const request = { exchange, query: new Map(), startMs: 0 };
  assert.equal(seat.enter({ verb: 'list' } as Attributes, request), true);
  return { advance, seat, finished: () => finished };
}

test('a seat is given back when its answer has waited for its reader for a second', () => {
  const { advance, finished, seat } = servedList();
  advance(5_000);
  assert.equal(finished(), 0, 'it has not waited');
  seat.waits(true);
  advance(900);
  assert.equal(finished(), 0);
  advance(300);
  assert.equal(finished(), 1);
  seat.waits(false);
  seat.waits(true);
  advance(5_000);
  seat.leave();
  assert.equal(finished(), 1, 'once');
});

test('what an answer waits counts in all, and what it does in between does not', () => {
  const { advance, finished, seat } = servedList();
  for (let i = 0; i < 4; i += 1) {
    seat.waits(true);
    advance(200);
    seat.waits(false);
    advance(2_000);
  }
  assert.equal(finished(), 0);
  seat.waits(true);
  advance(400);
  assert.equal(finished(), 1);
});

test('a request that is over while its answer waits gives its seat back once', () => {
  const { advance, finished, seat } = servedList();
  seat.waits(true);
  seat.leave();
  assert.equal(finished(), 1);
  advance(5_000);
  assert.equal(finished(), 1);
});
