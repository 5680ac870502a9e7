/**
 * Watchers that stop reading, among many that do not: promise P5. The healthy ones miss nothing,
 * what a stalled one holds is bounded, and when it wakes it gets exactly the rest, or 410.
 *
 * uWebSockets.js cuts who takes nothing for 10 to 14 s, whatever the flags say. So what needs a
 * watcher that stays stalled is shown on node, which waits, and then on what the server takes by
 * itself; there a machine that is too slow for those seconds skips the test and says so.
 *
 * The figures of a run are printed, with SLUICE_STALLED_WATCHERS (default 200) watchers and
 * SLUICE_STALLED_EVENTS (default 600) events a phase; time is never asserted.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, test } from 'node:test';
import { HttpConnection, metricOf } from '../support/clients/http-connection.ts';
import { testDirectories } from '../support/data/test-directories.ts';
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
const timeout = 300_000 + watchersCount * 300;

const directories = testDirectories('sluice-stalled');
after(() => directories.removeAll());

const transports = [
  { name: 'node', isPatient: true, flags: ['--transport=node', '--idle-timeout=1h'] },
  { name: 'auto', isPatient: false, flags: ['--transport=auto'] },
];
const wasCut = 'too slow for this transport, which cuts who takes nothing for 10 s';

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

/** Changes go on until the server finds the sockets full; resolves with their revisions. */
async function stallUntilBlocked(port: number, streams: readonly WatchStream[]): Promise<bigint[]> {
  for (const stream of streams) stream.stall();
  const revisions: bigint[] = [];
  for (let tries = 0; tries < 200; tries += 1) {
    revisions.push(...(await change(port, 'default', 20, 256 * 1024)));
    if ((await metricOf(port, 'sluice_watchers_blocked')) >= streams.length) return revisions;
  }
  assert.fail('the stalled watchers were never blocked');
}

test(
  `one stalled watcher among ${watchersCount} takes no event from the others`,
  { timeout },
  async (context) => {
    for (let pair = 0; pair < pairsCount; pair += 1) {
      const phases: Phase[] = [];
      // Each on a server of its own, so that both start alike.
      for (const stalledNow of [1, 0]) {
        const server = await serve();
        await change(server.port, 'default', writersCount, eventBytes);
        const stalled = await openWatches(server.port, stalledNow);
        await stallUntilBlocked(server.port, stalled);
        const healthy = await openWatches(server.port, watchersCount - 1);
        phases.push(await deliver(server, healthy));
        // It was blocked when the changes began. A slow machine's transport has cut it since.
        const stillBlocked = await metricOf(server.port, 'sluice_watchers_blocked');
        assert.ok(stillBlocked <= stalledNow, `${stillBlocked} blocked, none of the healthy ones`);
        if (stillBlocked < stalledNow) context.diagnostic('the stalled one was cut on the way');
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

for (const { flags, isPatient, name } of transports) {
  test(
    `what the server holds for a stalled watcher is below ${heldBytesMax} bytes (${name})`,
    { timeout },
    async (context) => {
      let rounds = 0;
      const held: number[] = [];
      for (const count of [stalledCount, 0]) {
        const server = await serve(...flags);
        await change(server.port, 'default', writersCount, 1024);
        const streams = await openWatches(server.port, count + 1);
        for (const stream of streams.slice(1)) stream.stall();
        // The same changes, more than the history keeps, with and without stalled watchers.
        if (count > 0) rounds = await roundsUntilBlocked(server.port, count);
        else for (let round = 0; round < rounds; round += 1) await changeMuch(server.port);
        held.push(await lowestMemory(server));
        const blocked = await metricOf(server.port, 'sluice_watchers_blocked');
        if (!isPatient && blocked < count) return context.skip(wasCut);
        assert.equal(blocked, count);
        for (const stream of streams) stream.cut();
        assert.equal((await server.stop()).code, 0);
      }
      const [stalled = 0, alone = 0] = held;
      const each = (stalled - alone) / stalledCount;
      context.diagnostic(
        `${alone} bytes without, ${stalled} with ${stalledCount} stalled: ${Math.round(each)} each`,
      );
      assert.ok(each < heldBytesMax, `${each} bytes for each`);
    },
  );
}

/** 10 MiB. */
async function changeMuch(port: number): Promise<void> {
  await change(port, 'default', 40, 256 * 1024);
}

/** More than the 32 MiB of history, and until the sockets are full; or 20 rounds. */
async function roundsUntilBlocked(port: number, count: number): Promise<number> {
  for (let rounds = 1; ; rounds += 1) {
    await changeMuch(port);
    const areBlocked = (await metricOf(port, 'sluice_watchers_blocked')) === count;
    if (rounds === 20 || (rounds >= 4 && areBlocked)) return rounds;
  }
}

/** A few small changes between the looks let the collector do its work. */
async function lowestMemory(server: ServerProcess): Promise<number> {
  let lowest = Infinity;
  for (let look = 0; look < 10; look += 1) {
    await change(server.port, 'default', 40, 1024);
    await new Promise((resolve) => setTimeout(resolve, 50));
    lowest = Math.min(lowest, server.memory().anonymousBytes);
  }
  return lowest;
}

for (const { flags, isPatient, name } of transports) {
  test(
    `a watcher that wakes gets exactly the events it has not had (${name})`,
    { timeout },
    async (context) => {
      const server = await serve(...flags);
      const replica = new Replica();
      replica.synced = true;
      const [witness] = await openWatches(server.port, 1);
      const stream = sleeper(server.port, replica);
      let isOver = false;
      void stream.ended.finally(() => (isOver = true));
      assert.equal(await stream.started, 200);
      const first = await change(server.port, 'default', 40, 1024);
      const blocking = await stallUntilBlocked(server.port, [stream]);
      const rest = await change(server.port, 'default', 1000, 16 * 1024);
      stream.resume();
      const all = [...first, ...blocking, ...rest];
      const last = all.at(-1) as bigint;
      await eventually(
        'the sleeper has the rest',
        () => isOver || replica.revision >= last,
        timeout,
      );
      if (!isPatient && isOver && replica.revision < last) return context.skip(wasCut);
      assert.deepEqual(replica.seen, all);
      await eventually('so has the witness', () => witness?.linesCount === all.length);
      stream.cut();
      assert.equal((await server.stop()).code, 0);
    },
  );

  test(
    `a watcher that wakes after its history is gone gets 410 and an end (${name})`,
    { timeout },
    async (context) => {
      const server = await serve('--watch-history=1s', ...flags);
      const replica = new Replica();
      replica.synced = true;
      const stream = sleeper(server.port, replica);
      assert.equal(await stream.started, 200);
      const written = await stallUntilBlocked(server.port, [stream]);
      // More than the history in memory, then long enough for the log to forget it.
      written.push(...(await change(server.port, 'default', 200, 256 * 1024)));
      const connection = new HttpConnection(server.port);
      const old = `${configMaps}?watch=true&timeoutSeconds=1&resourceVersion=${written[30]}`;
      await eventually('the log has forgotten', async () => {
        const { body } = await connection.request('GET', old);
        return body.includes('"code":410');
      });
      stream.resume();
      const end = await stream.ended;
      const { seen } = replica;
      assert.deepEqual(seen, written.slice(0, seen.length), 'no gap before the end');
      if (!isPatient && end === 'cut') return context.skip(wasCut);
      assert.equal(end, 'clean');
      assert.ok(replica.expired, 'it was told');
      connection.close();
      assert.equal((await server.stop()).code, 0);
    },
  );
}

function sleeper(port: number, replica: Replica): WatchStream {
  const from = `${configMaps}?watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`;
  return new WatchStream(port, from, { onEvent: (event: WatchEvent) => replica.apply(event) });
}
