/** What the watches of one scope cost keeps those of another one waiting for a turn, not for all. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StreamLimits } from '../../streams/limits.ts';
import type { WatchRequest } from '../../streams/streams.ts';
import { createWorld, everything, fieldIs, labelIs, pods, services } from './harness.ts';
import { TestSink, turns, watchRequest } from './harness.ts';
import type { World } from './harness.ts';

const many = 200;
const few = 12;

/** Each group is handed a change in a turn of its own. */
const slow: Partial<StreamLimits> = { turnApplyMs: 0, scopeTurnMs: 0 };

function watch(world: World, request: Partial<WatchRequest>): TestSink {
  const sink = new TestSink();
  world.streams.watch(watchRequest(request), sink);
  return sink;
}

/** Each with a selection of its own, and shown every pod of the namespace. */
function selectors(world: World, namespace: string, request: Partial<WatchRequest> = {}) {
  return Array.from({ length: many }, (_, at) => {
    const predicate = { ...labelIs('app', 'a'), id: `a, and not ${at}` };
    return watch(world, { namespace, predicate, ...request });
  });
}

const pod = (namespace: string, name: string) => ({ namespace, name, labels: { app: 'a' } });

const eventsCount = ({ frames }: TestSink): number => frames.length;

async function until(isSo: () => boolean, turnsMax: number): Promise<void> {
  for (let left = turnsMax; !isSo(); left -= 1) {
    assert.ok(left > 0, `within ${turnsMax} turns`);
    await turns(1);
  }
}

/** All of one namespace are live, and so are those who watch something else. */
async function crowd(limits: Partial<StreamLimits>) {
  const world = await createWorld({ limits });
  const crowded = selectors(world, 'crowd');
  const others = {
    namespace: watch(world, { namespace: 'other', bookmarks: true }),
    name: watch(world, { namespace: 'other', predicate: everything, bookmarks: false }),
    all: watch(world, { predicate: labelIs('app', 'b') }),
    kind: watch(world, { resource: services, namespace: 'crowd' }),
  };
  await world.settle();
  await turns(many);
  return { world, crowded, others };
}

/** Callers who share a scope have few watches there. */
const shares = 4;

describe('fairness', () => {
  it('I34: a change reaches other namespaces and kinds while one namespace is behind', async () => {
    const { crowded, others, world } = await crowd(slow);
    for (let at = 0; at < 5; at += 1) await world.put(pod('crowd', `p${at}`));
    await world.put({ ...pod('other', 'q'), labels: { app: 'b' } });
    await world.put({ ...pod('crowd', 's'), resource: services });
    await world.streams.waitUntilCurrent();
    await until(() => Object.values(others).every((sink) => sink.frames.length === 1), few);
    assert.ok(
      crowded.every((sink) => eventsCount(sink) < 5),
      'none has all of it',
    );
    await until(() => crowded.every((sink) => eventsCount(sink) === 5), 6 * many);
    assert.equal(new Set(crowded.map((sink) => sink.frames.join(''))).size, 1);
    await world.stop();
  });

  it('I34 I8: bookmarks go on where nothing is outstanding, and wait where something is', async () => {
    const { others, world } = await crowd({ ...slow, bookmarkIntervalMs: 200 });
    const predicate = labelIs('app', 'a');
    const behind = watch(world, { namespace: 'crowd', predicate, bookmarks: true });
    await world.settle();
    const before = world.streams.revision;
    const first = await world.put(pod('crowd', 'first'));
    for (let at = 0; at < 5; at += 1) await world.put(pod('crowd', `p${at}`));
    await world.streams.waitUntilCurrent();
    const newest = (sink: TestSink) => sink.replay().bookmarks.at(-1) ?? before;
    for (let at = 0; at < few; at += 1) {
      world.time.advance(100);
      await turns(1);
    }
    assert.equal(newest(others.namespace), world.streams.revision);
    assert.ok(newest(behind) < first, 'the first change is not with it yet');
    await world.stop();
  });

  it('I34: changes that are too many for a scope are left out, and its watches catch up', async () => {
    const bounds = [{ outstandingMax: 3 }, { outstandingBytesMax: 400 }, { leaveOutChangesMin: 2 }];
    for (const bound of bounds) {
      const { crowded, others, world } = await crowd({ ...slow, ...bound });
      const stalled = new TestSink(() => true);
      const predicate = { ...labelIs('app', 'a'), id: 'a, and not 0' };
      world.streams.watch(watchRequest({ namespace: 'crowd', predicate }), stalled);
      await world.settle();
      for (let at = 0; at < 10; at += 1) await world.put(pod('crowd', `p${at}`));
      await until(() => world.streams.snapshot(pods).count('crowd') === 10, 4 * few);
      await world.put(pod('other', 'q'));
      await until(() => others.namespace.frames.length === 1, few);
      assert.ok(
        crowded.some((sink) => eventsCount(sink) < 10),
        'reads did not wait for them',
      );
      await until(() => crowded.every((sink) => eventsCount(sink) === 10), 20 * many);
      for (let left = 10; left > 0; left -= 1, await turns(many)) stalled.drain();
      const told = new Set([...crowded, stalled].map((sink) => sink.replay().events.join('\n')));
      assert.equal(told.size, 1, 'all have been told the same');
      assert.ok(Math.min(...crowded.map(({ writes }) => writes)) < 10, 'several in one write');
      await world.stop();
    }
  });

  it('I34 I10: a selection that many share is not left out, for they share its frames', async () => {
    const limits = { ...slow, leaveOutChangesMin: 2, leaveOutGroupsMin: 1, freshBytesMax: 1 };
    const world = await createWorld({ limits });
    let encoded = 0;
    const { encoder } = watchRequest();
    const event: typeof encoder.event = (...parts) => ((encoded += 1), encoder.event(...parts));
    const { bookmark, error } = encoder;
    const counting = { id: 'counting', event, bookmark, error };
    const sinks = Array.from({ length: many }, () => watch(world, { encoder: counting }));
    await world.settle();
    for (let at = 0; at < 10; at += 1) await world.put(pod('crowd', `p${at}`));
    await until(() => sinks.every((sink) => eventsCount(sink) === 10), many);
    assert.equal(encoded, 10);
    await world.stop();
  });

  it('I34 I15: reads do not wait for watches that share a selection, which share what they missed', async () => {
    const limits = { ...slow, turnWritesMax: many / 5, freshBytesMax: 1, outstandingMax: 4 };
    const world = await createWorld({ limits });
    let encoded = 0;
    const { encoder } = watchRequest();
    const event: typeof encoder.event = (...parts) => ((encoded += 1), encoder.event(...parts));
    const { bookmark, error } = encoder;
    const counting = { id: 'counting', event, bookmark, error };
    const crowded = Array.from({ length: many }, () => watch(world, { encoder: counting }));
    const other = watch(world, { namespace: 'other' });
    await world.settle();
    const count = 20;
    for (let at = 0; at < count; at += 1) await world.put(pod('crowd', `p${at}`));
    await world.put(pod('other', 'q'));
    let isCurrent = false;
    void world.streams.waitUntilCurrent().then(() => (isCurrent = true));
    await until(() => isCurrent && eventsCount(other) === 1, 4 * few);
    assert.ok(crowded.some((sink) => eventsCount(sink) < count));
    await until(() => crowded.every((sink) => eventsCount(sink) > count), 20 * many);
    assert.ok(encoded < 2 * many, `${encoded} frames are made, not one for each watch and event`);
    assert.equal(new Set(crowded.map((sink) => sink.replay().events.join('\n'))).size, 1);
    await world.stop();
  });

  it('I34 I12: where a few watch and none of them is live, no frame is made ahead of time', async () => {
    const world = await createWorld();
    let encoded = 0;
    const { encoder } = watchRequest();
    const event: typeof encoder.event = (...parts) => ((encoded += 1), encoder.event(...parts));
    const { bookmark, error } = encoder;
    const stalled = new TestSink(() => true);
    const counting = { id: 'counting', event, bookmark, error };
    world.streams.watch(watchRequest({ encoder: counting }), stalled);
    await world.settle();
    for (let at = 0; at < 10; at += 1) {
      await world.put(pod('crowd', `p${at}`));
      await world.settle();
    }
    assert.equal(encoded, 1);
    stalled.stall = () => false;
    stalled.drain();
    await world.settle();
    assert.equal(eventsCount(stalled), 10);
    assert.equal(encoded, 10);
    await world.put(pod('crowd', 'q'));
    await world.settle();
    assert.equal(eventsCount(stalled), 11, 'it is live again');
    await world.stop();
  });

  it('I34: live watchers that are behind their group hold the changes of their scope alone', async () => {
    const limits = { turnWritesMax: 2, freshBytesMax: 1 };
    const world = await createWorld({ limits });
    const crowded = Array.from({ length: many }, () => watch(world, { namespace: 'crowd' }));
    const other = watch(world, { namespace: 'other' });
    await world.settle();
    for (let at = 0; at < 3; at += 1) {
      await world.put(pod('crowd', `p${at}`));
      await world.put(pod('other', `p${at}`));
    }
    await world.streams.waitUntilCurrent();
    await until(() => eventsCount(other) === 3, few);
    assert.ok(crowded.some((sink) => eventsCount(sink) === 0));
    await until(() => crowded.every((sink) => eventsCount(sink) === 3), 4 * many);
    await world.stop();
  });

  it('I34: a change reaches other callers while one with many watches there is behind', async () => {
    for (const namespace of ['crowd', undefined]) {
      const world = await createWorld({ limits: { ...slow, callerWatchesMax: shares } });
      const crowded = selectors(world, 'crowd', { namespace, caller: 'one' });
      const other = watch(world, { namespace, caller: 'other' });
      await world.settle();
      await turns(many);
      for (let at = 0; at < 5; at += 1) await world.put(pod('crowd', `p${at}`));
      await world.streams.waitUntilCurrent();
      await until(() => other.frames.length === 5, 5 * few);
      assert.ok(crowded.filter((sink) => eventsCount(sink) === 5).length <= 2 * shares);
      await until(() => crowded.every((sink) => eventsCount(sink) === 5), 6 * many);
      assert.equal(new Set([other, ...crowded].map((sink) => sink.frames.join(''))).size, 1);
      await world.stop();
    }
  });

  it('I34: a change reaches who pins something while many callers who do not are behind', async () => {
    for (const namespace of ['crowd', undefined]) {
      const world = await createWorld({ limits: slow });
      const crowded = Array.from({ length: many }, (_, at) => {
        const predicate = { ...everything, id: `not ${at}` };
        return watch(world, { namespace, predicate, caller: `caller ${at}` });
      });
      const pins = [
        labelIs('app', 'a'),
        fieldIs('metadata.name', 'p'),
        fieldIs('spec.nodeName', 'n1'),
      ];
      const pinned = pins.map((predicate) => watch(world, { namespace, predicate }));
      // Where only a namespace is pinned, that says no more than the scope does.
      const its = namespace === undefined ? everything : fieldIs('metadata.namespace', namespace);
      const open = watch(world, { namespace, predicate: its });
      await world.settle();
      await turns(many);
      const payloads = ['1', '2', '3', '4', '5'];
      for (const payload of payloads)
        await world.put({ ...pod('crowd', 'p'), payload, node: 'n1' });
      await world.streams.waitUntilCurrent();
      await until(() => pinned.every((sink) => eventsCount(sink) === 5), 5 * few);
      assert.ok([open, ...crowded].every((sink) => eventsCount(sink) < 5));
      await until(() => [open, ...crowded].every((sink) => eventsCount(sink) === 5), 6 * many);
      const told = new Set([open, ...pinned, ...crowded].map((sink) => sink.frames.join('')));
      assert.equal(told.size, 1);
      await world.stop();
    }
  });

  it('I34: one that begins waits for few watches of each other caller', async () => {
    const limits = { turnPumpBytesMax: 1, callerWatchesMax: shares };
    const world = await createWorld({ limits });
    await world.put(pod('crowd', 'p'));
    await world.settle();
    const start = { kind: 'state', atLeast: world.streams.revision, mark: true } as const;
    const crowded = selectors(world, 'crowd', { start, caller: 'one' });
    const other = watch(world, { namespace: 'crowd', start, caller: 'other' });
    await until(() => other.frames.length === 2, 4 * few);
    assert.ok(crowded.filter((sink) => sink.frames.length > 0).length <= 4 * few);
    await until(() => crowded.every((sink) => sink.frames.length === 2), 2 * many);
    await world.stop();
  });

  it('I34 I10: callers with few watches share their frames, one with many has them once more', async () => {
    const world = await createWorld({ limits: { callerWatchesMax: shares } });
    let encoded = 0;
    const { encoder } = watchRequest();
    const event: typeof encoder.event = (...parts) => ((encoded += 1), encoder.event(...parts));
    const { bookmark, error } = encoder;
    const counting = { id: 'counting', event, bookmark, error };
    const of = (caller: string, count: number) =>
      Array.from({ length: count }, () => watch(world, { encoder: counting, caller }));
    const sinks = [...of('a', shares), ...of('b', shares)];
    await world.settle();
    await world.put(pod('crowd', 'p'));
    await world.settle();
    assert.equal(encoded, 1);
    sinks.push(...of('a', many));
    await world.settle();
    await world.put(pod('crowd', 'q'));
    await world.settle();
    assert.equal(encoded, 3);
    assert.ok(sinks.slice(0, 2 * shares).every((sink) => eventsCount(sink) === 2));
    assert.ok(sinks.slice(2 * shares).every((sink) => eventsCount(sink) === 1));
    await world.stop();
  });

  it('I34: a caller whose watches have gone shares the scope of all others again', async () => {
    const world = await createWorld({ limits: { callerWatchesMax: shares } });
    const open = (count: number) =>
      Array.from({ length: count }, () => {
        const request = watchRequest({ namespace: 'crowd', caller: 'one' });
        return world.streams.watch(request, new TestSink());
      });
    const groupsCount = () => world.streams.stats().groupsCount;
    for (let round = 0; round < 2; round += 1) {
      const handles = open(shares);
      assert.equal(groupsCount(), 1);
      handles.push(...open(2));
      assert.equal(groupsCount(), 2);
      for (const handle of handles.splice(0, shares)) handle.close();
      assert.equal(groupsCount(), 1);
      handles.push(...open(1));
      assert.equal(groupsCount(), 2);
      for (const handle of handles) handle.close();
      assert.equal(groupsCount(), 0);
    }
    await world.stop();
  });

  it('I34: one that begins waits for one of each scope, not for all who began before it', async () => {
    const world = await createWorld({ limits: { turnPumpBytesMax: 1 } });
    for (const namespace of ['crowd', 'other']) await world.put(pod(namespace, 'p'));
    await world.settle();
    const start = { kind: 'state', atLeast: world.streams.revision, mark: true } as const;
    const crowded = selectors(world, 'crowd', { start });
    const other = watch(world, { namespace: 'other', start });
    await until(() => other.frames.length === 2, few);
    assert.ok(crowded.filter((sink) => sink.frames.length > 0).length <= few);
    await until(() => crowded.every((sink) => sink.frames.length === 2), 2 * many);
    await world.stop();
  });
});
