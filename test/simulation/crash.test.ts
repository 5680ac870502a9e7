/**
 * kill -9 at random moments under concurrent writers: promises P1, P2, P4 of the design.
 *
 * What it is not: a power cut. The kernel survives, so what this cannot see is a missing flush.
 *
 * SLUICE_CRASH_ROUNDS (default 6) and SLUICE_CRASH_SEED (default random, printed) set the run,
 * SLUICE_TEST_STORE=fdb the store (support/servers/killed-store.ts).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomBelow, seededPrng } from '../../src/stdx/prng.ts';
import type { Prng } from '../../src/stdx/prng.ts';
import { ConnectionLost, HttpConnection } from '../support/clients/http-connection.ts';
import { newKilledStore } from '../support/servers/killed-store.ts';
import type { ServerProcess } from '../support/servers/server-process.ts';
import { eventually, listOf, Replica, WatchStream } from '../support/clients/watch-client.ts';
import type { ObjectList, StoredObject } from '../support/clients/watch-client.ts';

const rounds = Number(process.env['SLUICE_CRASH_ROUNDS'] ?? 6);
const seed = Number(process.env['SLUICE_CRASH_SEED'] ?? Date.now() % 1_000_000);
const writersCount = 100;
const keysPerWriter = 4;
const collection = '/api/v1/namespaces/default/configmaps';
/** Short, so that compaction too is killed in the middle; watchers resume well within it. */
const flags = ['--watch-history=3s', '--log-level=error'];

/** What a key may be after a crash. Undefined stands for "not there". */
interface KnownKey {
  readonly name: string;
  acknowledged: string | undefined;
  acknowledgedAt: bigint;
  /** Values of writes without an answer, newest state of the key at the time unknown. */
  readonly inFlight: Set<string | undefined>;
}

interface Load {
  readonly keys: ReadonlyMap<string, KnownKey>;
  /** Revision of every acknowledged creation and replacement, all rounds. */
  readonly revisions: bigint[];
  deletesCount: number;
}

function newLoad(): Load {
  const keys = new Map<string, KnownKey>();
  const add = (name: string): void =>
    void keys.set(name, { name, acknowledged: undefined, acknowledgedAt: 0n, inFlight: new Set() });
  for (let writer = 0; writer < writersCount; writer += 1) {
    for (let key = 0; key < keysPerWriter; key += 1) add(`w${writer}-k${key}`);
  }
  add('hot');
  return { keys, revisions: [], deletesCount: 0 };
}

/** One writer of a round: writes until the server dies under it. */
async function write(load: Load, prng: Prng, port: number, id: string): Promise<void> {
  const connection = new HttpConnection(port);
  const writer = Number(id.split('-')[1]);
  try {
    for (let n = 0; ; n += 1) {
      const hot = randomBelow(prng, 10) === 0;
      const name = hot ? 'hot' : `w${writer}-k${randomBelow(prng, keysPerWriter)}`;
      const key = load.keys.get(name) as KnownKey;
      const remove = !hot && key.acknowledged !== undefined && randomBelow(prng, 4) === 0;
      if (remove) await removeOne(load, connection, key);
      else await writeOne(load, connection, key, `${id}-${n}`, randomBelow(prng, 3000));
    }
  } catch (error) {
    if (!(error instanceof ConnectionLost)) throw error;
  } finally {
    connection.close();
  }
}

async function writeOne(
  load: Load,
  connection: HttpConnection,
  key: KnownKey,
  value: string,
  padding: number,
): Promise<void> {
  const isCreate = key.acknowledged === undefined;
  const body = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: key.name, labels: { parity: String(padding % 2) } },
    data: { value, padding: 'x'.repeat(padding) },
  };
  key.inFlight.add(value);
  const target = isCreate ? collection : `${collection}/${key.name}`;
  const method = isCreate ? 'POST' : 'PUT';
  const answer = await connection.json<StoredObject>(method, target, body);
  key.inFlight.delete(value);
  if (key.name === 'hot' && answer.status === 409 && isCreate) return;
  const expected = isCreate ? 201 : 200;
  assert.equal(answer.status, expected, `${method} ${key.name}: ${JSON.stringify(answer.value)}`);
  const revision = BigInt(answer.value.metadata.resourceVersion);
  load.revisions.push(revision);
  if (revision < key.acknowledgedAt) return;
  key.acknowledged = value;
  key.acknowledgedAt = revision;
}

async function removeOne(load: Load, connection: HttpConnection, key: KnownKey): Promise<void> {
  key.inFlight.add(undefined);
  const { status } = await connection.request('DELETE', `${collection}/${key.name}`);
  key.inFlight.delete(undefined);
  assert.equal(status, 200, `DELETE ${key.name}`);
  load.deletesCount += 1;
  key.acknowledged = undefined;
}

/** Every acknowledged write is there, or one that had no answer; the rest starts from what is. */
function assertNothingLost(load: Load, list: ObjectList, round: number): void {
  const found = new Map(list.items.map((item) => [item.metadata.name, item]));
  const now = BigInt(list.metadata.resourceVersion);
  for (const item of list.items) assert.ok(load.keys.has(item.metadata.name), 'nothing invented');
  for (const key of load.keys.values()) {
    const object = found.get(key.name);
    const value = object?.data?.['value'];
    const title = `round ${round}, ${key.name}: found ${value}, acknowledged ${key.acknowledged}`;
    assert.ok(value === key.acknowledged || key.inFlight.has(value), title);
    assert.ok(now >= key.acknowledgedAt, `${title}: the newest revision went back`);
    if (object !== undefined) {
      const revision = BigInt(object.metadata.resourceVersion);
      const isSame = value === key.acknowledged;
      assert.ok(isSame ? revision === key.acknowledgedAt : revision > key.acknowledgedAt, title);
      key.acknowledgedAt = revision;
    }
    key.acknowledged = value;
    key.inFlight.clear();
  }
}

interface Follower {
  readonly title: string;
  readonly selector: string;
  readonly replica: Replica;
  /** Every revision seen in the whole life of the follower. */
  stream: WatchStream | undefined;
}

function newFollower(title: string, selector: string): Follower {
  return { title, selector, replica: new Replica(), stream: undefined };
}

/** The first time a streaming list, afterwards from where it was. */
function follow(follower: Follower, port: number): void {
  const { replica, selector } = follower;
  const from = replica.synced
    ? `resourceVersion=${replica.revision}`
    : 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
  const query = `watch=true&allowWatchBookmarks=true&${from}${selector}`;
  follower.stream = new WatchStream(port, `${collection}?${query}`, {
    onEvent: (event) => replica.apply(event),
  });
}

async function killedRound(
  server: ServerProcess,
  load: Load,
  followers: readonly Follower[],
  prng: Prng,
  round: number,
): Promise<void> {
  const writers = Array.from({ length: writersCount }, (_, index) =>
    write(load, seededPrng(prng.uint32()), server.port, `${round}-${index}`),
  );
  const written = Promise.all(writers);
  written.catch(() => undefined);
  const aliveMs = round % 4 === 3 ? 4000 : 100 + randomBelow(prng, 900);
  await new Promise((resolve) => setTimeout(resolve, aliveMs));
  await server.kill();
  await written;
  for (const follower of followers) {
    assert.equal(await follower.stream?.ended, 'cut', follower.title);
    assert.ok(!follower.replica.expired, `${follower.title}: history was still there`);
  }
}

test(
  `nothing acknowledged is lost and no change is missed over ${rounds} kills (seed ${seed})`,
  { timeout: 300_000 + rounds * 20_000 },
  async (context) => {
    const prng = seededPrng(seed);
    const load = newLoad();
    const store = newKilledStore('sluice-crash');
    const followers = [
      newFollower('all', ''),
      newFollower('also all', ''),
      newFollower('odd', '&labelSelector=parity%3D1'),
    ];
    let compacted = 0n;
    let server = await store.start(flags);
    for (let round = 0; round <= rounds; round += 1) {
      for (const follower of followers) follow(follower, server.port);
      const list = await listOf(server.port, collection);
      assertNothingLost(load, list, round);
      for (const { replica, title } of followers) {
        assert.ok(BigInt(list.metadata.resourceVersion) >= replica.revision, title);
      }
      await eventually('followers have begun', () => followers.every((f) => f.replica.synced));
      if (round === rounds) break;
      await killedRound(server, load, followers, prng, round);
      const now = await store.assertSound(`round ${round}`);
      assert.ok(now >= compacted, `round ${round}: compaction went back`);
      compacted = now;
      server = await store.start(flags);
    }
    await assertFollowersComplete(server, load, followers);
    assert.equal((await server.stop()).code, 0);
    context.diagnostic(
      `seed ${seed}: ${rounds} kills, ${load.revisions.length} writes and ` +
        `${load.deletesCount} deletions acknowledged, compacted to ${compacted}`,
    );
  },
);

async function assertFollowersComplete(
  server: ServerProcess,
  load: Load,
  followers: readonly Follower[],
): Promise<void> {
  const connection = new HttpConnection(server.port);
  const last = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'last' } };
  const labelled = { ...last, metadata: { ...last.metadata, labels: { parity: '1' } } };
  const { value } = await connection.json<StoredObject>('POST', collection, labelled);
  connection.close();
  const revision = BigInt(value.metadata.resourceVersion);
  for (const { title, selector, replica } of followers) {
    await eventually(`${title} has the last change`, () => replica.revision >= revision);
    const list = await listOf(server.port, `${collection}?${selector.slice(1)}`);
    replica.assertEquals(list, title);
  }
  const [first, second] = followers as [Follower, Follower, Follower];
  assert.deepEqual(first.replica.seen, second.replica.seen, 'two watches, one history');
  const seen = new Set(first.replica.seen);
  const missed = load.revisions.filter((each) => !seen.has(each));
  assert.deepEqual(missed, [], 'every acknowledged write was seen, once');
}
