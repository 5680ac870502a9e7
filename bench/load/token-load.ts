/**
 * The load of bench/reference.ts: over TLS, as a caller with a token, the same requests and watches
 * for whichever server. Each function measures one thing once.
 *
 * Invariant: a measurement counts only when each watcher has got each event once.
 */
import type { TokenServer } from '../harness/reference-process.ts';
import { get } from '../harness/reference-process.ts';
import type { Bench } from '../harness/scenario.ts';
import { Histogram } from '../harness/series.ts';
import { measureUsage, residentBytesOf, treeOf } from '../harness/usage.ts';
import type { Usage } from '../harness/usage.ts';
import { measureRequests, rateOf } from '../harness/writes.ts';
import type { RequestRate } from '../harness/writes.ts';
import { downloadMany } from './downloads.ts';
import { connectMany, drive } from './http-client.ts';
import { sendEvent } from './fan-out.ts';
import {
  authorized,
  collectionPath,
  createRequest,
  objectName,
  replaceRequest,
  requestBytes,
} from './objects.ts';
import { monotonicMs, startPacedWriter } from './paced-writer.ts';
import { openWatchers } from './watchers.ts';
import type { Watchers } from './deliveries.ts';

const OBJECT_BYTES = 1024;
const WRITERS = 100;
const HOT_WRITERS = 16;
/** How many objects the events are of, each in its turn. */
const CHANGING = 16;

/** @throws when one is not created. */
export function measureCreates(
  bench: Bench,
  server: TokenServer,
  prefix: string,
  count: number,
): Promise<RequestRate> {
  const create = (i: number): Buffer =>
    authorized(createRequest(objectName(prefix, i), i, OBJECT_BYTES), server.token);
  const target = { ...server, secure: true };
  return measureRequests(bench, target, Math.min(WRITERS, count), count, 201, create);
}

/** Merge patches of one object by many at once, for this long; those answered with 200 count. */
export async function measureHotObject(
  bench: Bench,
  { pid, port, token }: TokenServer,
  name: string,
  forMs: number,
): Promise<RequestRate> {
  const path = `${collectionPath}/${name}`;
  const patch = (i: number): Buffer => {
    const body = `{"metadata":{"annotations":{"turn":"${i}-${process.hrtime.bigint()}"}}}`;
    return authorized(requestBytes('PATCH', path, body, 'application/merge-patch+json'), token);
  };
  const connections = await connectMany(port, HOT_WRITERS, true);
  const stop = measureUsage(pid, bench.cores.server);
  const { statuses } = await drive(connections, Infinity, patch, forMs);
  const usage = stop();
  for (const connection of connections) connection.close();
  const done = statuses['200'] ?? 0;
  if (done === 0) throw new Error(`no patch was taken: ${JSON.stringify(statuses)}`);
  return rateOf(done, usage);
}

async function currentVersion({ port, token }: TokenServer): Promise<string> {
  const list = JSON.parse(await get(port, `${collectionPath}?limit=1`, token)) as {
    metadata: { resourceVersion: string };
  };
  return list.metadata.resourceVersion;
}

/** An audience of the whole collection, from now on. */
export async function openAudience(server: TokenServer, count: number): Promise<Watchers> {
  const { port, token } = server;
  const path = `${collectionPath}?watch=1&resourceVersion=${await currentVersion(server)}`;
  return openWatchers({ port, path, count, secure: true, token });
}

/** Replacements of the objects `<prefix>-…`, a new sequence number in each. */
export function replacements(prefix: string, token: string): () => Buffer {
  // Above what the objects were made with: writing what is there already makes no event.
  let sequence = CHANGING;
  return () => {
    sequence += 1;
    const name = objectName(prefix, sequence % CHANGING);
    return authorized(replaceRequest(name, sequence, OBJECT_BYTES), token);
  };
}

/** Makes what `replacements` replaces. */
export async function makeChanging(bench: Bench, server: TokenServer, prefix: string) {
  await measureCreates(bench, server, prefix, CHANGING);
}

/**
 * Deliveries: `atOnce` events, and the next ones when all watchers have them.
 *
 * @throws when the server ends a watch. The reference ends those that do not keep up: with 1,000
 * watchers on one core it did with 64 events at a time, and once with 16.
 */
export async function measureFanOut(
  bench: Bench,
  { pid, port }: TokenServer,
  watchers: Watchers,
  next: () => Buffer,
  { turns, atOnce }: { readonly turns: number; readonly atOnce: number },
): Promise<RequestRate> {
  const connections = await connectMany(port, atOnce, true);
  const audience = watchers.counts().length;
  const from = watchers.deliveries;
  const stop = measureUsage(pid, bench.cores.server);
  try {
    for (let turn = 1; turn <= turns; turn += 1) {
      const all = watchers.reached(from + turn * atOnce * audience);
      await Promise.all([all, ...connections.map((connection) => sendEvent(connection, next()))]);
    }
    return rateOf(watchers.deliveries - from, stop());
  } finally {
    for (const connection of connections) connection.close();
  }
}

export interface Delay {
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Deliveries. */
  readonly rate: RequestRate;
}

/** Replacements at fixed times: from the request in its socket until a watcher has the event. */
export async function measureDelay(
  bench: Bench,
  { pid, port }: TokenServer,
  watchers: Watchers,
  next: () => Buffer,
  { writes, intervalMs }: { readonly writes: number; readonly intervalMs: number },
): Promise<Delay> {
  const requests = Array.from({ length: writes }, next);
  const first = sequenceOf(requests[0] as Buffer);
  const from = watchers.deliveries;
  const delays = new Histogram();
  const stop = measureUsage(pid, bench.cores.server);
  const writer = startPacedWriter({ port, secure: true, intervalMs, requests });
  watchers.onSequence = (sequence) => {
    const handed = writer.handedMs[sequence - first];
    if (handed !== undefined && handed !== 0) delays.add(monotonicMs() - handed);
  };
  await Promise.all([writer.done, watchers.reached(from + writes * watchers.counts().length)]);
  watchers.onSequence = undefined;
  const rate = rateOf(watchers.deliveries - from, stop());
  return { p50Ms: delays.quantile(0.5), p99Ms: delays.quantile(0.99), rate };
}

const sequenceOf = (request: Buffer): number => Number(/"~(\d+)/.exec(request.toString())?.[1]);

export interface Lists {
  readonly secondsEach: number;
  readonly cpuSecondsEach: number;
  readonly usage: Usage;
}

/** `count` lists of the whole collection, all at once; as events of a watch if `asStream`. */
export async function measureLists(
  bench: Bench,
  { pid, port, token }: TokenServer,
  objects: number,
  { count, asStream }: { readonly count: number; readonly asStream: boolean },
): Promise<Lists> {
  const stream =
    '?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
  const path = asStream ? collectionPath + stream : collectionPath;
  const ending = asStream ? 'initial-events-end' : ']}';
  const stop = measureUsage(pid, bench.cores.server);
  await downloadMany({ port, path, marks: objects, ending, token }, count, count);
  const usage = stop();
  return {
    secondsEach: usage.seconds / count,
    cpuSecondsEach: usage.serverCpuSeconds / count,
    usage,
  };
}

/** Of all its processes. */
export function residentBytes({ pid }: TokenServer): number {
  return treeOf(pid).reduce((sum, each) => sum + residentBytesOf(each), 0);
}
