/** Recoveries of the cluster: versions jump ahead by more than a lease, and nobody has died. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { revisionZero } from '../../src/storage/storage.ts';
import type { Revision, Storage } from '../../src/storage/storage.ts';
import {
  absent,
  allChanges,
  commitOne,
  key,
  ok,
  put,
  scanAll,
  textOf,
  written,
} from '../contract/storage-fixture.ts';
import { createServers, hooked, slotOf, turns } from '../support/servers/fdb-servers.ts';
import type { Hooks, Servers } from '../support/servers/fdb-servers.ts';

let servers: Servers;
beforeEach(() => {
  servers = createServers();
});
afterEach(() => servers.closeAll());

describe('a FoundationDB cluster that recovers', () => {
  it('leaves every server its slot, the store its era, and history as it was', async () => {
    const [one, two] = [await servers.open(), await servers.open()];
    const first = await commitOne(one, put(key('a'), absent, 'one'));
    const second = await commitOne(two, put(key('b'), absent, 'two'));
    servers.double.recover();
    const third = await servers.open();
    const later = [
      await commitOne(one, put(key('a'), written(first), 'three')),
      await commitOne(two, put(key('b'), written(second), 'four')),
      await commitOne(third, put(key('c'), absent, 'five')),
    ];
    assert.deepEqual(later.map(slotOf), [0, 1, 2]);
    const inTime = [second, ...later];
    assert.ok(inTime.every((each, i) => i === 0 || each > (inTime[i - 1] as Revision)));
    for (const storage of [one, two, third]) {
      assert.equal(await storage.compactRevision(), revisionZero);
      const seen = await allChanges(storage, revisionZero);
      assert.deepEqual(
        seen.map(({ revision }) => revision),
        [first, second, ...later],
      );
      assert.deepEqual((await scanAll(storage, '', second)).map(textOf), ['one', 'two']);
    }
  });

  for (const fate of ['tried', 'unknown-applied', 'unknown-lost', 'changed-applied'] as const) {
    it(`while a commit is under way applies it once: ${fate}`, async () => {
      const hooks: Hooks = {};
      const storage = await servers.open({ db: hooked(servers.double.connect(), hooks) });
      const before = await commitOne(storage, put(key('a'), absent, 'before'));
      servers.double.faults.script.push(fate);
      let recoveries = 0;
      const recover = (): Promise<void> => {
        recoveries += 1;
        servers.double.recover();
        return Promise.resolve();
      };
      if (fate === 'tried') hooks.beforeCommit = recover;
      else hooks.afterFailure = recover;
      const revision = await commitOne(storage, put(key('a'), written(before), 'after'));
      assert.equal(recoveries, 1);
      const seen = await allChanges(storage, revisionZero);
      assert.deepEqual(
        seen.map((change) => [change.revision, textOf(change.record)]),
        [
          [before, 'before'],
          [revision, 'after'],
        ],
      );
    });
  }

  it('lets followers go on where they were, asleep or reading', async () => {
    const [one, two] = [await servers.open(), await servers.open()];
    const stopping = new AbortController();
    const seen: Revision[] = [];
    const following = follow(one, stopping.signal, seen);
    const made = [await commitOne(two, put(key('a'), absent))];
    for (let i = 0; i < 5; i += 1) {
      await turns(i * 3);
      servers.double.recover();
      made.push(await commitOne(i % 2 === 0 ? one : two, put(key(`b${i}`), absent)));
    }
    await turns();
    stopping.abort();
    await following;
    assert.deepEqual(seen, made);
  });

  it('lets a list in pages go on at its revision', async () => {
    const storage = await servers.open();
    for (let i = 0; i < 5; i += 1) await commitOne(storage, put(key(`k${i}`), absent, 'old'));
    const range = { prefix: '', limit: 2 };
    const page = ok(await storage.scan(range));
    servers.double.recover();
    const [last] = await Promise.all([
      commitOne(storage, put(key('k9'), absent, 'new')),
      commitOne(storage, put(key('k5'), absent, 'new')),
    ]);
    assert.ok(last > page.revision);
    const after = page.records.at(-1)?.key;
    const next = ok(await storage.scan({ ...range, after, limit: 9 }, page.revision));
    assert.deepEqual([...page.records, ...next.records].map(textOf), Array(5).fill('old'));
  });
});

async function follow(storage: Storage, signal: AbortSignal, seen: Revision[]): Promise<void> {
  for await (const page of storage.tail(revisionZero, signal)) {
    seen.push(...page.changes.map(({ revision }) => revision));
  }
}
