/**
 * A large collection as a stream, under writes, with the connection cut at random points, and many
 * such streams at once: what the client builds is what a list says, and what the server holds for
 * them does not grow with the collection.
 *
 * By default small; the full sizes are SLUICE_STREAM_OBJECTS=100000 with
 * SLUICE_STREAM_OBJECT_BYTES=1024. SLUICE_STREAM_SEED repeats a run.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, test } from 'node:test';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';
import type { Prng } from '../../src/stdx/prng.ts';
import { HttpConnection } from '../support/clients/http-connection.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { configMap, configMaps, fill, startWriter } from '../support/data/object-load.ts';
import { startServer } from '../support/servers/server-process.ts';
import type { ServerProcess } from '../support/servers/server-process.ts';
import { eventually, listOf, Replica, WatchStream } from '../support/clients/watch-client.ts';
import type { StoredObject } from '../support/clients/watch-client.ts';

const seed = Number(process.env['SLUICE_STREAM_SEED'] ?? Date.now() % 1_000_000);
const objectsCount = Number(process.env['SLUICE_STREAM_OBJECTS'] ?? 5000);
/** Of the memory test: large enough that one stream does not fit into the sockets' buffers. */
const objectBytes = Number(process.env['SLUICE_STREAM_OBJECT_BYTES'] ?? 6 * 1024);
const writesPerSecond = 200;
const interruptionsCount = 20;
const streamsCount = 16;
/** The promise is for the full size. The small run holds a fifth of what buffering would take: what
 * the collector leaves for later weighs more in it. */
const growthBytesMax = objectsCount >= 100_000 ? 60_000_000 : 100_000_000;
const timeout = 300_000 + objectsCount * 8;
const initial =
  `${configMaps}?watch=true&allowWatchBookmarks=true` +
  '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';

const directories = testDirectories('sluice-stream');
after(() => directories.removeAll());

function serve(): Promise<ServerProcess> {
  const dataDir = path.join(directories.make(), 'data');
  return startServer({ dataDir, flags: ['--log-level=error'] });
}

/** Follows until it has been told to cut, after a random number of lines; true: cut while in the
 * initial state. */
async function followThenCut(port: number, replica: Replica, prng: Prng): Promise<boolean> {
  const during = randomBelow(prng, 3) > 0;
  const isFresh = !replica.synced;
  let left = 1 + randomBelow(prng, isFresh && during ? objectsCount : 200);
  const resumed = `${configMaps}?watch=true&allowWatchBookmarks=true`;
  const target = isFresh ? initial : `${resumed}&resourceVersion=${replica.revision}`;
  const stream = new WatchStream(port, target, {
    onEvent(event) {
      replica.apply(event);
      if (isFresh && !during && !replica.synced) return;
      left -= 1;
      if (left === 0) stream.cut();
    },
  });
  assert.equal(await stream.ended, 'cut');
  assert.equal(replica.expired, false, 'history is long enough');
  if (replica.synced) return false;
  replica.reset();
  return true;
}

test(
  `a streaming list cut ${interruptionsCount} times ends as a fresh list says (seed ${seed})`,
  { timeout },
  async (context) => {
    const prng = seededPrng(seed);
    const server = await serve();
    await fill(server.port, objectsCount, 1024);
    const writer = startWriter({
      port: server.port,
      perSecond: writesPerSecond,
      prng: seededPrng(seed + 1),
      count: objectsCount,
      bytes: 1024,
    });
    const replica = new Replica();
    const lives: bigint[][] = [];
    let early = 0;
    for (let cut = 0; cut < interruptionsCount; cut += 1) {
      // Every third time from nothing, so that initial states are cut too.
      if (cut % 3 === 2) {
        lives.push([...replica.seen]);
        replica.reset();
      }
      if (await followThenCut(server.port, replica, prng)) early += 1;
    }
    const from = replica.synced
      ? `${configMaps}?watch=true&resourceVersion=${replica.revision}`
      : initial;
    const last = new WatchStream(server.port, from, { onEvent: (event) => replica.apply(event) });
    await eventually('the initial state is complete', () => replica.synced, timeout);
    await writer.stop();
    await assertSameAsList(server.port, replica);
    for (const life of [...lives, replica.seen]) assertWithoutGap(life, writer.revisions);
    last.cut();
    assert.equal((await server.stop()).code, 0);
    context.diagnostic(
      `seed ${seed}: ${objectsCount} objects, ${writer.revisions.length} writes acknowledged, ` +
        `${early} of ${interruptionsCount} cuts in the initial state`,
    );
  },
);

async function assertSameAsList(port: number, replica: Replica): Promise<void> {
  const connection = new HttpConnection(port);
  const end = configMap('the-end', '', 400);
  const { value } = await connection.json<StoredObject>('POST', configMaps, end);
  connection.close();
  const revision = BigInt(value.metadata.resourceVersion);
  await eventually('the last change has come', () => replica.revision >= revision);
  replica.assertEquals(await listOf(port, configMaps), 'replayed');
}

/** Between the first and the last change of one life every acknowledged write was seen. */
function assertWithoutGap(life: readonly bigint[], acknowledged: readonly bigint[]): void {
  const [first, last] = [life[0], life.at(-1)];
  if (first === undefined || last === undefined) return;
  const seen = new Set(life);
  const missed = acknowledged.filter((each) => each > first && each < last && !seen.has(each));
  assert.deepEqual(missed, []);
}

test(
  `${streamsCount} slow streaming lists at once cost the server memory that is not theirs alone`,
  { timeout },
  async (context) => {
    const server = await serve();
    await fill(server.port, objectsCount, objectBytes);
    const totalBytes = objectsCount * objectBytes;
    const writer = startWriter({
      port: server.port,
      perSecond: writesPerSecond,
      prng: seededPrng(seed),
      count: Math.min(objectsCount, 200),
      bytes: 1024,
    });
    await settledMemory(server);
    const before = server.memory().rssBytes;
    const anonymousBefore = server.memory().anonymousBytes;
    const canReset = server.resetPeak();
    const finished = new Set<number>();
    // All of them are served in about the same number of seconds, whatever the size.
    const bytesPerSecond = Math.max(4_000_000, totalBytes / 10);
    const streams = Array.from({ length: streamsCount }, (_, index) => {
      const stream = new WatchStream(server.port, initial, {
        bytesPerSecond,
        onLine(line) {
          if (!line.includes('initial-events-end')) return;
          finished.add(index);
          stream.cut();
        },
      });
      return stream;
    });
    let highest = 0;
    let anonymous = 0;
    await eventually(
      'all initial states are complete',
      () => {
        const now = server.memory();
        highest = Math.max(highest, now.rssBytes);
        anonymous = Math.max(anonymous, now.anonymousBytes);
        return finished.size === streamsCount;
      },
      timeout,
    );
    const peak = canReset ? server.memory().peakBytes : highest;
    await writer.stop();
    for (const stream of streams) assert.ok(stream.linesCount >= objectsCount);
    assert.equal((await server.stop()).code, 0);
    const growth = peak - before;
    context.diagnostic(
      `${objectsCount} objects of ${objectBytes} bytes, ${streamsCount} streams: resident ` +
        `${mib(before)} MiB before, highest ${mib(peak)} MiB, growth ${mib(growth)} MiB ` +
        `(${mib(anonymous - anonymousBefore)} MiB of it not views of the store's file)`,
    );
    assert.ok(totalBytes * streamsCount > 4 * growthBytesMax, 'the bound can fail');
    assert.ok(growth < growthBytesMax, `the server grew by ${mib(growth)} MiB`);
  },
);

/** Until the size has stopped growing: what the filling left behind is not the streams'. */
async function settledMemory(server: ServerProcess): Promise<void> {
  let highest = 0;
  for (let quiet = 0; quiet < 10; quiet += 1) {
    const { rssBytes } = server.memory();
    if (rssBytes > highest * 1.005) quiet = 0;
    highest = Math.max(highest, rssBytes);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function mib(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}
