/**
 * Question: how long after its commit does a change reach a watcher, at 100 writes a second and
 * 1,000 watchers?
 *
 * What it does not answer: how many writes or watchers would be possible (fanout.ts), and what a
 * network adds.
 *
 * Clock: writer and watchers live in one process and read one clock. The commit happens between
 * the request and its answer, so commit-to-socket lies between the two figures: from the answer
 * (an event that was there before it counts as 0) and from the request (which includes the way
 * in, the decision and the flush). The later one is judged. Both include what the reading process
 * itself lets an event wait; the floor shows how much that is.
 * Floor: uWebSockets.js sending the same bytes to as many sockets, 100 times a second.
 */
import { figure } from './harness/compare.ts';
import type { MeasuredProcess } from './harness/process.ts';
import { startSluice, startUwsFloor } from './harness/process.ts';
import { busiest } from './harness/scenario.ts';
import type { Bench, Outcome, Scenario } from './harness/scenario.ts';
import { Histogram } from './harness/series.ts';
import { measureUsage } from './harness/usage.ts';
import type { Usage } from './harness/usage.ts';
import { connectMany } from './load/http-client.ts';
import type { ClientConnection } from './load/http-client.ts';
import {
  collectionPath,
  configMap,
  objectName,
  replaceRequest,
  requestBytes,
} from './load/objects.ts';
import { currentVersion, fill } from './load/prepare.ts';
import { openWatchers } from './load/watchers.ts';
import type { Watchers } from './load/watchers.ts';

const EVENT_BYTES = 1024;
/** Enough for answers that are late by six tenths of a second. */
const WRITERS = 64;
const INTERVAL_MS = 10;
const PREFIX = 'latency';

interface Sizes {
  readonly watchers: number;
  readonly writes: number;
}

interface Measured {
  readonly fromAnswer: Histogram;
  readonly fromRequest: Histogram;
  readonly usage: Usage;
}

interface Side {
  readonly process: MeasuredProcess;
  readonly watchers: Watchers;
  readonly writers: ClientConnection[];
  requestOf(sequence: number): Buffer;
}

/** Sends at fixed times, whether or not the answers have come, on whatever connection is free. */
function pace(
  side: Side,
  first: number,
  count: number,
  onSent: (sequence: number) => void,
  onAnswered: (sequence: number) => void,
): Promise<void> {
  const idle = [...side.writers];
  const begin = performance.now();
  let sent = 0;
  let answered = 0;
  return new Promise((resolve, reject) => {
    const tick = (): void => {
      while (sent < count && performance.now() >= begin + sent * INTERVAL_MS) {
        const connection = idle.pop();
        if (connection === undefined) return reject(new Error('the server answers too slowly'));
        const sequence = first + sent;
        sent += 1;
        onSent(sequence);
        connection.send(side.requestOf(sequence), (status) => {
          if (status !== 200) return reject(new Error(`a write was answered ${status}`));
          onAnswered(sequence);
          idle.push(connection);
          answered += 1;
          if (answered === count) resolve();
        });
      }
      if (sent < count) setTimeout(tick, begin + sent * INTERVAL_MS - performance.now());
    };
    tick();
  });
}

async function measure(bench: Bench, side: Side, sizes: Sizes, first: number): Promise<Measured> {
  const sentAt = new Float64Array(sizes.writes);
  const answeredAt = new Float64Array(sizes.writes);
  const fromAnswer = new Histogram();
  const fromRequest = new Histogram();
  const early: number[] = new Array<number>(sizes.writes).fill(0);
  side.watchers.onSequence = (sequence, atMs) => {
    const index = sequence - first;
    const sent = sentAt[index];
    if (sent === undefined || sent === 0) return;
    fromRequest.add(atMs - sent);
    const answered = answeredAt[index] as number;
    if (answered === 0) early[index] = (early[index] as number) + 1;
    else fromAnswer.add(atMs - answered);
  };
  const target = side.watchers.deliveries + sizes.writes * sizes.watchers;
  const stop = measureUsage(side.process.pid, bench.cores.server);
  const onSent = (sequence: number): void => {
    sentAt[sequence - first] = performance.now();
  };
  const onAnswered = (sequence: number): void => {
    answeredAt[sequence - first] = performance.now();
  };
  await pace(side, first, sizes.writes, onSent, onAnswered);
  await side.watchers.reached(target);
  side.watchers.onSequence = undefined;
  for (const count of early) for (let i = 0; i < count; i += 1) fromAnswer.add(0);
  return { fromAnswer, fromRequest, usage: stop() };
}

async function serverSide(process: MeasuredProcess, sizes: Sizes): Promise<Side> {
  await fill(process.port, PREFIX, WRITERS, EVENT_BYTES);
  const version = await currentVersion(process.port);
  const path = `${collectionPath}?watch=1&resourceVersion=${version}`;
  return {
    process,
    watchers: await openWatchers({ port: process.port, path, count: sizes.watchers }),
    writers: await connectMany(process.port, WRITERS),
    requestOf: (sequence) =>
      replaceRequest(objectName(PREFIX, sequence % WRITERS), sequence, EVENT_BYTES),
  };
}

async function floorSide(process: MeasuredProcess, sizes: Sizes): Promise<Side> {
  const filling = 'x'.repeat(150);
  return {
    process,
    watchers: await openWatchers({ port: process.port, path: '/stream', count: sizes.watchers }),
    writers: await connectMany(process.port, WRITERS),
    requestOf: (sequence) =>
      requestBytes('PUT', '/event', `${filling}${configMap(PREFIX, sequence, EVENT_BYTES)}\n`),
  };
}

async function run(bench: Bench): Promise<Outcome> {
  const sizes = bench.smoke ? { watchers: 10, writes: 10 } : { watchers: 1000, writes: 500 };
  const server = await startSluice(bench.cores.server);
  const floor = await startUwsFloor(bench.cores.server);
  try {
    const ours = await serverSide(server, sizes);
    const bare = await floorSide(floor, sizes);
    const measured: { floor: Measured; server: Measured }[] = [];
    for (let round = 0; round < bench.rounds; round += 1) {
      // Above what the objects were made with: writing what is there already makes no event.
      const first = WRITERS + round * sizes.writes;
      measured.push({
        floor: await measure(bench, bare, sizes, first),
        server: await bench.profiled(server, `latency-${round}`, () =>
          measure(bench, ours, sizes, first),
        ),
      });
    }
    ours.watchers.close();
    bare.watchers.close();
    return outcomeOf(measured, sizes);
  } finally {
    await Promise.all([server.stop(), floor.stop()]);
  }
}

function outcomeOf(
  measured: readonly { readonly floor: Measured; readonly server: Measured }[],
  sizes: Sizes,
): Outcome {
  const row = (title: string, pick: (m: Measured) => number, atMost?: number) =>
    figure(
      title,
      'ms',
      measured.map((m) => pick(m.server)),
      measured.map((m) => pick(m.floor)),
      atMost === undefined ? undefined : { of: 'server', atMost },
    );
  const samples = measured.map((m) => m.server.fromRequest.count);
  return {
    rows: [
      row('p50 from the answer', (m) => m.fromAnswer.quantile(0.5)),
      row('p99 from the answer', (m) => m.fromAnswer.quantile(0.99)),
      row('p50 from the request', (m) => m.fromRequest.quantile(0.5)),
      row('p99 from the request', (m) => m.fromRequest.quantile(0.99), 20),
    ],
    ...busiest(measured.flatMap((m) => [m.floor.usage, m.server.usage])),
    facts: { ...sizes, writesPerSecond: 1000 / INTERVAL_MS, eventBytes: EVENT_BYTES, samples },
    notes: [],
  };
}

export const latency: Scenario = {
  name: 'latency',
  question: 'How long after its commit does a change reach 1,000 watchers at 100 writes/s?',
  run,
};
