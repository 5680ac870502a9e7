import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stampResourceVersion } from '../../src/apimachinery/object-encoding.ts';
import { seededPrng, randomBelow } from '../../src/stdx/prng.ts';
import { createMemoryStorage } from '../../src/storage/memory/memory-storage.ts';
import { decodeRecord } from '../../src/storage/record-codec.ts';
import { revisionZero, StorageError } from '../../src/storage/storage.ts';
import type { Revision, Storage } from '../../src/storage/storage.ts';
import type { StreamsDeps } from '../../streams/watch-cache.ts';
import { departingRequester } from '../support/doubles/departing-requester.ts';
import { manualTime } from '../support/doubles/manual-time.ts';
import { pausableTail } from '../support/doubles/pausable-tail.ts';
import { storeKey } from '../../src/storage/keys.ts';
import {
  createWorld,
  everything,
  expectation,
  labelIs,
  Model,
  podMutation,
  pods,
  putMany,
  services,
} from './harness.ts';
import { TestSink, turns, watchRequest } from './harness.ts';
import type { World } from './harness.ts';
import type { UnreadableEntries } from '../../streams/streams.ts';

const namespace = 'ns';
const keysOf = (entries: UnreadableEntries): string[] =>
  [...entries.in(undefined)].map(({ key }) => key);

describe('reads', () => {
  it('I15: what was acknowledged before the call is seen after waitUntilCurrent', async () => {
    const log = pausableTail(createMemoryStorage({ clock: manualTime().clock }));
    const world = await createWorld({ storage: log.storage });
    for (let i = 0; i < 50; i += 1) {
      if (i % 2 === 0) log.pause();
      const revision = await world.put({ namespace, name: 'p', payload: `${i}` });
      const current = world.streams.waitUntilCurrent();
      await turns(i % 5);
      log.resume();
      await current;
      const entry = world.streams.snapshot(pods).get(namespace, 'p');
      assert.equal(entry?.revision, revision);
      assert.equal(JSON.parse(Buffer.from(entry.bytes).toString()).spec.payload, `${i}`);
    }
    await world.stop();
  });

  it('a record is decoded once and its bytes are stamped once a revision, whoever looks', async () => {
    const calls = { decoded: 0, stamped: 0 };
    const deps: Partial<StreamsDeps> = {
      decodeRecord: (stored) => ((calls.decoded += 1), decodeRecord(stored)),
      stamp: (...stamp) => ((calls.stamped += 1), stampResourceVersion(...stamp)),
    };
    const world = await createWorld({ deps });
    const sinks = [new TestSink(), new TestSink()];
    for (const sink of sinks) world.streams.watch(watchRequest({ namespace }), sink);
    await world.put({ namespace, name: 'p', payload: '1' });
    await world.put({ namespace, name: 'p', payload: '2' });
    await world.settle();
    assert.equal(world.streams.snapshot(pods).get(namespace, 'p')?.namespace, namespace);
    assert.deepEqual(calls, { decoded: 2, stamped: 2 });
    await world.remove(namespace, 'p');
    await world.settle();
    assert.deepEqual(calls, { decoded: 2, stamped: 3 });
    for (const sink of sinks) assert.equal(sink.frames.length, 3);
    await world.stop();
  });

  it('I15: a burst of reads asks the store once, and a later one never shares an older question', async () => {
    let asked = 0;
    let answer: ((revision: Revision) => void)[] = [];
    const inner = createMemoryStorage({ clock: manualTime().clock });
    let held = false;
    const storage: Storage = {
      ...inner,
      revision: () => {
        asked += 1;
        return held ? new Promise((resolve) => answer.push(resolve)) : inner.revision();
      },
    };
    const world = await createWorld({ storage });
    asked = 0;
    held = true;
    const done: string[] = [];
    const read = (name: string): void =>
      void world.streams.waitUntilCurrent().then(() => done.push(name));
    for (let i = 0; i < 100; i += 1) read('first');
    await turns(1);
    assert.equal(asked, 1);
    for (let i = 0; i < 100; i += 1) read('second');
    await turns(1);
    assert.equal(asked, 1);
    answer.shift()?.(revisionZero);
    await turns(1);
    assert.deepEqual(new Set(done), new Set(['first']));
    assert.equal(asked, 2);
    answer.shift()?.(revisionZero);
    await turns(20);
    assert.equal(done.length, 200);
    answer = [];
    await world.stop();
  });

  it('I16: waitUntil resolves when reached, and says too-large after its wait', async () => {
    const world = await createWorld();
    const [current] = await putMany(world, 1);
    await world.settle();
    assert.deepEqual(await world.streams.waitUntil(current as Revision), { kind: 'reached' });
    const next = ((current as Revision) + 3n) as Revision;
    const reached = world.streams.waitUntil(next);
    const never = world.streams.waitUntil((next + 100n) as Revision);
    await putMany(world, 1);
    await world.settle();
    assert.deepEqual(await reached, { kind: 'reached' });
    world.time.advance(3_000);
    assert.deepEqual(await never, { kind: 'too-large', current: next });
    await world.stop();
  });

  it('I16: who goes waits no longer, and nothing of it is kept', async () => {
    const world = await createWorld();
    const [current] = await putMany(world, 1);
    await world.settle();
    const next = ((current as Revision) + 1n) as Revision;
    const [goes, stays] = [departingRequester(), departingRequester()];
    const left = world.streams.waitUntil(next, goes);
    const reached = world.streams.waitUntil(next, stays);
    goes.go();
    assert.deepEqual(await left, { kind: 'left' });
    assert.deepEqual(await world.streams.waitUntil(next, goes), { kind: 'left' });
    await putMany(world, 1);
    await world.settle();
    assert.deepEqual(await reached, { kind: 'reached' });
    const never = world.streams.waitUntil((next + 100n) as Revision, stays);
    world.time.advance(3_000);
    assert.equal((await never).kind, 'too-large');
    assert.equal(stays.waiting, 0);
    await world.stop();
  });

  it('I30: of reads that waited for the same a few go on in each turn', async () => {
    const world = await createWorld();
    const [current] = await putMany(world, 1);
    await world.settle();
    const next = ((current as Revision) + 1n) as Revision;
    const ways: Record<string, { begin: () => Promise<unknown>; end: () => unknown }> = {
      late: {
        begin: () => world.streams.waitUntil((next + 100n) as Revision),
        end: () => world.time.advance(3_000),
      },
      reached: { begin: () => world.streams.waitUntil(next), end: () => putMany(world, 1) },
      current: { begin: () => world.streams.waitUntilCurrent(), end: () => undefined },
    };
    for (const [way, { begin, end }] of Object.entries(ways)) {
      let done = 0;
      const reads = Array.from({ length: 100 }, () => begin().then(() => (done += 1)));
      let most = 0;
      const ended = end();
      for (let before = 0, left = 1_000; done < 100; before = done) {
        assert.ok((left -= 1) > 0, `${way}: all go on`);
        await turns(1);
        most = Math.max(most, done - before);
      }
      await Promise.all([...reads, ended]);
      assert.ok(most <= 64, `${way}: ${most} in one turn`);
    }
    await world.stop();
  });

  it('I17: the snapshot at any revision is the state then, from cache, history or store', async () => {
    for (let seed = 1; seed <= 15; seed += 1) {
      const prng = seededPrng(seed);
      const limits = {
        historyChangesMax: 1 + randomBelow(prng, 30),
        scanPageRecords: 1 + randomBelow(prng, 5),
        keptSnapshotsMax: 1 + randomBelow(prng, 3),
        keptSnapshotBytesMax: randomBelow(prng, 3_000),
      };
      const world = await createWorld({ limits });
      const held: { snapshot: ReturnType<World['streams']['snapshot']>; at: Revision }[] = [];
      for (let step = 0; step < 80; step += 1) {
        const name = `p${randomBelow(prng, 12)}`;
        const at = `n${randomBelow(prng, 3)}`;
        if (randomBelow(prng, 3) === 0) await world.remove(at, name);
        else await world.put({ namespace: at, name, payload: `${step}` });
        if (randomBelow(prng, 8) !== 0) continue;
        await world.streams.waitUntilCurrent();
        const snapshot = world.streams.snapshot(pods);
        world.streams.keep(pods, snapshot);
        held.push({ snapshot, at: world.streams.revision });
      }
      await world.settle();
      for (const { revision } of world.model.changes) {
        const read = await world.streams.snapshotAt(pods, revision);
        assert.equal(read.kind, 'ok');
        if (read.kind === 'ok') held.push({ snapshot: read.snapshot, at: revision });
      }
      for (const { snapshot, at } of held) {
        assert.equal(snapshot.revision, at);
        const state = world.model.stateAt(at);
        const keys = [...state.keys()].sort();
        const seen = [...snapshot.entries(undefined)].map((e) => `${e.namespace}/${e.name}`);
        assert.deepEqual(seen, keys);
        for (const entry of snapshot.entries(undefined)) {
          const expected = state.get(`${entry.namespace}/${entry.name}`);
          assert.equal(entry.revision, expected?.revision);
        }
        const after = `n1/p${randomBelow(prng, 12)}`;
        const behind = (namespace?: string): string[] =>
          keys.filter((key) => key > after && key.startsWith(namespace ?? ''));
        assert.equal(snapshot.countAfter(undefined, after), behind().length);
        assert.equal(snapshot.countAfter('n2', after), behind('n2/').length);
        assert.equal(snapshot.countAfter('n1', after), behind('n1/').length);
        assert.equal(snapshot.countAfter('n0', after), 0);
        assert.equal(snapshot.count('n1'), keys.filter((key) => key.startsWith('n1/')).length);
        assert.deepEqual(
          [...snapshot.entries('n1', after)].map((e) => `${e.namespace}/${e.name}`),
          behind('n1/'),
        );
      }
      await world.stop();
    }
  });

  it('I17: a revision behind the compaction says so, one ahead too', async () => {
    const world = await createWorld({ limits: { historyChangesMax: 2 } });
    const revisions = await putMany(world, 10);
    await world.settle();
    const compacted = revisions[6] as Revision;
    await world.storage.compact(compacted);
    const at = (index: number) => world.streams.snapshotAt(pods, revisions[index] as Revision);
    assert.deepEqual(await at(2), { kind: 'compacted', oldest: compacted });
    assert.equal((await at(6)).kind, 'ok');
    const current = world.streams.revision;
    const ahead = await world.streams.snapshotAt(pods, (current + 1n) as Revision);
    assert.deepEqual(ahead, { kind: 'future', current });
    await world.stop();
  });

  it('I17: what memory still knows is compacted with the store', async () => {
    const world = await createWorld();
    const revisions = await putMany(world, 3);
    await world.settle();
    const at = (index: number) => world.streams.snapshotAt(pods, revisions[index] as Revision);
    assert.equal((await at(0)).kind, 'ok');
    const later = await world.put({ namespace, name: 's', payload: '1', resource: services });
    await world.settle();
    assert.equal((await at(2)).kind, 'ok');
    await world.storage.compact(later);
    const compacted = { kind: 'compacted', oldest: later };
    assert.deepEqual(await at(0), compacted, 'kept');
    assert.deepEqual(await at(1), compacted, 'in the history');
    assert.deepEqual(await at(2), compacted, 'nothing of the resource changed since');
    await world.stop();
  });

  it('I18: after a restart the caches are the store, and a watch resumes over the restart', async () => {
    const storage = createMemoryStorage({ clock: manualTime().clock });
    const model = new Model();
    const first = await createWorld({ storage, model });
    const revisions = await putMany(first, 20);
    await first.remove(namespace, 'p3');
    await first.stop();
    const second = await createWorld({ storage, model, limits: { scanPageRecords: 3 } });
    const names = [...second.streams.snapshot(pods).entries(undefined)].map(({ name }) => name);
    assert.equal(names.length, 19);
    const request = watchRequest({
      start: { kind: 'after', revision: revisions[4] as Revision },
      predicate: labelIs('app', 'a'),
    });
    const all = { ...request, predicate: everything };
    const [chosen, every] = [new TestSink(), new TestSink()];
    second.streams.watch(request, chosen);
    second.streams.watch(all, every);
    await second.put({ namespace, name: 'p4', labels: { app: 'a' } });
    await second.settle();
    const after = revisions[4] as Revision;
    assert.deepEqual(every.replay().events, model.eventsAfter(after, all));
    assert.deepEqual(chosen.replay().events, model.eventsAfter(after, request));
    await second.stop();
  });

  it('I18: a log that cannot be followed is fatal, and nothing is applied after it', async () => {
    const inner = createMemoryStorage({ clock: manualTime().clock });
    const storage: Storage = {
      ...inner,
      async *tail(after, signal) {
        for await (const page of inner.tail(after, signal)) {
          yield page;
          throw new StorageError('io', 'the disk is gone');
        }
      },
    };
    const world = await createWorld({ storage });
    const [first] = await putMany(world, 1);
    await turns(5);
    await putMany(world, 1);
    await turns(5);
    assert.equal(world.fatal.length, 1);
    assert.equal((world.fatal[0] as StorageError).code, 'io');
    assert.equal(world.streams.revision, first);
    await assert.rejects(world.streams.waitUntilCurrent(), { code: 'closed' });
    await world.stop();
  });

  it('I31: objects are read in another form, in steps: no revision changes, and no watch sees it', async () => {
    let form = 'old';
    const deps: Partial<StreamsDeps> = {
      decodeRecord: (stored) => ({ ...decodeRecord(stored), shape: 'old' }),
      readRecord: (_id, written) => {
        if (form === written.shape) return written;
        const text = Buffer.from(written.object).toString();
        const object = Buffer.from(text.replace('"payload":"', `"payload":"${form} `));
        return { ...written, object, shape: form, written };
      },
      shapeOf: () => form,
    };
    const world = await createWorld({ deps });
    await putMany(world, 3);
    await world.settle();
    const sink = new TestSink();
    world.streams.watch(watchRequest(), sink);
    await world.settle();
    const shown = (): unknown[] =>
      [...world.streams.snapshot(pods).entries(undefined)].map(({ bytes, revision }) => {
        const { metadata, spec } = JSON.parse(Buffer.from(bytes).toString());
        return [revision, metadata.resourceVersion === `${revision}`, spec.payload];
      });
    const before = shown();
    form = 'new';
    const steps = world.streams.refresh(pods);
    steps.next();
    const written = await world.put({ namespace, name: 'p2', payload: 'y' });
    await world.settle();
    assert.ok([...steps].length >= 1, 'there is more than one step');
    const [first, second] = before.map((each) => (each as unknown[])[0]);
    const after = [
      [first, true, 'new x'],
      [second, true, 'new x'],
      [written, true, 'new y'],
    ];
    assert.deepEqual(shown(), after);
    assert.equal(sink.frames.length, 1, 'of what was written');
    form = 'old';
    for (const _ of world.streams.refresh(pods));
    assert.deepEqual(shown().slice(0, 2), before.slice(0, 2), 'as they were written');
    await world.stop();
  });

  it('I32: what cannot be read is named; watches go on, and end when what they may know is gone', async () => {
    const world = await createWorld();
    await putMany(world, 2);
    await world.settle();
    const sink = new TestSink();
    world.streams.watch(watchRequest(), sink);
    await world.settle();
    const damage = async (name: string): Promise<void> => {
      const found = await world.storage.read(storeKey({ ...pods, namespace, name }));
      const mutation = podMutation({ namespace, name }, expectation(found));
      const operation = { kind: 'put', state: 'live', value: Uint8Array.of(1, 2, 3) } as const;
      await world.storage.commit([{ ...mutation, operation }]);
      await world.settle();
    };
    await damage('p1');
    const snapshot = world.streams.snapshot(pods);
    assert.deepEqual(keysOf(snapshot.unreadable), ['ns/p1']);
    assert.equal(snapshot.count(undefined), 2, 'its last readable state is shown');
    assert.equal(world.streams.unreadableEntries(pods).size, 0);
    const listing = new TestSink();
    const state = { kind: 'state', atLeast: undefined, mark: true } as const;
    world.streams.watch(watchRequest({ start: state }), listing);
    await world.settle();
    assert.equal(listing.replay(true).errors[0]?.code, 500);
    await world.remove(namespace, 'p1');
    await world.settle();
    assert.equal(sink.replay().events.at(-1)?.split(' ')[1], 'DELETED');
    await damage('never read');
    assert.deepEqual(keysOf(world.streams.unreadableEntries(pods)), ['ns/never read']);
    await world.put({ namespace, name: 'p0' });
    await world.settle();
    assert.equal(sink.replay().events.length, 2, 'it goes on');
    await world.remove(namespace, 'never read');
    await world.settle();
    assert.equal(sink.replay().errors[0]?.message, listing.replay(true).errors[0]?.message);
    assert.equal(sink.ended, true);
    assert.equal(world.streams.snapshot(pods).unreadable.size, 0);
    await world.stop();
  });
});
