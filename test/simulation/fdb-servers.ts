/**
 * Several servers, real processes, over one store in a real FoundationDB: `npm run test:fdb`.
 *
 * What it is not: part of `npm test`. It needs FDB_CLUSTER_FILE; what restarts FoundationDB needs
 * fdbserver and fdbcli in FDB_BIN or PATH, and starts a cluster of its own.
 *
 * SLUICE_STOP_SECONDS (default 30) is how long a server stands still.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { systemPrng } from '../../src/stdx/prng.ts';
import { clearStore } from '../contract/fdb-backup.ts';
import { findFdbServer, startFdb } from '../support/servers/fdb-process.ts';
import { HttpConnection } from '../support/clients/http-connection.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { configMap, configMaps, fill } from '../support/data/object-load.ts';
import { startServer } from '../support/servers/server-process.ts';
import type { ServerProcess } from '../support/servers/server-process.ts';
import { apiClient } from '../support/servers/test-server.ts';
import {
  assertNothingLost,
  assertOneHistory,
  create,
  Follower,
} from '../support/checks/shared-load.ts';
import { sharedQuotaChecks, sharedQuotaFlags } from '../support/checks/shared-quota.ts';
import { startSharedLoad, synced } from '../support/checks/shared-load.ts';
import type { SharedLoad } from '../support/checks/shared-load.ts';
import { eventually, listOf } from '../support/clients/watch-client.ts';
import { connectionTo, workersAt } from '../support/clients/worker-clients.ts';
import type { ObjectList, StoredObject } from '../support/clients/watch-client.ts';

const stopSeconds = Number(process.env['SLUICE_STOP_SECONDS'] ?? 30);
/** For what hangs: on a machine that many use, one of them took seven minutes. */
const timeout = 600_000 + stopSeconds * 2000;
const clusterFile = process.env['FDB_CLUSTER_FILE'];
const directories = testDirectories('sluice-fdb');
const prefixes: string[] = [];
after(async () => {
  for (const prefix of prefixes) await clearStore(clusterFile as string, prefix);
  await directories.removeAll();
});

interface Cluster {
  start(flags?: readonly string[]): Promise<ServerProcess>;
  startAll(count: number): Promise<ServerProcess[]>;
}

/** Servers over a new store of this cluster. */
function servers(file: string): Cluster {
  const prefix = `sluice-test-${systemPrng().uuid()}`;
  if (file === clusterFile) prefixes.push(prefix);
  const store = ['--store=fdb', `--fdb-cluster-file=${file}`, `--fdb-prefix=${prefix}`];
  const start = (flags: readonly string[] = []): Promise<ServerProcess> =>
    startServer({
      dataDir: path.join(directories.make(), 'data'),
      flags: [...store, '--log-level=error', ...flags],
    });
  return { start, startAll: (count) => Promise.all(Array.from({ length: count }, () => start())) };
}

const portsOf = (all: readonly ServerProcess[]) => (): number[] => all.map(({ port }) => port);

async function stopAll(all: readonly ServerProcess[]): Promise<void> {
  const ends = await Promise.all(all.map((server) => server.stop()));
  for (const { code, stderr } of ends) assert.equal(code, 0, stderr);
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function readyStatus(port: number): Promise<number> {
  const connection = new HttpConnection(port);
  const { status } = await connection.request('GET', '/readyz');
  connection.close();
  return status;
}

async function isLeader({ port }: ServerProcess): Promise<boolean> {
  const connection = new HttpConnection(port);
  const { body } = await connection.request('GET', '/metrics');
  connection.close();
  const found = /^leader_election_master_status\{[^}]*\} (\d)$/m.exec(body.toString());
  assert.ok(found !== null, 'the metrics page says who leads');
  return found[1] === '1';
}

/** The one that leads, once somebody does; never two. */
async function leaderOf(all: readonly ServerProcess[]): Promise<ServerProcess> {
  let leader: ServerProcess | undefined;
  await eventually('somebody leads', async () => {
    const leading: ServerProcess[] = [];
    for (const server of all) if (await isLeader(server)) leading.push(server);
    assert.ok(leading.length <= 1, 'one leads');
    [leader] = leading;
    return leader !== undefined;
  });
  return leader as ServerProcess;
}

function suite(file: string): void {
  test(
    'one history: what one acknowledged the others read at once, watch and resume',
    { timeout },
    () => oneHistory(file),
  );
  test('streaming lists that hop between servers, cut anywhere, end up whole', { timeout }, () =>
    hoppingLists(file),
  );
  test('of concurrent creations of one name through three servers one wins', { timeout }, () =>
    oneWinner(file),
  );
  test('concurrent counters lose no update, with a resourceVersion or without', { timeout }, () =>
    counters(file),
  );
  test('quotas and addresses hold for all of them together', { timeout }, (t) =>
    quotas(file, (text) => t.diagnostic(text)),
  );
  test('kill -9 of one server under load: nothing is lost, the others go on', { timeout }, (t) =>
    killed(file, (text) => t.diagnostic(text)),
  );
  test(
    'workers are servers of their own: each its slot, one that is killed is replaced',
    { timeout },
    (t) => workers(file, (text) => t.diagnostic(text)),
  );
  test(
    `a server that stands still for ${stopSeconds} s shows nothing old and leads no more`,
    { timeout },
    () => stopped(file),
  );
  test(
    'fdbserver killed and started under load: nothing is lost, servers recover',
    { timeout },
    async (t) => {
      const programs = findFdbServer();
      if (programs === undefined)
        return t.skip('there is no fdbserver and fdbcli in FDB_BIN or PATH');
      await restarted(programs, (text) => t.diagnostic(text));
    },
  );
  test(
    'SIGTERM while the cluster is silent: what waits is answered, the server ends in its limit',
    { timeout },
    async (t) => {
      const programs = findFdbServer();
      if (programs === undefined)
        return t.skip('there is no fdbserver and fdbcli in FDB_BIN or PATH');
      await endedInSilence(programs, (text) => t.diagnostic(text));
    },
  );
}

async function oneHistory(file: string): Promise<void> {
  const all = await servers(file).startAll(3);
  const ports = portsOf(all);
  const followers = [0, 1, 2].map((at) => new Follower(ports, at));
  await synced(followers);
  const load = startSharedLoad(ports, 30);
  const connections = ports().map((port) => new HttpConnection(port));
  for (let i = 0; i < 150; i += 1) {
    const writer = connections[i % 3] as HttpConnection;
    const revision = await create(writer, `seen-${i}`);
    load.acknowledged.set(`seen-${i}`, revision);
    for (const reader of connections) await assertSeen(reader, `seen-${i}`, revision);
    if (i % 10 === 9) followers[(i % 3) as 0]?.hop();
  }
  await load.stop();
  assert.deepEqual([...load.statuses.keys()], [201]);
  await assertOneHistory(ports(), followers, load);
  for (const connection of connections) connection.close();
  await stopAll(all);
}

/** By every consistent read there is. */
async function assertSeen(reader: HttpConnection, name: string, revision: bigint): Promise<void> {
  const one = await reader.json<StoredObject>('GET', `${configMaps}/${name}`);
  assert.equal(one.status, 200, `${name} is not there: ${JSON.stringify(one.value)}`);
  assert.equal(one.value.metadata.resourceVersion, String(revision));
  const byName = `${configMaps}?fieldSelector=metadata.name%3D${name}`;
  for (const target of [byName, `${byName}&limit=5`]) {
    const { status, value } = await reader.json<ObjectList>('GET', target);
    assert.equal(status, 200);
    assert.deepEqual(
      value.items.map((item) => item.metadata.resourceVersion),
      [String(revision)],
    );
    assert.ok(BigInt(value.metadata.resourceVersion) >= revision, 'a list from the past');
  }
}

async function quotas(file: string, tell: (text: string) => void): Promise<void> {
  const flags = Object.entries(sharedQuotaFlags).map(([name, value]) => `--${name}=${value}`);
  const { start } = servers(file);
  const all = await Promise.all([0, 1, 2].map(() => start(['--identity=kubernetes', ...flags])));
  const clients = all.map(({ port }) => apiClient(`http://127.0.0.1:${port}`));
  for (const { run, title } of sharedQuotaChecks) {
    await run(clients);
    tell(title);
  }
  for (const client of clients) client.close();
  await stopAll(all);
}

async function hoppingLists(file: string): Promise<void> {
  const all = await servers(file).startAll(3);
  const ports = portsOf(all);
  await fill(ports()[0] as number, 2000, 600);
  const load = startSharedLoad(ports, 6);
  // These are there from before, with revisions of their own.
  for (let i = 0; i < 2000; i += 1) load.settled.add(`o${i}`);
  const prng = systemPrng();
  const followers = Array.from({ length: 6 }, (_, at) => new Follower(ports, at));
  for (let round = 0; round < 40; round += 1) {
    await sleep(prng.uint32() % 120);
    followers[round % followers.length]?.hop();
  }
  await synced(followers);
  for (const follower of followers) {
    follower.hop();
    assert.ok(follower.streamsCount > 5);
  }
  await load.stop();
  await assertSameEnd(ports(), followers, load);
  await stopAll(all);
}

/** Followers that began at different times: each has the end of one history, and its outcome. */
async function assertSameEnd(
  ports: readonly number[],
  followers: readonly Follower[],
  load: SharedLoad,
): Promise<void> {
  const connection = new HttpConnection(ports[0] as number);
  const last = await create(connection, 'last');
  load.acknowledged.set('last', last);
  connection.close();
  const list = await listOf(ports[1] as number, configMaps);
  assertNothingLost(load, list);
  for (const { replica } of followers) {
    await eventually('a follower has the last change', () => replica.revision >= last);
  }
  for (const follower of followers) await follower.stop();
  const longest = followers.reduce((a, b) =>
    a.replica.seen.length > b.replica.seen.length ? a : b,
  );
  for (const { replica } of followers) {
    replica.assertEquals(list, 'replica');
    assert.deepEqual(replica.seen, longest.replica.seen.slice(-replica.seen.length));
  }
}

async function oneWinner(file: string): Promise<void> {
  const all = await servers(file).startAll(3);
  const connections = all.flatMap(({ port }) => [
    new HttpConnection(port),
    new HttpConnection(port),
  ]);
  for (let i = 0; i < 50; i += 1) {
    const answers = await Promise.all(
      connections.map((each, at) =>
        each.json<StoredObject>('POST', configMaps, configMap(`n${i}`, `from ${at}`, 600)),
      ),
    );
    const made = answers.filter(({ status }) => status === 201);
    assert.equal(made.length, 1, JSON.stringify(answers.map(({ status }) => status)));
    assert.ok(answers.every(({ status }) => status === 201 || status === 409));
    const text = made[0]?.value.data?.['text'];
    for (const each of connections) {
      const { value } = await each.json<StoredObject>('GET', `${configMaps}/n${i}`);
      assert.equal(value.data?.['text'], text);
    }
  }
  for (const each of connections) each.close();
  await stopAll(all);
}

async function counters(file: string): Promise<void> {
  const all = await servers(file).startAll(3);
  const ports = portsOf(all);
  const connections = Array.from(
    { length: 9 },
    (_, i) => new HttpConnection(ports()[i % 3] as number),
  );
  const [first] = connections as [HttpConnection];
  await create(first, 'counted');
  await create(first, 'overwritten');
  const follower = new Follower(ports, 1);
  await synced([follower]);
  const target = `${configMaps}/counted`;
  let increments = 0;
  let conflicts = 0;
  const count = async (each: HttpConnection): Promise<void> => {
    for (let done = 0; done < 20;) {
      const { value } = await each.json<StoredObject>('GET', target);
      const next = Number(value.data?.['text']) + 1;
      const { resourceVersion } = value.metadata;
      const body = {
        ...configMap('counted', String(next), 600),
        metadata: { name: 'counted', resourceVersion },
      };
      const { status } = await each.json<StoredObject>('PUT', target, body);
      assert.ok(status === 200 || status === 409, String(status));
      if (status === 200) done += 1;
      else conflicts += 1;
    }
    increments += 20;
  };
  const revisions: bigint[] = [];
  const overwrite = async (each: HttpConnection, writer: number): Promise<void> => {
    for (let n = 0; n < 30; n += 1) {
      const body = configMap('overwritten', `${writer}-${n}`, 600);
      const { status, value } = await each.json<StoredObject>(
        'PUT',
        `${configMaps}/overwritten`,
        body,
      );
      assert.equal(status, 200, JSON.stringify(value));
      revisions.push(BigInt(value.metadata.resourceVersion));
    }
  };
  await Promise.all(connections.map(count));
  await Promise.all(connections.map(overwrite));
  const { value } = await first.json<StoredObject>('GET', target);
  assert.equal(Number(value.data?.['text']), increments);
  assert.ok(conflicts > 0, 'they met');
  const last = await create(first, 'last');
  await eventually('the follower has the last change', () => follower.replica.revision >= last);
  await follower.stop();
  const seen = new Set(follower.replica.seen);
  assert.deepEqual(
    revisions.filter((each) => !seen.has(each)),
    [],
    'no overwriting was swallowed',
  );
  assert.equal(new Set(revisions).size, revisions.length);
  for (const each of connections) each.close();
  await stopAll(all);
}

async function killed(file: string, say: (text: string) => void): Promise<void> {
  const cluster = servers(file);
  const all = await cluster.startAll(3);
  const ports = portsOf(all);
  const followers = [0, 1, 2].map((at) => new Follower(ports, at));
  await synced(followers);
  const load = startSharedLoad(ports, 30);
  for (let round = 0; round < 4; round += 1) {
    const before = load.acknowledged.size;
    await eventually('writing goes on', () => load.acknowledged.size > before + 300);
    // The one that leads first: its work must be taken over.
    const victim = round === 0 ? await leaderOf(all) : (all[round % 3] as ServerProcess);
    await victim.kill();
    const others = all.filter((each) => each !== victim);
    const then = load.acknowledged.size;
    await eventually('the others go on', () => load.acknowledged.size > then + 300);
    if (round === 0) await leaderOf(others);
    all[all.indexOf(victim)] = await cluster.start();
  }
  await load.stop();
  await assertOneHistory(ports(), followers, load);
  say(
    `${load.acknowledged.size} acknowledged, ${load.settled.size} settled later, ` +
      `${load.unanswered.size} left open`,
  );
  await stopAll(all);
}

/** The number of the server in a revision (src/storage/fdb/layout.ts). */
const slotOf = (revision: bigint): number => Number(revision >> 7n) & 31;

async function workers(file: string, say: (text: string) => void): Promise<void> {
  const cluster = servers(file);
  const [tree, alone] = await Promise.all([cluster.start(['--workers=2']), cluster.start()]);
  const ports = portsOf([tree, alone]);
  const followers = [0, 0, 1].map((at) => new Follower(ports, at));
  await synced(followers);
  const load = startSharedLoad(ports, 20);
  const created = async (pid: number, name: string): Promise<bigint> => {
    const connection = await connectionTo(tree.port, pid);
    const revision = await create(connection, name);
    load.acknowledged.set(name, revision);
    connection.close();
    return revision;
  };
  const outside = new HttpConnection(alone.port);
  for (let round = 0; round < 3; round += 1) {
    const pids = await workersAt(tree.port, 2);
    const [one, two] = [pids.get(1), pids.get(2)] as [number, number];
    const third = await create(outside, `alone-${round}`);
    load.acknowledged.set(`alone-${round}`, third);
    const revisions = [
      await created(one, `one-${round}`),
      await created(two, `two-${round}`),
      third,
    ];
    assert.equal(new Set(revisions.map(slotOf)).size, 3, 'a slot each');
    const before = load.acknowledged.size;
    const victim = round % 2 === 0 ? one : two;
    process.kill(victim, 'SIGKILL');
    await eventually('the others go on', () => load.acknowledged.size > before + 200);
    const number = round % 2 === 0 ? 1 : 2;
    await eventually('it is replaced', async () => {
      const pid = (await workersAt(tree.port, 2)).get(number);
      return pid !== victim;
    });
  }
  outside.close();
  await load.stop();
  await assertOneHistory(ports(), followers, load);
  say(`${load.acknowledged.size} acknowledged, ${load.settled.size} settled later`);
  await stopAll([tree, alone]);
}

async function stopped(file: string): Promise<void> {
  const all = await servers(file).startAll(3);
  const ports = portsOf(all);
  const victim = await leaderOf(all);
  const others = all.filter((each) => each !== victim);
  const followers = [0, 1, 2].map((at) => new Follower(ports, at));
  await synced(followers);
  const load = startSharedLoad(portsOf(others), 10);
  const readers = Array.from({ length: 20 }, () => new HttpConnection(victim.port));
  for (const each of readers) await each.request('GET', '/livez');
  const writer = new HttpConnection(others[0]?.port as number);

  victim.signal('SIGSTOP');
  await sleep(stopSeconds * 1000);
  if (stopSeconds >= 20) await leaderOf(others);
  const newest = await create(writer, 'newest');
  load.acknowledged.set('newest', newest);
  // Asked while it stands still, after the acknowledgement, and answered after it.
  const targets = [configMaps, `${configMaps}?limit=1`, `${configMaps}/newest`, configMaps];
  const asked = readers.map((each, i) =>
    each.json<ObjectList & StoredObject>('GET', targets[i % 4] as string),
  );
  await sleep(50);
  victim.signal('SIGCONT');
  for (const each of asked) {
    const { status, value } = await each;
    if (status === 504) continue;
    assert.equal(status, 200, JSON.stringify(value));
    assert.ok(BigInt(value.metadata.resourceVersion) >= newest, 'an answer from the past');
  }
  if (stopSeconds >= 20) assert.notEqual(await leaderOf(all), victim);
  await eventually('it is ready again', async () => (await readyStatus(victim.port)) === 200);
  const back = new HttpConnection(victim.port);
  for (let i = 0; i < 50; i += 1) {
    load.acknowledged.set(`back-${i}`, await create(i % 2 === 0 ? back : writer, `back-${i}`));
    const revision = load.acknowledged.get(`back-${i}`) as bigint;
    await assertSeen(i % 2 === 0 ? writer : back, `back-${i}`, revision);
  }
  await load.stop();
  await assertOneHistory(ports(), followers, load);
  for (const each of [...readers, writer, back]) each.close();
  await stopAll(all);
}

async function restarted(programs: string, say: (text: string) => void): Promise<void> {
  const fdb = await startFdb(programs, directories.make());
  after(() => fdb.kill());
  const all = await servers(fdb.clusterFile).startAll(2);
  const ports = portsOf(all);
  const followers = [0, 1].map((at) => new Follower(ports, at));
  await synced(followers);
  const load = startSharedLoad(ports, 30);
  const outagesMs = [0, 0, 4_000, 25_000];
  for (const [round, outageMs] of outagesMs.entries()) {
    const before = load.acknowledged.size;
    await eventually('writing goes on', () => load.acknowledged.size > before + 300);
    await fdb.kill();
    if (outageMs >= 4_000) {
      for (const port of ports()) {
        await eventually('it says so', async () => (await readyStatus(port)) === 500);
      }
    }
    await sleep(outageMs);
    await fdb.start();
    for (const port of ports()) {
      await eventually('it is ready again', async () => (await readyStatus(port)) === 200);
    }
    say(`outage ${round} of ${outageMs} ms: ${JSON.stringify([...load.statuses])}`);
  }
  const before = load.acknowledged.size;
  await eventually('writing goes on', () => load.acknowledged.size > before + 300);
  await load.stop();
  await assertOneHistory(ports(), followers, load);
  say(`${load.acknowledged.size} acknowledged, ${load.settled.size} settled later`);
  await stopAll(all);
}

interface Answered {
  readonly kind: string;
  readonly reason: string;
}

async function endedInSilence(programs: string, say: (text: string) => void): Promise<void> {
  const fdb = await startFdb(programs, directories.make());
  after(() => fdb.kill());
  const cluster = servers(fdb.clusterFile);
  const server = await cluster.start(['--shutdown-timeout=3s']);
  const load = startSharedLoad(() => [server.port], 20);
  await eventually('writing has begun', () => load.acknowledged.size > 300);
  await load.stop();
  fdb.freeze();
  // More than the commits under way take with them: some wait in the queue of the server.
  const names = Array.from({ length: 60 }, (_, i) => `open-${i}`);
  const answers = names.map((name, i) => {
    const connection = new HttpConnection(server.port);
    return i % 4 === 0
      ? connection.json<Answered>('GET', `${configMaps}?limit=1`)
      : connection.json<Answered>('POST', configMaps, configMap(name, '', 600));
  });
  const settled = Promise.allSettled(answers);
  await sleep(1000);
  const beganMs = performance.now();
  const { code, stderr } = await server.stop();
  const tookMs = performance.now() - beganMs;
  say(`it ended after ${Math.round(tookMs)} ms`);
  assert.equal(code, 0, stderr);
  // The limit, what comes behind it, and a machine that is busy; a commit may take a minute.
  assert.ok(tookMs < 20_000, String(tookMs));
  for (const [i, each] of (await settled).entries()) {
    assert.equal(each.status, 'fulfilled', 'it was answered');
    if (each.status !== 'fulfilled') continue;
    const { kind, reason } = each.value.value;
    assert.equal(kind, 'Status');
    assert.ok(reason === 'Timeout' || reason === 'ServiceUnavailable', reason);
    if (reason === 'Timeout') load.unanswered.add(names[i] as string);
  }
  await fdb.kill();
  await fdb.start();
  const again = await cluster.start();
  assertNothingLost(load, await listOf(again.port, configMaps));
  await stopAll([again]);
}

describe('servers over one FoundationDB', () => {
  if (clusterFile === undefined) {
    test('needs FDB_CLUSTER_FILE', () => assert.fail('set FDB_CLUSTER_FILE to a cluster file'));
  } else {
    suite(clusterFile);
  }
});
