/**
 * Writers and followers over several servers of one store, each on a port of its own, and what must
 * hold of them whatever happens to the servers: nothing acknowledged is lost, nobody misses or
 * repeats a change, nothing that was refused is there.
 */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { ConnectionLost, HttpConnection } from '../clients/http-connection.ts';
import { configMap, configMaps } from '../data/object-load.ts';
import { eventually, listOf, Replica, WatchStream } from '../clients/watch-client.ts';
import type { ObjectList, StoredObject } from '../clients/watch-client.ts';

const objectBytes = 600;
const retryMs = 50;

/** The ports that can be gone to, now. */
export type Ports = () => readonly number[];

export interface SharedLoad {
  /** Name and revision of every acknowledged creation. */
  readonly acknowledged: Map<string, bigint>;
  /** Names whose creation had no answer, or one that leaves it open, and has not been settled. */
  readonly unanswered: Set<string>;
  /** Open creations that turned out to have been made, when they were tried again. */
  readonly settled: Set<string>;
  /** Answers by status. */
  readonly statuses: Map<number, number>;
  /** Resolves when every writer has stopped; rejects when a server broke a promise. */
  stop(): Promise<void>;
}

const asksForRetry = new Set([500, 503, 504, 429]);

/** Each of `count` writers creates one object after the other, at the next server when one fails,
 * and tries again what it does not know the outcome of. */
export function startSharedLoad(ports: Ports, count: number, prefix = 'w'): SharedLoad {
  const acknowledged = new Map<string, bigint>();
  const unanswered = new Set<string>();
  const settled = new Set<string>();
  const statuses = new Map<number, number>();
  let stopping = false;
  // A test that failed has not stopped its load; without this its file would never end.
  after(() => void (stopping = true));

  const writer = async (_: unknown, index: number): Promise<void> => {
    let at = index;
    const open = (): HttpConnection => {
      const now = ports();
      return new HttpConnection(now[at % now.length] as number);
    };
    let connection = open();
    const move = async (): Promise<void> => {
      connection.close();
      at += 1;
      await new Promise((resolve) => setTimeout(resolve, retryMs));
      connection = open();
    };
    for (let n = 0; !stopping; n += 1) {
      const name = `${prefix}${index}-${n}`;
      while (!(await createOne(connection, name)) && !stopping) await move();
    }
    connection.close();
  };

  /** Whether the outcome is known. */
  async function createOne(connection: HttpConnection, name: string): Promise<boolean> {
    const wasOpen = unanswered.has(name);
    unanswered.add(name);
    try {
      const body = configMap(name, '', objectBytes);
      const { status, value } = await connection.json<StoredObject>('POST', configMaps, body);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const said = JSON.stringify(value);
      if (status === 201) acknowledged.set(name, BigInt(value.metadata.resourceVersion));
      else if (status === 409 && wasOpen) settled.add(name);
      else if (!asksForRetry.has(status)) assert.fail(`${name}: ${status} ${said}`);
      // A refusal is a promise too: the name is open only if it was before.
      else if (!wasOpen && said.includes('nothing was written')) unanswered.delete(name);
      if (status !== 201 && status !== 409) return false;
      unanswered.delete(name);
      return true;
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      return false;
    }
  }

  const done = Promise.all(Array.from({ length: count }, writer));
  done.catch(() => undefined);
  return {
    acknowledged,
    unanswered,
    settled,
    statuses,
    async stop() {
      stopping = true;
      await done;
    },
  };
}

/** One watch after the other, each from where the one before ended. */
export class Follower {
  readonly replica = new Replica();
  readonly #ports: Ports;
  readonly #done: Promise<void>;
  #at: number;
  #stream: WatchStream | undefined;
  #stopped = false;
  streamsCount = 0;

  constructor(ports: Ports, first: number) {
    this.#ports = ports;
    this.#at = first;
    after(() => this.#end());
    this.#done = this.#run();
    this.#done.catch(() => undefined);
  }

  /** Goes on at the next server. */
  hop(): void {
    this.#stream?.cut();
  }

  /** @throws what a watch did that it must not. */
  async stop(): Promise<void> {
    this.#end();
    await this.#done;
  }

  #end(): void {
    this.#stopped = true;
    this.#stream?.cut();
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const ports = this.#ports();
      const stream = this.#watch(ports[this.#at % ports.length] as number);
      this.#stream = stream;
      this.streamsCount += 1;
      await stream.ended;
      assert.ok(!this.replica.expired, 'history was still there');
      this.#at += 1;
      if ((await stream.started) === 200) continue;
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }

  #watch(port: number): WatchStream {
    // A streaming list that was cut starts over: what came of it is of no use.
    if (!this.replica.synced) this.replica.reset();
    const from = this.replica.synced
      ? `resourceVersion=${this.replica.revision}`
      : 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
    const target = `${configMaps}?watch=true&allowWatchBookmarks=true&${from}`;
    const stream: WatchStream = new WatchStream(port, target, {
      onEvent: (event) => {
        // A server that is behind refuses; another one, or the same later, does not.
        const isRefusal = event.type === 'ERROR' && event.object.code === 504;
        if (isRefusal) stream.cut();
        else this.replica.apply(event);
      },
    });
    return stream;
  }
}

export async function synced(followers: readonly Follower[]): Promise<void> {
  await eventually('followers have begun', () => followers.every((f) => f.replica.synced));
}

/** Creates an object; answers its revision. */
export async function create(connection: HttpConnection, name: string): Promise<bigint> {
  const body = configMap(name, '', objectBytes);
  const { status, value } = await connection.json<StoredObject>('POST', configMaps, body);
  assert.equal(status, 201, JSON.stringify(value));
  return BigInt(value.metadata.resourceVersion);
}

/** Everything acknowledged is there as acknowledged; everything there was asked for. */
export function assertNothingLost(
  load: Pick<SharedLoad, 'acknowledged' | 'unanswered' | 'settled'>,
  list: ObjectList,
): void {
  const found = new Map(list.items.map((item) => [item.metadata.name, item]));
  for (const [name, revision] of load.acknowledged) {
    assert.equal(found.get(name)?.metadata.resourceVersion, String(revision), name);
    found.delete(name);
  }
  for (const name of load.settled) assert.ok(found.delete(name), `${name} is there`);
  for (const name of found.keys()) assert.ok(load.unanswered.has(name), `${name} is invented`);
}

/** Everybody has seen everything, once, in one order, and every server says the same. */
export async function assertOneHistory(
  ports: readonly number[],
  followers: readonly Follower[],
  load: SharedLoad,
): Promise<void> {
  const connection = new HttpConnection(ports[0] as number);
  const last = await create(connection, 'last');
  load.acknowledged.set('last', last);
  connection.close();
  const lists = await Promise.all(ports.map((port) => listOf(port, configMaps)));
  const [list] = lists as [ObjectList];
  for (const { replica } of followers) {
    await eventually('a follower has the last change', () => replica.revision >= last);
  }
  for (const follower of followers) await follower.stop();
  for (const { replica } of followers) {
    replica.assertEquals(list, 'replica');
    assert.deepEqual(replica.seen, followers[0]?.replica.seen, 'one history for all');
    const seen = new Set(replica.seen);
    const missed = [...load.acknowledged].filter(([, revision]) => !seen.has(revision));
    assert.deepEqual(missed, []);
  }
  for (const each of lists) {
    assert.deepEqual(each.items, list.items, 'every server has the same list');
    assertNothingLost(load, each);
  }
}
