import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heapBytes } from '../support/checks/heap.ts';
import { levelHarness } from './level-harness.ts';

const queues = { kind: 'queue', queues: 64, handSize: 6, queueLengthMax: 50 } as const;
const oneQueue = { kind: 'queue', queues: 1, handSize: 1, queueLengthMax: 2 } as const;

test('an exempt level serves everybody', () => {
  const { ask, level } = levelHarness({ kind: 'exempt' }, 0);
  for (let i = 0; i < 100; i += 1) assert.equal(ask('a').outcome, 'started');
  assert.equal(level.seatsInUse, 100);
});

test('a level that rejects does so above its seats, until some are given back', () => {
  const { ask, counts, finish } = levelHarness({ kind: 'reject' }, 2);
  const first = ask('a');
  assert.equal(ask('b').outcome, 'started');
  assert.equal(ask('c').outcome, 'concurrency-limit');
  finish(first.ticket);
  assert.equal(ask('c').outcome, 'started');
  assert.equal(counts.rejected.get('concurrency-limit'), 1);
});

test('a request that is wider than the level is served alone', () => {
  const { ask, finish } = levelHarness({ kind: 'reject' }, 2);
  const wide = ask('a', 5);
  assert.equal(wide.outcome, 'started');
  assert.equal(ask('b').outcome, 'concurrency-limit');
  finish(wide.ticket);
  const narrow = ask('b');
  assert.equal(narrow.outcome, 'started');
  assert.equal(ask('a', 5).outcome, 'concurrency-limit');
});

test('who finds no seat waits in its queue, and is refused where that is full', () => {
  const { ask, finish, flows, level } = levelHarness(oneQueue, 1);
  const first = ask('a');
  assert.deepEqual(
    ['b', 'c', 'd'].map((flow) => ask(flow).outcome),
    ['waiting', 'waiting', 'queue-full'],
  );
  assert.equal(level.waitingRequests, 2);
  finish(first.ticket);
  assert.deepEqual(flows(), ['b']);
  assert.equal(level.waitingRequests, 1);
});

test('one flow with many requests does not keep another waiting behind them', () => {
  const { ask, finish, flows, level, time } = levelHarness(queues, 1);
  ask('greedy');
  for (let i = 0; i < 40; i += 1) ask('greedy');
  const modest = ask('modest');
  // One of each of the queues of the other comes before it, at most.
  for (let i = 0; i < 7 && modest.ticket.state === 'waiting'; i += 1) {
    time.advance(3);
    const { first } = level.executing;
    if (first !== undefined) finish(first);
  }
  assert.equal(modest.ticket.state, 'executing', flows().join());
});

test('two flows that both wait are served alike, however much each asks for', () => {
  const { ask, finish, flows, level, time } = levelHarness(queues, 1);
  let running = ask('first').ticket;
  for (let i = 0; i < 60; i += 1) ask('much');
  for (let i = 0; i < 12; i += 1) ask('little');
  for (let i = 0; i < 24; i += 1) {
    time.advance(3);
    finish(running);
    running = level.executing.first ?? running;
  }
  const little = flows().filter((flow) => flow === 'little').length;
  assert.ok(little >= 9, `${little} of 12 in 24 turns`);
});

test('wide requests of one flow let narrow ones of another go first', () => {
  const { ask, finish, flows } = levelHarness(queues, 10);
  const all = ask('first', 10);
  ask('wide', 10);
  ask('narrow', 1);
  finish(all.ticket);
  assert.equal(flows()[0], 'narrow');
});

test('whose time is over leaves the queue, and what was behind it moves up', () => {
  const { ask, cancel, counts, finish, flows, level } = levelHarness(oneQueue, 1);
  const first = ask('a');
  const late = ask('b');
  ask('c');
  cancel(late.ticket);
  cancel(late.ticket);
  assert.equal(level.waitingRequests, 1);
  assert.equal(level.totals.timedOut, 1);
  assert.equal(counts.rejected.get('time-out'), 1);
  assert.equal(ask('d').outcome, 'waiting');
  finish(first.ticket);
  assert.deepEqual(flows(), ['c']);
});

test('seats linger behind a change that many watch, and who waits gets them then', () => {
  const { ask, finish, flows, level, time } = levelHarness(oneQueue, 4);
  const change = ask('a', 1, 4, 50);
  finish(change.ticket);
  assert.equal(level.seatsInUse, 4);
  assert.equal(ask('b').outcome, 'waiting');
  time.advance(49);
  assert.deepEqual(flows(), []);
  time.advance(1);
  assert.deepEqual(flows(), ['b']);
  assert.equal(level.seatsInUse, 1);
  assert.equal(time.pendingCount, 0);
});

test('where nobody waits no timer runs for seats that linger', () => {
  const { ask, finish, level, time } = levelHarness(queues, 10);
  finish(ask('a', 1, 4, 50).ticket);
  assert.equal(time.pendingCount, 0);
  time.advance(60);
  assert.equal(ask('b', 10).outcome, 'started');
  assert.equal(level.seatsInUse, 10);
});

test('a level that gets more seats serves who waits', () => {
  const { ask, flows, level, time } = levelHarness(queues, 1);
  for (const flow of ['a', 'b', 'c']) ask(flow);
  level.setLimit(3, time.clock.monotonicMs());
  assert.equal(flows().length, 2);
});

test('who waits is served although the level gets other queues, or none', () => {
  for (const shape of [{ ...queues, queues: 8, handSize: 2 }, { kind: 'reject' } as const]) {
    const { ask, finish, flows, level } = levelHarness(queues, 1);
    const first = ask('a');
    ask('b');
    level.configure(shape);
    finish(first.ticket);
    assert.deepEqual(flows(), ['b']);
  }
});

test('flows that have come keep no more than short names', () => {
  const { ask, finish } = levelHarness(queues, 1);
  const before = heapBytes();
  for (let i = 0; i < 4_000; i += 1) {
    const path = Buffer.from(`/namespaces/namespace-number-${i}/${'x'.repeat(20_000)}`).toString();
    for (const flow of [path.slice(12, 30), path]) finish(ask(flow).ticket);
  }
  const kept = heapBytes() - before;
  assert(kept < 8_000_000, String(kept));
});

test('everything that was taken is given back, whatever comes in which order', () => {
  const { ask, cancel, counts, finish, level, time } = levelHarness(
    { kind: 'queue', queues: 4, handSize: 2, queueLengthMax: 5 },
    6,
  );
  let state = 1;
  const next = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  const open: ReturnType<typeof ask>[] = [];
  for (let i = 0; i < 5_000; i += 1) {
    time.advance(next(3));
    if (next(2) === 0) open.push(ask(`f${next(9)}`, 1 + next(4), next(5), next(8)));
    else if (open.length > 0) {
      const [{ ticket }] = open.splice(next(open.length), 1) as [ReturnType<typeof ask>];
      if (ticket.state === 'executing') finish(ticket);
      else cancel(ticket);
    }
    assert.ok(level.seatsInUse <= 6 || level.executing.length === 1);
  }
  while (open.length > 0) {
    const at = open.findIndex(({ ticket }) => ticket.state !== 'waiting');
    const [{ ticket }] = open.splice(Math.max(at, 0), 1) as [ReturnType<typeof ask>];
    if (ticket.state === 'executing') finish(ticket);
    else cancel(ticket);
  }
  time.advance(1_000);
  level.setLimit(6, time.clock.monotonicMs());
  const { seatsInUse, waitingRequests, waitingSeats } = level;
  assert.deepEqual([seatsInUse, waitingRequests, waitingSeats], [0, 0, 0]);
  assert.ok(counts.isIdle && counts.waitingSeats === 0);
  assert.ok(level.isIdle);
});
