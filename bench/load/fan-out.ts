/**
 * The load of the fan-out scenarios: an audience that watches one collection, events for it one at
 * a time or as fast as they are taken, and what delivering them cost the server.
 *
 * What it is not: a scenario. Who is compared with whom stands in fanout*.ts.
 *
 * Invariant: a measurement counts only when each watcher has got each event once.
 */
import type { MeasuredProcess } from '../harness/process.ts';
import type { Bench } from '../harness/scenario.ts';
import { measureUsage } from '../harness/usage.ts';
import type { Usage } from '../harness/usage.ts';
import { connectMany, drive } from './http-client.ts';
import type { ClientConnection } from './http-client.ts';
import { collectionPath, objectName, replaceRequest, requestBytes } from './objects.ts';
import { currentVersion, fill, objectText } from './prepare.ts';
import { openHttp2Watchers } from './http2-watchers.ts';
import type { Watchers } from './deliveries.ts';
import { openWatchers } from './watchers.ts';

const EVENT_BYTES = 1024;
export const fanOutWriters = 32;
const fanOutPrefix = 'fanout';

export interface Sizes {
  readonly watchers: number;
  readonly singleEvents: number;
  readonly saturatedEvents: number;
  /** Before anything is measured: until the engine has compiled what a write goes through. */
  readonly warmUpEvents: number;
}

export const sizesOf = (smoke: boolean): Sizes =>
  smoke
    ? { watchers: 10, singleEvents: 5, saturatedEvents: 20, warmUpEvents: 20 }
    : { watchers: 1000, singleEvents: 200, saturatedEvents: 400, warmUpEvents: 3000 };

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
  const before = side.watchers.counts().slice();
  const connections = await connectMany(side.process.port, fanOutWriters);
  const stop = measureUsage(side.process.pid, bench.cores.server);
  await body(connections);
  await side.watchers.reached(from + expected);
  const usage = stop();
  for (const connection of connections) connection.close();
  const got = side.watchers.deliveries - from;
  if (got !== expected) throw new Error(`${got} deliveries instead of ${expected}`);
  const other = side.watchers.counts().findIndex((n, i) => n - (before[i] ?? 0) !== events);
  if (other !== -1) throw new Error(`watch ${other} has not had each event once`);
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

export async function warmUp(bench: Bench, side: Side, sizes: Sizes): Promise<void> {
  const events = sizes.warmUpEvents;
  await measure(bench, side, events, sizes, (connections) => side.saturate(events, connections));
}

export function measureSaturated(bench: Bench, side: Side, sizes: Sizes): Promise<Measured> {
  const events = sizes.saturatedEvents;
  return measure(bench, side, events, sizes, (connections) => side.saturate(events, connections));
}

/** A replacement of one object. @throws when it is not answered 200. */
export function sendEvent(connection: ClientConnection, request: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.send(request, (status) =>
      status === 200 ? resolve() : reject(new Error(`an event was answered ${status}`)),
    );
  });
}

/** The port that is watched. */
export type Over = 'plain' | 'secure' | 'tokens';

function portOf({ port, securePort, tokenPort }: MeasuredProcess, over: Over): number {
  const found = { plain: port, secure: securePort, tokens: tokenPort }[over];
  if (found === undefined) throw new Error(`nothing is served over ${over}`);
  return found;
}

/** How the audience of a process watches. */
export interface Audience {
  /** Default: the plain port. */
  readonly over?: Over;
  /** Over HTTP/2, so many streams on each connection. Default: HTTP/1.1. */
  readonly streams?: number;
  readonly token?: string;
}

function openAudience(
  process: MeasuredProcess,
  path: string,
  count: number,
  { over = 'plain', streams, token }: Audience,
): Promise<Watchers> {
  const to = { port: portOf(process, over), path, count, token };
  if (streams !== undefined) return openHttp2Watchers({ ...to, streams });
  return openWatchers({ ...to, secure: over !== 'plain' });
}

/** A floor (bench/floors) with an audience; `event` is what it sends. */
export async function floorSide(
  process: MeasuredProcess,
  event: string,
  { watchers: count }: Sizes,
  audience: Audience = {},
): Promise<Side> {
  const watchers = await openAudience(process, '/stream', count, audience);
  const once = requestBytes('PUT', '/event', event);
  return {
    process,
    watchers,
    single: (connection) => sendEvent(connection, once),
    saturate: (times, [connection]) =>
      sendEvent(connection as ClientConnection, requestBytes('POST', `/saturate?${times}`, event)),
  };
}

/** What a watcher of the server is sent, as a floor sends it. */
export async function eventText(port: number, name = objectName(fanOutPrefix, 0)): Promise<string> {
  const object = await objectText(port, name);
  return `{"type":"MODIFIED","object":${object}}\n`;
}

/** `objects`: how many are replaced in turn. */
export async function serverSide(
  process: MeasuredProcess,
  sizes: Sizes,
  objects = fanOutWriters,
  audience: Audience = {},
): Promise<Side> {
  await fill(process.port, fanOutPrefix, objects, EVENT_BYTES);
  const version = await currentVersion(process.port);
  const path = `${collectionPath}?watch=1&resourceVersion=${version}`;
  const watchers = await openAudience(process, path, sizes.watchers, audience);
  // Above what the objects were made with: writing what is there already makes no event.
  let sequence = objects;
  const next = (): Buffer => {
    sequence += 1;
    return replaceRequest(objectName(fanOutPrefix, sequence % objects), sequence, EVENT_BYTES);
  };
  return {
    process,
    watchers,
    single: (connection) => sendEvent(connection, next()),
    async saturate(count, writers) {
      const { statuses } = await drive(writers, count, next);
      if (statuses['200'] !== count) throw new Error(`refused: ${JSON.stringify(statuses)}`);
    },
  };
}
