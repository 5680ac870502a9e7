import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock } from '../../src/stdx/clock.ts';
import { createCommitter } from '../../src/storage/committer.ts';
import type { Submission } from '../../src/storage/pending-commit.ts';
import type { CommitterLimits, GroupCommitter } from '../../src/storage/committer.ts';
import { createMemoryStorage } from '../../src/storage/memory/memory-storage.ts';
import { StorageError, storageLimits } from '../../src/storage/storage.ts';
import type { Mutation, Revision, Storage } from '../../src/storage/storage.ts';
import { absent, key } from '../contract/storage-fixture.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

interface Harness {
  readonly committer: GroupCommitter;
  readonly storage: Storage;
  /** The batches that reached the store, in order. */
  readonly batches: (readonly Mutation[])[];
  /** While held, commits wait after they were made. */
  hold(): () => void;
  failNext(error: Error): void;
}

function harness(
  limits?: Partial<CommitterLimits>,
  isEnding?: (state: string) => boolean,
): Harness {
  const storage = createMemoryStorage({ clock: systemClock, revisionStep: 10n });
  const batches: (readonly Mutation[])[] = [];
  let gate: Promise<void> = Promise.resolve();
  let failure: Error | undefined;
  const observed: Storage = {
    ...storage,
    async commit(mutations) {
      batches.push(mutations);
      await gate;
      if (failure !== undefined) {
        const error = failure;
        failure = undefined;
        throw error;
      }
      return storage.commit(mutations);
    },
  };
  return {
    committer: createCommitter({ ...manualTime(), storage: observed, limits, isEnding }),
    storage,
    batches,
    hold() {
      let release!: () => void;
      gate = new Promise((resolve) => (release = resolve));
      return release;
    },
    failNext(error) {
      failure = error;
    },
  };
}

function submission(name: string, expect: Submission['expect'], text = 'v'): Submission {
  const operation = { kind: 'put', state: 'live', value: Buffer.from(text) } as const;
  return { key: key(name), expect, conditions: [], operation };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function untilBatches(h: Harness, count: number): Promise<void> {
  while (h.batches.length < count) await turn();
}

describe('committer', () => {
  it('gathers the submissions of one turn into one commit, in order', async () => {
    const h = harness();
    const pendings = ['a', 'b', 'c'].map((n) => h.committer.submit(submission(n, absent)));
    const outcomes = await Promise.all(pendings.map((t) => t.outcome));
    assert.deepEqual(
      outcomes.map((o) => o.kind),
      ['applied', 'applied', 'applied'],
    );
    assert.deepEqual(
      h.batches.map((b) => b.map((m) => m.key)),
      [['a', 'b', 'c'].map(key)],
    );
  });

  it('has one commit in flight; what comes meanwhile rides the next one', async () => {
    const h = harness();
    const release = h.hold();
    const first = h.committer.submit(submission('a', absent));
    await untilBatches(h, 1);
    const riders = ['b', 'c', 'd'].map((n) => h.committer.submit(submission(n, absent)));
    for (let i = 0; i < 5; i += 1) await turn();
    assert.equal(h.batches.length, 1);
    release();
    await Promise.all([first, ...riders].map((t) => t.outcome));
    assert.deepEqual(
      h.batches.map((b) => b.length),
      [1, 3],
    );
  });

  // Before, a large commit came in the turn in which the next large object was encoded.
  it('asks for the turn of a large commit where those of large work are given', async () => {
    const storage = createMemoryStorage({ clock: systemClock, revisionStep: 10n });
    const asked: (() => void)[] = [];
    const nextTurn = (callback: () => void) => {
      asked.push(callback);
      return { cancel: () => assert.fail('it is needed') };
    };
    const time = manualTime();
    const largeTimers = { ...time.timers, nextTurn };
    const committer = createCommitter({ ...time, storage, largeTimers });
    await committer.submit(submission('small', absent)).outcome;
    assert.equal(asked.length, 0);
    const large = committer.submit(submission('large', absent, 'v'.repeat(1_100_000)));
    for (let i = 0; i < 5; i += 1) await turn();
    assert.deepEqual([asked.length, committer.stats().queuedMutationsCount], [1, 1]);
    asked[0]?.();
    assert.equal((await large.outcome).kind, 'applied');
  });

  it('takes few of those that yield into one commit, and others before the rest of them', async () => {
    const h = harness({ yieldingMax: 2 });
    const release = h.hold();
    const first = h.committer.submit(submission('first', absent));
    await untilBatches(h, 1);
    const yielding = ['a', 'b', 'c', 'd', 'e'].map((name) =>
      h.committer.submit({ ...submission(name, absent), isYielding: true }),
    );
    const others = ['x', 'y'].map((name) => h.committer.submit(submission(name, absent)));
    release();
    await Promise.all([first, ...yielding, ...others].map(({ outcome }) => outcome));
    assert.deepEqual(
      h.batches.slice(1).map((batch) => batch.map((mutation) => mutation.key)),
      [['a', 'b', 'x', 'y'], ['c', 'd'], ['e']].map((names) => names.map(key)),
    );
  });

  it('lets nobody overtake one that yields and has the same key, or is to go behind it', async () => {
    const h = harness({ yieldingMax: 1 });
    const release = h.hold();
    const first = h.committer.submit(submission('first', absent));
    await untilBatches(h, 1);
    const yields = { isYielding: true };
    const a = h.committer.submit({ ...submission('a', absent), ...yields });
    const b = h.committer.submit({ ...submission('b', absent), ...yields });
    const again = h.committer.submit(submission('b', b, 'again'));
    const behind = h.committer.submit({ ...submission('c', absent), behind: [b] });
    const other = h.committer.submit(submission('x', absent));
    release();
    const all = [first, a, b, again, behind, other];
    const outcomes = await Promise.all(all.map(({ outcome }) => outcome));
    assert.ok(outcomes.every(({ kind }) => kind === 'applied'));
    assert.deepEqual(
      h.batches.slice(1).map((batch) => batch.map((mutation) => mutation.key)),
      [
        ['a', 'x'],
        ['b', 'b', 'c'],
      ].map((names) => names.map(key)),
    );
  });

  it('answers only when the store has committed', async () => {
    const h = harness();
    const release = h.hold();
    let answered = false;
    const pending = h.committer.submit(submission('a', absent));
    void pending.outcome.then(() => (answered = true));
    await untilBatches(h, 1);
    for (let i = 0; i < 5; i += 1) await turn();
    assert.equal(answered, false);
    release();
    await pending.outcome;
  });

  it('sends a chain as `after` within a batch and as a revision across batches', async () => {
    const h = harness({ batchMutationsMax: 2 });
    const a1 = h.committer.submit(submission('a', absent, '1'));
    const a2 = h.committer.submit(submission('a', a1, '2'));
    const a3 = h.committer.submit(submission('a', a2, '3'));
    const outcomes = await Promise.all([a1, a2, a3].map((t) => t.outcome));
    const second = outcomes[1] as { revision: Revision };
    const a4 = h.committer.submit(submission('a', a3, '4'));
    assert.equal((await a4.outcome).kind, 'applied');
    assert.deepEqual(
      h.batches.map((b) => b.map((m) => m.expect)),
      [
        [absent, { kind: 'after', index: 0 }],
        [{ kind: 'revision', revision: second.revision }],
        [{ kind: 'revision', revision: (outcomes[2] as { revision: Revision }).revision }],
      ],
    );
  });

  it('sends what goes behind another key with it, and later without a word of it', async () => {
    const h = harness({ batchMutationsMax: 2 });
    const a = h.committer.submit(submission('a', absent));
    const b = h.committer.submit({ ...submission('b', absent), behind: [a] });
    const c = h.committer.submit({ ...submission('c', absent), behind: [a, b] });
    const d = h.committer.submit({ ...submission('d', absent), behind: [b, c] });
    for (const each of [a, b, c, d]) assert.equal((await each.outcome).kind, 'applied');
    assert.deepEqual(
      h.batches.map((batch) => batch.map(({ follows }) => follows)),
      [
        [undefined, [0]],
        [undefined, [0]],
      ],
    );
  });

  it('fails what goes behind a refused mutation, in its batch, in later ones and after', async () => {
    const h = harness({ batchMutationsMax: 2 });
    await h.committer.submit(submission('a', absent)).outcome;
    const refused = h.committer.submit(submission('a', absent));
    const same = h.committer.submit({ ...submission('b', absent), behind: [refused] });
    const later = h.committer.submit({ ...submission('c', absent), behind: [same] });
    const after = h.committer.submit({ ...submission('d', absent), behind: [later] });
    assert.equal((await refused.outcome).kind, 'conflict');
    for (const each of [same, later, after]) {
      assert.equal((await each.outcome).kind, 'predecessor-failed');
    }
    const late = h.committer.submit({ ...submission('e', absent), behind: [refused] });
    assert.equal((await late.outcome).kind, 'predecessor-failed');
  });

  it('fails what was built on a refused mutation, in its batch, in later ones and after', async () => {
    const h = harness({ batchMutationsMax: 2 });
    await h.committer.submit(submission('a', absent)).outcome;
    const refused = h.committer.submit(submission('a', absent));
    const sameBatch = h.committer.submit(submission('a', refused));
    const nextBatch = h.committer.submit(submission('a', sameBatch));
    const neighbour = h.committer.submit(submission('b', absent));
    const onNext = h.committer.submit(submission('a', nextBatch));
    const kinds = [];
    for (const t of [refused, sameBatch, nextBatch, neighbour, onNext]) {
      kinds.push((await t.outcome).kind);
    }
    const late = await h.committer.submit(submission('a', onNext)).outcome;
    const lost = 'predecessor-failed';
    assert.deepEqual([...kinds, late.kind], ['conflict', lost, lost, 'applied', lost, lost]);
  });

  it('calls it a conflict when the predecessor was applied but overtaken', async () => {
    const h = harness();
    const one = h.committer.submit(submission('a', absent));
    const two = h.committer.submit(submission('a', one));
    const overtaken = h.committer.submit(submission('a', one));
    const applied = (await two.outcome) as { revision: Revision };
    assert.deepEqual(await overtaken.outcome, { kind: 'conflict', found: applied.revision });
  });

  it('a full store refuses what grows, and neither deletions nor what follows them', async () => {
    const h = harness(undefined, (state) => state === 'ending');
    const made = await Promise.all(
      ['a', 'b', 'c'].map((name) => h.committer.submit(submission(name, absent)).outcome),
    );
    const [a, b, c] = made.map((outcome) => {
      assert.ok(outcome.kind === 'applied');
      return { kind: 'revision' as const, revision: outcome.revision };
    });
    assert.ok(a !== undefined && b !== undefined && c !== undefined);
    const remove = (name: string, expect: Submission['expect']): Submission => ({
      ...submission(name, expect),
      operation: { kind: 'delete' },
    });
    h.failNext(new StorageError('full', 'no room'));
    const growing = h.committer.submit(submission('b', b, 'larger'));
    const onGrowing = h.committer.submit(remove('b', growing));
    const deleted = h.committer.submit(remove('a', a));
    const marked = h.committer.submit({
      ...submission('c', c),
      operation: { kind: 'put', state: 'ending', value: Buffer.from('v') },
    });
    const onMarked = h.committer.submit(remove('c', marked));
    for (const pending of [growing, onGrowing]) {
      await assert.rejects(pending.outcome, { code: 'full' });
    }
    for (const pending of [deleted, marked, onMarked]) {
      assert.equal((await pending.outcome).kind, 'applied');
    }
    for (const [name, there] of [
      ['a', false],
      ['b', true],
      ['c', false],
    ] as const) {
      const read = await h.storage.read(key(name));
      assert.ok(read.kind === 'ok');
      assert.equal(read.value !== undefined, there, name);
    }
    h.failNext(new StorageError('full', 'no room'));
    const alone = h.committer.submit(remove('b', b));
    await assert.rejects(alone.outcome, { code: 'full' }, 'it has been tried alone');
  });

  it('rejects a whole batch with the error of the store, then goes on', async () => {
    const h = harness();
    h.failNext(new StorageError('full', 'no room'));
    const a = h.committer.submit(submission('a', absent));
    const b = h.committer.submit(submission('b', absent));
    const onA = h.committer.submit(submission('a', a));
    for (const t of [a, b, onA]) await assert.rejects(t.outcome, { code: 'full' });
    const built = await h.committer.submit(submission('a', a)).outcome;
    assert.equal(built.kind, 'predecessor-failed');
    assert.equal((await h.committer.submit(submission('a', absent)).outcome).kind, 'applied');
  });

  it('bounds a batch by bytes, always sending at least one', async () => {
    const h = harness({ batchBytesMax: 100 });
    const texts = ['x'.repeat(500), 'y', 'z'];
    const pendings = texts.map((t, i) => h.committer.submit(submission(`k${i}`, absent, t)));
    await Promise.all(pendings.map((t) => t.outcome));
    assert.deepEqual(
      h.batches.map((b) => b.length),
      [1, 2],
    );
  });

  it('counts what a deletion deletes, which the store has to read', async () => {
    const h = harness({ batchBytesMax: 100 });
    const pendings = ['a', 'b', 'c', 'd'].map((name, at) =>
      h.committer.submit({ ...submission(name, absent), replacedBytes: at < 3 ? 60 : 20 }),
    );
    await Promise.all(pendings.map((t) => t.outcome));
    assert.deepEqual(
      h.batches.map((b) => b.length),
      [1, 1, 2],
    );
  });

  it('answers `overloaded` at the limit of its queue, by count and by bytes, and recovers', async () => {
    for (const limits of [{ queuedMutationsMax: 2 }, { queuedBytesMax: 60 }]) {
      const h = harness(limits);
      const pendings = ['a', 'b', 'c'].map((n) => h.committer.submit(submission(n, absent)));
      const onLost = h.committer.submit(submission('c', pendings[2] as Submission['expect']));
      const kinds = [];
      for (const t of [...pendings, onLost]) kinds.push((await t.outcome).kind);
      assert.deepEqual(kinds, ['applied', 'applied', 'overloaded', 'predecessor-failed']);
      assert.equal(h.committer.stats().overloadedTotal, 1);
      assert.equal(h.committer.stats().queuedBytes, 0);
      assert.equal((await h.committer.submit(submission('c', absent)).outcome).kind, 'applied');
    }
  });

  it('refuses alone the submission that is too large', async () => {
    const h = harness();
    const good = h.committer.submit(submission('a', absent));
    const large = submission('b', absent, 'x'.repeat(storageLimits.valueBytesMax + 1));
    await assert.rejects(h.committer.submit(large).outcome, { code: 'too-large' });
    assert.equal((await good.outcome).kind, 'applied');
  });

  it('drains: everything accepted has its outcome, nothing new is taken', async () => {
    const h = harness({ batchMutationsMax: 1 });
    let answered = 0;
    for (const n of ['a', 'b', 'c']) {
      void h.committer.submit(submission(n, absent)).outcome.then(() => (answered += 1));
    }
    const drained = h.committer.drain();
    await assert.rejects(h.committer.submit(submission('d', absent)).outcome, { code: 'closed' });
    await drained;
    assert.equal(answered, 3);
    await h.committer.drain();
  });
});
