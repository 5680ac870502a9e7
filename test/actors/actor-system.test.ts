/** Who is resident, who goes, and what happens at each limit: with a clock that stands still. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { noCompanions } from '../../actors/actors.ts';
import type { ObjectCommand, ObjectOutcome } from '../../actors/actors.ts';
import { objectBytesOfTurn, recordBytesAtOnce } from '../../actors/limits.ts';
import { storeKey } from '../../src/storage/keys.ts';
import type { PendingCommit } from '../../src/storage/pending-commit.ts';
import { revisionZero } from '../../src/storage/storage.ts';
import type { Precondition } from '../../src/storage/storage.ts';
import {
  actorHarness,
  changeOf,
  createOf,
  pod,
  podKey,
  replaceOf,
  replacing,
  settle,
} from '../support/doubles/actor-harness.ts';

const touch = replaceOf(({ object }) => ({ ...object, spec: 1 }));

function codeOf(outcome: ObjectOutcome): number | undefined {
  return outcome.kind === 'refused' ? outcome.error.code : undefined;
}

describe('actor system', () => {
  test('I13 passivation never drops a pending command and loses nothing', async () => {
    const { run, store, time, actors, stored } = actorHarness({ limits: { idleMs: 1000 } });
    await run('a', createOf(pod('a')));
    store.hold();
    const replaced = run('a', touch);
    time.advance(10_000);
    assert.equal(actors.stats().residentCount, 1);
    store.release();
    assert.equal((await replaced).kind, 'replaced');
    time.advance(10_000);
    assert.equal(actors.stats().residentCount, 0);
    assert.equal((await run('a', touch)).kind, 'unchanged');
    assert.equal((await stored('a'))?.object['spec'], 1);
    assert.equal(actors.stats().activationsTotal, 2);
    assert.equal(actors.stats().passivationsTotal, 1);
  });

  test('a write behind others is applied with them, or refused and nothing of it is left', async () => {
    const { actors, store, stored, run } = actorHarness();
    store.hold();
    const commits: PendingCommit[] = [];
    const inOrder = (name: string, command: ObjectCommand, behind: readonly PendingCommit[]) =>
      actors.execute(podKey(name), command, undefined, undefined, {
        behind,
        submitted: (commit) => void commits.push(commit),
      });
    const first = inOrder('a', createOf(pod('a')), []);
    const conditions = [{ key: storeKey(podKey('none')), state: 'live' }];
    const failing = inOrder('b', { ...createOf(pod('b')), conditions }, []);
    await settle();
    const [onFirst, onFailing] = commits as [PendingCommit, PendingCommit];
    const good = inOrder('c', createOf(pod('c')), [onFirst]);
    const bad = inOrder('d', createOf(pod('d')), [onFirst, onFailing]);
    store.release();
    assert.deepEqual([(await first).kind, (await good).kind], ['created', 'created']);
    assert.equal((await failing).kind, 'condition-failed');
    assert.equal(codeOf(await bad), 409);
    assert.equal(await stored('d'), undefined);
    assert.equal((await run('d', createOf(pod('d')))).kind, 'created');
  });

  test('of what was created its bytes are kept: a later command decides on what they say', async () => {
    const { run, store } = actorHarness({ soleWriter: true });
    const made = pod('a', { spec: { deep: [1, 'two'] } });
    await run('a', createOf(made));
    const seen: unknown[] = [];
    const look = replaceOf(({ object }) => {
      seen.push(object);
      return { ...object, spec: seen.length };
    });
    await run('a', look);
    await run('a', look);
    assert.equal(store.counts.reads, 0);
    assert.deepEqual(seen, [made, { ...made, spec: 1 }]);
    assert.notEqual(seen[0], made, 'decoded, not kept');
  });

  test('a large record is decoded in a turn of its own', async () => {
    const before = actorHarness();
    await before.run('small', createOf(pod('small')));
    await before.run('large', createOf(pod('large', { spec: 'x'.repeat(recordBytesAtOnce) })));
    let pauses = 0;
    const pause = (): Promise<void> => Promise.resolve(void (pauses += 1));
    const { run } = actorHarness({ store: before.store, pause });
    assert.equal((await run('small', touch)).kind, 'replaced');
    assert.equal(pauses, 0);
    assert.equal((await run('large', touch)).kind, 'replaced');
    assert.equal(pauses, 1);
  });

  test('a change of a large object is decided in a turn behind the one that decodes it', async () => {
    const before = actorHarness({ soleWriter: true });
    const spec = 'x'.repeat(objectBytesOfTurn);
    await before.run('large', createOf(pod('large', { spec })));
    let turns = 0;
    const pause = (): Promise<void> => Promise.resolve(void (turns += 1));
    const { run } = actorHarness({ store: before.store, pause, soleWriter: true });
    const decidedIn: number[] = [];
    const change = (added: string) =>
      replaceOf(({ object }) => {
        decidedIn.push(turns);
        return { ...object, added };
      });
    assert.equal((await run('large', change('a'))).kind, 'replaced');
    // One to decode what was read, one for who asks for it, one to decide.
    assert.deepEqual(decidedIn, [3]);
    assert.equal((await run('large', change('b'))).kind, 'replaced');
    // One to encode what came before, and two again.
    assert.deepEqual(decidedIn, [3, 6]);
    const steps = changeOf('update', function* (current) {
      if (current === undefined) return { kind: 'not-found' };
      decidedIn.push(turns);
      yield;
      decidedIn.push(turns);
      return replacing({ ...current.object, added: 'c' });
    });
    const outcome = await run('large', steps);
    assert.equal(outcome.kind === 'replaced' && outcome.object['added'], 'c');
    assert.deepEqual(decidedIn, [3, 6, 9, 10], 'and so does one in parts');
  });

  test('C1 above residentMax the longest unused idle actor goes; all busy is a 429', async () => {
    const { run, store, actors } = actorHarness({ limits: { residentMax: 2 }, soleWriter: true });
    await run('a', createOf(pod('a')));
    await run('b', createOf(pod('b')));
    await run('a', touch);
    await run('c', createOf(pod('c')));
    assert.equal(actors.stats().residentCount, 2);
    await run('a', touch);
    assert.equal(store.counts.reads, 0, 'a was used after b, so b went');
    store.hold();
    const busy = [run('x', createOf(pod('x'))), run('y', createOf(pod('y')))];
    assert.equal(codeOf(await run('z', createOf(pod('z')))), 429);
    store.release();
    await Promise.all(busy);
    assert.equal((await run('z', createOf(pod('z')))).kind, 'created');
  });

  test('C2 idle actors go when their estimated memory is above residentBytesMax', async () => {
    const { run, actors } = actorHarness({ limits: { residentBytesMax: 100_000 } });
    for (let i = 0; i < 8; i += 1) {
      await run(`big-${i}`, createOf(pod(`big-${i}`, { spec: 'x'.repeat(10_000) })));
    }
    assert.equal(actors.stats().residentCount, 2);
    await run('huge', createOf(pod('huge', { spec: 'x'.repeat(200_000) })));
    assert.equal(actors.stats().residentCount, 0);
  });

  test('C2 what others have written weighs as it does, and makes room the same way', async () => {
    const limits = { residentBytesMax: 100_000 };
    const { actors, overtake, run, showLog } = actorHarness({ limits });
    for (const name of ['a', 'b']) await run(name, createOf(pod(name)));
    await overtake('b', pod('b', { spec: 'x'.repeat(10_000) }));
    await showLog();
    assert.equal(actors.stats().residentCount, 2);
    await overtake('a', pod('a', { spec: 'x'.repeat(20_000) }));
    await showLog();
    assert.equal(actors.stats().residentCount, 1);
  });

  test('C3 an actor unused for idleMs is dropped by one coarse timer', async () => {
    const { run, time, actors } = actorHarness({ limits: { idleMs: 1000 } });
    await run('a', createOf(pod('a')));
    time.advance(700);
    await run('b', createOf(pod('b')));
    assert.equal(time.pendingCount, 1);
    time.advance(600);
    assert.equal(actors.stats().residentCount, 1);
    // b was last used at 700: it goes by 1700, and a quarter of idleMs.
    time.advance(650);
    assert.equal(actors.stats().residentCount, 0);
    assert.equal(time.pendingCount, 0);
  });

  test('C4 a mailbox holds mailboxMax commands; a further one is a 429', async () => {
    const { run, store, actors } = actorHarness({ limits: { mailboxMax: 3 } });
    store.hold();
    const accepted = [run('a', createOf(pod('a'))), run('a', touch), run('a', touch)];
    assert.equal(codeOf(await run('a', touch)), 429);
    assert.equal(actors.stats().waitingCount, 3);
    store.release();
    await Promise.all(accepted);
    assert.equal((await run('a', touch)).kind, 'unchanged');
    assert.equal(actors.stats().waitingCount, 0);
  });

  test('C7 stop refuses what is new and resolves when what was accepted is answered', async () => {
    const { run, store, actors } = actorHarness();
    store.hold();
    const accepted = run('a', createOf(pod('a')));
    let stopped = false;
    const stopping = actors.stop().then(() => (stopped = true));
    assert.equal(codeOf(await run('b', createOf(pod('b')))), 503);
    await settle();
    assert.equal(stopped, false);
    store.release();
    await stopping;
    assert.equal((await accepted).kind, 'created');
    await actors.stop();
  });

  test('I41 who may no longer write is refused at the next decision, without a read', async () => {
    const { actors, overtake, run, store, stored } = actorHarness();
    await run('a', createOf(pod('a')));
    let may = true;
    const write = (spec: number): Promise<ObjectOutcome> => {
      const change = replaceOf(({ object }) => ({ ...object, spec }));
      return actors.execute(podKey('a'), change, () => may);
    };
    store.hold();
    const decided = write(1);
    may = false;
    const late = write(2);
    store.release();
    assert.equal((await decided).kind, 'replaced');
    assert.equal(codeOf(await late), 503);
    may = true;
    store.hold();
    const lost = write(3);
    await overtake('a', pod('a', { spec: 4 }));
    may = false;
    store.release();
    assert.equal(codeOf(await lost), 503, 'it would have to be decided again');
    assert.equal(store.counts.reads, 0);
    assert.equal((await stored('a'))?.object['spec'], 4);
  });

  test('I42 an actor that throws fails its commands and no other; the next one asks the store', async () => {
    const broken: unknown[] = [];
    let isBad = false;
    const { actors, run, store } = actorHarness({
      soleWriter: true,
      onBroken: (error) => broken.push(error),
      companionsOf: () => {
        if (isBad) throw new Error('no companions');
        return noCompanions;
      },
    });
    for (const name of ['a', 'b']) await run(name, createOf(pod(name)));
    store.hold();
    const failing = [run('a', touch)];
    isBad = true;
    failing.push(
      run(
        'a',
        replaceOf(({ object }) => ({ ...object, spec: 2 })),
      ),
    );
    isBad = false;
    const other = run('b', touch);
    for (const each of failing) await assert.rejects(each, /no companions/);
    assert.equal(broken.length, 1);
    store.release();
    assert.equal((await other).kind, 'replaced');
    assert.equal(store.counts.reads, 0);
    assert.equal((await run('a', touch)).kind, 'unchanged', 'what was submitted stands');
    assert.equal(store.counts.reads, 1);
    await actors.stop();
  });

  test('I43 what cannot be decoded is removed at the revision that was read, and nothing else', async () => {
    const { actors, overtake, store, stored } = actorHarness();
    const key = storeKey(podKey('a'));
    const damage = async (expect: Precondition): Promise<void> => {
      const operation = { kind: 'put', state: 'live', value: Uint8Array.of(1, 2, 3) } as const;
      const [outcome] = await store.raw.commit([{ key, expect, conditions: [], operation }]);
      assert.equal(outcome?.kind, 'applied');
    };
    assert.deepEqual(await actors.removeUnreadable(podKey('a')), { kind: 'absent' });
    await damage({ kind: 'absent' });
    store.before = async (operation) => {
      if (operation === 'commit') await overtake('a', pod('a'));
    };
    assert.deepEqual(await actors.removeUnreadable(podKey('a')), { kind: 'readable' });
    store.before = () => Promise.resolve();
    const { revision = revisionZero } = (await stored('a')) ?? {};
    await damage({ kind: 'revision', revision });
    const removed = await actors.removeUnreadable(podKey('a'));
    assert.equal(removed.kind, 'removed');
    assert.equal(await stored('a'), undefined);
  });
});
