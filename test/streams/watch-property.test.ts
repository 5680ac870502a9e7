/**
 * Random mutations, selections, start points, stalls, limits and resumptions: whatever happens,
 * a client that resumes where it stopped has seen exactly the events of its selection.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';
import type { Prng } from '../../src/stdx/prng.ts';
import { revisionZero } from '../../src/storage/storage.ts';
import type { Revision } from '../../src/storage/storage.ts';
import type { StreamLimits } from '../../streams/limits.ts';
import type { EventEncoder, Predicate, WatchHandle, WatchRequest } from '../../streams/streams.ts';
import { createWorld, everything, fieldIs, labelIs, services, TestSink, turns } from './harness.ts';
import { encoder, encoderInParts, watchRequest } from './harness.ts';
import type { World } from './harness.ts';

const seeds = 80;
const steps = 120;
const clients = 8;
const restMsMax = 2_000;

function tinyLimits(prng: Prng): Partial<StreamLimits> {
  const upTo = (bound: number): number => 1 + randomBelow(prng, bound);
  return {
    // Time leaps here, in the middle of applying the log: being late is lag.test.ts's subject.
    currentWaitMs: 3_600_000,
    historyChangesMax: upTo(30),
    historyBytesMax: upTo(20_000),
    framesMax: upTo(8),
    frameBytesBase: upTo(1_000),
    frameBytesPerLagging: upTo(200),
    frameBytesMax: upTo(2_000),
    frameBytesTotalMax: upTo(8_000),
    frameBytesMin: upTo(200),
    liveChunkBytes: upTo(1_000),
    pumpChunkBytes: upTo(1_000),
    missedChunkBytes: upTo(1_000),
    pumpExaminedMax: upTo(6),
    pumpMadeMax: upTo(4),
    pumpMadeBytes: upTo(1_000),
    // Objects have 150 to 250.
    largeEntryBytes: upTo(300),
    turnWritesMax: upTo(4),
    turnUnsettledMax: upTo(4),
    turnBytesMax: upTo(2_000),
    restMs: upTo(3) === 1 ? upTo(restMsMax) : 0,
    restEventsMin: upTo(3),
    restWritesMin: upTo(3),
    turnPumpBytesMax: upTo(4_000),
    freshBytesMax: upTo(1_000),
    holdTurnsMax: upTo(3),
    outstandingMax: upTo(6),
    outstandingBytesMax: upTo(2_000),
    leaveOutChangesMin: upTo(4),
    leaveOutGroupsMin: upTo(3),
    leaveOutWatchersMax: upTo(3),
    scopeTurnMs: 0,
    callerWatchesMax: upTo(4),
    logReadsMax: upTo(2),
    logPageChanges: upTo(5),
    logReadChanges: upTo(3),
    scanPageRecords: upTo(5),
    bookmarkIntervalMs: upTo(9_000),
    bookmarkRetryMs: upTo(500),
    initialStallMs: 3_600_000,
    // Time stands still within a turn: with 0 each group has its frame in a turn of its own.
    turnApplyMs: upTo(3) === 1 ? 8 : 0,
  };
}

interface Client {
  readonly request: WatchRequest;
  readonly state: Map<string, string>;
  /** All events over all connections, in order. */
  readonly events: string[];
  /** The revision its state was complete at when it began; undefined until it knows. */
  base: Revision | undefined;
  last: Revision;
  sink: TestSink;
  handle: WatchHandle;
}

function pick<T>(prng: Prng, items: readonly T[]): T {
  return items[randomBelow(prng, items.length)] as T;
}

function connect(world: World, prng: Prng, request: WatchRequest): Client {
  const sink = new TestSink(() => randomBelow(prng, 4) === 0);
  sink.settlesLater = randomBelow(prng, 2) === 0;
  const handle = world.streams.watch(request, sink);
  const base = request.start.kind === 'after' ? request.start.revision : undefined;
  return { request, state: new Map(), events: [], base, last: base ?? revisionZero, sink, handle };
}

/** Takes over what the connection brought, as an informer would. */
function absorb(world: World, client: Client): void {
  const { bookmarks: _, ...seen } = client.sink.replay(client.request.start.kind === 'state');
  assert.deepEqual(seen.errors, []);
  if (seen.marked !== undefined) {
    const selected = [...world.model.stateAt(seen.marked).values()].filter(
      (entry) =>
        (client.request.namespace ?? entry.namespace) === entry.namespace &&
        client.request.predicate.matches(entry),
    );
    const keys = selected.map((entry) => `${entry.namespace}/${entry.name}`).sort();
    assert.deepEqual(seen.initial, keys, 'initial events are the state at the marked revision');
    client.base = seen.marked;
    client.events.length = 0;
  }
  client.events.push(...seen.events);
  if (seen.last > client.last) client.last = seen.last;
}

/** Closes at an arbitrary moment and goes on from the last revision seen. */
function reconnect(world: World, prng: Prng, client: Client): Client {
  client.handle.close();
  absorb(world, client);
  if (client.base === undefined) return connect(world, prng, client.request);
  const start = { kind: 'after' as const, revision: client.last };
  const next = connect(world, prng, { ...client.request, start });
  return { ...next, state: client.state, events: client.events, base: client.base };
}

/** Each pins two values. */
const both: readonly Predicate[] = ['a', 'b'].map((app) => {
  const [label, field] = [labelIs('app', app), fieldIs('spec.nodeName', 'n1')];
  const matches: Predicate['matches'] = (entry) => label.matches(entry) && field.matches(entry);
  return { ...field, id: `${label.id} ${field.id}`, labelPins: label.labelPins, matches };
});

function randomRequest(world: World, prng: Prng, encoders: readonly EventEncoder[]): WatchRequest {
  const predicate: Predicate = pick(prng, [
    everything,
    everything,
    labelIs('app', 'a'),
    pick(prng, both),
    fieldIs('spec.nodeName', 'n1'),
    fieldIs('metadata.name', 'p2'),
    fieldIs('metadata.namespace', 'ns1'),
  ]);
  const changes = world.model.changes;
  const past = changes.length === 0 ? revisionZero : pick(prng, changes).revision;
  const future = (world.streams.revision + BigInt(randomBelow(prng, 40))) as Revision;
  return watchRequest({
    namespace: pick(prng, [undefined, undefined, 'ns0', 'ns1']),
    predicate,
    encoder: pick(prng, encoders),
    caller: pick(prng, [undefined, 'a', 'a', 'b']),
    bookmarks: pick(prng, [true, false]),
    start: pick(prng, [
      { kind: 'state', atLeast: undefined, mark: true },
      { kind: 'state', atLeast: revisionZero, mark: true },
      { kind: 'state', atLeast: future, mark: true },
      { kind: 'after', revision: past },
      { kind: 'after', revision: past },
      { kind: 'after', revision: future },
    ]),
  });
}

async function mutate(world: World, prng: Prng, step: number): Promise<void> {
  const namespace = `ns${randomBelow(prng, 3)}`;
  const name = `p${randomBelow(prng, 6)}`;
  const roll = randomBelow(prng, 10);
  if (roll < 3) await world.remove(namespace, name);
  else if (roll === 3) await world.put({ namespace, name, resource: services });
  else {
    await world.put({
      namespace,
      name,
      labels: pick(prng, [{}, { app: 'a' }, { app: 'b' }]),
      node: pick(prng, ['', 'n1', 'n2']),
      payload: `${step}${'x'.repeat(randomBelow(prng, 60))}`,
    });
  }
}

/** Until nobody is written to any more. */
async function arrive(world: World, watching: readonly Client[], seed: number): Promise<void> {
  let rounds = 0;
  for (let quiet = 0; quiet < 40; quiet += 1) {
    assert.ok((rounds += 1) < 10_000, `seed ${seed}: everybody arrives`);
    const writes = (): number => watching.reduce((sum, { sink }) => sum + sink.writes, 0);
    const before = writes();
    for (const client of watching) client.sink.drain();
    await turns(3);
    const { blockedCount, catchingUpCount } = world.streams.stats();
    if (writes() > before || blockedCount + catchingUpCount > 0) quiet = 0;
  }
}

async function run(seed: number): Promise<void> {
  const prng = seededPrng(seed);
  const limits = tinyLimits(prng);
  const world = await createWorld({ limits, seed });
  const takesMore = (): boolean => randomBelow(prng, 3) > 0;
  const encoders = [encoder, encoderInParts(limits.largeEntryBytes ?? 0, takesMore)];
  const watching: Client[] = [];
  for (let step = 0; step < steps; step += 1) {
    for (let n = randomBelow(prng, 4); n > 0; n -= 1) await mutate(world, prng, step);
    if (watching.length < clients && randomBelow(prng, 4) === 0) {
      watching.push(connect(world, prng, randomRequest(world, prng, encoders)));
    }
    for (const [at, client] of watching.entries()) {
      if (randomBelow(prng, 3) === 0) client.sink.drain();
      if (randomBelow(prng, 25) === 0) watching[at] = reconnect(world, prng, client);
    }
    if (randomBelow(prng, 4) === 0) await turns(randomBelow(prng, 4));
    if (randomBelow(prng, 20) === 0) world.time.advance(randomBelow(prng, 20_000));
  }
  // Beyond what anyone waits for, so that every future start comes to pass.
  for (let i = 0; i < 20; i += 1) await mutate(world, prng, steps + i);
  await arrive(world, watching, seed);
  // Those that rest go on when time does, and what they are given then may make them rest again.
  for (let i = 0; i < 3; i += 1) {
    world.time.advance(restMsMax);
    await arrive(world, watching, seed);
  }
  await world.settle();
  const { revision } = world.streams;
  for (const client of watching) {
    absorb(world, client);
    if (client.base === undefined) continue;
    const expected = world.model.eventsAfter(client.base, client.request);
    assert.deepEqual(client.events, expected, `seed ${seed}: every event once, in order`);
    assert.ok(client.last <= revision);
  }
  assert.equal(watching.length > 0, true);
  assert.deepEqual(world.fatal, []);
  for (const client of watching) client.handle.close();
  assert.equal(world.streams.stats().watchersCount, 0);
  assert.equal(world.streams.stats().groupsCount, 0);
  await world.stop();
}

describe('any watch under random stalls, limits and resumptions', () => {
  it('I1 I2 I3 I4: sees every event of its selection once, in order, none skipped', async () => {
    for (let seed = 1; seed <= seeds; seed += 1) await run(seed);
  });
});
