/** The promises of one actor: a real committer over a memory store that can be held and broken. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ObjectOutcome } from '../../actors/actors.ts';
import { recordFieldsMax } from '../../actors/limits.ts';
import type { StatusError } from '../../src/apimachinery/status-error.ts';
import { newConflict } from '../../src/apimachinery/status-error.ts';
import { recordKey } from '../../src/encryption/record-keys.ts';
import { encryptedRecords } from '../../src/storage/encrypted-records.ts';
import { storeKey } from '../../src/storage/keys.ts';
import { revisionZero, StorageError, storageLimits } from '../../src/storage/storage.ts';
import type { Revision } from '../../src/storage/storage.ts';
import {
  actorHarness,
  changeOf,
  createOf,
  deleteOf,
  encodePod,
  marked,
  namespaceIsLive,
  pod,
  podKey,
  pods,
  replaceOf,
  settle,
} from '../support/doubles/actor-harness.ts';

const withSpec = (spec: unknown) =>
  replaceOf(({ object }) => ({ ...object, spec }) as typeof object);
const finalized = (name: string) =>
  pod(name, { metadata: { finalizers: ['example.com/x'] as unknown as string } });

const testKey = (name: string) => recordKey('aesgcm', name, Buffer.alloc(32, name));

function refusalOf(outcome: ObjectOutcome): StatusError {
  assert.equal(outcome.kind, 'refused');
  return (outcome as { error: StatusError }).error;
}

function revisionOf(outcome: ObjectOutcome): bigint | undefined {
  assert.ok('revision' in outcome, `no revision in ${outcome.kind}`);
  return outcome.revision;
}

/** Notes the order in which promises settle. */
function journal(): {
  note: <T>(name: string, promise: Promise<T>) => Promise<T>;
  order: string[];
} {
  const order: string[] = [];
  return {
    order,
    note: (name, promise) => promise.finally(() => order.push(name)),
  };
}

describe('object actor: durability and order', () => {
  test('I4 a success is answered only after its mutation is durable', async () => {
    const { run, store, stored } = actorHarness();
    const { note, order } = journal();
    store.hold();
    const created = note('created', run('a', createOf(pod('a'))));
    await settle();
    assert.deepEqual(order, []);
    assert.equal(await stored('a'), undefined);
    store.release();
    const outcome = await created;
    assert.equal(outcome.kind, 'created');
    assert.equal(revisionOf(outcome), (await stored('a'))?.revision);
  });

  test('I5 commands on one key are decided and answered in the order they came', async () => {
    const { run, store, stored } = actorHarness();
    const { note, order } = journal();
    store.hold();
    const all = [note('create', run('a', createOf(pod('a', { log: [] }))))];
    for (let i = 0; i < 5; i += 1) {
      const append = replaceOf(({ object }) => ({
        ...object,
        log: [...(object['log'] as number[]), i],
      }));
      all.push(note(`replace ${i}`, run('a', append)));
    }
    store.release();
    await Promise.all(all);
    assert.deepEqual((await stored('a'))?.object['log'], [0, 1, 2, 3, 4]);
    assert.deepEqual(order, ['create', ...[0, 1, 2, 3, 4].map((i) => `replace ${i}`)]);
  });

  test('I6 a burst on a hot key is decided speculatively and rides one commit', async () => {
    const { run, store, stored } = actorHarness();
    await run('a', createOf(pod('a')));
    store.hold();
    const first = run('a', withSpec(0));
    await settle();
    const { commits } = store.counts;
    const rest = Array.from({ length: 49 }, (_, i) => run('a', withSpec(i + 1)));
    store.release();
    const outcomes = await Promise.all([first, ...rest]);
    assert.equal(store.counts.commits, commits + 1);
    assert.ok(outcomes.every((outcome) => outcome.kind === 'replaced'));
    const revisions = outcomes.map(revisionOf);
    assert.equal(new Set(revisions).size, 50);
    assert.equal((await stored('a'))?.object['spec'], 49);
  });

  test('I7 a refusal decided on a speculative snapshot waits for what it saw', async () => {
    const { run, store } = actorHarness({ soleWriter: true });
    const { note, order } = journal();
    store.hold();
    const created = note('created', run('a', createOf(pod('a'))));
    const again = note('refused', run('a', createOf(pod('a'))));
    await settle();
    assert.deepEqual(order, []);
    store.release();
    await created;
    const error = refusalOf(await again);
    assert.equal(error.message, 'pods "a" already exists');
    assert.deepEqual(order, ['created', 'refused']);
  });

  test('I8 a refusal is decided again when what it saw was not applied', async () => {
    const { run, actors } = actorHarness({ soleWriter: true });
    const failing = run('a', createOf(pod('a'), { conditions: [namespaceIsLive('gone')] }));
    const second = run('a', createOf(pod('a', { spec: 2 })));
    assert.equal((await failing).kind, 'condition-failed');
    assert.equal((await second).kind, 'created');
    assert.equal(actors.stats().redecisionsTotal, 1);
  });

  test('I9 a no-op makes no mutation, waits for what it saw and has its revision', async () => {
    const { run, store } = actorHarness({ soleWriter: true });
    const { note, order } = journal();
    store.hold();
    const created = note('created', run('a', createOf(pod('a', { spec: { x: 1, y: [2] } }))));
    const same = replaceOf(({ object }) => {
      const { kind, apiVersion, metadata } = object;
      return { spec: { y: [2], x: 1 }, metadata, kind, apiVersion };
    });
    const unchanged = note('unchanged', run('a', same));
    await settle();
    assert.deepEqual(order, []);
    store.release();
    const outcome = await unchanged;
    assert.equal(outcome.kind, 'unchanged');
    assert.equal(revisionOf(outcome), revisionOf(await created));
    assert.equal(store.counts.mutations, 1);
  });

  test('I45 what has not changed, but is encrypted with an older key, is written once', async () => {
    const keys = [await testKey('old')];
    const codec = encryptedRecords({ keysOf: () => keys });
    const { run, store } = actorHarness({ soleWriter: true, codec });
    const created = await run('a', createOf(pod('a')));
    const same = replaceOf(({ object }) => ({ ...object }));
    assert.equal((await run('a', same)).kind, 'unchanged');
    keys.unshift(await testKey('new'));
    const tried = await run('a', { ...same, dryRun: true });
    assert.equal(revisionOf(tried), revisionOf(created));
    const written = await run('a', same);
    assert.equal(written.kind, 'replaced');
    assert.notEqual(revisionOf(written), revisionOf(created));
    const again = await run('a', same);
    assert.equal(again.kind, 'unchanged');
    assert.equal(revisionOf(again), revisionOf(written));
    assert.equal(store.counts.mutations, 2);
  });
});

describe('object actor: lost races and refused commits', () => {
  test('I10 after a conflict the store is read and all is decided again in order', async () => {
    const { run, store, stored, overtake, actors } = actorHarness();
    await run('a', createOf(pod('a', { log: ['created'] })));
    store.hold();
    const append = (word: string) =>
      replaceOf(({ object }) => {
        const log = [...(object['log'] as string[]), word];
        return { ...object, log };
      });
    const all = ['1', '2', '3'].map((word) => run('a', append(word)));
    await overtake('a', pod('a', { log: ['other'] }));
    store.release();
    assert.deepEqual(
      (await Promise.all(all)).map((outcome) => outcome.kind),
      ['replaced', 'replaced', 'replaced'],
    );
    assert.deepEqual((await stored('a'))?.object['log'], ['other', '1', '2', '3']);
    assert.equal(actors.stats().redecisionsTotal, 3);
  });

  test('I11 a condition that does not hold refuses its own command and nothing else', async () => {
    const { run, stored } = actorHarness();
    const condition = namespaceIsLive('gone');
    const failing = run('a', createOf(pod('a'), { conditions: [condition] }));
    const missing = run('a', withSpec(1));
    const creating = run('a', createOf(pod('a', { spec: 2 })));
    const replacing = run('a', withSpec(3));
    assert.deepEqual(await failing, { kind: 'condition-failed', condition, found: undefined });
    assert.equal(refusalOf(await missing).message, 'pods "a" not found');
    assert.equal((await creating).kind, 'created');
    assert.equal((await replacing).kind, 'replaced');
    assert.equal((await stored('a'))?.object['spec'], 3);
  });

  test('I12 a create reads nothing unless the name turns out to be taken', async () => {
    const { run, store, overtake } = actorHarness();
    assert.equal((await run('a', createOf(pod('a')))).kind, 'created');
    assert.equal(store.counts.reads, 0);
    await overtake('b', pod('b'));
    const taken = refusalOf(await run('b', createOf(pod('b'))));
    assert.equal(taken.message, 'pods "b" already exists');
    assert.equal(store.counts.reads, 1);
    await overtake('c', marked(finalized('c')));
    const dying = refusalOf(await run('c', createOf(pod('c'))));
    assert.equal(dying.message, 'object is being deleted: pods "c" already exists');
    assert.equal(dying.reason, 'AlreadyExists');
  });

  test('I16 a storage failure fails what was decided; the next command reads anew', async () => {
    const { run, store, stored } = actorHarness({ soleWriter: true });
    await run('a', createOf(pod('a')));
    store.before = () => Promise.reject(new StorageError('io', 'broken'));
    const failing = [run('a', withSpec(1)), run('a', withSpec(2))];
    const results = await Promise.allSettled(failing);
    for (const result of results) {
      assert.equal(result.status, 'rejected');
      assert.equal((result.reason as StorageError).code, 'io');
    }
    await assert.rejects(run('a', withSpec(3)), { code: 'io' });
    store.before = () => Promise.resolve();
    const { reads } = store.counts;
    assert.equal((await run('a', withSpec(4))).kind, 'replaced');
    assert.equal(store.counts.reads, reads + 1);
    assert.equal((await stored('a'))?.object['spec'], 4);
  });

  test('I16 a record that cannot be read fails the command as corrupt', async () => {
    const { run, store } = actorHarness();
    const key = storeKey(podKey('a'));
    const operation = { kind: 'put', state: 'live', value: Uint8Array.of(1, 2, 3) } as const;
    await store.raw.commit([{ key, expect: { kind: 'absent' }, conditions: [], operation }]);
    await assert.rejects(run('a', withSpec(1)), { code: 'corrupt' });
  });

  test('I17 a full commit queue refuses its command with 429 and nothing else', async () => {
    const { run, store, stored } = actorHarness({
      soleWriter: true,
      committerLimits: { queuedMutationsMax: 1 },
    });
    await run('a', createOf(pod('a')));
    store.hold();
    const first = run('a', withSpec(1));
    await settle();
    const second = run('a', withSpec(2));
    const third = run('a', withSpec(3));
    const seen: unknown[] = [];
    const fourth = run(
      'a',
      replaceOf(({ object }) => {
        seen.push(object['spec']);
        return object;
      }),
    );
    store.release();
    assert.equal((await first).kind, 'replaced');
    assert.equal((await second).kind, 'replaced');
    assert.equal(refusalOf(await third).code, 429);
    assert.equal((await fourth).kind, 'unchanged');
    assert.deepEqual([seen[0], seen.at(-1)], [3, 2], 'decided again, without the third');
    assert.equal((await stored('a'))?.object['spec'], 2);
  });

  test('C5 a command that keeps losing races is given up with an error to retry', async () => {
    const { run, store, overtake } = actorHarness({ limits: { lostRacesMax: 3 } });
    await run('a', createOf(pod('a')));
    let count = 0;
    store.before = async (operation) => {
      if (operation === 'commit') await overtake('a', pod('a', { count: (count += 1) }));
    };
    const replaced = refusalOf(await run('a', withSpec(1)));
    assert.equal(replaced.reason, 'Conflict');
    assert.equal(replaced.details?.name, 'a');
    assert.equal(count, 4);
    const deleted = refusalOf(await run('a', deleteOf()));
    assert.equal(deleted.reason, 'ServerTimeout');
  });

  test('S1 the committer applies nothing whose predecessor was not applied', async () => {
    const { committer, store } = actorHarness();
    const key = storeKey(podKey('a'));
    const submit = (expect: Parameters<typeof committer.submit>[0]['expect'], state: string) =>
      committer.submit({
        key,
        expect,
        conditions: [],
        operation: { kind: 'put', state, value: Uint8Array.of(1) },
      });
    const refused = submit({ kind: 'revision', revision: 7n as never }, 'live');
    const follower = submit(refused, 'live');
    assert.equal((await refused.outcome).kind, 'conflict');
    const late = submit(follower, 'live');
    assert.equal((await follower.outcome).kind, 'predecessor-failed');
    assert.equal((await late.outcome).kind, 'predecessor-failed');
    assert.equal(await store.raw.revision(), 0n);
  });
});

describe('object actor: what a decision sees and does', () => {
  test('I14 a dry run is answered, writes nothing and changes no snapshot', async () => {
    const { run, store, stored, overtake } = actorHarness();
    const dry = { dryRun: true };
    // Nothing will be committed, so the store would not say that the name is taken: it is asked.
    await overtake('cold', pod('cold'));
    assert.equal(refusalOf(await run('cold', createOf(pod('cold'), dry))).reason, 'AlreadyExists');
    const created = await run('a', createOf(pod('a'), dry));
    assert.equal(created.kind, 'created');
    assert.equal(revisionOf(created), undefined);
    const real = await run('a', createOf(pod('a', { spec: 1 })));
    assert.equal(real.kind, 'created');
    const replaced = await run(
      'a',
      replaceOf(({ object }) => ({ ...object, spec: 2 }), dry),
    );
    assert.equal(replaced.kind, 'replaced');
    assert.equal(revisionOf(replaced), revisionOf(real));
    assert.equal((await run('a', deleteOf(dry))).kind, 'removed');
    assert.equal(refusalOf(await run('a', createOf(pod('a'), dry))).reason, 'AlreadyExists');
    assert.equal(store.counts.mutations, 1);
    assert.equal((await stored('a'))?.object['spec'], 1);
    const seen: unknown[] = [];
    await run(
      'a',
      replaceOf(({ object }) => {
        seen.push(object['spec']);
        return object;
      }),
    );
    assert.equal(seen[0], 1);
  });

  test('I15 a throw in a command refuses that command with 500 and nothing else', async () => {
    const { run, stored } = actorHarness();
    const boom = (): never => {
      throw new Error('boom');
    };
    await run('a', createOf(pod('a')));
    const all = [
      run('a', replaceOf(boom)),
      run('a', changeOf('delete', boom)),
      run('a', withSpec(1)),
    ];
    const [replaced, deleted, after] = (await Promise.all(all)) as [
      ObjectOutcome,
      ObjectOutcome,
      ObjectOutcome,
    ];
    assert.equal(refusalOf(replaced).code, 500);
    assert.equal(refusalOf(deleted).message, 'Internal error occurred: boom');
    assert.equal(after.kind, 'replaced');
    assert.equal((await stored('a'))?.object['spec'], 1);
  });

  test('I15 an encoder that throws refuses a create on a cold key with 500', async () => {
    const { run, store } = actorHarness({
      encode: (key, object) => {
        if (object['spec'] === 'bad') throw new Error('cannot encode');
        return encodePod(key, object);
      },
    });
    assert.equal(refusalOf(await run('a', createOf(pod('a', { spec: 'bad' })))).code, 500);
    assert.equal((await run('a', createOf(pod('a')))).kind, 'created');
    assert.equal(store.counts.mutations, 1);
  });

  test('I18 with other writers a refusal or no-op rests on a read after it came', async () => {
    const { run, overtake } = actorHarness();
    await run('a', createOf(pod('a', { spec: 1 })));
    const revision = await overtake('a', pod('a', { spec: 2 }));
    const stale = replaceOf((current) =>
      current.revision === revision
        ? current.object
        : { kind: 'refused', error: newConflict(pods, 'a') },
    );
    const outcome = await run('a', stale);
    assert.equal(outcome.kind, 'unchanged');
    assert.equal(revisionOf(outcome), revision);
    await overtake('a', undefined);
    const dry = await run('a', { ...withSpec(3), dryRun: true });
    assert.equal(refusalOf(dry).reason, 'NotFound');
    assert.equal((await run('a', createOf(pod('a')))).kind, 'created');
  });

  test('I18 a read that was under way when a command came does not count for it', async () => {
    const { run, store, overtake } = actorHarness();
    await run('a', createOf(pod('a')));
    let answerReads = (): void => {};
    const held = new Promise<void>((resolve) => (answerReads = resolve));
    const { read } = store.storage;
    store.storage.read = async (...args) => {
      const answer = await read(...args);
      await held;
      return answer;
    };
    const same = replaceOf(({ object }) => object);
    const early = run('a', same);
    await settle();
    const revision = await overtake('a', pod('a', { spec: 2 }));
    const late = run('a', same);
    answerReads();
    assert.equal((await early).kind, 'unchanged');
    assert.equal(revisionOf(await late), revision);
  });

  test('I44 what others have written is known to an actor at rest: its command loses no race', async () => {
    const { actors, run, overtake, showLog, store, stored } = actorHarness();
    await run('a', createOf(pod('a', { spec: 1 })));
    await run('a', withSpec(2));
    await overtake('a', pod('a', { spec: 3, made: 'elsewhere' }));
    await showLog();
    const before = { ...store.counts };
    const outcome = await run('a', withSpec(4));
    assert.equal(outcome.kind, 'replaced');
    assert.deepEqual((await stored('a'))?.object, pod('a', { spec: 4, made: 'elsewhere' }));
    assert.equal(store.counts.reads, before.reads);
    assert.equal(store.counts.mutations, before.mutations + 1);
    assert.equal(actors.stats().redecisionsTotal, 0);
    await overtake('a', undefined);
    await showLog();
    assert.equal((await run('a', createOf(pod('a')))).kind, 'created');
    assert.equal(store.counts.reads, before.reads);
    assert.equal(actors.stats().redecisionsTotal, 0);
  });

  test('I44 what is older than what it knows, or comes while it is busy, changes nothing', async () => {
    const { actors, run, showLog, store, stored } = actorHarness();
    await run('a', createOf(pod('a', { spec: 1 })));
    await run('a', withSpec(2));
    await run('a', withSpec(3));
    await showLog();
    store.hold();
    const busy = run('a', withSpec(4));
    await showLog(revisionZero);
    store.release();
    assert.equal((await busy).kind, 'replaced');
    await showLog(revisionZero);
    assert.equal((await run('a', withSpec(5))).kind, 'replaced');
    assert.equal(store.counts.reads, 0);
    assert.equal(actors.stats().redecisionsTotal, 0);
    assert.equal((await stored('a'))?.object['spec'], 5);
  });

  test('I44 a record that cannot be read is read again, and the command says so', async () => {
    const { actors, run, store } = actorHarness();
    await run('a', createOf(pod('a')));
    const key = storeKey(podKey('a'));
    const value = Buffer.from('no record');
    const revision = (revisionZero + 1_000n) as Revision;
    const record = { key, revision, state: 'live', value };
    actors.seen({ revision, key, kind: 'put', timeMs: 0, record, previous: undefined });
    const reads = store.counts.reads;
    assert.equal((await run('a', withSpec(1))).kind, 'replaced');
    assert.equal(store.counts.reads, reads + 1);
  });

  test('I19 a decision sees no resourceVersion, and a revision only if durable', async () => {
    const { run, store } = actorHarness();
    const seen: (bigint | undefined)[] = [];
    const look = (spec: number) =>
      replaceOf(({ object, revision }) => {
        assert.equal('resourceVersion' in object.metadata, false);
        seen.push(revision);
        return { ...object, spec };
      });
    const created = await run('a', createOf(pod('a')));
    store.hold();
    const both = [run('a', look(1)), run('a', look(2))];
    store.release();
    await Promise.all(both);
    assert.deepEqual(seen, [revisionOf(created), undefined]);
  });

  test('I20 a deletion marks, waits for finalizers, and removes in the same write', async () => {
    const { run, stored } = actorHarness();
    await run('a', createOf(finalized('a')));
    const mark = await run('a', deleteOf());
    assert.equal(mark.kind, 'marked');
    assert.equal((await stored('a'))?.state, 'finalizing');
    assert.equal((await run('a', deleteOf())).kind, 'unchanged');
    const removed = await run(
      'a',
      replaceOf(({ object }) => ({ ...object, metadata: { ...object.metadata, finalizers: [] } })),
    );
    assert.equal(removed.kind, 'removed');
    assert.deepEqual(
      (removed as { object: { metadata: { finalizers: unknown } } }).object.metadata.finalizers,
      [],
    );
    assert.equal(await stored('a'), undefined);
    assert.equal(refusalOf(await run('a', deleteOf())).reason, 'NotFound');
  });

  test('I20 a removed name begins a new life, also before the removal is durable', async () => {
    const { run, store, stored } = actorHarness();
    await run('a', createOf(pod('a', { spec: 1 })));
    store.hold();
    const removed = run('a', deleteOf());
    const created = run('a', createOf(pod('a', { spec: 2 })));
    await settle();
    const again = run('a', deleteOf());
    const anew = run('a', createOf(pod('a', { spec: 3 })));
    store.release();
    const outcomes = await Promise.all([removed, created, again, anew]);
    assert.deepEqual(
      outcomes.map((outcome) => outcome.kind),
      ['removed', 'created', 'removed', 'created'],
    );
    assert.deepEqual((outcomes[0] as { object: unknown }).object, pod('a', { spec: 1 }));
    assert.equal((await stored('a'))?.object['spec'], 3);
  });

  test('I21 conditions hold back a birth, in a dry run too, and nothing else', async () => {
    const { run } = actorHarness();
    const conditions = [namespaceIsLive('gone')];
    const dryCreate = await run('a', createOf(pod('a'), { conditions, dryRun: true }));
    assert.equal(dryCreate.kind, 'condition-failed');
    const create = () => pod('a');
    const upsert = replaceOf(({ object }) => ({ ...object, spec: 1 }), { create, conditions });
    assert.equal((await run('a', upsert)).kind, 'condition-failed');
    assert.equal((await run('a', { ...upsert, conditions: [] })).kind, 'created');
    assert.equal((await run('a', upsert)).kind, 'replaced');
    assert.equal((await run('a', deleteOf({ conditions, dryRun: true }))).kind, 'removed');
    assert.equal((await run('a', deleteOf({ conditions }))).kind, 'removed');
  });

  test('C6 a record larger than the store takes is refused before it is submitted', async () => {
    const { run, store } = actorHarness();
    const huge = pod('a', { spec: 'x'.repeat(storageLimits.valueBytesMax) });
    assert.equal(refusalOf(await run('a', createOf(huge))).code, 413);
    assert.equal(store.counts.mutations, 0);
  });

  test('C10 fields to select by are bounded, together, unless they were as long before', async () => {
    const encode: typeof encodePod = (key, object) => {
      const { record } = encodePod(key, object);
      const length = typeof object['spec'] === 'number' ? object['spec'] : 0;
      return { record: { ...record, fields: { a: 'x'.repeat(length), b: 'y' } } };
    };
    const { overtake, run } = actorHarness({ encode });
    const most = recordFieldsMax - 1;
    assert.equal((await run('a', createOf(pod('a', { spec: most })))).kind, 'created');
    for (const more of [
      createOf(pod('b', { spec: most + 1 })),
      createOf(pod('b', { spec: 1e6 })),
    ]) {
      assert.equal(refusalOf(await run('b', more)).code, 413);
    }
    assert.equal(refusalOf(await run('a', withSpec(most + 1))).code, 413);
    assert.equal((await run('a', withSpec(1))).kind, 'replaced');
    await overtake('c', pod('c', { spec: most + 2 }));
    const other = replaceOf(({ object }) => ({ ...object, other: 1 }));
    assert.equal((await run('c', other)).kind, 'replaced');
    assert.equal(refusalOf(await run('c', withSpec(most + 3))).code, 413);
    assert.equal((await run('c', withSpec(most + 1))).kind, 'replaced');
  });

  test('S2 a decision may be made several times', async () => {
    const { run, store, overtake } = actorHarness();
    await run('a', createOf(pod('a')));
    let calls = 0;
    store.hold();
    const replaced = run(
      'a',
      replaceOf(({ object }) => ({ ...object, calls: (calls += 1) })),
    );
    await overtake('a', pod('a', { spec: 1 }));
    store.release();
    assert.equal((await replaced).kind, 'replaced');
    assert.equal(calls, 2);
  });

  test('S3 with a sole writer a refusal or no-op on a resident actor reads nothing', async () => {
    const { run, store } = actorHarness({ soleWriter: true });
    await run('a', createOf(pod('a')));
    assert.equal(
      (
        await run(
          'a',
          replaceOf(({ object }) => object),
        )
      ).kind,
      'unchanged',
    );
    assert.equal(refusalOf(await run('a', createOf(pod('a')))).reason, 'AlreadyExists');
    assert.equal(store.counts.reads, 0);
  });
});
