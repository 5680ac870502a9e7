/** A server's follower reads around what the server has committed itself, and misses nothing. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import type { FdbDatabase } from '../../src/storage/fdb/binding.ts';
import { createKeys, tipOf } from '../../src/storage/fdb/layout.ts';
import type { FdbRecord } from '../../src/storage/fdb/layout.ts';
import { createOwnCommits } from '../../src/storage/fdb/own-commits.ts';
import type { OwnCommit } from '../../src/storage/fdb/own-commits.ts';
import { revisionZero, storageLimits } from '../../src/storage/storage.ts';
import type { Change, Revision, Storage } from '../../src/storage/storage.ts';
import {
  absent,
  allChanges,
  applied,
  commitOne,
  key,
  ok,
  put,
  remove,
  textOf,
  written,
} from '../contract/storage-fixture.ts';
import { createServers, doublePrefix, turns, versionOf } from '../support/servers/fdb-servers.ts';
import type { Servers } from '../support/servers/fdb-servers.ts';

const keys = createKeys(doublePrefix);

/** The same database, which counts its transactions, and the entries of the log that are read. */
function counting(
  inner: FdbDatabase,
  counts: { entries: number; transactions?: number },
): FdbDatabase {
  const [table] = keys.table('l');
  return {
    begin(options) {
      counts.transactions = (counts.transactions ?? 0) + 1;
      const transaction = inner.begin(options);
      return {
        ...transaction,
        async getRange(begin, end, limits, mode) {
          const page = await transaction.getRange(begin, end, limits, mode);
          const isLog = begin.subarray(0, table.length).equals(table);
          if (isLog) counts.entries += page.entries.length;
          return page;
        },
      };
    },
    close: () => inner.close(),
  };
}

function plain(changes: readonly Change[]): unknown[] {
  return changes.map(({ revision, key: at, kind, timeMs, record }) => [
    revision,
    at,
    kind,
    timeMs,
    record?.state,
    textOf(record),
  ]);
}

describe('a follower beside its own commits', () => {
  let servers: Servers;
  beforeEach(() => {
    servers = createServers();
  });
  afterEach(() => servers.closeAll());

  async function following(
    storage: Storage,
    during: () => Promise<void>,
  ): Promise<readonly Change[]> {
    const abort = new AbortController();
    const seen: Change[] = [];
    const after = await storage.revision();
    const ended = (async () => {
      for await (const page of storage.tail(after, abort.signal)) seen.push(...page.changes);
    })();
    await turns();
    await during();
    await turns(60);
    abort.abort();
    await ended;
    return seen;
  }

  it('reads no entry of theirs from the log', async () => {
    const counts = { entries: 0 };
    const own = await servers.open({ db: counting(servers.double.connect(), counts) });
    const all: Revision[] = [];
    const seen = await following(own, async () => {
      for (let i = 0; i < 10; i += 1) {
        const names = ['a', 'b', 'c'].map((n) => key(`${i}-${n}`));
        all.push(...(await own.commit(names.map((n) => put(n, absent)))).map(applied));
      }
    });
    assert.deepEqual(
      seen.map((change) => change.revision),
      all,
    );
    assert.equal(counts.entries, 0);
    assert.equal((await allChanges(await servers.open(), revisionZero)).length, 30);
  });

  it('reads nothing again while nobody commits: its watch knows how far it has read', async () => {
    const writer = await servers.open();
    await commitOne(writer, put(key('a'), absent));
    const counts = { entries: 0, transactions: 0 };
    const own = await servers.open({ db: counting(servers.double.connect(), counts) });
    const before = counts.transactions;
    const seen = await following(own, async () => {
      await turns(60);
      // The newest revision, the page that first sees it, one that finds no more, and the watch.
      assert.equal(counts.transactions - before, 4);
      await commitOne(writer, put(key('b'), absent));
      await turns(60);
      // The watch that looks what has changed, one page, and a watch for the next.
      assert.equal(counts.transactions - before, 7);
    });
    assert.equal(seen.length, 1);
  });

  it('is given every change when it begins more than a page behind, though nobody commits', async () => {
    const [writer, other] = [await servers.open(), await servers.open()];
    const all: Revision[] = [];
    for (let batch = 0; all.length <= storageLimits.tailChangesMax; batch += 1) {
      const puts = Array.from({ length: 50 }, (_, i) => put(key(`${batch}-${i}`), absent));
      all.push(...(await writer.commit(puts)).map(applied));
    }
    const abort = new AbortController();
    const seen: Revision[] = [];
    const ended = (async () => {
      for await (const { changes } of other.tail(revisionZero, abort.signal)) {
        seen.push(...changes.map(({ revision }) => revision));
      }
    })();
    for (let i = 0; i < 100 && seen.length < all.length; i += 1) await turns();
    abort.abort();
    await ended;
    assert.deepEqual(seen, all);
  });

  it('is shown what they hold, which others decode', async () => {
    const [own, other] = [await servers.open(), await servers.open()];
    for (const size of [1, 50_000]) {
      const value = Buffer.alloc(size, 'v');
      const decoded = { uid: 'u', labels: {}, fields: {}, metadataAt: 0, object: value };
      const operation = { kind: 'put', state: 'live', value, decoded } as const;
      const theirs = following(other, () => turns());
      const seen = await following(own, async () => {
        await own.commit([{ key: key(`of-${size}`), expect: absent, conditions: [], operation }]);
      });
      assert.deepEqual(
        [seen, await theirs].map((changes) => changes.map(({ record }) => record?.decoded)),
        [[decoded], [undefined]],
      );
      assert.equal(seen[0]?.record?.decoded, decoded);
      assert.equal(ok(await own.read(key(`of-${size}`)))?.decoded, undefined);
    }
  });

  it('has every page as another server reads it, whoever wrote what, at one version or not', async () => {
    const writes = fc.array(
      fc.record({
        by: fc.nat(2),
        names: fc.array(fc.nat(5), { minLength: 1, maxLength: 3 }),
        large: fc.boolean(),
        waits: fc.boolean(),
      }),
      { minLength: 1, maxLength: 25 },
    );
    let run = 0;
    await fc.assert(
      fc.asyncProperty(writes, async (plan) => {
        const [one, two, other] = [
          await servers.open(),
          await servers.open(),
          await servers.open(),
        ];
        run += 1;
        const start = await one.revision();
        const write = async (storage: Storage, name: string, large: boolean): Promise<void> => {
          const found = ok(await storage.read(key(name)))?.revision;
          const text = large ? 'x'.repeat(20_000) : 'v';
          const expect = found === undefined ? absent : written(found);
          const gone = found !== undefined && text === 'v';
          await storage.commit([gone ? remove(key(name), expect) : put(key(name), expect, text)]);
        };
        const seen = await following(one, async () => {
          const asked: Promise<void>[] = [];
          for (const { by, names, large, waits } of plan) {
            const storage = [one, one, two][by] as Storage;
            asked.push(...names.map((n) => write(storage, `${run}-${n}`, large)));
            if (waits) await Promise.all(asked);
          }
          await Promise.all(asked);
        });
        const expected = await allChanges(other, start, 100);
        assert.deepEqual(plain(seen), plain(expected));
        for (const limit of [1, 3, 100]) {
          assert.deepEqual(plain(await allChanges(one, start, limit)), plain(expected));
        }
        for (const storage of [one, two, other]) await storage.close();
      }),
      { numRuns: 40 },
    );
  });

  it('sees what another server wrote at the version of its own commit, on either side of it', async () => {
    const [one, two] = [await servers.open(), await servers.open()];
    const all: Revision[] = [];
    const seen = await following(one, async () => {
      for (let i = 0; i < 10; i += 1) {
        const first = i % 2 === 0 ? two : one;
        const second = i % 2 === 0 ? one : two;
        const outcomes = await Promise.all([
          commitOne(first, put(key(`${i}-first`), absent)),
          commitOne(second, put(key(`${i}-second`), absent)),
        ]);
        all.push(...outcomes);
      }
    });
    assert.ok(new Set(all.map(versionOf)).size < 20, 'no two shared a version');
    assert.deepEqual(
      seen.map((change) => change.revision),
      all.toSorted((a, b) => (a < b ? -1 : 1)),
    );
  });
});

describe('what a server keeps of its commits', () => {
  function commitAt(version: number, changesCount: number, bytes: number): OwnCommit {
    const stamp = Buffer.alloc(10);
    stamp.writeUInt32BE(version, 4);
    const changes = Array.from({ length: changesCount }, (_, i) => {
      const revision = BigInt(version * 100 + i) as Revision;
      const payload = { kind: 'inline', bytes: Buffer.alloc(bytes) } as const;
      const record: FdbRecord = { key: key('k'), revision, state: '', payload };
      return { kind: 'put', revision, place: stamp, timeMs: 0, key: key('k'), record } as const;
    });
    return { tip: tipOf(0, stamp), changes };
  }
  const from = (version: number): Buffer => commitAt(version, 0, 0).tip;

  it('is in the order of the log, whatever order it was told in, and asked for by the piece', () => {
    const own = createOwnCommits();
    for (const version of [3, 1, 2, 5, 4]) own.add(commitAt(version, 1, 1));
    const between = (first: number, last: number, max = 9): unknown =>
      own.between(from(first), from(last), max)?.map((c) => Number(c.changes[0]?.revision) / 100);
    assert.deepEqual(between(0, 9), [1, 2, 3, 4, 5]);
    assert.deepEqual(between(2, 4), [2, 3, 4]);
    assert.deepEqual(between(6, 9), []);
    assert.deepEqual(between(2, 4, 3), [2, 3, 4]);
    assert.equal(between(2, 4, 2), undefined);
  });

  for (const limits of [
    { changesMax: 4, bytesMax: 1000 },
    { changesMax: 1000, bytesMax: 40 },
  ]) {
    it(`stays within ${JSON.stringify(limits)}, whole commits, the oldest dropped`, () => {
      const own = createOwnCommits(limits);
      for (const version of [1, 2, 4, 3]) own.add(commitAt(version, 2, 10));
      const kept = own.between(from(0), from(9), 9) as readonly OwnCommit[];
      assert.deepEqual(
        kept.map((commit) => commit.changes.map((c) => Number(c.revision))),
        [
          [300, 301],
          [400, 401],
        ],
      );
      assert.equal(own.recordOf(200n as Revision), undefined);
      assert.equal(own.recordOf(301n as Revision)?.revision, 301n);
      own.add(commitAt(5, 5, 10));
      assert.deepEqual(own.between(from(0), from(9), 9), []);
    });
  }
});
