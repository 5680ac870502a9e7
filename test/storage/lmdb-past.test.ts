/** Reads of the past of an LMDB store, of which most of what there is now is not shown. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { systemClock } from '../../src/stdx/clock.ts';
import { encodeKey } from '../../src/storage/lmdb/layout.ts';
import { readForCommit, readNow } from '../../src/storage/lmdb/lmdb-reads.ts';
import { openLmdbStorage } from '../../src/storage/lmdb/lmdb-storage.ts';
import type { LmdbStorage } from '../../src/storage/lmdb/lmdb-storage.ts';
import { lmdbDefaults, openTables } from '../../src/storage/lmdb/tables.ts';
import type { Mutation, Revision, StoreKey } from '../../src/storage/storage.ts';
import { absent, key, ok, put, written } from '../contract/storage-fixture.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-lmdb-past');
after(() => directories.removeAll());

const removal = { kind: 'delete' } as const;
const namesCount = 6_000;
const nameAt = (at: number): string => `n${String(at).padStart(5, '0')}`;

async function commitAll(store: LmdbStorage, mutations: readonly Mutation[]): Promise<Revision[]> {
  const revisions: Revision[] = [];
  for (let at = 0; at < mutations.length; at += 500) {
    for (const outcome of await store.commit(mutations.slice(at, at + 500))) {
      assert.equal(outcome.kind, 'applied');
      if (outcome.kind === 'applied') revisions.push(outcome.revision);
    }
  }
  return revisions;
}

const made = (name: string, text: string): Mutation => put(key(name), absent, text);

async function namesAt(store: LmdbStorage, at: Revision): Promise<readonly string[]> {
  const found: string[] = [];
  let behind: StoreKey | undefined;
  for (;;) {
    const page = ok(await store.scan({ prefix: '', after: behind, limit: 100 }, at));
    for (const { key: own, value } of page.records) {
      found.push(`${own.split('/').at(-1) ?? ''} ${Buffer.from(value).toString()}`);
      behind = own;
    }
    if (!page.more) return found;
    assert.ok(page.records.length > 0, 'a page of which more follows has a record');
  }
}

describe('a scan of the past', () => {
  it('shows what there was, however much has come, changed and gone since', async () => {
    const store = await openLmdbStorage({
      path: directories.make(),
      identity: 'svc',
      clock: systemClock,
    });
    // The last one has far more before it than is looked at for one page.
    const old = [0, 1, 700, 701, namesCount - 1];
    const firsts = await commitAll(
      store,
      old.map((at) => made(nameAt(at), 'then')),
    );
    const then = firsts.at(-1) as Revision;
    const wanted = old.map((at) => `${nameAt(at)} then`);
    assert.deepEqual(await namesAt(store, then), wanted);
    const others = Array.from({ length: namesCount }, (_, at) => at).filter(
      (at) => !old.includes(at),
    );
    const revisions = await commitAll(
      store,
      others.map((at) => made(nameAt(at), 'later')),
    );
    assert.deepEqual(await namesAt(store, then), wanted);
    // Some of them change, some go, and so do some of the first.
    const changed = others.flatMap((at, i): readonly Mutation[] => {
      if (i % 3 === 0) return [];
      const changing = put(key(nameAt(at)), written(revisions[i] as Revision), 'changed');
      return [i % 3 === 1 ? changing : { ...changing, operation: removal }];
    });
    await commitAll(store, [
      ...changed,
      ...old.slice(1).map((at, i): Mutation => {
        const changing = put(key(nameAt(at)), written(firsts[i + 1] as Revision), 'now');
        return at === 700 ? { ...changing, operation: removal } : changing;
      }),
    ]);
    assert.deepEqual(await namesAt(store, then), wanted);
    await store.close();
  });
});

describe('a page of the log', () => {
  it('lies in a few blocks, with what its changes replaced', async () => {
    const path = directories.make();
    const store = await openLmdbStorage({ path, identity: 'svc', clock: systemClock });
    const names = Array.from({ length: 200 }, (_, at) => nameAt(at));
    const text = 'x'.repeat(300);
    const firsts = await commitAll(
      store,
      names.map((name) => made(name, text)),
    );
    await commitAll(
      store,
      names.map((name, at) => put(key(name), written(firsts[at] as Revision), `${text}${text}`)),
    );
    const after = firsts.at(-1) as Revision;
    const { changes } = ok(await store.changes(after, { limit: 200, previous: true }));
    const values = changes.flatMap(({ previous, record }) => [record?.value, previous?.value]);
    assert.deepEqual(
      values.map((value) => value?.byteLength),
      names.flatMap(() => [600, 300]),
    );
    // 200 KB in blocks of 64 KiB; a buffer for each would be 400.
    assert.ok(new Set(values.map((value) => value?.buffer)).size <= 5);
    await store.close();
  });

  it('is short where its records are long, and the next goes on behind it', async () => {
    const path = directories.make();
    const store = await openLmdbStorage({ path, identity: 'svc', clock: systemClock });
    const names = Array.from({ length: 100 }, (_, at) => nameAt(at));
    const firsts = await commitAll(
      store,
      names.map((name) => made(name, 'x'.repeat(12_000))),
    );
    await commitAll(
      store,
      names.map((name, at) => put(key(name), written(firsts[at] as Revision), 'y'.repeat(12_000))),
    );
    let behind = firsts.at(-1) as Revision;
    const seen: string[] = [];
    for (let pages = 1; seen.length < names.length; pages += 1) {
      const read = ok(await store.changes(behind, { limit: 128, previous: true }));
      assert.ok(read.changes.length > 0 && read.changes.length <= 22, `page ${pages}`);
      for (const { key: own } of read.changes) seen.push(own.split('/').at(-1) ?? '');
      behind = read.through;
    }
    assert.deepEqual(seen, names);
    await store.close();
  });

  it('and so does what a commit replaces; what one reader asks for has memory of its own', async () => {
    const path = directories.make();
    const store = await openLmdbStorage({ path, identity: 'svc', clock: systemClock });
    const names = Array.from({ length: 50 }, (_, at) => nameAt(at));
    await commitAll(
      store,
      names.map((name) => made(name, 'x'.repeat(300))),
    );
    await store.close();
    const tables = await openTables(path, 'svc', lmdbDefaults.mapBytes, { readOnly: true });
    const buffersOf = (read: typeof readNow): number =>
      new Set(names.map((name) => read(tables, encodeKey(key(name)))?.value.buffer)).size;
    assert.ok(buffersOf(readForCommit) <= 2);
    assert.equal(buffersOf(readNow), 50);
    await tables.root.close();
  });
});
