/** Storage contract: reads and scans, now and at a revision. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { revisionZero, storageLimits } from '../../src/storage/storage.ts';
import type { Revision, Storage, StoreKey } from '../../src/storage/storage.ts';
import {
  key,
  put,
  remove,
  absent,
  written,
  applied,
  commitOne,
  ok,
  textOf,
  allChanges,
  scanAll,
} from './storage-fixture.ts';

export function readTests(get: () => Storage): void {
  describe('read', () => {
    it('shows an acknowledged commit at once, and nothing of it before', async () => {
      const storage = get();
      const commit = storage.commit([put(key('a'), absent)]);
      const early = ok(await storage.read(key('a')));
      const revision = applied((await commit)[0]);
      if (early !== undefined) assert.equal(early.revision, revision);
      const record = ok(await storage.read(key('a')));
      assert.deepEqual(
        [record?.key, record?.revision, record?.state, textOf(record)],
        [key('a'), revision, 'live', 'v'],
      );
    });

    it('at a revision sees exactly the mutations up to it, through deletes and re-creates', async () => {
      const storage = get();
      const start = await storage.revision();
      const one = await commitOne(storage, put(key('a'), absent, 'one'));
      const other = await commitOne(storage, put(key('b'), absent, 'other'));
      const two = await commitOne(storage, put(key('a'), written(one), 'two'));
      const gone = await commitOne(storage, remove(key('a'), written(two)));
      const again = await commitOne(storage, put(key('a'), absent, 'again'));
      const seen = [];
      for (const at of [start, one, other, two, gone, again]) {
        seen.push(textOf(ok(await storage.read(key('a'), at))));
      }
      assert.deepEqual(seen, [undefined, 'one', 'one', 'two', undefined, 'again']);
    });

    it('answers `future` for a revision that does not exist yet', async () => {
      const storage = get();
      const now = await commitOne(storage, put(key('a'), absent));
      const later = ((await storage.revision()) + 1000n) as Revision;
      const result = await storage.read(key('a'), later);
      assert.equal(result.kind, 'future');
      assert.ok((result as { revision: Revision }).revision >= now);
      assert.equal((await storage.scan({ prefix: '/', limit: 1 }, later)).kind, 'future');
      assert.equal((await storage.changes(later, { limit: 1, previous: false })).kind, 'future');
    });

    it('gives values that stay as they are: later writes and reads do not change them', async () => {
      const storage = get();
      const large = 'x'.repeat(100_000);
      const bytes = Buffer.from('mine');
      const revision = await commitOne(storage, {
        ...put(key('a'), absent),
        operation: { kind: 'put', state: 'live', value: bytes },
      });
      await commitOne(storage, put(key('b'), absent, large));
      const first = ok(await storage.read(key('a')));
      const big = ok(await storage.read(key('b')));
      await commitOne(storage, put(key('a'), written(revision), 'other'));
      for (let i = 0; i < 50; i += 1) await storage.read(key(i % 2 === 0 ? 'a' : 'b'));
      assert.equal(textOf(first), 'mine');
      assert.equal(textOf(big), large);
    });
  });
}

export function scanTests(get: () => Storage): void {
  describe('scan', () => {
    it('gives a prefix in UTF-8 key order, and nothing outside', async () => {
      const storage = get();
      const names = ['a', 'b', 'a.b', 'a-b', 'aa', 'é', '\u{1F600}', '\uFF5E', 'z'];
      await storage.commit([
        ...names.map((n) => put(key(n), absent)),
        put('/configmaps/default2/x' as StoreKey, absent),
        put('/configmap/default/x' as StoreKey, absent),
        put('apps/deployments/default/x' as StoreKey, absent),
      ]);
      const expected = names
        .map(key)
        .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      const prefix = '/configmaps/default/';
      for (const limit of [1, 2, 4, 9, 100]) {
        const found = await scanAll(storage, prefix, undefined, limit);
        assert.deepEqual(
          found.map((r) => r.key),
          expected,
        );
      }
      assert.equal((await scanAll(storage, '')).length, names.length + 3);
      assert.deepEqual(await scanAll(storage, '/nothing/'), []);
    });

    it('gives the same records when their values may lie in memory of the caller', async () => {
      const storage = get();
      const values = ['first', 'x'.repeat(3_000), '', 'last'];
      await storage.commit(values.map((value, i) => put(key(`into-${i}`), absent, value)));
      const prefix = '/configmaps/default/into-';
      for (const bytes of [0, 8, 3_100, 100_000]) {
        const into = Buffer.alloc(bytes, 'z');
        for (let again = 0; again < 2; again += 1) {
          const { records } = ok(await storage.scan({ prefix, limit: 9, into }));
          assert.deepEqual(records.map(textOf), values);
        }
        // What comes without it keeps its values.
        const kept = await scanAll(storage, prefix);
        into.fill('!');
        ok(await storage.scan({ prefix, limit: 9, into }));
        assert.deepEqual(kept.map(textOf), values);
      }
    });

    it('shows one revision over all pages while writes go on', async () => {
      const storage = get();
      const names = Array.from({ length: 30 }, (_, i) => `n${String(i).padStart(2, '0')}`);
      const revisions = (await storage.commit(names.map((n) => put(key(n), absent, n)))).map(
        applied,
      );
      const prefix = '/configmaps/default/';
      const first = ok(await storage.scan({ prefix, limit: 7 }));
      const seen = [...first.records];
      let after = seen.at(-1)?.key;
      for (let round = 0; ; round += 1) {
        // Behind and ahead of the cursor: changed, deleted, created.
        await storage.commit([
          put(
            key(`n${String(29 - round).padStart(2, '0')}`),
            written(revisions[29 - round] as Revision),
          ),
          remove(key(`n${String(10 + round)}`), written(revisions[10 + round] as Revision)),
          put(key(`new-${round}`), absent),
        ]);
        const page = ok(await storage.scan({ prefix, after, limit: 7 }, first.revision));
        assert.equal(page.revision, first.revision);
        seen.push(...page.records);
        after = seen.at(-1)?.key;
        if (!page.more) break;
      }
      assert.deepEqual(
        seen.map((r) => [r.key, r.revision, textOf(r)]),
        names.map((n, i) => [key(n), revisions[i], n]),
      );
    });

    it('steps over a long history of one key and still finds its neighbours', async () => {
      const storage = get();
      const start = applied(
        (
          await storage.commit([
            put(key('a'), absent),
            put(key('hot'), absent, '0'),
            put(key('z'), absent),
          ])
        )[2],
      );
      let hot = ok(await storage.read(key('hot')))?.revision as Revision;
      const middle: Revision[] = [];
      for (let i = 1; i <= 100; i += 1) {
        hot = await commitOne(storage, put(key('hot'), written(hot), String(i)));
        middle.push(hot);
      }
      for (const [at, text] of [
        [start, '0'],
        [middle[49], '50'],
        [middle[98], '99'],
        [hot, '100'],
      ] as const) {
        const found = await scanAll(storage, '/configmaps/default/', at, 10);
        assert.deepEqual(found.map(textOf), ['v', text, 'v']);
      }
    });

    it('ends a page by bytes, with at least one record in it', async () => {
      const storage = get();
      const big = 'x'.repeat(storageLimits.pageBytesMax - 1000);
      await commitOne(storage, put(key('a'), absent, big));
      await commitOne(storage, put(key('b'), absent, big));
      const page = ok(await storage.scan({ prefix: '/', limit: 10 }));
      assert.equal(page.records.length, 1);
      assert.equal(page.more, true);
      assert.equal((await scanAll(storage, '/', undefined, 10)).length, 2);
      assert.equal(
        ok(await storage.changes(revisionZero, { limit: 10, previous: true })).changes.length,
        1,
      );
      assert.equal((await allChanges(storage, revisionZero, 10)).length, 2);
    });
  });
}
