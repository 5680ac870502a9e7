/**
 * Question: how long after its commit does a change reach a watcher, at 100 writes a second and
 * 1,000 watchers?
 *
 * What it does not answer: how many writes or watchers would be possible (fanout.ts), and what a
 * network adds.
 *
 * Clock: writer and watchers are threads of one process and read one clock. The server answers
 * when the commit is on the disk, so the time from the answer (an event that was there before it
 * counts as 0) is commit-to-socket, and judged; from the request it is what a user waits: the way
 * in, the decision and the flush as well. Both include what the reading thread itself lets an
 * event wait; the floor shows how much that is.
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
import {
  collectionPath,
  configMap,
  objectName,
  replaceRequest,
  requestBytes,
} from './load/objects.ts';
import { monotonicMs, startPacedWriter } from './load/paced-writer.ts';
import { currentVersion, fill } from './load/prepare.ts';
import { openWatchers } from './load/watchers.ts';
import type { Watchers } from './load/deliveries.ts';

const EVENT_BYTES = 1024;
const OBJECTS = 16;
const INTERVAL_MS = 10;
const PREFIX = 'latency';

export interface Sizes {
  readonly watchers: number;
  readonly writes: number;
}

export interface Measured {
  readonly fromAnswer: Histogram;
  readonly fromRequest: Histogram;
  /** Deliveries that came before the answer to their write. */
  readonly early: number;
  readonly usage: Usage;
}

export interface Side {
  readonly process: MeasuredProcess;
  readonly watchers: Watchers;
  requestOf(sequence: number): Buffer;
}

/** One round: `sizes.writes` writes, whose sequence numbers begin at `first`. */
export async function measureLatency(
  bench: Bench,
  side: Side,
  sizes: Sizes,
  first: number,
): Promise<Measured> {
  const fromAnswer = new Histogram();
  const fromRequest = new Histogram();
  const target = side.watchers.deliveries + sizes.writes * sizes.watchers;
  const requests = Array.from({ length: sizes.writes }, (_, i) => side.requestOf(first + i));
  const stop = measureUsage(side.process.pid, bench.cores.server);
  const writer = startPacedWriter({ port: side.process.port, intervalMs: INTERVAL_MS, requests });
  let early = 0;
  side.watchers.onSequence = (sequence) => {
    const at = monotonicMs();
    const sent = writer.sentMs[sequence - first];
    if (sent === undefined || sent === 0) return;
    fromRequest.add(at - sent);
    const answered = writer.answeredMs[sequence - first] as number;
    if (answered === 0) early += 1;
    fromAnswer.add(answered === 0 ? 0 : at - answered);
  };
  await Promise.all([writer.done, side.watchers.reached(target)]);
  side.watchers.onSequence = undefined;
  return { fromAnswer, fromRequest, early, usage: stop() };
}

/** A server with its objects and watchers. */
export async function watchedSide(
  process: MeasuredProcess,
  sizes: Sizes,
): Promise<Side & { readonly firstSequence: number }> {
  await fill(process.port, PREFIX, OBJECTS, EVENT_BYTES);
  const version = await currentVersion(process.port);
  const path = `${collectionPath}?watch=1&resourceVersion=${version}`;
  return {
    process,
    watchers: await openWatchers({ port: process.port, path, count: sizes.watchers }),
    requestOf: (sequence) =>
      replaceRequest(objectName(PREFIX, sequence % OBJECTS), sequence, EVENT_BYTES),
    // Above what the objects were made with: writing what is there already makes no event.
    firstSequence: OBJECTS,
  };
}

async function floorSide(process: MeasuredProcess, sizes: Sizes): Promise<Side> {
  const filling = 'x'.repeat(150);
  return {
    process,
    watchers: await openWatchers({ port: process.port, path: '/stream', count: sizes.watchers }),
    requestOf: (sequence) =>
      requestBytes('PUT', '/event', `${filling}${configMap(PREFIX, sequence, EVENT_BYTES)}\n`),
  };
}

async function run(bench: Bench): Promise<Outcome> {
  const sizes = bench.smoke ? { watchers: 10, writes: 10 } : { watchers: 1000, writes: 500 };
  const server = await startSluice(bench.cores.server);
  const floor = await startUwsFloor(bench.cores.server);
  try {
    const ours = await watchedSide(server, sizes);
    const bare = await floorSide(floor, sizes);
    const measured: { floor: Measured; server: Measured }[] = [];
    for (let round = 0; round < bench.rounds; round += 1) {
      const first = ours.firstSequence + round * sizes.writes;
      measured.push({
        floor: await measureLatency(bench, bare, sizes, first),
        server: await bench.profiled(server, `latency-${round}`, () =>
          measureLatency(bench, ours, sizes, first),
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
      row('p99 from the answer', (m) => m.fromAnswer.quantile(0.99), 20),
      row('p50 from the request', (m) => m.fromRequest.quantile(0.5)),
      row('p99 from the request', (m) => m.fromRequest.quantile(0.99)),
    ],
    ...busiest(measured.flatMap((m) => [m.floor.usage, m.server.usage])),
    facts: {
      ...sizes,
      writesPerSecond: 1000 / INTERVAL_MS,
      eventBytes: EVENT_BYTES,
      samples,
      early: measured.map((m) => m.server.early),
    },
    notes: [],
  };
}

export const latency: Scenario = {
  name: 'latency',
  question: 'How long after its commit does a change reach 1,000 watchers at 100 writes/s?',
  run,
};
