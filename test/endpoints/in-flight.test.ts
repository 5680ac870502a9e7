import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createInFlight } from '../../src/endpoints/filters/in-flight.ts';
import type { CountedSeat, InFlight } from '../../src/endpoints/filters/in-flight.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { parseRequestInfo } from '../../src/endpoints/request-info.ts';

const maps = '/api/v1/namespaces/n/configmaps';

function seatOf(inFlight: InFlight, method: string, path: string, watch = false): CountedSeat {
  const parsed = parseRequestInfo(method, path, watch);
  assert(parsed.kind === 'ok');
  return inFlight.begin(parsed.info);
}

const user = (name: string, ...groups: string[]) => ({ name, uid: '', groups, extra: {} });

/** How many of `count` get in, and their seats. */
function enter(inFlight: InFlight, name: string, method: string, count: number, watch = false) {
  const seats = Array.from({ length: count }, () => seatOf(inFlight, method, maps, watch));
  return seats.filter((seat) => seat.enter({ user: user(name) }));
}

const identity = identityOf('kubernetes');
const limits = { readOnlyMax: 16, mutatingMax: 8, streamsMax: 4 };

test('reads, writes and watches have seats of their own', () => {
  const inFlight = createInFlight(limits, identity);
  assert.equal(enter(inFlight, 'a', 'POST', 20).length, 8);
  assert.equal(enter(inFlight, 'a', 'DELETE', 20).length, 0);
  assert.equal(enter(inFlight, 'a', 'GET', 30).length, 16);
  assert.equal(enter(inFlight, 'a', 'GET', 20, true).length, 4);
  assert.equal(inFlight.streamsCount, 4);
});

test('a seat that was left is there for the next one, however often it is left', () => {
  const inFlight = createInFlight(limits, identity);
  const [first, ...others] = enter(inFlight, 'a', 'POST', 8);
  for (let i = 0; i < 3; i += 1) first?.leave();
  assert.equal(enter(inFlight, 'a', 'POST', 8).length, 1);
  for (const seat of others) seat.leave();
  assert.equal(enter(inFlight, 'a', 'POST', 20).length, 7);
});

test('a caller who holds all seats leaves others a quarter on top, a little for each', () => {
  const inFlight = createInFlight({ ...limits, readOnlyMax: 64 }, identity);
  assert.equal(enter(inFlight, 'greedy', 'GET', 100).length, 64);
  assert.equal(enter(inFlight, 'b', 'GET', 10).length, 2);
  assert.equal(enter(inFlight, 'c', 'GET', 10).length, 2);
  const crowd = Array.from({ length: 50 }, (_, i) => enter(inFlight, `u${i}`, 'GET', 1).length);
  assert.equal(crowd.filter((entered) => entered === 1).length, 12, '64 and 16 are the end');
});

test('the accounts of a namespace are one caller, but not those of the system', () => {
  for (const [method, max] of [
    ['GET', 64],
    ['POST', 32],
  ] as const) {
    const inFlight = createInFlight({ ...limits, readOnlyMax: 64, mutatingMax: 32 }, identity);
    const account = (namespace: string, at: number): number =>
      enter(inFlight, `system:serviceaccount:${namespace}:a${at}`, method, 40).length;
    const crowd = Array.from({ length: 100 }, (_, at) => account('crowded', at));
    const entered = crowd.reduce((sum, each) => sum + each);
    assert.equal(entered, max, 'what is left on top is not for them');
    const little = max / 32;
    assert.equal(account('other', 1), little);
    assert.equal(account('other', 2), 0);
    assert.equal(account('kube-system', 1), little);
    assert.equal(account('kube-system', 2), little);
    assert.equal(enter(inFlight, 'system:node:n1', method, 1).length, 1);
    assert.equal(enter(inFlight, 'system:serviceaccount:crowded', method, 1).length, 1);
  }
});

test('who asks for the health of all, and system:masters, get in always', () => {
  const inFlight = createInFlight({ ...limits, readOnlyMax: 1 }, identity);
  enter(inFlight, 'a', 'GET', 2);
  for (const path of ['/livez', '/readyz', '/healthz']) {
    assert.equal(seatOf(inFlight, 'GET', path).enter({ user: user('a') }), true, path);
  }
  const again = enter(inFlight, 'a', 'GET', 1);
  assert.equal(again.length, 0);
  const masters = (path: string) =>
    seatOf(inFlight, 'GET', path).enter({ user: user('root', 'system:masters') });
  assert.equal(masters(maps), true);
  assert.equal(seatOf(inFlight, 'GET', '/livez').enter({ user: user('b') }), true);
});

test('a health check about which others are asked needs a seat', () => {
  const inFlight = createInFlight({ ...limits, readOnlyMax: 1, mutatingMax: 1 }, identity);
  const a = user('a');
  assert.equal(
    seatOf(inFlight, 'GET', '/livez').enter({ user: a }, undefined, true),
    true,
    'as somebody else',
  );
  assert.equal(seatOf(inFlight, 'GET', '/livez').enter({ user: a }, undefined, true), false);
  assert.equal(seatOf(inFlight, 'GET', '/livez/x1').enter({ user: a }), false, 'any path below');
  assert.equal(seatOf(inFlight, 'POST', '/livez').enter({ user: a }), true, 'with another verb');
  assert.equal(seatOf(inFlight, 'POST', '/livez').enter({ user: a }), false);
  assert.equal(seatOf(inFlight, 'GET', '/livez').enter({ user: a }), true);
});

test('a seat is taken once, whoever its holder asks to be', () => {
  const inFlight = createInFlight(limits, identity);
  const seat = seatOf(inFlight, 'POST', maps);
  assert.equal(seat.enter({ user: user('a') }, undefined, true), true);
  assert.equal(seat.enter({ user: user('b') }), true);
  assert.equal(enter(inFlight, 'a', 'POST', 20).length, 7);
  seat.leave();
  assert.equal(enter(inFlight, 'b', 'POST', 20).length, 1);
});

test('0 is no bound', () => {
  const inFlight = createInFlight({ readOnlyMax: 0, mutatingMax: 0, streamsMax: 0 }, identity);
  assert.equal(enter(inFlight, 'a', 'GET', 2_000).length, 2_000);
});

test('callers who have gone are forgotten', () => {
  const inFlight = createInFlight(limits, identity);
  for (let i = 0; i < 5_000; i += 1) {
    const [seat] = enter(inFlight, `user-${i}`, 'GET', 1);
    assert.ok(seat !== undefined, `user ${i}`);
    seat.leave();
  }
  assert.equal(enter(inFlight, 'last', 'GET', 30).length, 16);
});
