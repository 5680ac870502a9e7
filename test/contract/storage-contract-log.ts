/** Storage contract: the log, followers, compaction. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { revisionZero } from '../../src/storage/storage.ts';
import type { Change, ChangePage, Revision, Storage } from '../../src/storage/storage.ts';
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
  rejectsWith,
} from './storage-fixture.ts';

export function logTests(get: () => Storage): void {
  describe('changes', () => {
    it('yields every mutation once, in revision order, with what it left and what it superseded', async () => {
      const storage = get();
      const start = await storage.revision();
      const one = await commitOne(storage, put(key('a'), absent, 'one'));
      const two = await commitOne(
        storage,
        put(key('a'), written(one), 'two', { state: 'finalizing' }),
      );
      const gone = await commitOne(storage, remove(key('a'), written(two)));
      for (const limit of [1, 2, 100]) {
        const changes = await allChanges(storage, start, limit);
        assert.deepEqual(
          changes.map((c) => [
            c.revision,
            c.key,
            c.kind,
            c.record?.revision,
            c.record?.state,
            c.previous?.revision,
          ]),
          [
            [one, key('a'), 'put', one, 'live', undefined],
            [two, key('a'), 'put', two, 'finalizing', one],
            [gone, key('a'), 'delete', undefined, undefined, two],
          ],
        );
        assert.ok(changes.every((c) => Number.isFinite(c.timeMs)));
      }
      const plain = ok(await storage.changes(start, { limit: 100, previous: false }));
      assert.ok(plain.changes.every((c) => c.previous === undefined));
    });

    it('tells through which revision a page goes: its last change, or what is durable', async () => {
      const storage = get();
      await storage.commit(['a', 'b', 'c'].map((n) => put(key(n), absent)));
      const cut = ok(await storage.changes(revisionZero, { limit: 2, previous: false }));
      assert.equal(cut.changes.length, 2);
      assert.ok(cut.through >= (cut.changes[1] as Change).revision);
      const now = await storage.revision();
      assert.deepEqual(ok(await storage.changes(now, { limit: 2, previous: false })), {
        changes: [],
        through: now,
      });
    });
  });
}

export function tailTests(get: () => Storage): void {
  async function collect(
    tail: AsyncIterable<ChangePage>,
    count: number,
    abort: AbortController,
  ): Promise<Change[]> {
    const seen: Change[] = [];
    for await (const page of tail) {
      assert.ok(page.changes.length > 0);
      assert.equal(page.through >= (page.changes.at(-1) as Change).revision, true);
      seen.push(...page.changes);
      if (seen.length >= count) abort.abort();
    }
    return seen;
  }

  describe('tail', () => {
    it('yields what was there and what comes, in order, without gap or repeat', async () => {
      const storage = get();
      await storage.commit(Array.from({ length: 10 }, (_, i) => put(key(`old-${i}`), absent)));
      const abort = new AbortController();
      const following = collect(storage.tail(revisionZero, abort.signal), 210, abort);
      for (let i = 0; i < 20; i += 1) {
        await Promise.all(
          Array.from({ length: 10 }, (_, j) => storage.commit([put(key(`${i}-${j}`), absent)])),
        );
      }
      const seen = await following;
      assert.deepEqual(
        seen.map((c) => [c.revision, c.key, textOf(c.record)]),
        (await allChanges(storage, revisionZero, 50)).map((c) => [
          c.revision,
          c.key,
          textOf(c.record),
        ]),
      );
      assert.equal(seen.length, 210);
    });

    it('starts anywhere in history, also for several followers at once', async () => {
      const storage = get();
      const revisions = (
        await storage.commit(Array.from({ length: 5 }, (_, i) => put(key(`k${i}`), absent)))
      ).map(applied);
      const follow = (from: number): Promise<Change[]> => {
        const abort = new AbortController();
        return collect(storage.tail(revisions[from] as Revision, abort.signal), 5 - from, abort);
      };
      const followers = [0, 1, 3].map(follow);
      const last = await commitOne(storage, put(key('last'), absent));
      for (const [i, seen] of (await Promise.all(followers)).entries()) {
        const from = [0, 1, 3][i] as number;
        assert.deepEqual(
          seen.map((c) => c.revision),
          [...revisions.slice(from + 1), last],
        );
      }
    });

    it('ends when its signal aborts, asleep or not yet started', async () => {
      const abort = new AbortController();
      const ending = collect(get().tail(revisionZero, abort.signal), 1, new AbortController());
      await get().revision();
      abort.abort();
      assert.deepEqual(await ending, []);
      assert.deepEqual(await collect(get().tail(revisionZero, AbortSignal.abort()), 1, abort), []);
    });

    it('fails with `compacted` when it starts behind the compaction', async () => {
      const storage = get();
      await commitOne(storage, put(key('a'), absent));
      await storage.compact(await storage.revision());
      await assert.rejects(
        collect(storage.tail(revisionZero, new AbortController().signal), 1, new AbortController()),
        rejectsWith('compacted'),
      );
    });
  });
}

export function compactionTests(get: () => Storage): void {
  describe('compact', () => {
    it('forgets changes up to `before`; reads at `before` keep working, earlier ones do not', async () => {
      const storage = get();
      const one = await commitOne(storage, put(key('a'), absent, 'one'));
      const other = await commitOne(storage, put(key('b'), absent, 'b'));
      const two = await commitOne(storage, put(key('a'), written(one), 'two'));
      const three = await commitOne(storage, put(key('a'), written(two), 'three'));
      await storage.compact(two);
      assert.equal(await storage.compactRevision(), two);
      assert.deepEqual(await storage.read(key('a'), one), {
        kind: 'compacted',
        compactRevision: two,
      });
      assert.equal((await storage.scan({ prefix: '/', limit: 9 }, other)).kind, 'compacted');
      assert.equal((await storage.changes(other, { limit: 9, previous: false })).kind, 'compacted');
      assert.equal(textOf(ok(await storage.read(key('a'), two))), 'two');
      assert.equal(textOf(ok(await storage.read(key('b'), two))), 'b');
      assert.deepEqual((await scanAll(storage, '/', two)).map(textOf), ['two', 'b']);
      const changes = await allChanges(storage, two);
      assert.deepEqual(
        changes.map((c) => [c.revision, textOf(c.previous)]),
        [[three, 'two']],
      );
    });

    it('may be asked twice, backwards and beyond the newest revision', async () => {
      const storage = get();
      const one = await commitOne(storage, put(key('a'), absent, 'one'));
      const gone = await commitOne(storage, remove(key('a'), written(one)));
      await commitOne(storage, put(key('b'), absent, 'b'));
      await Promise.all([storage.compact(gone), storage.compact(gone), storage.compact(one)]);
      assert.equal(await storage.compactRevision(), gone);
      await storage.compact(one);
      assert.equal(await storage.compactRevision(), gone);
      await storage.compact(((await storage.revision()) + 1000n) as Revision);
      const now = await storage.revision();
      assert.ok((await storage.compactRevision()) <= now);
      assert.equal(textOf(ok(await storage.read(key('b'), now))), 'b');
      const next = await commitOne(storage, put(key('a'), absent, 'again'));
      assert.deepEqual(
        (await allChanges(storage, now)).map((c) => c.revision),
        [next],
      );
    });

    it('works through more changes than one step holds, while commits go on', async () => {
      const storage = get();
      let hot = await commitOne(storage, put(key('hot'), absent, '0'));
      for (let i = 1; i <= 20; i += 1) {
        const fill = Array.from({ length: 50 }, (_, j) => put(key(`${i}-${j}`), absent));
        const outcomes = await storage.commit([put(key('hot'), written(hot), String(i)), ...fill]);
        hot = applied(outcomes[0]);
      }
      const before = await storage.revision();
      const compacting = storage.compact(before);
      const late = await commitOne(storage, put(key('late'), absent, 'late'));
      await compacting;
      assert.equal(await storage.compactRevision(), before);
      assert.deepEqual(
        (await allChanges(storage, before)).map((c) => c.revision),
        [late],
      );
      assert.equal(textOf(ok(await storage.read(key('hot'), before))), '20');
      assert.equal((await scanAll(storage, '/', before, 300)).length, 1001);
    });
  });
}
