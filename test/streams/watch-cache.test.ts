import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededPrng, randomBelow } from '../../src/stdx/prng.ts';
import { createMemoryStorage } from '../../src/storage/memory/memory-storage.ts';
import { revisionZero } from '../../src/storage/storage.ts';
import type { Revision, Storage } from '../../src/storage/storage.ts';
import type { Entry, EventEncoder } from '../../streams/streams.ts';
import { manualTime } from '../support/doubles/manual-time.ts';
import { pausableTail } from '../support/doubles/pausable-tail.ts';
import { createWorld, encoder, everything, fieldIs, labelIs } from './harness.ts';
import { Model, putMany, services, TestSink, turns, watchRequest } from './harness.ts';

const namespace = 'ns';
/** Three pods are acknowledged, and not seen here before the log is resumed. */
async function laggingWorld() {
  const log = pausableTail(createMemoryStorage({ clock: manualTime().clock }));
  const world = await createWorld({ storage: log.storage });
  log.pause();
  await putMany(world, 3);
  return { log, world };
}

const fromState = { kind: 'state', atLeast: undefined, mark: true } as const;

describe('start points', () => {
  it('I4: a watch from each revision in history gets exactly the events after it', async () => {
    const world = await createWorld({ limits: { historyChangesMax: 10, logPageChanges: 7 } });
    const revisions = [revisionZero, ...(await putMany(world, 40))];
    await world.settle();
    for (const revision of revisions) {
      const request = watchRequest({ start: { kind: 'after', revision } });
      const sink = new TestSink();
      world.streams.watch(request, sink);
      await turns(40);
      assert.deepEqual(sink.replay().events, world.model.eventsAfter(revision, request));
    }
    await world.stop();
  });

  it('I4: a herd that resumes from before the restart shares the reads of the log', async () => {
    const clock = manualTime().clock;
    const inner = createMemoryStorage({ clock });
    const model = new Model();
    const first = await createWorld({ storage: inner, model });
    const revisions = await putMany(first, 200);
    await first.stop();
    let reads = 0;
    const changes: Storage['changes'] = (...args) => ((reads += 1), inner.changes(...args));
    const storage = { ...inner, changes };
    const world = await createWorld({ storage, model, limits: { logPageChanges: 50 } });
    const watches = revisions.slice(100).map((revision) => {
      const request = watchRequest({ start: { kind: 'after', revision } });
      const sink = new TestSink();
      world.streams.watch(request, sink);
      return { request, revision, sink };
    });
    await world.settle();
    await turns(40);
    for (const { request, revision, sink } of watches) {
      assert.deepEqual(sink.replay().events, model.eventsAfter(revision, request));
    }
    assert.ok(reads <= 12, `${reads} reads`);
    await world.stop();
  });

  it('I4: a revision behind the compaction gets one ERROR event, Expired, and the end', async () => {
    const world = await createWorld({ limits: { historyChangesMax: 2 } });
    const revisions = await putMany(world, 10);
    await world.settle();
    const compacted = revisions[5] as Revision;
    await world.storage.compact(compacted);
    const sink = new TestSink();
    const start = { kind: 'after', revision: revisions[2] as Revision } as const;
    world.streams.watch(watchRequest({ start }), sink);
    await turns(10);
    const { errors, events } = sink.replay();
    assert.deepEqual(events, []);
    assert.equal(errors.length, 1);
    assert.equal(errors[0]?.code, 410);
    assert.equal(errors[0]?.message, `too old resource version: ${revisions[2]} (${compacted})`);
    assert.equal(sink.ended, true);
    assert.equal(world.streams.stats().watchersCount, 0);
    await world.stop();
  });

  it('I22: a revision that does not exist yet waits, and shows nothing up to it', async () => {
    const world = await createWorld();
    const [first] = await putMany(world, 1);
    const future = ((first as Revision) + 6n) as Revision;
    const request = watchRequest({ start: { kind: 'after', revision: future } });
    const sink = new TestSink();
    world.streams.watch(request, sink);
    await putMany(world, 2);
    await world.settle();
    assert.deepEqual(sink.frames, []);
    await putMany(world, 2);
    await world.settle();
    assert.equal(sink.replay().events.length, 2);
    assert.deepEqual(sink.replay().events, world.model.eventsAfter(future, request));
    await world.stop();
  });

  it('I3: a watch from now shows what is written after the request and nothing before', async () => {
    const { log, world } = await laggingWorld();
    const before = await world.storage.revision();
    const request = watchRequest({ start: { kind: 'now' } });
    const sink = new TestSink();
    world.streams.watch(request, sink);
    await turns(3);
    log.resume();
    await world.settle();
    await putMany(world, 2);
    await world.settle();
    assert.deepEqual(sink.replay().events, world.model.eventsAfter(before, request));
    await world.stop();
  });

  it('I9: a streaming list is the state at one revision, the mark, then the changes', async () => {
    const limits = {
      pumpChunkBytes: 500,
      missedChunkBytes: 500,
      pumpExaminedMax: 3,
      historyChangesMax: 3,
    };
    const world = await createWorld({ limits });
    await putMany(world, 50);
    const request = watchRequest({ start: fromState, predicate: everything });
    const sink = new TestSink();
    world.streams.watch(request, sink);
    for (let i = 0; i < 20; i += 1) {
      await world.put({ namespace, name: `p${i * 2}`, payload: `new${i}` });
      if (i % 3 === 0) await world.remove(namespace, `p${i * 2 + 1}`);
    }
    await world.settle();
    await turns(60);
    const seen = sink.replay(true);
    assert.ok(seen.marked !== undefined);
    const keys = [...world.model.stateAt(seen.marked).keys()].sort();
    assert.deepEqual(seen.initial, keys);
    assert.deepEqual(seen.events, world.model.eventsAfter(seen.marked, request));
    await world.stop();
  });

  it('I9: a streaming list shows what was acknowledged before it', async () => {
    const { log, world } = await laggingWorld();
    const sink = new TestSink();
    world.streams.watch(watchRequest({ start: fromState }), sink);
    await turns(3);
    log.resume();
    await world.settle();
    assert.deepEqual(sink.replay(true).initial, ['ns/p0', 'ns/p1', 'ns/p2']);
    await world.stop();
  });

  it('I9: a streaming list at a revision to come waits for it', async () => {
    const world = await createWorld();
    const [first] = await putMany(world, 1);
    const atLeast = ((first as Revision) + 6n) as Revision;
    const sink = new TestSink();
    world.streams.watch(watchRequest({ start: { kind: 'state', atLeast, mark: true } }), sink);
    await world.settle();
    assert.deepEqual(sink.frames, []);
    await putMany(world, 2);
    await world.settle();
    assert.ok((sink.replay(true).marked ?? 0n) >= atLeast);
    await world.stop();
  });

  it('I9: initial events of one pinned object look at that object only', async () => {
    const world = await createWorld();
    await putMany(world, 20);
    let looked = 0;
    const pinned = fieldIs('metadata.name', 'p7');
    const predicate = { ...pinned, matches: (entry: Entry) => (looked++, pinned.matches(entry)) };
    const sink = new TestSink();
    await world.settle();
    world.streams.watch(watchRequest({ namespace, start: fromState, predicate }), sink);
    await world.settle();
    assert.deepEqual(sink.replay(true).initial, ['ns/p7']);
    assert.equal(looked, 1);
    await world.stop();
  });
});

describe('delivery', () => {
  it('I7: every write is whole frames, and several events of one turn are one write', async () => {
    const world = await createWorld();
    const sink = new TestSink();
    const whole = new TestSink();
    whole.write = (chunk) => {
      assert.equal(chunk[chunk.length - 1], 0x0a);
      return sink.write(chunk);
    };
    world.streams.watch(watchRequest(), whole);
    await world.settle();
    const revisions = await Promise.all(
      Array.from({ length: 5 }, (_, i) => world.put({ namespace, name: `q${i}` })),
    );
    await world.settle();
    assert.equal(revisions.length, 5);
    assert.equal(sink.replay().events.length, 5);
    assert.ok(sink.writes < 5);
    await world.stop();
  });

  it('I10: a thousand watchers of one group share one encoding and the very bytes', async () => {
    let made = 0;
    const counting: EventEncoder = {
      ...encoder,
      event: (type, entry) => ((made += 1), encoder.event(type, entry)),
    };
    const world = await createWorld();
    const chunks = new Set<Uint8Array>();
    for (let i = 0; i < 1_000; i += 1) {
      const sink = new TestSink();
      sink.write = (chunk) => (chunks.add(chunk), true);
      const start = { kind: 'after', revision: world.streams.revision } as const;
      world.streams.watch(watchRequest({ encoder: counting, start }), sink);
    }
    assert.equal(world.streams.stats().groupsCount, 1);
    for (let i = 0; i < 3; i += 1) {
      await world.put({ namespace, name: `p${i}` });
      await world.settle();
    }
    assert.equal(made, 3);
    assert.equal(chunks.size, 3);
    assert.equal(world.streams.stats().framesTotal, 3_000);
    await world.stop();
  });

  it('I10: a burst larger than the ring is encoded once: groups wait for delivery', async () => {
    let made = 0;
    const counting: EventEncoder = {
      ...encoder,
      event: (type, entry) => ((made += 1), encoder.event(type, entry)),
    };
    const world = await createWorld({ limits: { framesMax: 8, freshBytesMax: 500 } });
    const start = { kind: 'after', revision: world.streams.revision } as const;
    const sinks = Array.from({ length: 20 }, () => new TestSink());
    for (const sink of sinks) {
      world.streams.watch(watchRequest({ encoder: counting, start }), sink);
    }
    await Promise.all(
      Array.from({ length: 100 }, (_, i) => world.put({ namespace, name: `p${i}` })),
    );
    await world.settle();
    await turns(200);
    for (const sink of sinks) assert.equal(sink.replay().events.length, 100);
    assert.equal(made, 100);
    await world.stop();
  });

  it('I11: with 10,000 pinned groups a change evaluates only those of its node or label', async () => {
    const kinds = [
      {
        pinned: (at: number) => fieldIs('spec.nodeName', `n${at}`),
        of: (node: string) => ({ node }),
      },
      {
        pinned: (at: number) => labelIs('instance', `n${at}`),
        of: (instance: string) => ({ labels: { app: 'web', instance } }),
      },
    ];
    for (const { of, pinned } of kinds) {
      const world = await createWorld();
      let evaluated = 0;
      const sinks = Array.from({ length: 10_000 }, (_, i) => {
        const sink = new TestSink();
        const predicate = pinned(i);
        const matches = (entry: Entry): boolean => ((evaluated += 1), predicate.matches(entry));
        const start = { kind: 'after', revision: world.streams.revision } as const;
        world.streams.watch(watchRequest({ predicate: { ...predicate, matches }, start }), sink);
        return sink;
      });
      await world.put({ namespace, name: 'p', ...of('n5') });
      await world.put({ namespace, name: 'p', ...of('n6') });
      await world.settle();
      assert.ok(evaluated <= 6, `${evaluated} evaluations`);
      const written = sinks.filter((sink) => sink.writes > 0);
      assert.deepEqual(written, [sinks[5], sinks[6]]);
      assert.deepEqual(
        sinks[5]?.replay().events.map((text) => text.split(' ')[1]),
        ['ADDED', 'DELETED'],
      );
      await world.stop();
    }
  });

  it('I12: a stalled watcher changes nothing for the others and holds a bounded ring', async () => {
    const limits = { frameBytesBase: 10_000, framesMax: 1_000, historyBytesMax: 20_000 };
    const run = async (stalled: boolean): Promise<number[]> => {
      const world = await createWorld({ limits });
      let made = 0;
      const counting: EventEncoder = {
        ...encoder,
        event: (type, entry) => ((made += 1), encoder.event(type, entry)),
        eventInto: (type, entry, target, at) => (
          (made += 1),
          encoder.eventInto?.(type, entry, target, at) ?? 0
        ),
      };
      const start = { kind: 'after', revision: world.streams.revision } as const;
      const sinks = Array.from({ length: 100 }, () => new TestSink());
      (sinks[50] as TestSink).stall = () => stalled;
      for (const sink of sinks) {
        world.streams.watch(watchRequest({ encoder: counting, start }), sink);
      }
      for (let i = 0; i < 60; i += 1) {
        await world.put({ namespace, name: `p${i % 7}`, payload: 'y'.repeat(1_000) });
        await world.settle();
      }
      assert.equal(world.streams.stats().blockedCount, stalled ? 1 : 0);
      const healthy = sinks.filter((_, i) => i !== 50).map((sink) => sink.writes);
      if (stalled) {
        assert.equal(sinks[50]?.writes, 1);
        sinks[50].stall = () => false;
        sinks[50]?.drain();
        await turns(40);
        assert.ok(made > 100, 'most of what it missed was not kept for it');
        const request = watchRequest({ start });
        const expected = world.model.eventsAfter(start.revision, request);
        assert.deepEqual(sinks[50]?.replay().events, expected);
      }
      await world.stop();
      return healthy;
    };
    assert.deepEqual(await run(true), await run(false));
  });

  it('I13: at most one write per watcher and turn, within the slice of the turn', async () => {
    const limits = { turnWritesMax: 10, liveChunkBytes: 400 };
    const world = await createWorld({ limits });
    const start = { kind: 'after', revision: world.streams.revision } as const;
    let inTurn = new Map<TestSink, number>();
    const sinks = Array.from({ length: 35 }, () => {
      const sink = new TestSink();
      const write = sink.write.bind(sink);
      sink.write = (chunk) => {
        inTurn.set(sink, (inTurn.get(sink) ?? 0) + 1);
        return write(chunk);
      };
      world.streams.watch(watchRequest({ start }), sink);
      return sink;
    });
    await putMany(world, 10);
    for (let i = 0; i < 60; i += 1) {
      inTurn = new Map();
      await turns(1);
      const writes = [...inTurn.values()];
      assert.ok(writes.every((count) => count === 1));
      assert.ok(writes.length <= 10);
    }
    for (const sink of sinks) assert.equal(sink.replay().events.length, 10);
    await world.stop();
  });

  it('I13: where writes take long, a turn ends before its slice is used up, and all come through', async () => {
    const limits = { turnWritesMs: 20, turnPumpMs: 0 };
    const world = await createWorld({ limits });
    const start = { kind: 'after', revision: world.streams.revision } as const;
    let inTurn = 0;
    const sinks = Array.from({ length: 200 }, () => {
      const sink = new TestSink();
      const write = sink.write.bind(sink);
      sink.write = (chunk) => {
        inTurn += 1;
        world.time.advance(1);
        return write(chunk);
      };
      world.streams.watch(watchRequest({ start }), sink);
      return sink;
    });
    await putMany(world, 1);
    const written: number[] = [];
    for (let i = 0; i < 60; i += 1) {
      inTurn = 0;
      await turns(1);
      if (inTurn > 0) written.push(inTurn);
    }
    assert.ok(Math.max(...written) < 40, written.join());
    for (const sink of sinks) assert.equal(sink.replay().events.length, 1);
    await world.stop();
  });

  it('I3: a change that comes in the middle of a pass reaches those already served', async () => {
    const world = await createWorld({ limits: { turnWritesMax: 10 } });
    const start = { kind: 'after', revision: world.streams.revision } as const;
    const sinks = Array.from({ length: 35 }, () => new TestSink());
    for (const sink of sinks) world.streams.watch(watchRequest({ start }), sink);
    await putMany(world, 1);
    while (sinks.every((sink) => sink.writes === 0)) await turns(1);
    assert.ok(sinks.some((sink) => sink.writes === 0));
    await putMany(world, 1);
    await world.settle();
    for (const sink of sinks) assert.equal(sink.replay().events.length, 2);
    await world.stop();
  });

  it('I20: a sink or a predicate that throws ends its own watch and no other', async () => {
    const world = await createWorld();
    const start = { kind: 'after', revision: world.streams.revision } as const;
    const healthy = new TestSink();
    const throwing = new TestSink();
    throwing.write = () => {
      throw new Error('socket');
    };
    const broken = new TestSink();
    const predicate = {
      ...everything,
      id: 'broken',
      matches: (): boolean => {
        throw new Error('predicate');
      },
    };
    world.streams.watch(watchRequest({ start }), throwing);
    world.streams.watch(watchRequest({ start, predicate }), broken);
    world.streams.watch(watchRequest({ start }), healthy);
    await putMany(world, 3);
    await world.settle();
    assert.equal(healthy.replay().events.length, 3);
    assert.equal(throwing.ended, true);
    assert.equal(broken.replay().errors[0]?.code, 500);
    assert.equal(broken.ended, true);
    assert.equal(world.streams.stats().watchersCount, 1);
    assert.deepEqual(world.fatal, []);
    await world.stop();
  });

  it('I23: sinks that close at random moments, also while written to, disturb nobody', async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const prng = seededPrng(seed);
      // With two frames they mostly catch up, with many they stay in the live list.
      const limits = { turnWritesMax: 3, framesMax: seed % 2 === 0 ? 2 : 100 };
      const world = await createWorld({ limits });
      const start = { kind: 'after', revision: world.streams.revision } as const;
      const request = watchRequest({ start });
      const handles: { close(): void }[] = [];
      const sinks: TestSink[] = [];
      const gone = new Set<TestSink | undefined>();
      const late: TestSink[] = [];
      const steady = new TestSink();
      world.streams.watch(request, steady);
      for (let i = 0; i < 20; i += 1) {
        const sink = new TestSink();
        const write = sink.write.bind(sink);
        sink.write = (chunk) => {
          if (gone.has(sink)) late.push(sink);
          if (randomBelow(prng, 6) === 0) {
            const at = randomBelow(prng, handles.length);
            handles[at]?.close();
            gone.add(sinks[at]);
          }
          if (randomBelow(prng, 9) === 0) sink.closed = true;
          return write(chunk) && !sink.closed;
        };
        sinks.push(sink);
        handles.push(world.streams.watch(request, sink));
      }
      for (let i = 0; i < 30; i += 1) {
        await putMany(world, 1);
        await turns(randomBelow(prng, 8));
      }
      await world.settle();
      await turns(100);
      assert.deepEqual(steady.replay().events, world.model.eventsAfter(start.revision, request));
      assert.deepEqual(late, [], 'nothing is written to who has gone');
      for (const handle of handles) handle.close();
      assert.equal(world.streams.stats().watchersCount, 1);
      assert.equal(world.streams.stats().blockedCount, 0);
      await world.stop();
    }
  });
});

describe('the clock', () => {
  it('I8: bookmarks come about every interval, with the progress of other resources', async () => {
    const world = await createWorld();
    const start = { kind: 'after', revision: world.streams.revision } as const;
    const sink = new TestSink();
    const without = new TestSink();
    world.streams.watch(watchRequest({ start, bookmarks: true }), sink);
    world.streams.watch(watchRequest({ start }), without);
    const other = await world.put({ namespace, name: 's', resource: services });
    await world.settle();
    world.time.advance(61_000);
    assert.deepEqual(sink.replay().bookmarks, [other]);
    world.time.advance(120_000);
    assert.ok(sink.replay().bookmarks.length >= 3);
    assert.deepEqual(without.frames, []);
    await world.stop();
  });

  it('I8: a bookmark is sent only after the events it covers, never to a blocked watcher', async () => {
    const world = await createWorld({ limits: { leaveOutWatchersMax: 0 } });
    const start = { kind: 'after', revision: world.streams.revision } as const;
    const sink = new TestSink(() => true);
    world.streams.watch(watchRequest({ start, bookmarks: true }), sink);
    await putMany(world, 1);
    await world.settle();
    const last = await world.put({ namespace, name: 'later' });
    await world.settle();
    world.time.advance(200_000);
    assert.deepEqual(sink.replay().bookmarks, []);
    sink.stall = () => false;
    sink.drain();
    // Due, and not yet delivered: the event goes first.
    world.time.advance(1_000);
    assert.deepEqual(sink.replay().events.length, 2);
    assert.deepEqual(sink.replay().bookmarks, [last]);
    await world.stop();
  });

  it('I14: a stream ends at its deadline, with a bookmark shortly before', async () => {
    const world = await createWorld();
    const start = { kind: 'after', revision: world.streams.revision } as const;
    const sink = new TestSink();
    world.streams.watch(watchRequest({ start, bookmarks: true, timeoutMs: 10_000 }), sink);
    const blocked = new TestSink(() => true);
    world.streams.watch(watchRequest({ start, timeoutMs: 10_000 }), blocked);
    const last = (await putMany(world, 1))[0];
    await world.settle();
    world.time.advance(9_500);
    assert.equal(sink.ended, false);
    assert.deepEqual(sink.replay().bookmarks, [last]);
    world.time.advance(700);
    assert.equal(sink.ended, true);
    assert.equal(blocked.ended, true);
    assert.equal(world.streams.stats().watchersCount, 0);
    await world.stop();
  });

  it('I21: a client that stops within its initial events is ended, one that goes on is not', async () => {
    const world = await createWorld({ limits: { pumpChunkBytes: 100 } });
    await putMany(world, 10);
    const [stuck, slow] = [new TestSink(() => true), new TestSink(() => true)];
    for (const sink of [stuck, slow]) world.streams.watch(watchRequest({ start: fromState }), sink);
    await world.settle();
    // Long enough for it to be live, and for what was noted of its stalls to be forgotten.
    for (let i = 0; i < 20; i += 1) {
      world.time.advance(20_000);
      slow.drain();
      await turns(2);
    }
    assert.equal(stuck.ended, true);
    assert.equal(stuck.writes, 1);
    assert.equal(slow.ended, false);
    assert.equal(slow.replay(true).initial.length, 10);
    await world.stop();
  });

  it('I19: stop ends every stream, with a last bookmark where they are on', async () => {
    const world = await createWorld();
    const start = { kind: 'after', revision: world.streams.revision } as const;
    const [live, blocked, waiting] = [new TestSink(), new TestSink(() => true), new TestSink()];
    world.streams.watch(watchRequest({ start, bookmarks: true }), live);
    world.streams.watch(watchRequest({ start, bookmarks: true }), blocked);
    const future = { kind: 'after', revision: 999_999n as Revision } as const;
    world.streams.watch(watchRequest({ start: future, bookmarks: true }), waiting);
    const [last] = await putMany(world, 1);
    await world.settle();
    await world.stop();
    await world.stop();
    for (const sink of [live, blocked, waiting]) assert.equal(sink.ended, true);
    assert.deepEqual(live.replay().bookmarks, [last]);
    assert.deepEqual(blocked.replay().bookmarks, []);
    const late = new TestSink();
    world.streams.watch(watchRequest(), late);
    assert.equal(late.ended, true);
  });
});
