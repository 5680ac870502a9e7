/**
 * Several servers in one process tree (`--workers`), as real processes over LMDB: one history for
 * all, and no worker's misfortune is another's.
 *
 * SLUICE_STOP_SECONDS (default 2) is how long a worker stands still.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ConnectionLost, HttpConnection } from '../support/clients/http-connection.ts';
import { definition, definitionsPath, object } from '../support/data/custom-definitions.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { configMap, configMaps } from '../support/data/object-load.ts';
import { runToEnd, serveArguments, startServer } from '../support/servers/server-process.ts';
import type { ServerProcess } from '../support/servers/server-process.ts';
import { eventually, listOf, Replica } from '../support/clients/watch-client.ts';
import type { ObjectList, StoredObject, WatchStream } from '../support/clients/watch-client.ts';
import { answererAt, connectionTo, watchAt, workersAt } from '../support/clients/worker-clients.ts';

const stopSeconds = Number(process.env['SLUICE_STOP_SECONDS'] ?? 2);
/** Made by the others while one stands still. */
const writesMin = 100;
const timeout = 300_000 + stopSeconds * 2000;
const directories = testDirectories('sluice-workers');
after(() => directories.removeAll());

const newDataDir = (): string => path.join(directories.make(), 'data');
const flags = ['--log-level=error', '--workers=2'];
const fromStart =
  `${configMaps}?watch=true&allowWatchBookmarks=true` +
  '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';

interface Two {
  readonly server: ServerProcess;
  readonly dataDir: string;
  /** Process ids of worker 1 and worker 2. */
  readonly one: number;
  readonly two: number;
}

async function startTwo(more: readonly string[] = []): Promise<Two> {
  const dataDir = newDataDir();
  const server = await startServer({ dataDir, flags: [...flags, ...more] });
  const workers = await workersAt(server.port, 2);
  return { server, dataDir, one: workers.get(1) as number, two: workers.get(2) as number };
}

const isAlive = (pid: number): boolean => {
  // A process that has ended and was not waited for is no longer alive either.
  if (!existsSync(`/proc/${pid}/stat`)) return false;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return !stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
};

interface Follower {
  readonly replica: Replica;
  stream: WatchStream;
}

async function follow(port: number, pid: number, replica = new Replica()): Promise<Follower> {
  const target = replica.synced
    ? `${configMaps}?watch=true&allowWatchBookmarks=true&resourceVersion=${replica.revision}`
    : fromStart;
  const stream = await watchAt(port, pid, target, { onEvent: (event) => replica.apply(event) });
  await eventually('it has begun', () => replica.synced);
  return { replica, stream };
}

async function create(connection: HttpConnection, name: string): Promise<bigint> {
  const { status, value } = await connection.json<StoredObject>(
    'POST',
    configMaps,
    configMap(name, '', 600),
  );
  assert.equal(status, 201, JSON.stringify(value));
  return BigInt(value.metadata.resourceVersion);
}

/** Creates objects until told to stop, over whatever worker there is; knows what was promised. */
interface Load {
  readonly acknowledged: Map<string, bigint>;
  /** Names whose creation got no answer. */
  readonly unanswered: Set<string>;
  stop(): Promise<void>;
}

function startLoad(port: number, count: number, prefix = 'w'): Load {
  const acknowledged = new Map<string, bigint>();
  const unanswered = new Set<string>();
  let stopping = false;
  // A test that failed has not stopped its load; without this its file would never end.
  after(() => void (stopping = true));
  const writer = async (_: unknown, index: number): Promise<void> => {
    const connection = new HttpConnection(port);
    for (let n = 0; !stopping; n += 1) {
      const name = `${prefix}${index}-${n}`;
      unanswered.add(name);
      try {
        const body = configMap(name, '', 600);
        const { status, value } = await connection.json<StoredObject>('POST', configMaps, body);
        unanswered.delete(name);
        if (status === 201) acknowledged.set(name, BigInt(value.metadata.resourceVersion));
        // Refused by a server that is about to close: nothing was written.
        else assert.equal(status, 503, JSON.stringify(value));
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
    connection.close();
  };
  const done = Promise.all(Array.from({ length: count }, writer));
  done.catch(() => undefined);
  return {
    acknowledged,
    unanswered,
    async stop() {
      stopping = true;
      await done;
    },
  };
}

function assertNothingLost(load: Load, list: ObjectList): void {
  const found = new Map(list.items.map((item) => [item.metadata.name, item]));
  for (const [name, revision] of load.acknowledged) {
    assert.equal(found.get(name)?.metadata.resourceVersion, String(revision), name);
    found.delete(name);
  }
  for (const name of found.keys()) assert.ok(load.unanswered.has(name), `${name} is invented`);
}

/** Everybody has seen everything, once, in one order. */
async function assertFollowed(
  port: number,
  followers: readonly Follower[],
  load: Load,
): Promise<void> {
  const connection = new HttpConnection(port);
  const last = await create(connection, 'last');
  load.acknowledged.set('last', last);
  connection.close();
  const list = await listOf(port, configMaps);
  for (const { replica } of followers) {
    await eventually('a follower has the last change', () => replica.revision >= last);
    replica.assertEquals(list, 'replica');
    assert.deepEqual(replica.seen, followers[0]?.replica.seen, 'one history for all');
    const seen = new Set(replica.seen);
    const missed = [...load.acknowledged].filter(([, revision]) => !seen.has(revision));
    assert.deepEqual(missed, []);
  }
  assertNothingLost(load, list);
}

test(
  'one history: what one worker acknowledged, the other reads, watches and resumes',
  { timeout },
  async () => {
    const { server, one, two } = await startTwo();
    const { port } = server;
    const first = await follow(port, one);
    const second = await follow(port, two);
    const load = startLoad(port, 20);
    const [at1, at2] = [await connectionTo(port, one), await connectionTo(port, two)];
    for (let i = 0; i < 50; i += 1) {
      const [writer, reader] = i % 2 === 0 ? [at1, at2] : [at2, at1];
      const revision = await create(writer, `seen-${i}`);
      load.acknowledged.set(`seen-${i}`, revision);
      const target = `${configMaps}/seen-${i}`;
      const { status, value } = await reader.json<StoredObject>('GET', target);
      assert.equal(status, 200, `${target} is not there`);
      assert.equal(value.metadata.resourceVersion, String(revision));
      if (i % 10 !== 9) continue;
      // Each goes on at the other worker, from where it was.
      first.stream.cut();
      first.stream = (await follow(port, i % 20 === 9 ? two : one, first.replica)).stream;
    }
    await load.stop();
    await assertFollowed(port, [first, second], load);
    for (const each of [at1, at2]) each.close();
    assert.equal((await server.stop()).code, 0);
    for (const { stream } of [first, second]) assert.equal(await stream.ended, 'clean');
  },
);

describe('two workers that nothing happens to', () => {
  let running: Two;
  before(async () => (running = await startTwo(['--identity=kubernetes'])));
  after(async () => assert.equal((await running.server.stop()).code, 0));

  test('writers of one object through both never meet a conflict', { timeout }, async () => {
    const { server, one, two } = running;
    await create(await connectionTo(server.port, one), 'hot');
    const statuses = new Map<number, number>();
    const writer = async (pid: number, id: string): Promise<void> => {
      const connection = await connectionTo(server.port, pid);
      for (let n = 0; n < 40; n += 1) {
        const body = configMap('hot', `${id}-${n}`, 600);
        const { status } = await connection.json('PUT', `${configMaps}/hot`, body);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
      connection.close();
    };
    const writers = Array.from({ length: 20 }, (_, i) =>
      writer(i % 2 === 0 ? one : two, String(i)),
    );
    await Promise.all(writers);
    assert.deepEqual([...statuses], [[200, 800]]);
  });

  test('a type that is defined at one of them is served by both', { timeout }, async () => {
    const { server } = running;
    const one = await connectionTo(server.port, running.one);
    const two = await connectionTo(server.port, running.two);
    const path = '/apis/shop.example/v1/namespaces/default/lamps';
    const isAnswered = (status: number) => async (): Promise<boolean> => {
      const replies = [await one.json('GET', path), await two.json('GET', path)];
      return replies.every((reply) => reply.status === status);
    };
    await one.json('POST', definitionsPath, definition({ plural: 'lamps', kind: 'Lamp' }));
    await eventually('it is served', isAnswered(200));
    for (const [at, each] of [one, two].entries()) {
      const body = object('Lamp', `by-${at}`);
      assert.equal((await each.json('POST', path, body)).status, 201);
    }
    for (const each of [one, two]) {
      const { value } = await each.json<ObjectList>('GET', path);
      assert.deepEqual(
        value.items.map(({ metadata }) => metadata.name),
        ['by-0', 'by-1'],
      );
    }
    await two.json('DELETE', `${definitionsPath}/lamps.shop.example`, undefined);
    await eventually('it is gone', isAnswered(404));
    one.close();
    two.close();
  });
});

test(
  'kill -9 of a worker: nothing acknowledged is lost, the others go on, another comes',
  { timeout },
  async () => {
    const { server, one, two } = await startTwo();
    const { port } = server;
    const victim = await follow(port, one);
    const bystander = await follow(port, two);
    const load = startLoad(port, 20);
    let killed = one;
    for (let round = 0; round < 3; round += 1) {
      const before = load.acknowledged.size;
      await eventually('writing goes on', () => load.acknowledged.size > before + 200);
      process.kill(killed, 'SIGKILL');
      assert.equal(await victim.stream.ended, 'cut');
      victim.stream = (await follow(port, two, victim.replica)).stream;
      await eventually('another has taken its place', async () => {
        const probe = new HttpConnection(port);
        const { worker, pid } = await answererAt(probe).catch(() => ({ worker: 0, pid: 0 }));
        probe.close();
        const isNew = worker === 1 && pid !== killed;
        if (isNew) killed = pid;
        return isNew;
      });
      victim.stream.cut();
      victim.stream = (await follow(port, killed, victim.replica)).stream;
    }
    await load.stop();
    await assertFollowed(port, [bystander, victim], load);
    assert.equal((await server.stop()).code, 0);
    assert.equal(await bystander.stream.ended, 'clean', 'it was never cut');
  },
);

test(
  `a worker that stands still for ${stopSeconds} s holds up nobody and then shows nothing old`,
  { timeout },
  async (t) => {
    const { server, one, two } = await startTwo();
    const { port } = server;
    // However the test ends: one that stands still would outlive its primary.
    t.after(() => isAlive(one) && process.kill(one, 'SIGCONT'));
    const stopped = await follow(port, one);
    const bystander = await follow(port, two);
    const writer = await connectionTo(port, two);
    const readers = await Promise.all(Array.from({ length: 20 }, () => connectionTo(port, one)));
    const load: Load = {
      acknowledged: new Map(),
      unanswered: new Set(),
      stop: () => Promise.resolve(),
    };
    process.kill(one, 'SIGSTOP');
    const untilMs = performance.now() + stopSeconds * 1000;
    let newest = 0n;
    // Writing goes on meanwhile, however slow the machine.
    for (let n = 0; n < writesMin || performance.now() < untilMs; n += 1) {
      newest = await create(writer, `n${n}`);
      load.acknowledged.set(`n${n}`, newest);
    }
    const revision = newest;
    await eventually('the others watch on', () => bystander.replica.revision >= revision);
    // Asked while it stands still, after the last acknowledgement, and answered after it.
    const asked = readers.map((each) => each.json<ObjectList>('GET', configMaps));
    await new Promise((resolve) => setTimeout(resolve, 50));
    process.kill(one, 'SIGCONT');
    for (const each of asked) {
      const { status, value } = await each;
      assert.equal(status, 200, JSON.stringify(value));
      assert.ok(BigInt(value.metadata.resourceVersion) >= revision, 'an answer from the past');
      assert.equal(value.items.length, load.acknowledged.size);
    }
    await assertFollowed(port, [bystander, stopped], load);
    assert.equal((await server.stop()).code, 0);
    for (const { stream } of [bystander, stopped]) assert.equal(await stream.ended, 'clean');
  },
);

test(
  'kill -9 of the primary: every worker ends, a restart has everything acknowledged',
  { timeout },
  async () => {
    const { server, dataDir, one, two } = await startTwo();
    const follower = await follow(server.port, one);
    const load = startLoad(server.port, 20);
    await eventually('writing goes on', () => load.acknowledged.size > 500);
    await server.kill();
    const stopped = load.stop();
    await eventually('the workers have gone', () => !isAlive(one) && !isAlive(two));
    assert.equal(await follower.stream.ended, 'cut');
    await stopped;
    const again = await startServer({ dataDir, flags });
    const workers = await workersAt(again.port, 2);
    follower.stream = (await follow(again.port, workers.get(2) as number, follower.replica)).stream;
    await assertFollowed(again.port, [follower], load);
    assert.equal((await again.stop()).code, 0);
  },
);

test(
  'SIGTERM under load: writes are answered, watches end, whoever serves them',
  { timeout },
  async () => {
    const { server, dataDir, one, two } = await startTwo(['--shutdown-delay-duration=300ms']);
    const followers = [await follow(server.port, one), await follow(server.port, two)];
    const load = startLoad(server.port, 20);
    await eventually('writing goes on', () => load.acknowledged.size > 200);
    const ended = server.stop();
    const { code, stderr } = await ended;
    await load.stop();
    assert.equal(stderr, '');
    assert.equal(code, 0);
    for (const { stream } of followers) assert.equal(await stream.ended, 'clean');
    const again = await startServer({ dataDir, flags: ['--log-level=error'] });
    assertNothingLost(load, await listOf(again.port, configMaps));
    assert.equal((await again.stop()).code, 0);
  },
);

test(
  'SIGTERM of one worker: it ends in good order and another takes its place',
  { timeout },
  async () => {
    const { server, one } = await startTwo();
    const follower = await follow(server.port, one);
    process.kill(one, 'SIGTERM');
    assert.equal(await follower.stream.ended, 'clean');
    await eventually('another is there', async () => {
      const now = (await workersAt(server.port, 2)).get(1);
      return now !== one;
    });
    assert.equal((await server.stop()).code, 0);
  },
);

describe('where workers run', () => {
  for (const more of [['--transport=node'], ['--store=memory']]) {
    test(`all serve one port: ${more.join(' ')}`, { timeout }, async () => {
      const { server, one, two } = await startTwo(more);
      const revision = await create(await connectionTo(server.port, one), 'a');
      const reader = await connectionTo(server.port, two);
      const { value } = await reader.json<StoredObject>('GET', `${configMaps}/a`);
      assert.equal(value.metadata.resourceVersion, String(revision));
      assert.equal((await server.stop()).code, 0);
    });
  }

  test('what the operator got wrong is one line and exit code 2', { timeout }, async () => {
    const running = await startTwo();
    const { port } = running.server;
    const taken: [string[], RegExp][] = [
      [[`--http-port=${port}`], /--http-port/],
      [['--runtime-config=nonsense'], /--runtime-config/],
      [[`--data-dir=${running.dataDir}`], /in use|held/],
      [['--workers=0'], /--workers/],
    ];
    for (const [wrong, pattern] of taken) {
      const args = [...serveArguments({ dataDir: newDataDir(), flags }), ...wrong];
      const { code, stdout, stderr } = await runToEnd(args);
      assert.equal(code, 2, `${wrong.join(' ')}: ${stderr}`);
      assert.equal(stdout, '');
      assert.match(stderr, pattern);
      assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
    }
    assert.equal((await running.server.stop()).code, 0);
  });
});
