import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createAttempt } from '../../src/storage/fdb/commit-attempt.ts';
import { createContention } from '../../src/storage/fdb/contention.ts';
import { createKeys, revisionSpace, versionBytes } from '../../src/storage/fdb/layout.ts';
import { createOwnCommits } from '../../src/storage/fdb/own-commits.ts';
import type { SlotHolder } from '../../src/storage/fdb/slots.ts';
import { revisionZero, storageLimits } from '../../src/storage/storage.ts';
import type { Revision, Storage, StoreKey } from '../../src/storage/storage.ts';
import {
  absent,
  allChanges,
  applied,
  commitOne,
  key,
  ok,
  put,
  rejectsWith,
  remove,
  scanAll,
  textOf,
  written,
} from '../contract/storage-fixture.ts';
import {
  advanceUntil,
  createServers,
  doublePrefix,
  hooked,
  slotOf,
  turns,
  versionOf,
} from '../support/servers/fdb-servers.ts';
import type { Hooks, Servers } from '../support/servers/fdb-servers.ts';

let servers: Servers;
beforeEach(() => {
  servers = createServers();
});
afterEach(() => servers.closeAll());

const keys = createKeys(doublePrefix);

async function openHooked(
  requestTimeoutMs?: number,
): Promise<{ readonly storage: Storage; readonly hooks: Hooks }> {
  const hooks: Hooks = {};
  const db = hooked(servers.double.connect(), hooks);
  const patience = requestTimeoutMs === undefined ? {} : { requestTimeoutMs };
  return { storage: await servers.open({ db, frozen: true, ...patience }), hooks };
}

/** Takes every slot but the ones that are held, and then the one silent for longest. */
async function takeSlotOver(slot: number): Promise<Storage> {
  const all: Storage[] = [];
  for (let i = 1; i < 32; i += 1) all.push(await servers.open({ frozen: true }));
  servers.time.advance(61_000);
  const taker = await servers.open();
  const revision = await commitOne(taker, put(key(`taker-of-${slot}`), absent));
  assert.equal(slotOf(revision), slot);
  return taker;
}

describe('fdb slots', () => {
  it('each server has a slot of its own, a server that closed leaves its slot to the next', async () => {
    const [one, two] = [await servers.open(), await servers.open()];
    assert.equal(slotOf(await commitOne(one, put(key('a'), absent))), 0);
    assert.equal(slotOf(await commitOne(two, put(key('b'), absent))), 1);
    await one.close();
    assert.equal(slotOf(await commitOne(await servers.open(), put(key('c'), absent))), 0);
  });

  it('a server that lost its slot while it slept commits under another one', async () => {
    const sleeper = await servers.open({ frozen: true });
    await takeSlotOver(0);
    const revision = await commitOne(sleeper, put(key('late'), absent));
    assert.notEqual(slotOf(revision), 0);
  });

  it('a commit whose slot is taken over between its reads and its commit is not applied', async () => {
    const { storage, hooks } = await openHooked();
    let failures = 0;
    hooks.beforeCommit = async () => {
      const taking = servers.double.connect().begin({});
      taking.set(keys.ofSlot('s', 0), Buffer.alloc(8, 7));
      await taking.commit();
    };
    hooks.afterFailure = () => Promise.resolve(void (failures += 1));
    const revision = await commitOne(storage, put(key('mine'), absent, 'once'));
    assert.equal(failures, 1);
    assert.notEqual(slotOf(revision), 0);
    const mine = (await allChanges(storage, revisionZero)).filter((c) => c.key === key('mine'));
    assert.deepEqual(
      mine.map((c) => c.revision),
      [revision],
    );
  });

  it('a server that renews keeps its slot, and the 33rd live server is refused', async () => {
    for (let i = 0; i < 32; i += 1) await servers.open();
    for (let i = 0; i < 120; i += 1) {
      servers.time.advance(1000);
      await turns(5);
    }
    await assert.rejects(servers.open(), rejectsWith('in-use'));
  });
});

describe('fdb commits whose outcome is not known', () => {
  for (const [fate, what] of [
    ['unknown-applied', 'commit_unknown_result, applied'],
    ['unknown-lost', 'commit_unknown_result, not applied'],
    ['timeout-late', 'a timeout, while the commit is still under way'],
    ['changed-applied', 'cluster_version_changed, applied'],
  ] as const) {
    it(`are applied exactly once: ${what}`, async () => {
      const storage = await servers.open();
      const one = await commitOne(storage, put(key('a'), absent, 'one'));
      servers.double.faults.script.push(fate);
      const outcomes = await storage.commit([
        put(key('a'), written(one), 'two'),
        put(key('b'), absent),
        put(key('b'), absent),
      ]);
      await turns();
      assert.deepEqual(
        outcomes.map((o) => o.kind),
        ['applied', 'applied', 'conflict'],
      );
      const revisions = outcomes.slice(0, 2).map(applied);
      assert.deepEqual(outcomes[2], { kind: 'conflict', found: revisions[1] });
      const changes = await allChanges(storage, one);
      assert.deepEqual(
        changes.map((c) => c.revision),
        revisions,
      );
      assert.equal(ok(await storage.read(key('a')))?.revision, revisions[0]);
    });
  }

  it('tell a conflict when the attempt was not applied and another server came first', async () => {
    const { storage, hooks } = await openHooked();
    const other = await servers.open();
    let theirs: Revision | undefined;
    servers.double.faults.script.push('unknown-lost');
    hooks.afterFailure = async () => {
      theirs = await commitOne(other, put(key('a'), absent, 'theirs'));
    };
    const outcomes = await storage.commit([put(key('a'), absent, 'mine')]);
    assert.deepEqual(outcomes, [{ kind: 'conflict', found: theirs }]);
  });

  it('are told as applied although another server has changed the record since', async () => {
    const { storage, hooks } = await openHooked();
    const other = await servers.open();
    servers.double.faults.script.push('unknown-applied');
    hooks.afterFailure = async () => {
      const mine = ok(await other.read(key('a')))?.revision as Revision;
      await commitOne(other, put(key('a'), written(mine), 'theirs'));
    };
    const revision = await commitOne(storage, put(key('a'), absent, 'mine'));
    assert.equal(textOf(ok(await storage.read(key('a'), revision))), 'mine');
  });

  it('are told as `unknown` when the slot was taken over and the mark overwritten', async () => {
    // Longer than it takes for a slot to be taken over: what ends the commit is not the deadline.
    const { storage, hooks } = await openHooked(120_000);
    servers.double.faults.script.push('unknown-applied');
    let lostMs = 0;
    hooks.afterFailure = async () => {
      await takeSlotOver(0);
      lostMs = servers.time.clock.monotonicMs();
    };
    await assert.rejects(storage.commit([put(key('a'), absent)]), rejectsWith('unknown'));
    // Nothing more can be learned: nobody waits for the deadline.
    assert.equal(servers.time.clock.monotonicMs(), lostMs);
    applied((await storage.commit([put(key('b'), absent)]))[0]);
  });
});

describe('an attempt of a commit', () => {
  it('is not made in a tenure that is over, although the slot is its server’s again', async () => {
    const storage = await servers.open();
    await commitOne(storage, put(key('a'), absent));
    const db = servers.double.connect();
    const owner = await db.begin({}).get(keys.ofSlot('s', 0), 'snapshot');
    assert.ok(owner !== undefined);
    const tenure = { slot: 0 };
    let over = true;
    const attempt = createAttempt({
      space: { keys, revisions: revisionSpace([{ version: 0n, base: 0n }]) },
      slots: { owner, lasts: () => !over } as unknown as SlotHolder,
      clock: servers.time.clock,
      contention: createContention(db, keys, owner),
      tested: { mayBeTested: () => true, mayBeMissed: () => false },
      own: createOwnCommits(),
      onCommitted: () => undefined,
    });
    const tried = () => attempt(db.begin({}), [put(key('b'), absent)], { tenure, lane: 1 }, []);
    assert.deepEqual(await tried(), { kind: 'slot-lost' });
    assert.equal(ok(await storage.read(key('b'))), undefined);
    over = false;
    assert.equal((await tried()).kind, 'done');
    assert.ok(ok(await storage.read(key('b'))) !== undefined);
  });
});

describe('fdb conflict sets', () => {
  const namespace = '/namespaces//default' as StoreKey;
  const live = { conditions: [{ key: namespace, state: 'live' }] };

  it('a condition is not disturbed by a change of its record that leaves the state', async () => {
    const { storage, hooks } = await openHooked();
    const other = await servers.open();
    const first = await commitOne(other, put(namespace, absent, 'ns'));
    hooks.beforeCommit = async () => void (await commitOne(other, put(namespace, written(first))));
    hooks.afterFailure = () => assert.fail('the commit was tried twice');
    await commitOne(storage, put(key('a'), absent, 'v', live));
  });

  it('a condition whose state changes before the commit fails it', async () => {
    const { storage, hooks } = await openHooked();
    const other = await servers.open();
    const first = await commitOne(other, put(namespace, absent, 'ns'));
    const end = put(namespace, written(first), 'ns', { state: 'finalizing' });
    hooks.beforeCommit = async () => void (await commitOne(other, end));
    const [outcome] = await storage.commit([put(key('a'), absent, 'v', live)]);
    assert.equal(outcome?.kind, 'condition-failed');
  });

  it('commits on different keys do not disturb each other, at one version or not', async () => {
    const [one, two] = [await servers.open(), await servers.open()];
    const before = servers.double.counts.commits;
    for (let i = 0; i < 20; i += 1) {
      await Promise.all([
        commitOne(one, put(key(`one-${i}`), absent)),
        commitOne(two, put(key(`two-${i}`), absent)),
      ]);
    }
    assert.equal(servers.double.counts.commits - before, 40);
  });
});

describe('fdb order', () => {
  it('two servers committing at one version: both see one order, the order of the revisions', async () => {
    const [one, two] = [await servers.open(), await servers.open()];
    const abort = new AbortController();
    const follow = async (storage: Storage): Promise<Revision[]> => {
      const seen: Revision[] = [];
      for await (const page of storage.tail(revisionZero, abort.signal)) {
        seen.push(...page.changes.map((c) => c.revision));
      }
      return seen;
    };
    const following = [follow(one), follow(two)];
    const all: Revision[] = [];
    for (let i = 0; i < 10; i += 1) {
      // The server with the higher slot asks first, so the order within the version is the other.
      const outcomes = await Promise.all([
        two.commit([put(key(`${i}-two`), absent), put(key(`${i}-two-more`), absent)]),
        one.commit([put(key(`${i}-one`), absent)]),
      ]);
      all.push(...outcomes.flat().map(applied));
    }
    await turns();
    abort.abort();
    const sorted = all.toSorted((a, b) => (a < b ? -1 : 1));
    for (const seen of await Promise.all(following)) assert.deepEqual(seen, sorted);
    assert.ok(new Set(all.map(versionOf)).size < 20, 'no two commits shared a version');
    for (const limit of [1, 2, 7]) {
      const paged = (await allChanges(one, revisionZero, limit)).map((c) => c.revision);
      assert.deepEqual(paged, sorted);
    }
  });

  it('a read without a revision shows what another server has just acknowledged', async () => {
    const [one, two] = [await servers.open(), await servers.open()];
    for (let i = 0; i < 20; i += 1) {
      const revision = await commitOne(one, put(key(`k${i}`), absent));
      assert.ok((await two.revision()) >= revision);
      assert.equal(ok(await two.read(key(`k${i}`)))?.revision, revision);
    }
  });

  it('the newest revision stands still while nothing is written, whatever time passes', async () => {
    const storage = await servers.open();
    await commitOne(storage, put(key('a'), absent));
    const revision = await storage.revision();
    servers.time.advance(10_000);
    assert.equal(await storage.revision(), revision);
  });
});

describe('fdb tail', () => {
  it('sleeps on a watch: no read while nothing is written, woken by a commit of another server', async () => {
    const [one, two] = [await servers.open(), await servers.open()];
    const abort = new AbortController();
    const seen: string[] = [];
    const following = (async () => {
      for await (const page of one.tail(await one.revision(), abort.signal)) {
        seen.push(...page.changes.map((c) => c.key));
      }
    })();
    await turns();
    const { reads } = servers.double.counts;
    servers.time.advance(14_000); // below the renewal of the slots
    await turns(200);
    assert.equal(servers.double.counts.reads, reads);
    await commitOne(two, put(key('a'), absent));
    await turns();
    await commitOne(one, put(key('b'), absent));
    await turns();
    assert.deepEqual(seen, [key('a'), key('b')]);
    const after = servers.double.counts.reads;
    await turns(200);
    assert.equal(servers.double.counts.reads, after);
    abort.abort();
    await following;
  });

  it('many followers share one watch', async () => {
    const storage = await servers.open();
    const abort = new AbortController();
    const start = await storage.revision();
    const following = Array.from({ length: 50 }, async () => {
      let count = 0;
      for await (const page of storage.tail(start, abort.signal)) count += page.changes.length;
      return count;
    });
    await turns();
    assert.equal(servers.double.counts.watches, 1);
    await commitOne(storage, put(key('a'), absent));
    await turns();
    abort.abort();
    assert.deepEqual(new Set(await Promise.all(following)), new Set([1]));
  });
});

describe('fdb values and pages', () => {
  it('values of every size come back whole, now and from history, and leave no piece behind', async () => {
    const storage = await servers.open();
    const sizes = [0, 16_384, 16_385, 80_000, 100_001, 240_000, storageLimits.valueBytesMax];
    const start = await storage.revision();
    for (const [i, size] of sizes.entries()) {
      const text = String(i).repeat(size);
      const one = await commitOne(storage, put(key(`k${i}`), absent, text));
      const [two, gone] = (
        await storage.commit([
          put(key(`k${i}`), written(one), 'small'),
          remove(key(`k${i}`), { kind: 'after', index: 0 }),
        ])
      ).map(applied);
      assert.equal(textOf(ok(await storage.read(key(`k${i}`), one))), text);
      assert.equal(textOf(ok(await storage.read(key(`k${i}`), two))), 'small');
      assert.equal(ok(await storage.read(key(`k${i}`), gone)), undefined);
    }
    const changes = await allChanges(storage, start, 4);
    assert.deepEqual(
      changes.filter((c) => c.previous !== undefined).map((c) => c.previous?.value.byteLength),
      sizes.flatMap((size) => [size, 5]),
    );
    await storage.compact(await storage.revision());
    const left = await servers.double
      .connect()
      .begin({})
      .getRange(
        keys.blob(Buffer.alloc(0), 0).subarray(0, -2),
        keys.table('c')[0],
        { limit: 10, bytesTarget: 0 },
        'snapshot',
      );
    assert.deepEqual(left.entries, []);
  });

  it('a list is read in pages at one revision over more time than a transaction may take', async () => {
    const storage = await servers.open();
    const names = Array.from({ length: 25 }, (_, i) => `n${String(i).padStart(2, '0')}`);
    const outcomes = await storage.commit(names.map((n) => put(key(n), absent, n)));
    const prefix = '/configmaps/';
    const first = ok(await storage.scan({ prefix, limit: 5 }));
    const seen = [...first.records];
    for (let page = first; page.more;) {
      servers.time.advance(6_000);
      const at = Number(seen.length);
      const later = names[at + 1] as string;
      await storage.commit([
        put(key(later), written(applied(outcomes[at + 1])), 'changed'),
        remove(key(names[at] as string), written(applied(outcomes[at]))),
        put(key(`${later}-new`), absent),
      ]);
      page = ok(await storage.scan({ prefix, after: seen.at(-1)?.key, limit: 5 }, first.revision));
      seen.push(...page.records);
    }
    assert.deepEqual(seen.map(textOf), names);
    assert.equal((await scanAll(storage, prefix, undefined, 100)).length, 25);
  });

  it('more than 64 mutations or 5 MiB in one commit are refused before anything is written', async () => {
    const storage = await servers.open();
    const many = Array.from({ length: 65 }, (_, i) => put(key(`k${i}`), absent));
    await assert.rejects(storage.commit(many), rejectsWith('too-large'));
    const big = 'x'.repeat(3 * 1024 * 1024);
    const two = [put(key('a'), absent, big), put(key('b'), absent, big)];
    await assert.rejects(storage.commit(two), rejectsWith('too-large'));
    assert.equal(
      (await storage.commit(many.slice(1))).filter((o) => o.kind === 'applied').length,
      64,
    );
  });

  it('64 updates of the largest inline records with the longest keys fit one transaction', async () => {
    const storage = await servers.open();
    const longest = (i: number): StoreKey => key(`${String(i).padStart(3, '0')}${'k'.repeat(990)}`);
    const text = 'x'.repeat(16_384);
    const fill = Array.from({ length: 64 }, (_, i) => put(longest(i), absent, text));
    const revisions = (await storage.commit(fill)).map(applied);
    const updates = revisions.map((at, i) => put(longest(i), written(at), text));
    assert.ok((await storage.commit(updates)).every((o) => o.kind === 'applied'));
  });
});

describe('fdb compaction', () => {
  it('is left to the server that holds the lease, until the lease has run out', async () => {
    const storage = await servers.open();
    const revision = await commitOne(storage, put(key('a'), absent));
    const transaction = servers.double.connect().begin({});
    const ends = (await transaction.readVersion()) + 30_000_000n;
    const lease = Buffer.concat([Buffer.alloc(8, 7), versionBytes(ends)]);
    transaction.set(keys.compactorLease, lease);
    await transaction.commit();
    await storage.compact(revision);
    assert.equal(await storage.compactRevision(), 0n);
    servers.time.advance(31_000);
    await storage.compact(revision);
    assert.equal(await storage.compactRevision(), revision);
  });

  it('two servers at it at once end where one would', async () => {
    const [one, two] = [await servers.open(), await servers.open()];
    for (let i = 0; i < 8; i += 1) {
      const fill = Array.from({ length: 50 }, (_, j) => put(key(`${i}-${j}`), absent));
      await (i % 2 === 0 ? one : two).commit(fill);
    }
    const before = await one.revision();
    await Promise.all([one.compact(before), two.compact(before)]);
    assert.equal(await two.compactRevision(), before);
    assert.equal((await scanAll(two, '/', before, 500)).length, 400);
  });

  it('ends with its store, between two steps; another server finishes it', async () => {
    const [one, two] = [await servers.open(), await servers.open()];
    for (let i = 0; i < 12; i += 1) {
      await one.commit(Array.from({ length: 64 }, (_, j) => put(key(`${i}-${j}`), absent)));
    }
    const before = await one.revision();
    const ended = assert.rejects(one.compact(before), rejectsWith('closed'));
    while ((await two.compactRevision()) === revisionZero) await turns(1);
    await one.close();
    await ended;
    const reached = await two.compactRevision();
    assert.ok(reached > revisionZero && reached < before, String(reached));
    servers.time.advance(31_000);
    await two.compact(before);
    assert.equal(await two.compactRevision(), before);
  });
});

describe('fdb opening', () => {
  it('refuses a store of another identity, of another format, or unreadable', async () => {
    await servers.open();
    await assert.rejects(servers.open({ identity: 'kubernetes' }), rejectsWith('identity'));
    for (const [mark, code] of [
      ['{"format":1,"identity":"svc","epoch":"1"}', 'identity'],
      ['{"format":2,"identity":"svc","eras":[]}', 'corrupt'],
      ['not json', 'corrupt'],
    ] as const) {
      const transaction = servers.double.connect().begin({});
      transaction.set(keys.meta, Buffer.from(mark));
      await transaction.commit();
      await assert.rejects(servers.open(), rejectsWith(code));
    }
  });

  it('a cluster that does not answer is one line, in bounded time', async () => {
    servers.double.faults.unreachable = true;
    const opening = servers.open();
    const refused = assert.rejects(opening, (error: Error) => {
      assert.match(
        error.message,
        /^the FoundationDB cluster has not answered in 10 s: check [^\n]+$/,
      );
      return rejectsWith('io')(error);
    });
    await advanceUntil(servers.time, opening);
    await refused;
  });

  it('a cluster that stops answering fails reads and commits as `io`, and is used again after', async () => {
    const storage = await servers.open();
    servers.double.faults.unreachable = true;
    const reading = storage.read(key('a'));
    const readFails = assert.rejects(reading, rejectsWith('timeout'));
    await advanceUntil(servers.time, reading);
    await readFails;
    const committing = storage.commit([put(key('a'), absent)]);
    const commitFails = assert.rejects(committing, rejectsWith('timeout'));
    await advanceUntil(servers.time, committing);
    await commitFails;
    servers.double.faults.unreachable = false;
    await commitOne(storage, put(key('a'), absent));
  });
});
