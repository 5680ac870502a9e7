/** Two commits of one server under way at once, on a FoundationDB double: each fate beside each. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { FdbDatabase, FdbTransaction } from '../../src/storage/fdb/binding.ts';
import { createKeys } from '../../src/storage/fdb/layout.ts';
import { revisionZero } from '../../src/storage/storage.ts';
import type {
  Condition,
  Mutation,
  MutationOutcome,
  Revision,
  Storage,
} from '../../src/storage/storage.ts';
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
  textOf,
  written,
} from '../contract/storage-fixture.ts';
import type { CommitFate } from '../support/doubles/fdb-double-faults.ts';
import {
  advanceUntil,
  createServers,
  doublePrefix,
  slotOf,
  turns,
  versionOf,
} from '../support/servers/fdb-servers.ts';
import type { Servers } from '../support/servers/fdb-servers.ts';

const keys = createKeys(doublePrefix);
const fates: readonly CommitFate[] = [
  'tried',
  'conflict',
  'unknown-applied',
  'unknown-lost',
  'timeout-late',
  'changed-applied',
];

/** Commits of a connection, held until the test lets them go on, each by itself. */
interface Gate {
  readonly held: (() => void)[];
  isOpen: boolean;
  /** Runs once, when a commit has failed, before its caller hears of it. */
  afterFailure?: (() => Promise<void>) | undefined;
}

function gated(inner: FdbDatabase, gate: Gate): FdbDatabase {
  return {
    begin(options) {
      const transaction: FdbTransaction = inner.begin(options);
      return {
        ...transaction,
        async commit() {
          if (!gate.isOpen) await new Promise<void>((go) => gate.held.push(go));
          try {
            await transaction.commit();
          } catch (error) {
            const after = gate.afterFailure;
            gate.afterFailure = undefined;
            await after?.();
            throw error;
          }
        },
      };
    },
    close: () => inner.close(),
  };
}

function onlyIf(name: string, state: string): { readonly conditions: readonly Condition[] } {
  return { conditions: [{ key: key(name), state }] };
}

describe('two commits of one server', () => {
  let servers: Servers;
  let storage: Storage;
  let gate: Gate;
  beforeEach(async () => {
    servers = createServers();
    gate = { held: [], isOpen: true };
    storage = await servers.open({ db: gated(servers.double.connect(), gate) });
  });
  afterEach(() => servers.closeAll());

  /** Asks for these at once; every one that may run stands before its commit. */
  async function askHeld(
    ...all: readonly (readonly Mutation[])[]
  ): Promise<Promise<readonly MutationOutcome[]>[]> {
    gate.isOpen = false;
    const asked = all.map((mutations) => storage.commit(mutations));
    for (const each of asked) each.catch(() => undefined);
    await turns();
    gate.isOpen = true;
    return asked;
  }

  const letGo = (which: number): void => gate.held.splice(which, 1)[0]?.();
  const revisionsOf = async (after: Revision): Promise<Revision[]> =>
    (await allChanges(storage, after)).map((change) => change.revision);

  it('are under way together when they share no key; a third waits for either', async () => {
    const asked = await askHeld(
      [put(key('a'), absent)],
      [put(key('b'), absent)],
      [put(key('c'), absent)],
    );
    assert.equal(gate.held.length, 2);
    letGo(1);
    const second = applied((await asked[1])?.[0]);
    const third = applied((await asked[2])?.[0]);
    assert.equal(gate.held.length, 1, 'the first one has not ended');
    letGo(0);
    const first = applied((await asked[0])?.[0]);
    assert.deepEqual(await revisionsOf(revisionZero), [second, third, first]);
  });

  it('at one version have revisions of their own, and the log has each once, in their order', async () => {
    const all: Revision[] = [];
    for (let i = 0; i < 10; i += 1) {
      const asked = [`${i}-a`, `${i}-b`].map((name) =>
        storage.commit([put(key(name), absent), put(key(`${name}-more`), absent)]),
      );
      all.push(...(await Promise.all(asked)).flat().map(applied));
    }
    assert.equal(new Set(all).size, 40);
    assert.ok(new Set(all.map(versionOf)).size < 20, 'no two shared a version');
    assert.equal(new Set(all.map(slotOf)).size, 1);
    assert.deepEqual(
      await revisionsOf(revisionZero),
      all.toSorted((a, b) => (a < b ? -1 : 1)),
    );
  });

  for (const first of fates) {
    for (const second of fates) {
      it(`are each applied once: ${first} beside ${second}`, async () => {
        const before = await commitOne(storage, put(key('a'), absent, 'before'));
        servers.double.faults.script.push(first, second);
        const asked = [
          storage.commit([put(key('a'), written(before), 'one'), put(key('a2'), absent)]),
          storage.commit([put(key('b'), absent, 'two'), put(key('b'), absent)]),
          storage.commit([put(key('a2'), absent, 'late')]),
        ] as const;
        const settled = Promise.all(asked);
        await advanceUntil(servers.time, settled);
        const [one, two, late] = await settled;
        const [a, a2, b] = [one[0], one[1], two[0]].map(applied);
        assert.deepEqual(two[1], { kind: 'conflict', found: b });
        assert.deepEqual(late, [{ kind: 'conflict', found: a2 }]);
        // What is still on its way to the cluster arrives, and is refused.
        await turns();
        const sorted = [a, a2, b].toSorted((x, y) => ((x as bigint) < (y as bigint) ? -1 : 1));
        assert.deepEqual(await revisionsOf(before), sorted);
        assert.equal(textOf(ok(await storage.read(key('a')))), 'one');
        assert.equal(textOf(ok(await storage.read(key('b')))), 'two');
      });
    }
  }

  for (const [what, second, outcome] of [
    ['writes what the first one writes', put(key('a'), absent), 'conflict'],
    ['tests what the first one writes', put(key('b'), absent, 'v', onlyIf('a', 'x')), 'applied'],
    ['writes what the first one tests', put(key('tested'), absent), 'conflict'],
  ] as const) {
    it(`the second waits when it ${what}, and is decided on what that one did`, async () => {
      await commitOne(storage, put(key('tested'), absent));
      const [first, waiting, behind] = await askHeld(
        [put(key('a'), absent, 'v', { state: 'x', ...onlyIf('tested', 'live') })],
        [second],
        [put(key('free'), absent)],
      );
      assert.equal(gate.held.length, 1);
      letGo(0);
      applied((await first)?.[0]);
      assert.equal((await waiting)?.[0]?.kind, outcome);
      applied((await behind)?.[0]);
    });
  }

  it('a first one whose outcome stays unknown takes nothing of the second with it', async () => {
    const asked = await askHeld(
      [put(key('a'), absent, 'first')],
      [put(key('b'), absent, 'second')],
      [put(key('a'), absent, 'again')],
    );
    servers.double.faults.script.push('unknown-applied');
    gate.afterFailure = takeOver;
    letGo(0);
    await assert.rejects(asked[0] as Promise<unknown>, rejectsWith('unknown'));
    // It has let go of its key only now: what stands behind it sees what it did.
    assert.equal((await asked[2])?.[0]?.kind, 'conflict');
    letGo(0);
    const second = applied((await asked[1])?.[0]);
    assert.equal((await revisionsOf(revisionZero)).filter((each) => each === second).length, 1);
    assert.equal(textOf(ok(await storage.read(key('a')))), 'first');
    assert.equal(textOf(ok(await storage.read(key('b')))), 'second');
  });

  for (const [what, marks, again] of [
    ['its mark is still there', [], false],
    ['the other server has written over its mark', [0, 1], false],
    ['the mark is written over and this server has the same slot again', [0, 1], true],
  ] as const) {
    it(`the second finds their slot taken while the first one's fate is open: ${what}`, async () => {
      const [first, second] = await askHeld(
        [put(key('a'), absent, 'first')],
        [put(key('b'), absent)],
      );
      servers.double.faults.script.push('unknown-applied');
      gate.afterFailure = async () => {
        await takeOver(marks);
        if (again) await giveBack();
        // The second finds out first, and goes on under a slot that it takes.
        letGo(0);
        const taken = slotOf(applied((await second)?.[0]));
        assert.equal(taken, again ? 0 : 1);
        // Had the first been tried again it would be applied once more, or be its own conflict.
        const other = await servers.open();
        const found = ok(await other.read(key('a')))?.revision as Revision;
        await other.commit([remove(key('a'), written(found))]);
      };
      letGo(0);
      if (marks.length > 0) await assert.rejects(first as Promise<unknown>, rejectsWith('unknown'));
      else applied((await first)?.[0]);
      const writes = (await allChanges(storage, revisionZero)).filter((c) => c.key === key('a'));
      assert.deepEqual(
        writes.map((change) => change.kind),
        ['put', 'delete'],
      );
    });
  }

  it('when their slot is taken over, both go on under one new slot', async () => {
    const asked = await askHeld([put(key('a'), absent)], [put(key('b'), absent)]);
    await takeOver();
    letGo(0);
    letGo(0);
    const slots = (await Promise.all(asked)).map(([outcome]) => slotOf(applied(outcome)));
    assert.deepEqual(slots, [1, 1]);
    const limits = { limit: 32, bytesTarget: 0 };
    const reading = servers.double.connect().begin({});
    const { entries } = await reading.getRange(...keys.table('s'), limits, 'snapshot');
    assert.equal(entries.length, 2, 'the other server, and this one once');
  });

  it('both end in time when the cluster falls silent, and close() waits for both', async () => {
    servers.double.faults.unreachable = true;
    const asked = [
      storage.commit([put(key('a'), absent)]),
      storage.commit([put(key('b'), absent)]),
    ];
    const ended = Promise.all(asked.map((each) => assert.rejects(each, rejectsWith('timeout'))));
    let closed = false;
    const closing = storage.close().then(() => (closed = true));
    await turns();
    assert.equal(closed, false);
    await advanceUntil(servers.time, ended);
    await ended;
    servers.double.faults.unreachable = false;
    await advanceUntil(servers.time, closing);
    assert.ok(await closing);
  });

  /** Another server takes slot 0 and commits under it, in these lanes. */
  async function takeOver(lanes: readonly number[] = [0, 1]): Promise<void> {
    const taking = servers.double.connect().begin({});
    taking.set(keys.ofSlot('s', 0), Buffer.alloc(8, 7));
    for (const lane of lanes) taking.set(keys.lastCommit(0, lane), Buffer.alloc(26, 7));
    await taking.commit();
  }

  async function giveBack(): Promise<void> {
    const giving = servers.double.connect().begin({});
    giving.clear(keys.ofSlot('s', 0));
    await giving.commit();
  }
});
