/** Frames of large objects, which take several parts to make. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createMemoryStorage } from '../../src/storage/memory/memory-storage.ts';
import { revisionZero } from '../../src/storage/storage.ts';
import type { Revision } from '../../src/storage/storage.ts';
import { manualTime } from '../support/doubles/manual-time.ts';
import { createWorld, encoder, encoderInParts, fieldIs, Model } from './harness.ts';
import { putMany, TestSink, turns, watchRequest } from './harness.ts';
import type { World } from './harness.ts';

const limits = { largeEntryBytes: 1_000, turnApplyMs: 0 };
const large = 'x'.repeat(2_000);
const namespace = 'ns';

/** Says no until it is told. */
function held() {
  let isHeld = true;
  const inParts = encoderInParts(limits.largeEntryBytes, () => isHeld);
  return {
    encoder: inParts,
    release: () => {
      isHeld = false;
    },
  };
}

async function settled(world: World): Promise<void> {
  await world.settle();
  await turns(40);
}

describe('a large object in a watch', () => {
  it('I36: its frame is made when it is ready; what comes behind it in its scope waits', async () => {
    const world = await createWorld({ limits });
    const { encoder: own, release } = held();
    const request = watchRequest({ encoder: own });
    const sink = new TestSink();
    const plain = new TestSink();
    world.streams.watch(request, sink);
    world.streams.watch(watchRequest({ namespace }), plain);
    await turns(3);
    await world.put({ namespace, name: 'large', payload: large });
    await putMany(world, 2);
    await settled(world);
    assert.deepEqual(sink.frames, []);
    assert.ok(own.asked() > 10, 'it is asked in each turn');
    assert.equal(plain.frames.length, 3, 'another scope goes on');
    release();
    await settled(world);
    assert.deepEqual(sink.replay().events, world.model.eventsAfter(revisionZero, request));
    await world.stop();
  });

  it('I36: small ones, and those that it does not select, are asked about nowhere', async () => {
    const world = await createWorld({ limits });
    const { encoder: own } = held();
    const sink = new TestSink();
    const predicate = fieldIs('spec.nodeName', 'n1');
    world.streams.watch(watchRequest({ encoder: own, predicate }), sink);
    await turns(3);
    await world.put({ namespace, name: 'large', node: 'n2', payload: large });
    await world.put({ namespace, name: 'small', node: 'n1' });
    await settled(world);
    assert.equal(sink.frames.length, 1);
    assert.equal(own.asked(), 0);
    await world.stop();
  });

  it('I36: what it was is ready, too, where it leaves a selection or is deleted', async () => {
    const world = await createWorld({ limits });
    const { encoder: own, release } = held();
    const request = watchRequest({ encoder: own, predicate: fieldIs('spec.nodeName', 'n1') });
    await world.put({ namespace, name: 'a', node: 'n1', payload: large });
    const revision = await world.put({ namespace, name: 'b', node: 'n1', payload: large });
    await settled(world);
    const sink = new TestSink();
    world.streams.watch({ ...request, start: { kind: 'after', revision } }, sink);
    await turns(3);
    await world.put({ namespace, name: 'a', node: 'n2', payload: 'small' });
    await world.remove(namespace, 'b');
    await settled(world);
    assert.deepEqual(sink.frames, []);
    release();
    await settled(world);
    assert.deepEqual(sink.replay().events, world.model.eventsAfter(revision, request));
    await world.stop();
  });

  it('I36 I8: no bookmark overtakes it, and no stop is kept waiting by it', async () => {
    const world = await createWorld({ limits: { ...limits, bookmarkIntervalMs: 1_000 } });
    const { encoder: own } = held();
    const sink = new TestSink();
    world.streams.watch(watchRequest({ encoder: own, bookmarks: true }), sink);
    await turns(3);
    const revision = await world.put({ namespace, name: 'large', payload: large });
    await settled(world);
    world.time.advance(5_000);
    await turns(10);
    await world.stop();
    const { bookmarks } = sink.replay();
    assert.ok(bookmarks.every((each) => each < revision));
    assert.ok(sink.ended);
  });

  for (const [what, resumes] of [
    ['initial events', undefined],
    ['the history', {}],
    ['the log', { historyChangesMax: 1, historyBytesMax: 1 }],
  ] as const) {
    it(`I36: a chunk of ${what} ends before it, and the next begins with it`, async () => {
      const model = new Model();
      const storage = createMemoryStorage({ clock: manualTime().clock });
      const world = await createWorld({ limits: { ...limits, ...resumes }, model, storage });
      for (const name of ['a', 'b', 'c']) {
        await world.put({ namespace, name, payload: name === 'b' ? large : name });
      }
      await settled(world);
      const { encoder: own, release } = held();
      const start =
        resumes === undefined
          ? ({ kind: 'state', atLeast: undefined, mark: true } as const)
          : ({ kind: 'after', revision: revisionZero } as const);
      const request = watchRequest({ encoder: own, start });
      const sinks = [new TestSink(), new TestSink()];
      const plain = new TestSink();
      for (const sink of sinks) world.streams.watch(request, sink);
      world.streams.watch({ ...request, encoder }, plain);
      await settled(world);
      assert.deepEqual(
        sinks.map(({ frames }) => frames.length),
        [1, 1],
      );
      const all = resumes === undefined ? 4 : 3;
      assert.equal(plain.frames.length, all, 'who shows it otherwise goes on');
      release();
      await settled(world);
      for (const sink of sinks) assert.deepEqual(sink.frames, plain.frames);
      await world.stop();
    });
  }

  it('I36 I34: what is left out behind it reaches its watches from the history', async () => {
    const tight = { outstandingMax: 3, leaveOutGroupsMin: 1 };
    const world = await createWorld({ limits: { ...limits, ...tight } });
    const { encoder: own, release } = held();
    const request = watchRequest({ encoder: own });
    const sink = new TestSink();
    world.streams.watch(request, sink);
    await turns(3);
    await world.put({ namespace, name: 'large', payload: large });
    await putMany(world, 10);
    await settled(world);
    assert.deepEqual(sink.frames, []);
    release();
    await settled(world);
    assert.deepEqual(sink.replay().events, world.model.eventsAfter(revisionZero, request));
    await world.stop();
  });

  it('I36 I20: an encoder that throws over it ends its own watches', async () => {
    const world = await createWorld({ limits });
    const broken = {
      ...encoder,
      id: 'broken',
      isReady(): boolean {
        throw new Error('cannot read');
      },
    };
    const [live, other] = [new TestSink(), new TestSink()];
    world.streams.watch(watchRequest({ encoder: broken }), live);
    world.streams.watch(watchRequest(), other);
    await turns(3);
    const revision: Revision = await world.put({ namespace, name: 'large', payload: large });
    await settled(world);
    assert.deepEqual([live.replay().errors.length, live.ended], [1, true]);
    assert.equal(other.replay().events.length, 1);
    const initial = new TestSink();
    const start = { kind: 'state', atLeast: revision, mark: false } as const;
    world.streams.watch(watchRequest({ encoder: broken, start }), initial);
    await settled(world);
    assert.deepEqual([initial.replay().errors.length, initial.ended], [1, true]);
    await world.stop();
  });
});
