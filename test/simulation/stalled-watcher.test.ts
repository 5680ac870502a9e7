/**
 * Watchers that stop reading, among many that do not: promise P5. The healthy ones miss nothing,
 * what a stalled one holds is bounded, and when it wakes it gets exactly the rest, or 410.
 *
 * The figures of a run are printed, with SLUICE_STALLED_WATCHERS (default 200) watchers and
 * SLUICE_STALLED_EVENTS (default 600) events a phase; time is never asserted.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, test } from 'node:test';
import { HttpConnection, metricOf } from '../support/clients/http-connection.ts';
import { temporaryDirectories } from '../support/data/lmdb-directory.ts';
import { configMap, configMaps } from '../support/data/object-load.ts';
import { startServer } from '../support/servers/server-process.ts';
import type { ServerProcess } from '../support/servers/server-process.ts';
import { eventually, Replica, WatchStream } from '../support/clients/watch-client.ts';
import type { StoredObject, WatchEvent } from '../support/clients/watch-client.ts';

const watchersCount = Number(process.env['SLUICE_STALLED_WATCHERS'] ?? 200);
const eventsCount = Number(process.env['SLUICE_STALLED_EVENTS'] ?? 600);
const eventBytes = Number(process.env['SLUICE_STALLED_EVENT_BYTES'] ?? 1024);
const pairsCount = Number(process.env['SLUICE_STALLED_PAIRS'] ?? 1);
const writersCount = 20;
const stalledCount = 100;
const heldBytesMax = 1024 * 1024;
const timeout = 120_000 + watchersCount * 300;

const directories = temporaryDirectories('sluice-stalled');
after(() => directories.removeAll());

function serve(...flags: string[]): Promise<ServerProcess> {
  const dataDir = path.join(directories.make(), 'data');
  return startServer({ dataDir, flags: ['--log-level=error', ...flags] });
}

let written = 0;

/** Replaces `writersCount` objects of a namespace in turn, `count` times in all. */
async function change(
  port: number,
  namespace: string,
  count: number,
  bytes: number,
): Promise<bigint[]> {
  const collection = `/api/v1/namespaces/${namespace}/configmaps`;
  const revisions: bigint[] = [];
  let left = count;
  const writer = async (_: unknown, index: number): Promise<void> => {
    const connection = new HttpConnection(port);
    const body = configMap(`c${index}`, String(count), bytes);
    while (left > 0) {
      left -= 1;
      // Never the same twice: a PUT that changes nothing has the revision of an earlier one.
      written += 1;
      const changed = {
        ...body,
        data: { text: String(written), padding: 'x'.repeat(bytes - 350) },
      };
      const put = await connection.json<StoredObject>('PUT', `${collection}/c${index}`, changed);
      let { status, value } = put;
      if (status === 404) {
        ({ status, value } = await connection.json<StoredObject>('POST', collection, changed));
      }
      assert.ok(status === 200 || status === 201, JSON.stringify(value));
      revisions.push(BigInt(value.metadata.resourceVersion));
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: writersCount }, writer));
  return revisions.sort((a, b) => (a < b ? -1 : 1));
}

async function openWatches(port: number, count: number): Promise<WatchStream[]> {
  const from = `${configMaps}?watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`;
  const streams = Array.from({ length: count }, () => new WatchStream(port, from));
  for (const stream of streams) assert.equal(await stream.started, 200);
  return streams;
}

interface Phase {
  readonly perSecond: number;
  readonly serverCpuMs: number;
}

/** So many changes, and all of them delivered to every healthy watcher. */
async function deliver(server: ServerProcess, healthy: readonly WatchStream[]): Promise<Phase> {
  const before = healthy.map((stream) => stream.linesCount);
  const cpuMs = server.cpuMs();
  const startedMs = performance.now();
  await change(server.port, 'default', eventsCount, eventBytes);
  await eventually(
    'every healthy watcher has every event',
    () => healthy.every((each, i) => each.linesCount === (before[i] as number) + eventsCount),
    timeout,
  );
  const tookMs = performance.now() - startedMs;
  return {
    perSecond: (eventsCount * healthy.length * 1000) / tookMs,
    serverCpuMs: server.cpuMs() - cpuMs,
  };
}

/** Stalls `stream` for good: changes go on until the server finds its socket full. */
async function stallUntilBlocked(port: number, streams: readonly WatchStream[]): Promise<void> {
  for (const stream of streams) stream.stall();
  for (let tries = 0; tries < 200; tries += 1) {
    await change(port, 'default', 20, 256 * 1024);
    if ((await metricOf(port, 'sluice_watchers_blocked')) >= streams.length) return;
  }
  assert.fail('the stalled watchers were never blocked');
}

test(
  `one stalled watcher among ${watchersCount} takes no event from the others`,
  { timeout },
  async (context) => {
    for (let pair = 0; pair < pairsCount; pair += 1) {
      const phases: Phase[] = [];
      // Each on a server of its own, so that both start alike. One of the transports cuts who takes
      // nothing for ten seconds, so the stalled one is new each time too.
      for (const stalledNow of [1, 0]) {
        const server = await serve();
        await change(server.port, 'default', writersCount, eventBytes);
        const stalled = await openWatches(server.port, stalledNow);
        await stallUntilBlocked(server.port, stalled);
        const healthy = await openWatches(server.port, watchersCount - 1);
        phases.push(await deliver(server, healthy));
        assert.equal(await metricOf(server.port, 'sluice_watchers_blocked'), stalledNow);
        for (const each of [...healthy, ...stalled]) each.cut();
        assert.equal((await server.stop()).code, 0);
      }
      const [withStalled, without] = phases as [Phase, Phase];
      context.diagnostic(
        `${watchersCount - 1} healthy, ${eventsCount} events: with ${told(withStalled)}, ` +
          `without ${told(without)}`,
      );
    }
  },
);

function told({ perSecond, serverCpuMs }: Phase): string {
  return `${Math.round(perSecond)} deliveries/s and ${serverCpuMs} ms of server time`;
}

test(
  `what the server holds for a stalled watcher is below ${heldBytesMax} bytes`,
  { timeout },
  async (context) => {
    const held: number[] = [];
    for (const count of [0, stalledCount]) {
      const server = await serve();
      await change(server.port, 'default', writersCount, 1024);
      const streams = await openWatches(server.port, count + 1);
      for (const stream of streams.slice(1)) stream.stall();
      // The same changes, more than the history keeps, with and without stalled watchers.
      for (let round = 0; round < 10; round += 1) {
        await change(server.port, 'default', 100, 128 * 1024);
      }
      assert.equal(await metricOf(server.port, 'sluice_watchers_blocked'), count);
      held.push(await lowestMemory(server));
      for (const stream of streams) stream.cut();
      assert.equal((await server.stop()).code, 0);
    }
    const [alone = 0, stalled = 0] = held;
    const each = (stalled - alone) / stalledCount;
    context.diagnostic(
      `${alone} bytes without, ${stalled} with ${stalledCount} stalled: ${Math.round(each)} each`,
    );
    assert.ok(each < heldBytesMax, `${each} bytes for each`);
  },
);

/** A few small changes between the looks let the collector do its work. */
async function lowestMemory(server: ServerProcess): Promise<number> {
  let lowest = Infinity;
  for (let look = 0; look < 10; look += 1) {
    await change(server.port, 'default', 100, 1024);
    await new Promise((resolve) => setTimeout(resolve, 50));
    lowest = Math.min(lowest, server.memory().anonymousBytes);
  }
  return lowest;
}

test('a watcher that wakes gets exactly the events it has not had', { timeout }, async () => {
  const server = await serve();
  const replica = new Replica();
  replica.synced = true;
  const [witness] = await openWatches(server.port, 1);
  const stream = sleeper(server.port, replica);
  assert.equal(await stream.started, 200);
  const first = await change(server.port, 'default', 40, 1024);
  stream.stall();
  const blocking: bigint[] = [];
  while ((await metricOf(server.port, 'sluice_watchers_blocked')) === 0) {
    blocking.push(...(await change(server.port, 'default', 20, 256 * 1024)));
  }
  const rest = await change(server.port, 'default', 1000, 16 * 1024);
  stream.resume();
  const all = [...first, ...blocking, ...rest];
  await eventually('the sleeper has the rest', () => replica.revision >= (all.at(-1) as bigint));
  assert.deepEqual(replica.seen, all);
  assert.equal(witness?.linesCount, all.length);
  stream.cut();
  assert.equal((await server.stop()).code, 0);
});

test(
  'a watcher that wakes after its history is gone gets 410 and an end',
  { timeout },
  async () => {
    const server = await serve('--watch-history=1s');
    const replica = new Replica();
    replica.synced = true;
    const stream = sleeper(server.port, replica);
    assert.equal(await stream.started, 200);
    stream.stall();
    const written: bigint[] = [];
    while ((await metricOf(server.port, 'sluice_watchers_blocked')) === 0) {
      written.push(...(await change(server.port, 'default', 20, 256 * 1024)));
    }
    // More than the history in memory, then long enough for the log to forget it.
    written.push(...(await change(server.port, 'default', 200, 256 * 1024)));
    const connection = new HttpConnection(server.port);
    const old = `${configMaps}?watch=true&timeoutSeconds=1&resourceVersion=${written[30]}`;
    await eventually('the log has forgotten', async () => {
      await change(server.port, 'other', 0, 1024);
      const { body } = await connection.request('GET', old);
      return body.includes('"code":410');
    });
    stream.resume();
    assert.equal(await stream.ended, 'clean');
    assert.ok(replica.expired, 'it was told');
    assert.deepEqual(replica.seen, written.slice(0, replica.seen.length), 'no gap before the end');
    connection.close();
    assert.equal((await server.stop()).code, 0);
  },
);

function sleeper(port: number, replica: Replica): WatchStream {
  const from = `${configMaps}?watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`;
  return new WatchStream(port, from, { onEvent: (event: WatchEvent) => replica.apply(event) });
}
