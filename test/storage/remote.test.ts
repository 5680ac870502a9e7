import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import type { Timers } from '../../src/stdx/clock.ts';
import { openLmdbStorage } from '../../src/storage/lmdb/lmdb-storage.ts';
import { createMemoryStorage } from '../../src/storage/memory/memory-storage.ts';
import { createCommitMerge } from '../../src/storage/remote/commit-merge.ts';
import { createRemoteStorage } from '../../src/storage/remote/store-client.ts';
import { createStoreServer } from '../../src/storage/remote/store-server.ts';
import type { StoreServer } from '../../src/storage/remote/store-server.ts';
import { createRecordQueues, recordQueueLimits } from '../../src/storage/remote/record-queues.ts';
import { tailWindow } from '../../src/storage/remote/tail-server.ts';
import { StorageError, revisionZero } from '../../src/storage/storage.ts';
import type { Mutation, MutationOutcome, Revision, Storage } from '../../src/storage/storage.ts';
import { counterRules as rules } from '../contract/companion-rules.ts';
import { storageContract } from '../contract/storage-contract.ts';
import {
  absent,
  applied,
  commitOne,
  key,
  ok,
  put,
  rejectsWith,
  textOf,
  written,
} from '../contract/storage-fixture.ts';
import type { StorageFixture } from '../contract/storage-fixture.ts';
import { channelPair } from '../support/doubles/channel-pair.ts';
import type { ChannelPair } from '../support/doubles/channel-pair.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const neverFatal = (error: Error): void => assert.fail(error);

interface Remote extends ChannelPair {
  readonly storage: Storage;
}

function connect(server: StoreServer, name: string): Remote {
  const pair = channelPair();
  server.attach(pair.server);
  return { ...pair, storage: createRemoteStorage({ channel: pair.client, name }) };
}

/** Each test's store behind a server of its own; a second writer is a second client. */
function remoteFixture(
  openStore: () => Promise<Storage>,
  cleanUp: () => Promise<void>,
): StorageFixture {
  const behind = new WeakMap<Storage, StoreServer>();
  const opened: { readonly server: StoreServer; readonly store: Storage }[] = [];
  return {
    async open() {
      const store = await openStore();
      const server = await createStoreServer(store, systemTimers, neverFatal);
      opened.push({ server, store });
      const { storage } = connect(server, store.name);
      behind.set(storage, server);
      return storage;
    },
    openSecond(first) {
      const server = behind.get(first);
      assert.ok(server !== undefined);
      return Promise.resolve(connect(server, first.name).storage);
    },
    refusesFreelyBecause: "a record may be another writer's to write next (record-queues.ts)",
    async cleanUp() {
      for (const { server, store } of opened.splice(0)) {
        await server.close();
        await store.close();
      }
      await cleanUp();
    },
  };
}

describe('remote storage', () => {
  const memory = (revisionStep: bigint) => (): Promise<Storage> =>
    Promise.resolve(createMemoryStorage({ clock: systemClock, revisionStep, rules }));
  storageContract(
    'remote over memory',
    remoteFixture(memory(4096n), () => Promise.resolve()),
  );
  const directories = testDirectories('sluice-remote-contract');
  const lmdb = (): Promise<Storage> =>
    openLmdbStorage({ path: directories.make(), identity: 'svc', clock: systemClock, rules });
  storageContract(
    'remote over lmdb',
    remoteFixture(lmdb, () => directories.removeAll()),
  );
});

/** A store whose commits wait until they are let go. */
function gatedStore(): { store: Storage; commits: (readonly Mutation[])[]; open(): void } {
  const inner = createMemoryStorage({ clock: systemClock });
  const commits: (readonly Mutation[])[] = [];
  let openGate!: () => void;
  const gate = new Promise<void>((resolve) => (openGate = resolve));
  const store: Storage = {
    ...inner,
    async commit(mutations) {
      commits.push(mutations);
      await gate;
      return inner.commit(mutations);
    },
  };
  return { store, commits, open: openGate };
}

const turns = async (count = 20): Promise<void> => {
  for (let i = 0; i < count; i += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('a channel that is cut', () => {
  it('leaves a commit under way unknown, everything else closed, and the store healthy', async () => {
    const { store, open } = gatedStore();
    const server = await createStoreServer(store, systemTimers, neverFatal);
    const lost = connect(server, 'memory');
    const other = connect(server, 'memory');
    const following = (async () => {
      for await (const page of lost.storage.tail(revisionZero, new AbortController().signal)) {
        void page;
      }
    })();
    const tailEnd = assert.rejects(following, rejectsWith('closed'));
    const commit = lost.storage.commit([put(key('a'), absent)]);
    const unknown = assert.rejects(commit, rejectsWith('unknown'));
    await turns();
    const read = assert.rejects(lost.storage.read(key('a')), rejectsWith('closed'));
    lost.cut();
    await Promise.all([unknown, tailEnd, read]);
    assert.equal(lost.storage.failure()?.code, 'closed');
    for (const call of [
      () => lost.storage.revision(),
      () => lost.storage.commit([put(key('b'), absent)]),
      () => lost.storage.scan({ prefix: '', limit: 1 }),
    ]) {
      await assert.rejects(call, rejectsWith('closed'));
    }
    await turns();
    assert.equal(server.clientsCount, 1);
    open();
    await commitOne(other.storage, put(key('c'), absent));
    const a = ok(await other.storage.read(key('a')));
    assert.equal(textOf(a), 'v', 'what had been sent was applied all the same');
    assert.equal(other.storage.failure(), undefined);
    await server.close();
    await assert.rejects(other.storage.revision(), rejectsWith('closed'));
    assert.ok((await store.revision()) > 0n, 'the store itself is open');
  });

  it('by bytes that are no frame ends that client alone', async () => {
    const store = createMemoryStorage({ clock: systemClock });
    const server = await createStoreServer(store, systemTimers, neverFatal);
    const one = connect(server, 'memory');
    const two = connect(server, 'memory');
    one.client.send(Buffer.from([200, 0, 0, 0, 0]));
    await turns();
    assert.equal(one.storage.failure()?.code, 'closed');
    assert.equal(await two.storage.revision(), revisionZero);
    await server.close();
  });
});

describe('a client that stands still', () => {
  it('is sent one window and no more, holds up nobody, and goes on without a gap', async () => {
    const store = createMemoryStorage({ clock: systemClock });
    const server = await createStoreServer(store, systemTimers, neverFatal);
    const stopped = connect(server, 'memory');
    const other = connect(server, 'memory');
    const abort = new AbortController();
    const seen: bigint[] = [];
    const count = 4 * tailWindow.pagesMax;
    const following = (async () => {
      for await (const page of stopped.storage.tail(revisionZero, abort.signal)) {
        seen.push(...page.changes.map(({ revision }) => revision));
        if (seen.length === count) abort.abort();
      }
    })();
    await turns();
    stopped.stopClient();
    const value = 'x'.repeat(64 * 1024);
    const revisions: Revision[] = [];
    for (let i = 0; i < count; i += 1) {
      revisions.push(await commitOne(other.storage, put(key(`k${i}`), absent, value)));
    }
    const held = stopped.serverHeldBytes();
    assert.ok(held > 0, 'something waits for it');
    assert.ok(held <= tailWindow.bytesMax + 1024 * 1024, `${held} bytes wait for it`);
    stopped.continueClient();
    await following;
    assert.deepEqual(seen, revisions);
    await server.close();
  });

  it('is told when the log it needs has gone meanwhile', async () => {
    const store = createMemoryStorage({ clock: systemClock });
    const server = await createStoreServer(store, systemTimers, neverFatal);
    const stopped = connect(server, 'memory');
    const following = (async () => {
      for await (const page of stopped.storage.tail(revisionZero, new AbortController().signal)) {
        void page;
      }
    })();
    const ended = assert.rejects(following, rejectsWith('compacted'));
    await turns();
    stopped.stopClient();
    const value = 'x'.repeat(256 * 1024);
    for (let i = 0; i < 200; i += 1) await commitOne(store, put(key(`k${i}`), absent, value));
    await store.compact(await store.revision());
    stopped.continueClient();
    await ended;
    await server.close();
  });

  it('never gets an answer that is older than its question', async () => {
    const store = createMemoryStorage({ clock: systemClock });
    const server = await createStoreServer(store, systemTimers, neverFatal);
    const { storage, stopClient, continueClient } = connect(server, 'memory');
    await storage.revision();
    stopClient();
    const before = storage.revision();
    await turns();
    const written = await commitOne(store, put(key('a'), absent));
    continueClient();
    const after = storage.revision();
    assert.ok((await before) <= written);
    assert.ok((await after) >= written);
    await server.close();
  });
});

describe('commits of several clients', () => {
  it('ride together; each keeps its order, its `after` and its own outcomes', async () => {
    const { store, commits, open } = gatedStore();
    const server = await createStoreServer(store, systemTimers, neverFatal);
    const [one, two] = [connect(server, 'memory'), connect(server, 'memory')];
    const chain = (name: string): Mutation[] => [
      put(key(name), absent, 'one'),
      put(key(name), { kind: 'after', index: 0 }, 'two'),
      put(key('shared'), absent, name),
    ];
    const first = one.storage.commit([put(key('gate'), absent)]);
    await turns();
    const rest = [
      one.storage.commit(chain('a')),
      two.storage.commit(chain('b')),
      one.storage.commit([put(key('c'), absent), put(key('c'), { kind: 'after', index: 0 })]),
    ];
    await turns();
    assert.equal(commits.length, 1, 'they wait for the one in flight');
    open();
    applied((await first)[0]);
    const [a, b, c] = (await Promise.all(rest)) as [Out, Out, Out];
    assert.deepEqual(
      commits.map((each) => each.length),
      [1, 8],
      'one commit for all that waited',
    );
    const kinds = [a, b, c].map((outcomes) => outcomes.map(({ kind }) => kind));
    const sharedWinner = kinds[0]?.[2] === 'applied' ? 0 : 1;
    assert.deepEqual(kinds[sharedWinner], ['applied', 'applied', 'applied']);
    assert.deepEqual(kinds[1 - sharedWinner], ['applied', 'applied', 'conflict']);
    assert.deepEqual(kinds[2], ['applied', 'applied']);
    assert.ok(applied(a[1]) < applied(c[0]), 'the order of one client is kept');
    assert.equal(textOf(ok(await two.storage.read(key('a')))), 'two');
    await server.close();
  });

  it('do not suffer from one that is too large, and share the error of the store', async () => {
    const store = createMemoryStorage({ clock: systemClock });
    const broken = new StorageError('full', 'no room');
    let fails = false;
    const merge = createCommitMerge(
      { commit: (mutations) => (fails ? Promise.reject(broken) : store.commit(mutations)) },
      systemTimers,
      createRecordQueues(systemTimers),
    );
    const writer = {};
    const long = 'x'.repeat(5 * 1024 * 1024);
    const [good, large] = await Promise.allSettled([
      merge.commit(writer, [put(key('a'), absent)]),
      merge.commit(writer, [put(key('b'), absent, long)]),
    ]);
    assert.equal(good.status, 'fulfilled');
    assert.equal(large.status, 'rejected');
    fails = true;
    const both = [
      merge.commit(writer, [put(key('c'), absent)]),
      merge.commit(writer, [put(key('d'), absent)]),
    ];
    for (const each of both) await assert.rejects(each, rejectsWith('full'));
    fails = false;
    await merge.commit(writer, [put(key('e'), absent)]);
    assert.equal(ok(await store.read(key('c'))), undefined);
  });

  it('hear of a store that takes no more writes', async () => {
    const inner = createMemoryStorage({ clock: systemClock });
    const failures: StorageError[] = [];
    const store: Storage = { ...inner, failure: () => failures[0] };
    const server = await createStoreServer(store, systemTimers, neverFatal);
    const early = connect(server, 'memory');
    failures.push(new StorageError('io', 'the disk has gone'));
    server.tellFailure();
    const late = connect(server, 'memory');
    await turns();
    assert.deepEqual(
      [early, late].map(({ storage }) => storage.failure()?.code),
      ['io', 'io'],
    );
    await server.close();
  });
});

describe('a log that can no longer be followed', () => {
  it('is told to the server, and to every client', async () => {
    const inner = createMemoryStorage({ clock: systemClock });
    const lost = new StorageError('corrupt', 'a record of the log cannot be read');
    const store: Storage = {
      ...inner,

      async *tail() {
        await turns(5);
        throw lost;
      },
    };
    const told: Error[] = [];
    const server = await createStoreServer(store, systemTimers, (error) => told.push(error));
    const { storage } = connect(server, 'memory');
    const follow = async (): Promise<void> => {
      for await (const page of storage.tail(revisionZero, new AbortController().signal)) void page;
    };
    await assert.rejects(follow, rejectsWith('corrupt'));
    await assert.rejects(follow, rejectsWith('corrupt'), 'also who comes later');
    assert.deepEqual(told, [lost]);
    await server.close();
  });
});

type Out = readonly MutationOutcome[];

describe('followers of one server', () => {
  it('that start anywhere, at any time, all see the log once and in order', async () => {
    const store = createMemoryStorage({ clock: systemClock, revisionStep: 7n });
    const server = await createStoreServer(store, systemTimers, neverFatal);
    const writer = connect(server, 'memory').storage;
    const revisions: Revision[] = [];
    const followers: Promise<void>[] = [];
    const total = 300;
    const follow = async (from: number): Promise<void> => {
      const { storage } = connect(server, 'memory');
      const abort = new AbortController();
      const seen: Revision[] = [];
      const after = from === 0 ? revisionZero : (revisions[from - 1] as Revision);
      for await (const page of storage.tail(after, abort.signal)) {
        seen.push(...page.changes.map(({ revision }) => revision));
        if (seen.length >= total - from) abort.abort();
      }
      assert.deepEqual(seen, revisions.slice(from));
    };
    let hot: Revision | undefined;
    while (revisions.length < total) {
      if (revisions.length % 60 === 0) {
        for (const from of [0, revisions.length >> 1, revisions.length])
          followers.push(follow(from));
      }
      const names = Array.from(
        { length: 1 + (revisions.length % 3) },
        (_, i) => `k${revisions.length}-${i}`,
      );
      const expect = hot === undefined ? absent : written(hot);
      const room = names.slice(0, total - revisions.length - 1).map((n) => put(key(n), absent));
      const outcomes = await writer.commit([put(key('hot'), expect), ...room]);
      revisions.push(...outcomes.map(applied));
      hot = revisions[revisions.length - outcomes.length];
    }
    await Promise.all(followers);
    await server.close();
  });
});

describe('a record that several clients write', () => {
  interface Contender {
    readonly storage: Storage;
    known: Revision | undefined;
    worst: number;
    /** Turns of the event loop that it takes to decide. */
    readonly decides: number;
  }

  /** Writes until it has won, reading what is there after each loss, as an actor does. */
  async function win(contender: Contender, at = key('hot')): Promise<void> {
    const { storage } = contender;
    // The turns' own timers keep no process alive.
    const alive = setInterval(() => undefined, 1000);
    for (let losses = 0; ; losses += 1) {
      contender.worst = Math.max(contender.worst, losses);
      let known = contender.known;
      if (known === undefined) {
        const record = ok(await storage.read(at));
        assert.ok(record !== undefined);
        known = record.revision;
        // Time to decide, in which the other may write again.
        await turns(contender.decides);
      }
      const [outcome] = await storage.commit([put(at, written(known), 'x')]);
      contender.known = outcome?.kind === 'applied' ? outcome.revision : undefined;
      if (contender.known === undefined) continue;
      clearInterval(alive);
      return;
    }
  }

  it('comes to each of them within a few tries, however eager the others are', async () => {
    // However busy the machine, nobody's turn ends because time is up.
    const patient: Timers = {
      ...systemTimers,
      after: (delayMs, callback) => systemTimers.after(delayMs * 400, callback),
    };
    const store = createMemoryStorage({ clock: systemClock });
    const server = await createStoreServer(store, patient, neverFatal);
    const known = await commitOne(store, put(key('hot'), absent));
    const contenders = [3, 3, 60].map((decides): Contender => {
      return { storage: connect(server, 'memory').storage, known, worst: 0, decides };
    });
    const rounds = 100;
    await Promise.all(
      contenders.map(async (contender) => {
        for (let i = 0; i < rounds; i += 1) await win(contender);
      }),
    );
    const worst = contenders.map((each) => each.worst);
    assert.ok(
      Math.max(...worst) <= recordQueueLimits.lossesMax + 2,
      `losses in a row: ${worst.join()}`,
    );
    const changes = ok(await store.changes(known, { limit: 1000, previous: false })).changes;
    assert.equal(changes.length, rounds * contenders.length);
    await server.close();
  });

  it('is not kept from the others by one that goes, stands still or does not write', async () => {
    const store = createMemoryStorage({ clock: systemClock });
    const server = await createStoreServer(store, systemTimers, neverFatal);
    const known = await commitOne(store, put(key('hot'), absent));
    const { storage } = connect(server, 'memory');
    const other: Contender = { storage, known, worst: 0, decides: 3 };
    for (const gone of [true, false]) {
      const holder = connect(server, 'memory');
      const stale = put(key('hot'), written(1_000_000n as Revision));
      for (let i = 0; i < recordQueueLimits.lossesMax; i += 1) await holder.storage.commit([stale]);
      await holder.storage.read(key('hot'));
      if (gone) holder.cut();
      else holder.stopClient();
      await win(other);
      await win(other);
    }
    await server.close();
  });
});
