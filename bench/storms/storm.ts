/**
 * A storm: much of one kind that callers send to a server at once, and what is asked of it behind
 * that.
 *
 *     scene (a server of its own) ─▶ storm ─▶ storm ─▶ ...   each finds what was left
 *
 * Only `run` is measured; what a storm needs is made by `prepare`. A storm that is not answered as
 * it should be throws.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { MeasuredProcess } from '../harness/process.ts';
import { connectMany, drive, fetchBytes } from '../load/http-client.ts';
import { requestBytes } from '../load/objects.ts';
import { openWatchers } from '../load/watchers.ts';
import type { Watchers } from '../load/deliveries.ts';

export interface Storm {
  readonly title: string;
  prepare?(place: Place): Promise<void>;
  run(place: Place): Promise<void>;
}

export interface Scene {
  readonly storms: readonly Storm[];
  /** Of the server. */
  readonly flags?: readonly string[];
}

/** Where a storm rages. */
export interface Place {
  readonly server: MeasuredProcess;
  readonly port: number;
  /** The full count, or a small one in a smoke run. */
  of(full: number): number;
  /** Watches that stay until the scene ends, or `endWatches` is called. */
  watch(
    path: string | ((index: number) => string),
    count: number,
    accept?: string,
  ): Promise<Watchers>;
  endWatches(): void;
}

/** What a reader of columns accepts. */
export const tables = 'application/json;as=Table;v=v1;g=meta.k8s.io';

const smokeShare = 100;
const smokeMin = 4;

export function placeOf(server: MeasuredProcess, smoke: boolean): Place {
  const open: Watchers[] = [];
  return {
    server,
    port: server.port,
    of: (full) => (smoke ? Math.max(smokeMin, Math.ceil(full / smokeShare)) : full),
    async watch(path, count, accept) {
      const watchers = await openWatchers({ port: server.port, path, count, accept });
      open.push(watchers);
      return watchers;
    },
    endWatches() {
      for (const watchers of open.splice(0)) watchers.close();
    },
  };
}

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: object | string;
  /** JSON, where nothing is said. */
  readonly type?: string;
}

const connectionsCount = 100;
const askAgainMs = 100;

/** Sends `count` requests, a hundred at a time. @throws when one is answered otherwise. */
export async function sendMany(
  { port }: Place,
  count: number,
  sentOf: (index: number) => Sent,
  expected: number,
): Promise<void> {
  const connections = await connectMany(port, Math.min(connectionsCount, count));
  try {
    const { statuses } = await drive(connections, count, (index) => {
      const { body, method, path, type } = sentOf(index);
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      return requestBytes(method, path, text, type);
    });
    if (statuses[expected] !== count) {
      throw new Error(`not all were answered ${expected}: ${JSON.stringify(statuses)}`);
    }
  } finally {
    for (const connection of connections) connection.close();
  }
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  /** JSON, where nothing is said. */
  readonly accept?: string | undefined;
}

/** One request whose answer may be long. @throws when it is another one than `expected`. */
export async function sendOne(
  { port }: Place,
  { accept, body, method, path }: Asked,
  expected: number,
): Promise<Buffer> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const answer = await fetchBytes(port, method, path, text, accept);
  if (answer.status === expected) return answer.body;
  throw new Error(`${method} ${path}: ${answer.status} ${answer.body.toString().slice(0, 400)}`);
}

/** The same read by several at once. */
export async function readTogether(
  place: Place,
  readers: number,
  path: string,
  accept?: string,
): Promise<void> {
  const one = (): Promise<Buffer> => sendOne(place, { method: 'GET', path, accept }, 200);
  await Promise.all(Array.from({ length: readers }, one));
}

/** Asks again and again, with a rest in between. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(askAgainMs);
}

/** Resolves when a collection has no more objects. */
export const untilEmpty = (place: Place, path: string): Promise<void> =>
  until(async () => {
    const body = await sendOne(place, { method: 'GET', path: `${path}?limit=1` }, 200);
    const list = JSON.parse(body.toString()) as { readonly items: readonly unknown[] };
    return list.items.length === 0;
  });

export async function makeNamespace(place: Place, name: string): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  await sendOne(place, { method: 'POST', path: '/api/v1/namespaces', body }, 201);
}
