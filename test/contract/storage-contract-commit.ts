/** Storage contract: commits, their limits, and several writers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { revisionZero, storageLimits } from '../../src/storage/storage.ts';
import type { Condition, Revision, Storage, StoreKey } from '../../src/storage/storage.ts';
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
import type { StorageFixture } from './storage-fixture.ts';

export function commitTests(get: () => Storage): void {
  describe('commit', () => {
    it('gives each applied mutation its own revision, increasing in the given order', async () => {
      const storage = get();
      const outcomes = await storage.commit(['a', 'b', 'c'].map((n) => put(key(n), absent)));
      const revisions = outcomes.map(applied);
      assert.ok((revisions[0] as bigint) > 0n);
      assert.ok((revisions[0] as bigint) < (revisions[1] as bigint));
      assert.ok((revisions[1] as bigint) < (revisions[2] as bigint));
      assert.ok((await storage.revision()) >= (revisions[2] as bigint));
    });

    it('stands before everything at first: revision and compact revision are comparable with 0', async () => {
      assert.ok((await get().revision()) >= 0n);
      assert.ok((await get().compactRevision()) <= (await get().revision()));
      assert.deepEqual(await get().commit([]), []);
    });

    it('refuses an expectation that does not hold, tells what it found, and writes nothing', async () => {
      const storage = get();
      const first = await commitOne(storage, put(key('a'), absent));
      const second = await commitOne(storage, put(key('a'), written(first), 'two'));
      const before = await storage.revision();
      const outcomes = await storage.commit([
        put(key('a'), absent),
        put(key('a'), written(first)),
        remove(key('a'), written(first)),
        put(key('b'), written(first)),
        remove(key('b'), absent),
      ]);
      assert.deepEqual(outcomes, [
        { kind: 'conflict', found: second },
        { kind: 'conflict', found: second },
        { kind: 'conflict', found: second },
        { kind: 'conflict', found: undefined },
        { kind: 'conflict', found: undefined },
      ]);
      assert.equal(textOf(ok(await storage.read(key('a')))), 'two');
      assert.equal(ok(await storage.read(key('b'))), undefined);
      assert.deepEqual(await allChanges(storage, before), []);
    });

    it('applies what follows others of its commit with them, on whatever keys', async () => {
      const storage = get();
      const before = await storage.revision();
      const outcomes = await storage.commit([
        put(key('a'), absent, 'one'),
        { ...put(key('b'), absent, 'two'), follows: [0] },
        { ...put(key('a'), { kind: 'after', index: 0 }, 'three'), follows: [0, 1] },
        { ...remove(key('b'), { kind: 'after', index: 1 }), follows: [2] },
      ]);
      const revisions = outcomes.map(applied);
      assert.deepEqual(
        (await allChanges(storage, before)).map((change) => [change.key, change.revision]),
        ['a', 'b', 'a', 'b'].map((name, i) => [key(name), revisions[i]]),
      );
    });

    it('does not try what follows something that was not applied, nor what follows that', async () => {
      const storage = get();
      const taken = await commitOne(storage, put(key('taken'), absent, 'before'));
      const before = await storage.revision();
      const outcomes = await storage.commit([
        put(key('taken'), absent),
        { ...put(key('a'), absent), follows: [0] },
        put(key('b'), absent),
        { ...remove(key('taken'), written(taken)), follows: [2, 1] },
        { ...put(key('c'), absent), follows: [3] },
        { ...put(key('taken'), absent), follows: [0] },
      ]);
      assert.deepEqual(
        outcomes.map(({ kind }) => kind),
        ['conflict', 'predecessor-failed', 'applied', ...Array(3).fill('predecessor-failed')],
      );
      const changes = await allChanges(storage, before);
      assert.deepEqual(
        changes.map((change) => change.key),
        [key('b')],
      );
      assert.equal(textOf(ok(await storage.read(key('taken')))), 'before');
    });

    it('does not let a refused mutation disturb its neighbours', async () => {
      const storage = get();
      await commitOne(storage, put(key('taken'), absent));
      const [a, taken, b] = await storage.commit([
        put(key('a'), absent),
        put(key('taken'), absent),
        put(key('b'), absent),
      ]);
      applied(a);
      assert.equal(taken?.kind, 'conflict');
      applied(b);
      assert.deepEqual(
        (await scanAll(storage, '/configmaps/default/')).map((r) => r.key),
        ['a', 'b', 'taken'].map(key),
      );
    });

    it('applies a chain of mutations on one key in one commit, one change each', async () => {
      const storage = get();
      const start = await storage.revision();
      const outcomes = await storage.commit([
        put(key('a'), absent, 'one'),
        put(key('a'), { kind: 'after', index: 0 }, 'two'),
        remove(key('a'), { kind: 'after', index: 1 }),
        put(key('a'), { kind: 'after', index: 2 }, 'three'),
      ]);
      const revisions = outcomes.map(applied);
      const changes = await allChanges(storage, start);
      assert.deepEqual(
        changes.map((c) => [c.kind, textOf(c.record), textOf(c.previous)]),
        [
          ['put', 'one', undefined],
          ['put', 'two', 'one'],
          ['delete', undefined, 'two'],
          ['put', 'three', undefined],
        ],
      );
      assert.deepEqual(
        changes.map((c) => c.revision),
        revisions,
      );
      const texts = [];
      for (const at of revisions) texts.push(textOf(ok(await storage.read(key('a'), at))));
      assert.deepEqual(texts, ['one', 'two', undefined, 'three']);
    });

    it('refuses `after` a mutation that was refused, was not the last on the key, or is of another', async () => {
      const storage = get();
      const taken = await commitOne(storage, put(key('taken'), absent));
      const outcomes = await storage.commit([
        put(key('taken'), absent),
        put(key('taken'), { kind: 'after', index: 0 }),
        put(key('a'), absent),
        put(key('a'), { kind: 'after', index: 2 }),
        put(key('a'), { kind: 'after', index: 2 }),
        put(key('b'), { kind: 'after', index: 2 }),
      ]);
      assert.deepEqual(
        outcomes.map((o) => o.kind),
        ['conflict', 'conflict', 'applied', 'applied', 'conflict', 'conflict'],
      );
      assert.deepEqual(outcomes[1], { kind: 'conflict', found: taken });
      assert.deepEqual(outcomes[4], { kind: 'conflict', found: applied(outcomes[3]) });
    });

    it('tests conditions on other records by their state, in the same transaction', async () => {
      const storage = get();
      const namespace = '/namespaces//default' as StoreKey;
      const live: Condition = { key: namespace, state: 'live' };
      const gated = { conditions: [live] };
      assert.deepEqual(await storage.commit([put(key('a'), absent, 'v', gated)]), [
        { kind: 'condition-failed', condition: live, found: undefined },
      ]);
      const outcomes = await storage.commit([
        put(namespace, absent, 'ns'),
        put(key('a'), absent, 'v', gated),
        put(namespace, { kind: 'after', index: 0 }, 'ns', { state: 'finalizing' }),
        put(key('b'), absent, 'v', gated),
      ]);
      assert.deepEqual(
        outcomes.map((o) => o.kind),
        ['applied', 'applied', 'applied', 'condition-failed'],
      );
      assert.deepEqual(outcomes[3], {
        kind: 'condition-failed',
        condition: live,
        found: 'finalizing',
      });
      assert.equal(ok(await storage.read(key('b'))), undefined);
    });

    it('sees of a condition what the commit before has left, time after time', async () => {
      const storage = get();
      const namespace = '/namespaces//default' as StoreKey;
      const gated = { conditions: [{ key: namespace, state: 'live' }] };
      const tried = async (name: string): Promise<string | undefined> =>
        (await storage.commit([put(key(name), absent, 'v', gated)]))[0]?.kind;
      const seen = [await tried('a')];
      const made = await commitOne(storage, put(namespace, absent, 'ns'));
      seen.push(await tried('b'), await tried('c'));
      const ending = put(namespace, written(made), 'ns', { state: 'finalizing' });
      const ended = await commitOne(storage, ending);
      seen.push(await tried('d'));
      const gone = await commitOne(storage, remove(namespace, written(ended)));
      seen.push(await tried('e'));
      await commitOne(storage, put(namespace, absent, 'ns again'));
      seen.push(await tried('f'));
      const failed = 'condition-failed';
      assert.deepEqual(seen, [failed, 'applied', 'applied', failed, failed, 'applied']);
      assert.ok(gone > ended);
    });

    it('keeps concurrent commits apart: of many creators of one key one wins', async () => {
      const storage = get();
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, i) => storage.commit([put(key('a'), absent, `w${i}`)])),
      );
      const winners = outcomes.flatMap(([o], i) => (o?.kind === 'applied' ? [i] : []));
      assert.equal(winners.length, 1);
      assert.equal(textOf(ok(await storage.read(key('a')))), `w${winners[0]}`);
    });
  });
}

export function limitTests(get: () => Storage): void {
  describe('limits', () => {
    it('holds a value of the largest size and refuses one byte more, applying nothing', async () => {
      const storage = get();
      const largest = 'x'.repeat(storageLimits.valueBytesMax);
      await commitOne(storage, put(key('a'), absent, largest));
      assert.equal(ok(await storage.read(key('a')))?.value.byteLength, largest.length);
      const now = await storage.revision();
      await assert.rejects(
        storage.commit([put(key('b'), absent), put(key('c'), absent, `${largest}x`)]),
        rejectsWith('too-large'),
      );
      assert.equal(ok(await storage.read(key('b'))), undefined);
      assert.deepEqual(await allChanges(storage, now), []);
    });

    it('holds a key of the largest size and refuses one byte more', async () => {
      const storage = get();
      const longest = key('x'.repeat(storageLimits.keyBytesMax - key('').length));
      const one = await commitOne(storage, put(longest, absent, 'one'));
      await commitOne(storage, put(longest, written(one), 'two'));
      assert.equal(textOf(ok(await storage.read(longest, one))), 'one');
      await assert.rejects(
        storage.commit([put(`${longest}x` as StoreKey, absent)]),
        rejectsWith('too-large'),
      );
    });

    it('refuses a key that is empty or holds a NUL', async () => {
      const storage = get();
      const now = await storage.revision();
      for (const name of ['', '\0', `${key('a')}\0b`]) {
        const refused = storage.commit([put(key('b'), absent), put(name as StoreKey, absent)]);
        await assert.rejects(refused, rejectsWith('too-large'));
      }
      assert.deepEqual(await allChanges(storage, now), []);
    });

    it('keeps empty values and empty states', async () => {
      const storage = get();
      await commitOne(storage, put(key('a'), absent, '', { state: '' }));
      const record = ok(await storage.read(key('a')));
      assert.deepEqual([record?.state, textOf(record)], ['', '']);
    });
  });
}

export function closeTests(get: () => Storage): void {
  describe('close', () => {
    it('waits for commits in flight; further calls fail with `closed`', async () => {
      const storage = get();
      const commit = storage.commit([put(key('a'), absent)]);
      const tail = storage.tail(await storage.revision(), new AbortController().signal);
      const following = (async () => {
        for await (const page of tail) void page;
      })();
      const ended = assert.rejects(following, rejectsWith('closed'));
      await storage.close();
      applied((await commit)[0]);
      await assert.rejects(storage.read(key('a')), rejectsWith('closed'));
      await assert.rejects(storage.commit([put(key('b'), absent)]), rejectsWith('closed'));
      await assert.rejects(storage.revision(), rejectsWith('closed'));
      await ended;
      await storage.close();
    });
  });
}

export function secondWriterTests(fixture: StorageFixture, get: () => Storage): void {
  const openSecond = fixture.openSecond;
  const skip = openSecond === undefined ? (fixture.singleWriterBecause ?? false) : false;
  describe('two writers', { skip }, () => {
    it('see each other: preconditions, reads, revision and tail', async () => {
      const one = get();
      const two = await (openSecond as NonNullable<typeof openSecond>)(one);
      const abort = new AbortController();
      const following = (async () => {
        const seen: Revision[] = [];
        for await (const page of two.tail(revisionZero, abort.signal)) {
          seen.push(...page.changes.map((c) => c.revision));
          if (seen.length >= 61) abort.abort();
        }
        return seen;
      })();
      const first = await commitOne(one, put(key('shared'), absent, 'one'));
      assert.ok((await two.revision()) >= first);
      assert.equal(textOf(ok(await two.read(key('shared')))), 'one');
      assert.equal((await two.commit([put(key('shared'), absent)]))[0]?.kind, 'conflict');
      const outcomes = await Promise.all(
        Array.from({ length: 40 }, (_, i) =>
          (i % 2 === 0 ? one : two).commit([
            put(key(`k${Math.floor(i / 2)}`), absent),
            put(key(`n${i}`), absent),
          ]),
        ),
      );
      const wins = outcomes
        .flat()
        .filter((o) => o.kind === 'applied')
        .map(applied);
      assert.equal(wins.length, 60);
      assert.equal(new Set(wins).size, 60);
      const log = (await allChanges(one, revisionZero)).map((c) => c.revision);
      assert.equal(log.length, 61);
      const seen = await following;
      assert.deepEqual(seen, log);
    });
  });
}
