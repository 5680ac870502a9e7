/** Seats of requests, hands of flows, and how long who is refused is told to wait. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseQuery } from '../../src/apimachinery/query.ts';
import { StatusError } from '../../src/apimachinery/status-error.ts';
import type { Attributes } from '../../src/authorization/authorizer.ts';
import { createDealer } from '../../src/flowcontrol/hands.ts';
import { RetryAfter } from '../../src/flowcontrol/retry-after.ts';
import { Ticket } from '../../src/flowcontrol/ticket.ts';
import { WatchTally } from '../../src/flowcontrol/watch-tally.ts';
import { createEstimate } from '../../src/flowcontrol/work-estimate.ts';

const pods: Attributes = {
  user: { name: 'a', uid: '', groups: [], extra: {} },
  verb: 'list',
  isResourceRequest: true,
  path: '/api/v1/pods',
  namespace: '',
  apiGroup: '',
  apiVersion: 'v1',
  resource: 'pods',
  subresource: '',
  name: '',
};

function seatsOf(
  more: Partial<Attributes>,
  query: string,
  stored: number | undefined,
  widest = 99,
) {
  const parsed = parseQuery(query);
  const watches = { interestedIn: () => 0 };
  const ticket = new Ticket();
  const estimate = createEstimate({ countOf: () => stored, watches });
  const asked = { ...pods, ...more };
  estimate(ticket, asked, parsed instanceof StatusError ? undefined : parsed, widest);
  return ticket.seats;
}

/** What is asked, objects that are stored, seats. */
const lists: readonly (readonly [string, number | undefined, number])[] = [
  ['', 0, 1],
  ['', 100, 1],
  ['', 101, 2],
  ['', 100_000, 10],
  ['', undefined, 1],
  ['limit=500', 350, 4],
  ['resourceVersion=0&limit=10', 350, 4],
  ['resourceVersion=5&limit=100', 350, 2],
  ['resourceVersion=5', 350, 4],
  ['limit=100&continue=x', 350, 2],
  ['limit=100&continue=x&labelSelector=a', 350, 5],
  ['resourceVersion=5&resourceVersionMatch=Exact', 350, 7],
  ['resourceVersion=5&resourceVersionMatch=NotOlderThan&limit=5', 350, 4],
  ['limit=none', 1, 10],
];

for (const [query, stored, seats] of lists) {
  test(`a list takes ${seats} of ${stored ?? 'unknown'} objects with "${query}"`, () => {
    assert.equal(seatsOf({}, query, stored), seats);
  });
}

test('a list by name, a get, a watch and a deletion of many take one seat', () => {
  assert.equal(seatsOf({ name: 'x' }, '', 100_000), 1);
  for (const verb of ['get', 'watch', 'deletecollection', 'proxy']) {
    assert.equal(seatsOf({ verb }, '', 100_000), 1, verb);
  }
});

test('no request takes more seats than its level lets one have', () => {
  assert.equal(seatsOf({}, '', 100_000, 3), 3);
});

/** Watches, most seats; final seats and for how long. */
const changes: readonly (readonly [number, number, number, number])[] = [
  [0, 10, 0, 0],
  [9, 10, 0, 0],
  [10, 10, 1, 5],
  [95, 10, 10, 5],
  [1_000, 10, 10, 50],
  [1_000, 4, 4, 125],
];

for (const [count, widest, seats, lingerMs] of changes) {
  test(`a change that ${count} watch keeps ${seats} of ${widest} seats for ${lingerMs} ms`, () => {
    const watches = new WatchTally();
    const watched = Array.from({ length: count }, () => watches.add({ ...pods, verb: 'watch' }));
    const estimate = createEstimate({ countOf: () => 1, watches });
    for (const verb of ['create', 'update', 'patch', 'delete']) {
      const ticket = new Ticket();
      estimate(ticket, { ...pods, verb, namespace: 'n', name: 'x' }, new Map(), widest);
      assert.deepEqual([ticket.finalSeats, ticket.lingerMs], [seats, lingerMs], verb);
      assert.equal(ticket.seats, Math.max(1, seats));
    }
    for (const each of watched) if (each !== undefined) watches.remove(each);
    assert.equal(watches.interestedIn({ ...pods, verb: 'create' }), 0);
  });
}

test('a change interests watches of all, of its namespace and of itself, and no others', () => {
  const watches = new WatchTally();
  const add = (more: Partial<Attributes>) => watches.add({ ...pods, verb: 'watch', ...more });
  add({});
  add({ namespace: 'n' });
  add({ namespace: 'n', name: 'x' });
  add({ namespace: 'm' });
  add({ namespace: 'n', name: 'y' });
  add({ resource: 'secrets' });
  add({ selectedFields: new Map([['spec.nodeName', 'node']]) });
  assert.equal(watches.interestedIn({ ...pods, verb: 'create', namespace: 'n' }), 2);
  assert.equal(watches.interestedIn({ ...pods, verb: 'update', namespace: 'n', name: 'x' }), 3);
  assert.equal(watches.interestedIn({ ...pods, verb: 'update', resource: 'nodes' }), 0);
});

test('a token that is asked for tells no watch', () => {
  const estimate = createEstimate({ countOf: () => 1, watches: { interestedIn: () => 1_000 } });
  const ticket = new Ticket();
  const asked = { ...pods, verb: 'create', resource: 'serviceaccounts', subresource: 'token' };
  estimate(ticket, asked, new Map(), 10);
  assert.equal(ticket.finalSeats, 0);
});

test('hands have the size that was asked for, of different queues, and the same for a name', () => {
  for (const [queues, handSize] of [
    [1, 1],
    [6, 6],
    [64, 8],
    [128, 6],
    [10_000_000, 2],
  ] as const) {
    const deal = createDealer(queues, handSize, 'secret');
    for (let i = 0; i < 200; i += 1) {
      const hand = deal(`flow ${i}`);
      assert.equal(new Set(hand).size, handSize);
      assert.ok(hand.every((card) => card >= 0 && card < queues));
      assert.deepEqual(deal(`flow ${i}`), hand);
    }
  }
});

test('every queue is dealt about as often as the others', () => {
  const deal = createDealer(16, 4, 'secret');
  const dealt = new Array<number>(16).fill(0);
  for (let i = 0; i < 8_000; i += 1) {
    for (const card of deal(`flow ${i}`)) dealt[card] = (dealt[card] as number) + 1;
  }
  for (const times of dealt) assert.ok(times > 1_800 && times < 2_200, String(times));
});

test('who is refused waits a second, twice as long while many are, and less again later', () => {
  const retry = new RetryAfter();
  const refuse = (second: number, times: number): number => {
    for (let i = 0; i < times; i += 1) retry.refused(second * 1000);
    return retry.seconds;
  };
  assert.equal(refuse(100, 10), 1);
  assert.equal(refuse(101, 10), 2);
  assert.equal(refuse(102, 10), 2, 'not before two seconds have passed');
  assert.equal(refuse(103, 15), 4);
  assert.equal(refuse(107, 40), 8);
  for (let second = 108; second < 200; second += 1) refuse(second, 100);
  assert.equal(retry.seconds, 32);
  assert.equal(refuse(300, 1), 31);
  assert.equal(refuse(340, 1), 30);
});
