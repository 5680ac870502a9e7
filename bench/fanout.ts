/**
 * Question: how fast do 1 KB events reach 1,000 watchers, one event at a time and saturated?
 *
 * What it does not answer: how late an event is (latency.ts); what watchers with different
 * selectors cost; what slow watchers cost. All watch one collection, and all read.
 *
 * Floor: uWebSockets.js sending the same bytes, one write per socket and event.
 *  - one at a time: the next event begins when every watcher has the last. The server also decides,
 *    commits and flushes each one; the floor is handed it over HTTP.
 *  - saturated: the server is sent replacements on 32 connections as fast as it answers; it may put
 *    several events into one write, which the floor does not.
 */
import { comparison } from './harness/compare.ts';
import type { Pair } from './harness/compare.ts';
import type { MeasuredProcess } from './harness/process.ts';
import { startSluice, startUwsFloor } from './harness/process.ts';
import { busiest } from './harness/scenario.ts';
import type { Bench, Outcome, Scenario } from './harness/scenario.ts';
import { measureUsage } from './harness/usage.ts';
import type { Usage } from './harness/usage.ts';
import { connectMany, drive } from './load/http-client.ts';
import type { ClientConnection } from './load/http-client.ts';
import { collectionPath, objectName, replaceRequest, requestBytes } from './load/objects.ts';
import { currentVersion, fill, objectText } from './load/prepare.ts';
import { openWatchers } from './load/watchers.ts';
import type { Watchers } from './load/watchers.ts';

const EVENT_BYTES = 1024;
const WRITERS = 32;
const PREFIX = 'fanout';

export interface Sizes {
  readonly watchers: number;
  readonly singleEvents: number;
  readonly saturatedEvents: number;
}

export const sizesOf = (smoke: boolean): Sizes =>
  smoke
    ? { watchers: 10, singleEvents: 5, saturatedEvents: 20 }
    : { watchers: 1000, singleEvents: 200, saturatedEvents: 400 };

export interface Measured {
  readonly perSecond: number;
  readonly perCpuSecond: number;
  readonly usage: Usage;
}

/** A process with its audience and a way to give it events. */
export interface Side {
  readonly process: MeasuredProcess;
  readonly watchers: Watchers;
  single(connection: ClientConnection): Promise<void>;
  saturate(count: number, connections: readonly ClientConnection[]): Promise<void>;
}

async function measure(
  bench: Bench,
  side: Side,
  events: number,
  sizes: Sizes,
  body: (connections: readonly ClientConnection[]) => Promise<void>,
): Promise<Measured> {
  const expected = events * sizes.watchers;
  const from = side.watchers.deliveries;
  const connections = await connectMany(side.process.port, WRITERS);
  const stop = measureUsage(side.process.pid, bench.cores.server);
  await body(connections);
  await side.watchers.reached(from + expected);
  const usage = stop();
  for (const connection of connections) connection.close();
  const got = side.watchers.deliveries - from;
  if (got !== expected) throw new Error(`${got} deliveries instead of ${expected}`);
  const { seconds, serverCpuSeconds } = usage;
  return { perSecond: got / seconds, perCpuSecond: got / serverCpuSeconds, usage };
}

export function measureSingle(bench: Bench, side: Side, sizes: Sizes): Promise<Measured> {
  return measure(bench, side, sizes.singleEvents, sizes, async ([connection]) => {
    for (let i = 0; i < sizes.singleEvents; i += 1) {
      const all = side.watchers.deliveries + sizes.watchers;
      await side.single(connection as ClientConnection);
      await side.watchers.reached(all);
    }
  });
}

export function measureSaturated(bench: Bench, side: Side, sizes: Sizes): Promise<Measured> {
  const events = sizes.saturatedEvents;
  return measure(bench, side, events, sizes, (connections) => side.saturate(events, connections));
}

function ask(connection: ClientConnection, request: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.send(request, (status) =>
      status === 200 ? resolve() : reject(new Error(`an event was answered ${status}`)),
    );
  });
}

/** `objects`: how many are replaced in turn; `secure`: watched over TLS. */
export async function serverSide(
  process: MeasuredProcess,
  sizes: Sizes,
  objects = WRITERS,
  secure = false,
): Promise<Side> {
  await fill(process.port, PREFIX, objects, EVENT_BYTES);
  const version = await currentVersion(process.port);
  const path = `${collectionPath}?watch=1&resourceVersion=${version}`;
  const port = secure ? (process.securePort as number) : process.port;
  const watchers = await openWatchers({ port, path, count: sizes.watchers, secure });
  // Above what the objects were made with: writing what is there already makes no event.
  let sequence = objects;
  const next = (): Buffer => {
    sequence += 1;
    return replaceRequest(objectName(PREFIX, sequence % objects), sequence, EVENT_BYTES);
  };
  return {
    process,
    watchers,
    single: (connection) => ask(connection, next()),
    async saturate(count, writers) {
      const { statuses } = await drive(writers, count, next);
      if (statuses['200'] !== count) throw new Error(`refused: ${JSON.stringify(statuses)}`);
    },
  };
}

async function floorSide(
  process: MeasuredProcess,
  event: string,
  { watchers: count }: Sizes,
): Promise<Side> {
  const watchers = await openWatchers({ port: process.port, path: '/stream', count });
  const once = requestBytes('PUT', '/event', event);
  return {
    process,
    watchers,
    single: (connection) => ask(connection, once),
    saturate: (times, [connection]) =>
      ask(connection as ClientConnection, requestBytes('POST', `/saturate?${times}`, event)),
  };
}

async function run(bench: Bench): Promise<Outcome> {
  const sizes = sizesOf(bench.smoke);
  const server = await startSluice(bench.cores.server);
  const floor = await startUwsFloor(bench.cores.server);
  try {
    const ours = await serverSide(server, sizes);
    const object = await objectText(server.port, objectName(PREFIX, 0));
    const event = `{"type":"MODIFIED","object":${object}}\n`;
    const bare = await floorSide(floor, event, sizes);
    const single: { floor: Measured; server: Measured }[] = [];
    const saturated: { floor: Measured; server: Measured }[] = [];
    for (let round = 0; round < bench.rounds; round += 1) {
      single.push({
        floor: await measureSingle(bench, bare, sizes),
        server: await bench.profiled(server, `fanout-single-${round}`, () =>
          measureSingle(bench, ours, sizes),
        ),
      });
      saturated.push({
        floor: await measureSaturated(bench, bare, sizes),
        server: await bench.profiled(server, `fanout-saturated-${round}`, () =>
          measureSaturated(bench, ours, sizes),
        ),
      });
    }
    ours.watchers.close();
    bare.watchers.close();
    return outcomeOf(single, saturated, { ...sizes, eventBytes: event.length, writers: WRITERS });
  } finally {
    await Promise.all([server.stop(), floor.stop()]);
  }
}

type Pairs = readonly { readonly floor: Measured; readonly server: Measured }[];

function outcomeOf(single: Pairs, saturated: Pairs, facts: Record<string, unknown>): Outcome {
  const rate = (pairs: Pairs): Pair[] =>
    pairs.map((p) => ({ floor: p.floor.perSecond, server: p.server.perSecond }));
  const perCpu = (pairs: Pairs): Pair[] =>
    pairs.map((p) => ({ floor: p.floor.perCpuSecond, server: p.server.perCpuSecond }));
  const usages = [...single, ...saturated].flatMap((p) => [p.floor.usage, p.server.usage]);
  const loadShares = Object.fromEntries(
    Object.entries({ single, saturated }).map(([name, pairs]) => [
      name,
      pairs.map((p) => [p.floor.usage.loadCpuShare, p.server.usage.loadCpuShare]),
    ]),
  );
  return {
    rows: [
      comparison('one at a time', 'per s', rate(single), { of: 'ratio', atLeast: 0.6 }),
      comparison('one at a time', 'per CPU-s', perCpu(single)),
      comparison('saturated', 'per s', rate(saturated), { of: 'ratio', atLeast: 0.5 }),
      comparison('saturated', 'per CPU-s', perCpu(saturated)),
    ],
    ...busiest(usages),
    facts: { ...facts, loadShares },
    notes: [],
  };
}

export const fanout: Scenario = {
  name: 'fanout',
  question: 'How fast do 1 KB events reach 1,000 watchers?',
  run,
};
