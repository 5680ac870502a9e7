/** Who is resident, who goes, and what happens at each limit: with a clock that stands still. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ObjectOutcome } from '../../actors/actors.ts';
import {
  actorHarness,
  createOf,
  pod,
  replaceOf,
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

  test('C3 an actor unused for idleMs is dropped by one coarse timer', async () => {
    const { run, time, actors } = actorHarness({ limits: { idleMs: 1000 } });
    await run('a', createOf(pod('a')));
    time.advance(700);
    await run('b', createOf(pod('b')));
    assert.equal(time.pendingCount, 1);
    time.advance(600);
    assert.equal(actors.stats().residentCount, 1);
    time.advance(1000);
    assert.equal(actors.stats().residentCount, 0);
    assert.equal(time.pendingCount, 0);
  });

  test('C4 a mailbox holds mailboxMax commands; a further one is a 429', async () => {
    const { run, store, actors } = actorHarness({ limits: { mailboxMax: 3 } });
    store.hold();
    const accepted = [run('a', createOf(pod('a'))), run('a', touch), run('a', touch)];
    assert.equal(codeOf(await run('a', touch)), 429);
    assert.equal(actors.stats().mailboxCount, 3);
    store.release();
    await Promise.all(accepted);
    assert.equal((await run('a', touch)).kind, 'unchanged');
    assert.equal(actors.stats().mailboxCount, 0);
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
});
